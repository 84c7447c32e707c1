/* The first lines by time or by arrival, against a sort of all of them, for any order of coming and any limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "top_lines.h"

enum { LINES = 500, ROUNDS = 60 };

static const char letters[] = "the text of a line, of which a part is taken for each of them";

struct offered {
	int32_t writer;
	struct line line;
};

static enum line_order by;

static int by_mark(const void *a, const void *b)
{
	const struct offered *x = a;
	const struct offered *y = b;
	struct line_cursor p = { line_position(&x->line, by), x->writer, x->line.number };
	struct line_cursor q = { line_position(&y->line, by), y->writer, y->line.number };

	return line_cursor_compare(&p, &q);
}

static void make_lines(struct offered *all)
{
	for (int i = 0; i < LINES; i++)
		all[i] = (struct offered){
			.writer = rand() % 3,
			.line = { .number = i,
				  .time_us = rand() % 100,
				  .arrival = rand() % 20,
				  .text = { letters, (size_t)rand() % (sizeof(letters) - 1) } },
		};
}

/* As many of the sorted ones as the limits let in. */
static size_t expected_count(const struct offered *sorted, int step, size_t limit, size_t bytes)
{
	size_t count = 0;
	size_t used = 0;

	while (count < LINES && count < limit) {
		used += sorted[(int)count * step].line.text.len;
		if (used > bytes && count)
			break;
		count++;
	}
	return count;
}

static void check(struct arena *a, enum top_lines_order order, size_t limit, size_t bytes)
{
	struct offered all[LINES];
	const struct offered *first;
	struct top_lines *top = top_lines_new(a, by, order, limit, bytes);
	int step = order == TOP_EARLIEST ? 1 : -1;
	size_t count;

	make_lines(all);
	for (int i = 0; i < LINES; i++)
		top_lines_offer(top, all[i].writer, &all[i].line);
	qsort(all, LINES, sizeof(all[0]), by_mark);
	first = order == TOP_EARLIEST ? all : &all[LINES - 1];
	count = expected_count(first, step, limit, bytes);
	assert_true(top->count <= count && top->count > 0);
	assert_int_equal(top->is_cut, top->count < LINES);
	if (top->is_cut)
		assert_true(
			top_lines_is_beyond(top, line_position(&top->items[0].line, by) + step));
	assert_false(top_lines_is_beyond(top, line_position(&top->items[0].line, by)));
	top_lines_sort(top);
	for (size_t i = 0; i < top->count; i++) {
		const struct offered *e = &first[(int)i * step];

		assert_int_equal(top->items[i].writer, e->writer);
		assert_int_equal(top->items[i].line.number, e->line.number);
		assert_true(str_equal(top->items[i].line.text, e->line.text));
	}
	if (bytes == SIZE_MAX)
		assert_int_equal(top->count, count);
}

static void test_against_a_sort(void **state)
{
	static const size_t limits[] = { 1, 2, 7, 100, LINES - 1, LINES, 10 * LINES };
	struct arena *a = arena_new(256);

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		by = round % 2 ? LINES_BY_ARRIVAL : LINES_BY_TIME;
		for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
			check(a, TOP_EARLIEST, limits[i], SIZE_MAX);
			check(a, TOP_LATEST, limits[i], SIZE_MAX);
			check(a, TOP_EARLIEST, LINES, 50 * limits[i]);
			check(a, TOP_LATEST, LINES, limits[i]);
		}
		arena_reset(a);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_against_a_sort) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
