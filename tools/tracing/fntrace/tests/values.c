// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions with arguments and results of all kinds, which are called with known values. For
 * each call it prints a line, "shows " and what a trace has to show of it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP	__attribute__((noinline, noclone))

/*
 * Behind the prologue what is on the stack is not known; where floating point is in general
 * registers after the eighth, none of the arguments of many_floats() is.
 */
#ifdef BEHIND_PROLOGUE
#define STACK_SHOWN	"on_stack(a=1, b=2, c=3, d=4, e=5, f=6, g=?, h=?, i=?, j=?)"
#define FLOATS_SHOWN	"many_floats(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=?, j=?)"
#else
#define STACK_SHOWN	"on_stack(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=-8, i=9, " \
			"j={a=10, b=11, c=12})"
#define FLOATS_SHOWN	"many_floats(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=8, i=9.5, j=-10.5)"
#endif

enum color { RED, GREEN = 5, BLUE = -1 };
enum mask { LOW = 1, HIGH = 0x80000000u };
/* The top bit of one byte, and of two, is set in constants of four bytes. */
enum status { FOUND = 200, LATE = 0xffff, PAST = -2 };

struct point {
	int	x;
	double	y;
};

struct inner {
	short		a;
	unsigned char	b;
};

struct thing {
	const char	*name;
	struct inner	inner;
	char		label[8];
	enum color	color;
	unsigned int	low : 3;
	int		high : 5;
	struct thing	*next;
	float		ratio;
	int		list[3];
	union {
		int	i;
		float	f;
	} either;
};

struct two { long a, b; };
struct big { long a, b, c; };
struct floats { float a, b; };
struct mixed { double d; int i; };
struct large { char bytes[4000]; };
struct opaque;

int sink;

/* What the compiler must not know, or it makes a variant of the function for it. */
#define HIDE(x) ({							\
	__auto_type hidden = (x);					\
	__asm__ volatile("" : "+r" (hidden));				\
	hidden;								\
})

KEEP int8_t integers(int8_t a, uint8_t b, short c, unsigned short d, int e, uint32_t f)
{
	sink = a + b + c + d + e + f;
	return -7;
}

KEEP uint64_t longs(long a, unsigned long b, bool c, char d, const __volatile__ int64_t e)
{
	sink = a + b + c + d + e;
	return UINT64_MAX;
}

KEEP float floats(float a, double b, int c, float d)
{
	sink = a + b + c + d;
	return 0.1f;
}

KEEP double doubles(double a, double b)
{
	sink = a + b;
	return -2.5e300;
}

KEEP const char *strings(const char *a, char *b, const char *c, const char *d, const char *e)
{
	sink = !a + !b + !c + !d + !e;
	return "result";
}

KEEP enum color enums(enum color a, enum color b, enum color c, enum color d, enum mask e)
{
	sink = a + b + c + d + e;
	return GREEN;
}

KEEP enum status statuses(enum status a, enum status b, enum status c)
{
	sink = a + b + c;
	return FOUND;
}

KEEP int lengths(const char *a, const char *b, const char *c)
{
	sink = !a + !b + !c;
	return 0;
}

KEEP struct thing *pointers(const struct thing *a, struct point *b, void *c,
			    struct opaque *d, const struct point *e, int *f)
{
	sink = !a + !b + !c + !d + !e + !f;
	return (struct thing *)a;
}

KEEP struct two in_registers(struct two a, struct floats b, struct mixed c)
{
	sink = a.a + a.b + b.a + b.b + c.d + c.i;
	return (struct two){ a.b, 17 };
}

KEEP struct mixed returns_mixed(int a)
{
	sink = a;
	return (struct mixed){ 1.25, a };
}

KEEP struct floats returns_floats(int a)
{
	sink = a;
	return (struct floats){ 1.5f, a };
}

KEEP struct big returns_big(int a)
{
	sink = a;
	return (struct big){ 1, 2, a };
}

KEEP long on_stack(long a, long b, long c, long d, long e, long f, long g, int h, long i,
		   struct big j)
{
	sink = a + b + c + d + e + f + g + h + i + j.a;
	return j.c;
}

KEEP double many_floats(double a, double b, double c, double d, double e, double f, double g,
			double h, double i, float j)
{
	sink = a + b + c + d + e + f + g + h + i + j;
	return a;
}

KEEP void large(struct large *a, void (*b)(void), _Bool c)
{
	sink = !a + !b + c;
}

KEEP int recursive(int n)
{
	if (!n)
		return 1;
	sink = recursive(n - 1);
	return n * sink;
}

KEEP int unnamed(int a, ...)
{
	sink = a;
	return sink;
}

static __attribute__((cold, noinline)) void rarely(void)
{
	__builtin_abort();
}

/* A part of it is elsewhere in the program, as it is unlikely to run. */
KEEP int parted(int a, const char *b)
{
	sink = a;
	if (!b)
		rarely();
	return a + 1;
}

KEEP void nothing(void)
{
	sink = 1;
}

