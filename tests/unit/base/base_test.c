/* The ground layer: text, numbers, time, queue, arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "err.h"
#include "id.h"
#include "keyed_hash.h"
#include "queue.h"
#include "str.h"

static void utf8_is_told_from_other_bytes(void **state)
{
	static const struct {
		struct str text;
		bool good;
	} cases[] = {
		{ STR("plain text, longer than eight"), true },
		{ STR("gr\xc3\xbc\xc3\x9f"), true },
		{ STR("\xf0\x9f\x98\x80"), true },
		{ STR("\xed\x9f\xbf"), true },
		{ STR("\xc3"), false },
		{ STR("\x80"), false },
		{ STR("\xc0\xaf"), false },
		{ STR("\xe0\x80\xaf"), false },
		{ STR("\xed\xa0\x80"), false },
		{ STR("\xf4\x90\x80\x80"), false },
		{ STR("\xff"), false },
		{ STR("aaaaaaaa\xc3("), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(str_is_utf8(cases[i].text), cases[i].good);
}

static void characters_are_counted(void **state)
{
	static const struct {
		struct str text;
		size_t count;
		size_t head; /* bytes of the first two characters */
	} cases[] = {
		{ STR(""), 0, 0 },
		{ STR("a"), 1, 1 },
		{ STR("abc"), 3, 2 },
		{ STR("\xe5\xae\x9f\xe9\xa8\x93"), 2, 6 },
		{ STR("\xf0\x9f\x94\xa5"
		      "a"
		      "\xc3\xbc"),
		  3, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(str_characters(cases[i].text), cases[i].count);
		assert_int_equal(str_head_characters(cases[i].text, 2).len, cases[i].head);
	}
}

static void numbers_are_whole_texts_within_bounds(void **state)
{
	int64_t n = -1;

	(void)state;
	assert_true(str_to_int64(STR("42"), 0, 100, &n));
	assert_int_equal(n, 42);
	assert_false(str_to_int64(STR("42x"), 0, 100, &n));
	assert_false(str_to_int64(STR(" 42"), 0, 100, &n));
	assert_false(str_to_int64(STR("101"), 0, 100, &n));
	assert_false(str_to_int64(STR(""), 0, 100, &n));
	assert_false(str_to_int64(STR("99999999999999999999"), INT64_MIN, INT64_MAX, &n));
	assert_false(str_to_int64(STR("\v42"), 0, 100, &n));
	assert_false(str_to_int64(STR("42\0"), 0, 100, &n));
	assert_true(str_to_int64(STR("-9223372036854775808"), INT64_MIN, INT64_MAX, &n));
	assert_int_equal(n, INT64_MIN);
}

static void reals_are_decimal(void **state)
{
	static const char *const none[] = { "",    "0x10", "inf", "-infinity", "nan", "1e",
					    "\f1", " 1",   "1 ",  "1,5",       "--1" };
	double value = 0;

	(void)state;
	assert_true(str_to_double(STR("-1.5e3"), &value));
	assert_true(value == -1500);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(str_to_double(str_of(none[i]), &value));
}

static void times_survive_text(void **state)
{
	static const char *const same[] = {
		"2026-11-21T10:00:00.123456Z",
		"1969-12-31T23:59:59.999999Z",
		"2000-02-29T00:00:00.000000Z",
	};
	char text[CLOCK_TEXT_SIZE];
	timestamp_us t;

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_true(clock_parse(str_of(same[i]), &t));
		clock_format(t, text);
		assert_string_equal(text, same[i]);
	}
	assert_true(clock_parse(STR("2026-11-21T12:00:00+02:00"), &t));
	clock_format(t, text);
	assert_string_equal(text, "2026-11-21T10:00:00.000000Z");
	assert_false(clock_parse(STR("2026-11-21 10:00"), &t));
	assert_false(clock_parse(STR("2026-13-21T10:00:00Z"), &t));
	assert_false(clock_parse(STR("2026-11-21T10:00:00"), &t));
	assert_false(clock_parse(STR("2026-02-29T10:00:00Z"), &t));
	assert_false(clock_parse(STR("2026-04-31T10:00:00Z"), &t));
	assert_false(clock_parse(STR("2026-11-21T10:00:00Z\0Z"), &t));
	assert_true(clock_parse(STR("2024-02-29T23:59:60Z"), &t));
	clock_format(t, text);
	assert_string_equal(text, "2024-03-01T00:00:00.000000Z");
}

static void a_full_or_closed_queue_refuses(void **state)
{
	struct queue *q = queue_new(2);
	int a;
	int b;
	void *got[4];

	(void)state;
	assert_true(queue_push(q, &a));
	assert_true(queue_push(q, &b));
	assert_false(queue_push(q, &b));
	assert_int_equal(queue_pop_many(q, got, 4, 0), 2);
	assert_ptr_equal(got[0], &a);
	assert_int_equal(queue_pop_many(q, got, 4, 0), 0);
	queue_close(q);
	assert_false(queue_push(q, &a));
	assert_null(queue_pop(q));
	queue_free(q);
}

