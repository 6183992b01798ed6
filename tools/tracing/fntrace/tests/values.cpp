// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Methods and functions of C++ with references, strings and classes; see values.c.
 */
#include <cstdio>
#include <string>
#include <string_view>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone, noipa))
#endif

/* How the debug information names the parameters of a pack. */
#ifdef __clang__
#define PACKED	"b", "b"
#else
#define PACKED	"arg2", "arg3"
#endif

int sink;

/* Callers need not pass what is not used. */
#define USE(x)	__asm__ volatile("" : : "r" (x) : "memory")

namespace space {

enum class shade : unsigned char { dark, light = 200 };

/* Nothing is passed for it on x86_64. */
struct tag { };

enum status { OK = 200, MOVED = 301 };

struct base {
	int	first;
};

struct point : base {
	double		second;
	static int	counted;
	shade		tone;
};

int point::counted = 3;

/* Passed by its address, as it is not only copied. */
class counted {
public:
	explicit counted(int value) : value(value) { sink = value; }
	counted(const counted &other) : value(other.value) { sink = value; }
	~counted() { sink = value; }
	KEEP int method(int a) const { sink = a; return a + value; }
	KEEP static bool no_object(char a) { sink = a; return a == 'a'; }
private:
	int	value;
};

KEEP int references(const int &a, double &b, const point &c, shade &d, point &&e)
{
	sink = a + b + c.first + (int)d + e.first;
	return 1;
}

KEEP const std::string &texts(const std::string &a, std::string &b, std::string_view c,
			      const std::string *d)
{
	USE(a.data());
	USE(b.data());
	USE(c.data());
	USE(c.size());
	USE(d);
	return a;
}

KEEP point by_value(point a, int b)
{
	sink = a.first + b;
	return a;
}

KEEP int by_address(int a, counted b, int c)
{
	sink = a + b.method(1) + c;
	return c;
}

KEEP shade enumeration(shade a, char16_t b, char32_t c, decltype(nullptr) d)
{
	sink = (int)a + b + c + (d == nullptr);
	return a;
}

KEEP status after_empty(int a, tag, status b, tag, int c)
{
	sink = a + b + c;
	return b;
}

template <typename T> KEEP T both(T a, const T &b)
{
	sink = a + b;
	return a;
}

template <typename... A> KEEP int pack(int a, A... b)
{
	sink = a + sizeof...(b);
	return a;
}

}

using namespace space;

int main()
{
	int a = -1;
	double b = 0.75;
	point c, e;
	shade d = shade::light;
	std::string text = "text", longer = "a string that is not in its object", empty;
	counted object(5);

	c.first = 3;
	c.second = 4.5;
	c.tone = shade::dark;
	e = c;
	e.first = 6;
	references(a, b, c, d, static_cast<point &&>(e));
	printf("shows space::references(a=-1, b=0.75, c={first=3, second=4.5, tone=dark}, "
	       "d=light, e={first=6, second=4.5, tone=dark}) = 1\n");
	texts(text, longer, std::string_view(longer).substr(2, 6), &empty);
	printf("shows space::texts(a=\"text\", b=\"a string that is not in its object\", "
	       "c=\"string\", d=\"\") = \"text\"\n");
	by_value(c, 2);
	printf("shows space::by_value(a={first=3, second=4.5, tone=dark}, b=2) = "
	       "{first=3, second=4.5, tone=dark}\n");
	by_address(9, object, 8);
	printf("shows space::by_address(a=9, b={value=5}, c=8) = 8\n");
	enumeration(shade::light, u'b', U'\u00e4', nullptr);
	printf("shows space::enumeration(a=light, b='b', c='\u00e4', ...) = light\n");
	after_empty(1, tag(), OK, tag(), 3);
#ifdef __x86_64__
	printf("shows space::after_empty(a=1, arg2={}, b=OK, arg4={}, c=3) = OK\n");
#endif
	object.method(4);
	printf("shows space::counted::method(this=%p, a=4) = 9\n", (void *)&object);
	counted::no_object('a');
	printf("shows space::counted::no_object(a='a') = true\n");
	both(7, 8);
	printf("shows int space::both<int>(a=7, b=8) = 7\n");
	both(0.5, 1.5);
	printf("shows double space::both<double>(a=0.5, b=1.5) = 0.5\n");
	pack(3, 4, "five");
	printf("shows int space::pack<int, char const*>(a=3, %s=4, %s=\"five\") = 3\n", PACKED);
	return 0;
}