/* What main() passes and gets back, of which @next is not known before. */
static void print_first(const struct thing *next)
{
	printf("{name=\"fi\\\"r\\\\st\\n\", inner={a=-3, b=200}, label=\"12345678\", ");
	printf("color=BLUE, low=5, high=-2, next=%p, ratio=0.001, ", (const void *)next);
	printf("list=[...], either={...}}");
}

int main(void)
{
	struct thing last = { .name = "last", .color = GREEN, .ratio = 0.5f };
	struct thing first = {
		.name = "fi\"r\\st\n", .inner = { -3, 200 }, .label = "12345678", .color = BLUE,
		.low = 5, .high = -2, .next = &last, .ratio = 0.001f, .list = { 1, 2, 3 },
	};
	struct point point = { 4, -0.25 };
	static struct large big;
	long page = sysconf(_SC_PAGESIZE);
	char longer[200], whole[65], more[66], *end;

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	/* A string whose last byte is the last one of a mapping, and is no NUL. */
	end = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(end + page, page);
	memcpy(end + page - 3, "end", 3);

	integers(-128, 255, -32768, 65535, -2147483647 - 1, 4294967295u);
	printf("shows integers(a=-128, b=255, c=-32768, d=65535, e=-2147483648, f=4294967295)");
	printf(" = -7\n");
	longs(-9223372036854775807, 18446744073709551615u, true, 'q', -1);
	printf("shows longs(a=-9223372036854775807, b=18446744073709551615, c=true, d='q', e=-1)");
	printf(" = 18446744073709551615\n");
	floats(1.5f, -0.1, 3, 16777216.0f);
	printf("shows floats(a=1.5, b=-0.1, c=3, d=16777216) = 0.1\n");
	doubles(1.0 / 3, 1 / 1e300);
	printf("shows doubles(a=0.3333333333333333, b=1e-300) = -2.5e+300\n");
	strings(HIDE("abc"), longer, HIDE((char *)NULL), HIDE((char *)1), end + page - 3);
	printf("shows strings(a=\"abc\", b=\"%.64s\"..., c=NULL, d=0x1, e=\"end\"...)", longer);
	printf(" = \"result\"\n");
	enums(RED, GREEN, BLUE, (enum color)77, HIGH);
	printf("shows enums(a=RED, b=GREEN, c=BLUE, d=77, e=HIGH) = GREEN\n");
	statuses(FOUND, LATE, PAST);
	printf("shows statuses(a=FOUND, b=LATE, c=PAST) = FOUND\n");
	memset(whole, 'w', sizeof(whole) - 1);
	whole[sizeof(whole) - 1] = 0;
	memset(more, 'm', sizeof(more) - 1);
	more[sizeof(more) - 1] = 0;
	lengths(whole, more, HIDE(whole + 1));
	printf("shows lengths(a=\"%s\", b=\"%.64s\"..., c=\"%s\") = 0\n", whole, more, whole + 1);
	pointers(&first, &point, HIDE((void *)NULL), HIDE((struct opaque *)NULL),
		 HIDE((struct point *)8), (int *)&sink);
	printf("shows pointers(a=");
	print_first(&last);
	printf(", b={x=4, y=-0.25}, c=NULL, d=NULL, e=0x8, f=%p) = ", (void *)&sink);
	print_first(&last);
	printf("\n");
	in_registers((struct two){ 1, -2 }, (struct floats){ 0.5f, 2 }, (struct mixed){ 8.5, 9 });
	printf("shows in_registers(a={a=1, b=-2}, b={a=0.5, b=2}, c={d=8.5, i=9})");
	printf(" = {a=-2, b=17}\n");
	returns_mixed(6);
	printf("shows returns_mixed(a=6) = {d=1.25, i=6}\n");
	returns_floats(7);
	printf("shows returns_floats(a=7) = {a=1.5, b=7}\n");
	returns_big(8);
#ifdef __x86_64__
	printf("shows returns_big(a=8) = {a=1, b=2, c=8}\n");
#else
	printf("shows returns_big(a=8)\n");
#endif
	on_stack(1, 2, 3, 4, 5, 6, 7, -8, 9, (struct big){ 10, 11, 12 });
	printf("shows %s = 12\n", STACK_SHOWN);
	many_floats(1, 2, 3, 4, 5, 6, 7, 8, 9.5, -10.5f);
	printf("shows %s = 1\n", FLOATS_SHOWN);
	large(&big, nothing, true);
	printf("shows large(a={bytes=[...]}, b=%p, c=true)\n", (void *)nothing);
	recursive(2);
	printf("shows recursive(n=0) = 1\n");
	printf("shows recursive(n=1) = 1\n");
	printf("shows recursive(n=2) = 2\n");
	unnamed(1, 2.0);
	printf("shows unnamed(a=1) = 1\n");
	nothing();
	printf("shows nothing()\n");
	parted(HIDE(5), HIDE("b"));
	puts("shows parted(a=5, b=\"b\") = 6");
	return 0;
}
