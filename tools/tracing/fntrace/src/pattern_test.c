// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which patterns match which names of functions in C, C++ and Rust.
 */
#include "pattern.h"
#include "unit_test.h"

static const struct {
	const char	*pattern;
	const char	*name;
	bool		matches;
} cases[] = {
	{ "main", "main", true },
	{ "mai", "main", false },
	{ "main", "domain", false },
	{ "m*n", "main", true },
	{ "*parse*", "re_parse_all", true },
	{ "space::run", "space::run(int, char const*)", true },
	{ "space::run(int, char const*)", "space::run(int, char const*)", true },
	{ "space::run(int)", "space::run(int, char const*)", false },
	{ "space::*", "space::thing::method() const", true },
	{ "space::thing::method", "space::thing::method() const", true },
	{ "std::map<*>::find", "std::map<int, char>::find(int const&) const", true },
	{ "std::map<int>::find", "std::map<int, char>::find(int const&) const", false },
	{ "call", "call(void (*)(int))", true },
	{ "f::operator()", "f::operator()(int)", true },
	{ "(anonymous namespace)::hidden", "(anonymous namespace)::hidden()", true },
	{ "(anonymous namespace)::hidden", "(anonymous namespace)::hidden", true },
	{ "(anonymous namespace)", "(anonymous namespace)::hidden", false },
	{ "crate::module::function", "crate::module::function", true },
	{ "<crate::Thing as crate::Trait>::run", "<crate::Thing as crate::Trait>::run", true },
	{ "*::run", "<crate::Thing as crate::Trait>::run", true },
	{ "<fn", "<fn(u8) as crate::Trait>::run", false },
	{ "<fn(u8) as crate::Trait>::run", "<fn(u8) as crate::Trait>::run", true },
	{ "f", "f(int) [clone .cold]", true },
	{ "run", "<crate::Thing as crate::Trait>::run", false },
	{ "a)b", "a)b", true },
	{ "a", "a)b", false },
	{ "", "()", false },
	{ "x", "", false },
};

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(pattern_matches_function(cases[i].pattern, cases[i].name) ==
		      cases[i].matches, "\"%s\" and \"%s\"", cases[i].pattern, cases[i].name);
	return unit_test_end();
}
