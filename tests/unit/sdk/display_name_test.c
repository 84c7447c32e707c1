/* Names that are invented for runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "arena.h"
#include "display_name.h"

/* The length of a word of lower case letters. */
static size_t word(const char *at)
{
	return strspn(at, "abcdefghijklmnopqrstuvwxyz");
}

static void a_name_is_two_words_and_the_number(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct str name = display_name_invent(a, seed, 12);
		const char *thing = name.at + word(name.at) + 1;

		assert_in_range(word(name.at), 3, 9);
		assert_int_equal(thing[-1], '-');
		assert_in_range(word(thing), 3, 9);
		assert_string_equal(thing + word(thing), "-12");
	}
	arena_free(a);
}

static void the_same_seed_gives_the_same_words(void **state)
{
	struct arena *a = arena_new(4096);
	struct str one = display_name_invent(a, 42, 1);
	struct str other = display_name_invent(a, 42, INT64_MAX);

	(void)state;
	assert_true(str_equal(one, display_name_invent(a, 42, 1)));
	assert_memory_equal(one.at, other.at, one.len - 1);
	assert_true(str_equal(one, STR("frosty-marsh-1"))); /* on every machine */
	arena_free(a);
}

/* Seeds that follow each other: 4096 pairs of words, of which 256 names use nearly as many. */
static void names_differ(void **state)
{
	enum { NAMES = 256 };
	struct arena *a = arena_new(4096);
	struct str names[NAMES];
	unsigned same = 0;

	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		names[i] = display_name_invent(a, i, 1);
		for (unsigned j = 0; j < i; j++)
			same += str_equal(names[i], names[j]);
	}
	assert_in_range(same, 0, 20);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_two_words_and_the_number),
		cmocka_unit_test(the_same_seed_gives_the_same_words),
		cmocka_unit_test(names_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
