// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions whose names the linker has in another form than people. */
namespace space {

static volatile int sink;

struct thing {
	__attribute__((noinline)) void method(int n);
};

__attribute__((noinline)) static void inside(int)
{
	sink = sink + 1;
}

void thing::method(int n)
{
	for (int i = 0; i < n; i++)
		inside(i);
}

} /* namespace space */

__attribute__((noinline)) static void outside()
{
	space::sink = space::sink + 1;
}

int main()
{
	space::thing thing;

	outside();
	thing.method(3);
	return 0;
}
