/* Pages of runs that are ordered by several keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "ordered_runs.h"

enum { RUNS = 16, KEYS = 1 + SEARCH_ORDERS_MORE };

/* Each key has two values but the third, which decides nothing; the number of the run decides last. */
static struct ordered_run run_of(int64_t i)
{
	static const int bits[KEYS] = { 3, 2, 8, 1 };
	struct ordered_run run = { .run_id = 100 + i };

	for (size_t key = 0; key < KEYS; key++)
		run.values[key] = (struct value){ .rank = SEARCH_RANK_NUMBER,
						  .is_plain = true,
						  .number = (double)(i >> bits[key] & 1) };
	return run;
}

/* In an allocation of its own, so that sanitizers see a read beyond the last run. */
static struct ordered_run *runs_of(const struct search_page *ask)
{
	struct ordered_run *runs = malloc(RUNS * sizeof(*runs));

	for (int64_t i = 0; i < RUNS; i++)
		runs[i] = run_of((i * 7 + 3) % RUNS);
	ordered_runs_sort(ask, runs, RUNS);
	return runs;
}

static void add_runs(struct buf *out, const struct search_page_found *found)
{
	for (size_t i = 0; i < found->count; i++)
		buf_printf(out, "%lld ", (long long)found->runs[i].run_id - 100);
}

static const char *text_of(struct buf *out)
{
	buf_add_byte(out, '\0');
	return out->at;
}

static const struct search_page orders[] = {
	{ .more_count = 3 },
	{ .more_count = 3, .descending = true },
	{ .more_count = 3, .more = { { .descending = true } } },
	{ .more_count = 1, .more = { { .descending = true } } },
	{ .more_count = 0 },
	{ .more_count = 0, .descending = true },
};
static const char *const expected[] = {
	"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ",
	/* descending in the first key, and in the number of the run, which decides last */
	"9 8 11 10 13 12 15 14 1 0 3 2 5 4 7 6 ",
	"4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 ",
	"4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 ",
	"0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ",
	"15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0 ",
};
enum { ORDERS = sizeof(orders) / sizeof(orders[0]) };

static void each_key_decides_among_equal_ones_before_it(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < ORDERS; i++) {
		struct search_page ask = orders[i];
		struct ordered_run *runs = runs_of(&ask);
		struct search_page_found found;
		struct buf *out = buf_new(a);

		ask.limit = RUNS;
		ordered_runs_page(a, &ask, runs, RUNS, &found);
		add_runs(out, &found);
		assert_string_equal(text_of(out), expected[i]);
		free(runs);
	}
	arena_free(a);
}

static void take_cursor(struct search_page *ask, const struct search_page_found *found)
{
	const struct search_found_run *last = &found->runs[found->count - 1];

	ask->has_cursor = true;
	ask->cursor_run_id = last->run_id;
	ask->cursor = last->value;
	memcpy(ask->cursor_more, last->more, sizeof(last->more));
}

static void pages_go_on_after_their_cursor(void **state)
{
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < ORDERS * (RUNS + 1); i++) {
		struct search_page ask = orders[i % ORDERS];
		struct ordered_run *runs = runs_of(&ask);
		struct search_page_found found;
		struct buf *out = buf_new(a);

		ask.limit = 1 + (int64_t)(i / ORDERS);
		do {
			ordered_runs_page(a, &ask, runs, RUNS, &found);
			assert_true(found.count <= (size_t)ask.limit);
			assert_int_equal(found.all, RUNS);
			add_runs(out, &found);
			if (found.count)
				take_cursor(&ask, &found);
		} while (found.count);
		assert_string_equal(text_of(out), expected[i % ORDERS]);
		free(runs);
	}
	arena_free(a);
}

static void a_page_begins_at_its_offset(void **state)
{
	static const struct {
		int64_t offset, limit;
		const char *runs;
	} cases[] = {
		{ 0, 2, "0 1 " },    { 3, 2, "3 4 " },     { 14, 2, "14 15 " },
		{ 14, 9, "14 15 " }, { 15, 9, "15 " },     { 16, 9, "" },
		{ 17, 9, "" },       { INT64_MAX, 1, "" }, { 5, 1, "5 " },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct search_page ask = orders[0];
		struct ordered_run *runs = runs_of(&ask);
		struct search_page_found found;
		struct buf *out = buf_new(a);

		ask.offset = cases[i].offset;
		ask.limit = cases[i].limit;
		ordered_runs_page(a, &ask, runs, RUNS, &found);
		add_runs(out, &found);
		assert_string_equal(text_of(out), cases[i].runs);
		assert_int_equal(found.all, RUNS);
		free(runs);
	}
	arena_free(a);
}

static void no_runs_have_an_empty_page(void **state)
{
	struct arena *a = arena_new(4096);
	const struct search_page ask = { .more_count = 1, .limit = 5 };
	struct ordered_run *none = malloc(1);
	struct search_page_found found;

	(void)state;
	ordered_runs_sort(&ask, none, 0);
	ordered_runs_page(a, &ask, none, 0, &found);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.all, 0);
	free(none);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_decides_among_equal_ones_before_it),
		cmocka_unit_test(pages_go_on_after_their_cursor),
		cmocka_unit_test(a_page_begins_at_its_offset),
		cmocka_unit_test(no_runs_have_an_empty_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
