/* Where numeric chunks begin and end, whatever the portions in which values come. */
#include "series_data.h"

#include <string.h>

#include "chunk.h"
#include "chunk_layout.h"
#include "rollup.h"

enum { MOST = 64 };

/* The chunks of one key: where each begins, and how many values there are. */
struct chunks {
	int64_t first[MOST];
	int count;
	int64_t values;
	int64_t written;
};

static void append(struct chunks *c, int64_t count)
{
	int64_t from = chunk_layout_from(c->values, count);
	int64_t end = c->values + count;

	assert_true(from <= c->values && from >= 0);
	while (c->count && c->first[c->count - 1] >= from)
		c->count--;
	/* What is not written again ends where the new begins. */
	if (c->count && from % CHUNK_VALUES)
		assert_true(c->first[c->count - 1] < from);
	c->values = end;
	c->written += end - from;
	while (from < end) {
		int64_t length = chunk_layout_length(from, end);

		assert_in_range(length, 1, CHUNK_VALUES);
		assert_int_equal(from % CELL_VALUES, 0);
		assert_int_equal(from / CHUNK_VALUES, (from + length - 1) / CHUNK_VALUES);
		if (from + length < end)
			assert_int_equal((from + length) % CELL_VALUES, 0);
		if (from >= end - end % CHUNK_VALUES) {
			assert_true(c->count < MOST);
			c->first[c->count++] = from;
		}
		from += length;
	}
}

/* Forgets full chunks: only what lies after them is limited. */
static void forget_full(struct chunks *c)
{
	int64_t open = c->values - c->values % CHUNK_VALUES;
	int kept = 0;

	for (int i = 0; i < c->count; i++) {
		if (c->first[i] >= open)
			c->first[kept++] = c->first[i];
	}
	c->count = kept;
}

static void few_pieces_and_few_writes(void **state)
{
	static const int64_t portions[] = { 1,   7,    64,   128,  255,  256,
					    257, 1000, 1024, 4095, 4096, 9000 };

	(void)state;
	for (size_t i = 0; i < sizeof(portions) / sizeof(portions[0]); i++) {
		struct chunks c = { .count = 0 };
		int64_t n = portions[i];

		while (c.values < 100000) {
			append(&c, n);
			forget_full(&c);
			assert_in_range(c.count, 0, 8);
		}
		/* The rest of a 512 is written again with each portion, whole ones twice. */
		assert_true(c.written <= c.values * (2 + (CELL_VALUES + n) / n));
	}
}

static void any_portions(void **state)
{
	uint64_t random = 11;
	struct chunks c = { .count = 0 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		append(&c, 1 + (int64_t)(series_random(&random) % (i % 3 ? 300 : 6000)));
		forget_full(&c);
		assert_in_range(c.count, 0, 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_pieces_and_few_writes),
		cmocka_unit_test(any_portions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