static void count_up(void *p)
{
	++*(int *)p;
}

static void what_is_deferred_runs_once_at_reset(void **state)
{
	struct arena *a = arena_new(64);
	int calls = 0;

	(void)state;
	arena_defer(a, count_up, &calls);
	for (int i = 0; i < 100; i++)
		arena_zalloc(a, 10, 100);
	arena_reset(a);
	assert_int_equal(calls, 1);
	arena_free(a);
	assert_int_equal(calls, 1);
}

static void a_grown_array_keeps_what_it_had(void **state)
{
	struct arena *a = arena_new(64);
	int *numbers = NULL;
	size_t size = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		if ((size_t)i == size)
			numbers = arena_grow(a, numbers, &size, sizeof(*numbers));
		numbers[i] = i;
	}
	assert_int_equal(size, 1024);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(numbers[i], i);
	arena_free(a);
}

static void text_is_cut_and_trimmed(void **state)
{
	struct str rest = STR("a,b,,c");

	(void)state;
	assert_true(str_is(str_cut(&rest, ','), "a"));
	assert_true(str_is(str_cut(&rest, ','), "b"));
	assert_true(str_is(str_cut(&rest, ','), ""));
	assert_true(str_is(str_cut(&rest, ','), "c"));
	assert_int_equal(rest.len, 0);
	assert_true(str_is(str_trim(STR(" \t x y \r\n")), "x y"));
}

static void no_character_is_torn(void **state)
{
	const struct str text = str_of("a\xc3\xa4\xf0\x9f\x98\x80");
	const size_t whole[] = { 0, 1, 1, 3, 3, 3, 3, 7, 7 };

	(void)state;
	for (size_t max = 0; max < sizeof(whole) / sizeof(whole[0]); max++)
		assert_int_equal(str_head(text, max).len, whole[max]);
}

static void what_is_wrapped_outlives_its_cause(void **state)
{
	struct arena *a = arena_new(64);
	struct arena *shorter = arena_new(64);
	struct err *cause = err_field(shorter, ERR_BUSY, "field", "the %s", "cause");
	err_t e;

	(void)state;
	cause->sqlstate = arena_strdup(shorter, "08006");
	e = err_wrap(a, err_wrap(shorter, cause, "between"), "above");
	arena_free(shorter);
	assert_string_equal(err_chain(a, e), "above: between: the cause");
	assert_string_equal(e->sqlstate, "08006");
	assert_string_equal(e->cause->cause->field, "field");
	assert_int_equal(e->kind, ERR_BUSY);
	arena_free(a);
}

static void ids_differ(void **state)
{
	char a[ID_RUN_LEN + 1];
	char b[ID_RUN_LEN + 1];

	(void)state;
	id_text(a, ID_RUN_LEN);
	id_text(b, ID_RUN_LEN);
	assert_string_not_equal(a, b);
	assert_true(id_snowflake() > 0);
}

/* One key, one hash; names that meet under one key part under another. */
static void hashes_go_by_their_key(void **state)
{
	enum { NAMES = 1000, SLOTS = 16 };
	struct hash_key one, other;
	int met = 0, met_again = 0;
	uint64_t slot;

	(void)state;
	hash_key_make(&one);
	hash_key_make(&other);
	slot = hash_keyed(&one, STR("0")) % SLOTS;
	for (int i = 0; i < NAMES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		assert_true(hash_keyed(&one, str_of(name)) == hash_keyed(&one, str_of(name)));
		if (hash_keyed(&one, str_of(name)) % SLOTS != slot)
			continue;
		met++;
		met_again += hash_keyed(&other, str_of(name)) % SLOTS ==
			     hash_keyed(&other, STR("0")) % SLOTS;
	}
	assert_in_range(met, 10, 200);
	assert_in_range(met_again, 1, met / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(characters_are_counted),
		cmocka_unit_test(numbers_are_whole_texts_within_bounds),
		cmocka_unit_test(reals_are_decimal),
		cmocka_unit_test(times_survive_text),
		cmocka_unit_test(a_full_or_closed_queue_refuses),
		cmocka_unit_test(what_is_deferred_runs_once_at_reset),
		cmocka_unit_test(a_grown_array_keeps_what_it_had),
		cmocka_unit_test(text_is_cut_and_trimmed),
		cmocka_unit_test(no_character_is_torn),
		cmocka_unit_test(what_is_wrapped_outlives_its_cause),
		cmocka_unit_test(ids_differ),
		cmocka_unit_test(hashes_go_by_their_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
