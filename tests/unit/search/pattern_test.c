/* Expressions and their limits, from both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "pattern.h"

static struct patterns *patterns_of(struct arena *a, const char *filter, int64_t deadline_us)
{
	const struct filter_node *node;
	struct patterns *p;

	assert_null(filter_parse(a, str_of(filter), &node));
	assert_null(patterns_new(a, node, deadline_us, &p));
	return p;
}

static struct str repeated(struct arena *a, const char *piece, size_t count, const char *tail)
{
	char *text = arena_alloc(a, strlen(piece) * count + strlen(tail) + 1);
	char *end = text;

	for (size_t i = 0; i < count; i++)
		end = stpcpy(end, piece);
	end = stpcpy(end, tail);
	return (struct str){ text, (size_t)(end - text) };
}

static bool matches(struct patterns *p, size_t i, struct str text)
{
	bool found = patterns_match(p, i, text);

	assert_null(patterns_error(p));
	return found;
}

static void they_have_numbers(void **state)
{
	struct arena *a = arena_new(4096);
	struct patterns *p = patterns_of(a, "group:/^a/ not (B or id:/\\d/i) \"c.d\" name:/E/i", 0);

	(void)state;
	assert_int_equal(patterns_count(p), 6);
	assert_true(matches(p, 0, STR("ab")) && !matches(p, 0, STR("ba")) &&
		    !matches(p, 0, STR("Ab")));
	assert_true(matches(p, 1, STR("abc")) && !matches(p, 1, STR("")));
	assert_true(matches(p, 2, STR("x1")) && !matches(p, 2, STR("x")));
	assert_true(matches(p, 3, STR("C.D")) && !matches(p, 3, STR("cxd")));
	assert_true(matches(p, 4, STR("we")) && matches(p, 5, STR("WE")));
	arena_free(a);
}

static void nothing_is_missed_between_slices(void **state)
{
	struct arena *a = arena_new(4096);
	struct patterns *p = patterns_of(
		a, "group:/x$/ group:/^a*$/ group:/(?<=\xc3\xa4)x/ group:/$/ group:/(?<=a)\\b$/",
		0);

	(void)state;
	for (size_t len = PATTERN_SLICE - 3; len < 2 * PATTERN_SLICE + 4; len++) {
		assert_true(matches(p, 0, repeated(a, "a", len, "x")));
		assert_false(matches(p, 0, repeated(a, "a", len, "")));
		assert_true(matches(p, 1, repeated(a, "a", len, "")));
		assert_false(matches(p, 1, repeated(a, "a", len, "x")));
		assert_true(matches(p, 2, repeated(a, "\xc3\xa4", len / 2, "x")));
		assert_false(matches(p, 2, repeated(a, "\xc3\xb6", len / 2, "x")));
		assert_true(matches(p, 3, repeated(a, "a", len, "")));
		assert_true(matches(p, 4, repeated(a, "a", len, "")));
	}
	arena_free(a);
}

static void what_is_none_is_refused(void **state)
{
	static const char *const bad[] = {
		"group:/(/", "group:/[/",        "group:/a{2,1}/",           "group:/\\C/",
		"group:/*/", "group:/(?<=a*)b/", "group:/(a{60000}){60000}/"
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct filter_node *node;
		struct patterns *p;
		err_t e;

		assert_null(filter_parse(a, str_of(bad[i]), &node));
		e = patterns_new(a, node, 0, &p);
		if (!e)
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->field, "filter");
	}
	arena_free(a);
}

/* A short text is within the limit, a long one is beyond it; afterwards nothing matches any more. */
static void tries_are_limited(void **state)
{
	static const struct {
		const char *pattern;
		size_t good, bad;
	} cases[] = {
		{ "group:/^(a+)+[xy]$/", 8, 40 },
		{ "group:/^(a|aa)+[xy]/", 12, 60 },
		{ "group:/^(.*)(.*)(.*)(.*)[xy]/", 10, 400 },
		{ "group:/^(a?){30}a{30}[xy]/", 4, 31 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		struct patterns *p = patterns_of(a, cases[i].pattern, 0);

		assert_false(matches(p, 0, repeated(a, "a", cases[i].good, "!")));
		assert_false(patterns_match(p, 0, repeated(a, "a", cases[i].bad, "!")));
		if (!patterns_error(p))
			fail_msg("%s has no limit", cases[i].pattern);
		assert_int_equal(patterns_error(p)->kind, ERR_UNPROCESSABLE);
		assert_false(patterns_match(p, 0, STR("aax")));
		arena_free(a);
	}
}

/* Slow at every place, beyond a limit at none: the clock ends it. */
static void time_is_limited(void **state)
{
	struct arena *a = arena_new(4096);
	struct patterns *p = patterns_of(a, "group:/a[^x]{0,9000}[xy]/", 0);
	struct str text = repeated(a, "a", 4 << 20, "");

	(void)state;
	assert_false(patterns_match(p, 0, text));
	assert_non_null(patterns_error(p));
	assert_int_equal(patterns_error(p)->kind, ERR_UNPROCESSABLE);
	p = patterns_of(a, "group:/a[^x]{0,9000}[xy]/", clock_mono_us() - 1);
	assert_false(patterns_match(p, 0, text));
	assert_int_equal(patterns_error(p)->kind, ERR_TIMEOUT);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_have_numbers),
		cmocka_unit_test(nothing_is_missed_between_slices),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(tries_are_limited),
		cmocka_unit_test(time_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
