/* What a chunk's row says of it against what it holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "chunk_check.h"
#include "chunk_store.h"
#include "codec.h"
#include "rollup.h"

enum { COUNT = 600, INDEX = 4096 };

/* A chunk and a row that tells the truth of it. */
struct sample {
	struct arena *a;
	struct codec *codec;
	int64_t rows[COUNT];
	int64_t steps[COUNT];
	double numbers[COUNT];
	struct cell cells[CELLS_PER_CHUNK + 1];
	uint32_t cell_count;
	struct chunk chunk;
	struct verify_chunk row;
};

static void encode_roll(struct sample *s)
{
	struct buf *roll = buf_new(s->a);

	rollup_encode(s->codec, s->cells, s->cell_count, roll);
	s->row.roll = buf_str(roll);
}

static int setup(void **state)
{
	struct arena *a = arena_new(64 << 10);
	struct sample *s = arena_new_of(a, struct sample);
	const struct cell_values values = { COUNT, s->rows, s->steps, s->numbers };

	s->a = a;
	s->codec = codec_new();
	for (int i = 0; i < COUNT; i++) {
		s->rows[i] = 10 + 3 * i;
		s->steps[i] = 1000 - i;
		s->numbers[i] = i % 50 == 7 ? (double)NAN : i % 50 == 8 ? (double)INFINITY : sin(i);
	}
	s->chunk = (struct chunk){ COUNT, s->rows, s->steps, s->numbers, NULL };
	s->row = (struct verify_chunk){
		.index_first = INDEX,
		.value_count = COUNT,
		.row_first = 10,
		.row_last = 10 + 3 * (COUNT - 1),
		.step_min = 1000 - (COUNT - 1),
		.step_max = 1000,
	};
	s->cell_count = rollup_add(s->cells, INDEX, &values);
	encode_roll(s);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	struct sample *s = *state;

	codec_free(s->codec);
	arena_free(s->a);
	return 0;
}

static void test_truth(void **state)
{
	struct sample *s = *state;

	assert_null(chunk_check_columns(s->a, &s->row, CHUNK_NUMBERS, &s->chunk));
	assert_null(chunk_check_roll(s->a, s->codec, &s->row, &s->chunk));
}

static void assert_says(const char *fault, const char *words)
{
	assert_non_null(fault);
	if (!strstr(fault, words))
		fail_msg("\"%s\" does not say \"%s\"", fault, words);
}

static void test_columns(void **state)
{
	struct sample *s = *state;
	const struct {
		size_t offset;
		const char *words;
	} columns[] = {
		{ offsetof(struct verify_chunk, row_first), "row_first" },
		{ offsetof(struct verify_chunk, row_last), "row_last" },
		{ offsetof(struct verify_chunk, step_min), "step_min" },
		{ offsetof(struct verify_chunk, step_max), "step_max" },
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct verify_chunk lie = s->row;
		int64_t *member = (int64_t *)(void *)((char *)&lie + columns[i].offset);

		(*member)--;
		assert_says(chunk_check_columns(s->a, &lie, CHUNK_NUMBERS, &s->chunk),
			    columns[i].words);
	}
	assert_says(chunk_check_columns(s->a, &s->row, CHUNK_TEXTS, &s->chunk),
		    "it contains values of the wrong kind");
	s->row.value_count--;
	assert_says(chunk_check_columns(s->a, &s->row, CHUNK_NUMBERS, &s->chunk), "value_count");
}

static void test_rows_rise(void **state)
{
	struct sample *s = *state;

	s->rows[300] = s->rows[299];
	assert_says(chunk_check_columns(s->a, &s->row, CHUNK_NUMBERS, &s->chunk),
		    "comes after row");
}

/* Each member of a cell, changed as little as it can be. */
static void test_every_member_of_a_cell(void **state)
{
	static const struct {
		size_t offset, size;
		const char *words;
	} members[] = {
		{ offsetof(struct cell, row_first), 8, "rows" },
		{ offsetof(struct cell, row_last), 8, "rows" },
		{ offsetof(struct cell, step_first), 8, "steps" },
		{ offsetof(struct cell, step_last), 8, "steps" },
		{ offsetof(struct cell, step_min), 8, "steps" },
		{ offsetof(struct cell, step_max), 8, "steps" },
		{ offsetof(struct cell, first), 8, "first or last" },
		{ offsetof(struct cell, last), 8, "first or last" },
		{ offsetof(struct cell, min), 8, "least or greatest" },
		{ offsetof(struct cell, max), 8, "least or greatest" },
		{ offsetof(struct cell, sum), 8, "sum" },
		{ offsetof(struct cell, n), 4, "counts" },
		{ offsetof(struct cell, nan), 4, "counts" },
		{ offsetof(struct cell, pinf), 4, "counts" },
		{ offsetof(struct cell, ninf), 4, "counts" },
	};
	struct sample *s = *state;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		unsigned char *byte = (unsigned char *)&s->cells[1] + members[i].offset;

		*byte ^= 1;
		encode_roll(s);
		assert_says(chunk_check_roll(s->a, s->codec, &s->row, &s->chunk), members[i].words);
		*byte ^= 1;
	}
	s->cell_count--;
	encode_roll(s);
	assert_says(chunk_check_roll(s->a, s->codec, &s->row, &s->chunk), "2 cells, expected 3");
	s->row.roll = STR("");
	assert_says(chunk_check_roll(s->a, s->codec, &s->row, &s->chunk), "the rollup is missing");
}

static void test_chain(void **state)
{
	struct sample *s = *state;
	struct chunk_chain chain = { .row_last = -1 };

	assert_says(chunk_chain_index(s->a, &chain, &s->row), "values 0 to 4095 are missing");
	assert_null(chunk_chain_rows(s->a, &chain, &s->chunk));
	assert_int_equal(chain.next, INDEX + COUNT);
	s->row.index_first = INDEX + COUNT - 5;
	assert_says(chunk_chain_index(s->a, &chain, &s->row), "values 4691 to 4695 are duplicated");
	assert_says(chunk_chain_rows(s->a, &chain, &s->chunk),
		    "the previous chunk ends with row 1807");
	s->row.index_first = chain.next;
	assert_null(chunk_chain_index(s->a, &chain, &s->row));
}

static void test_key_list(void **state)
{
	struct sample *s = *state;
	const struct key_stat truth = {
		.kinds = KEY_KIND_NUMBER | KEY_KIND_INTEGER,
		.row_count = 8,
		.number_count = 8,
		.text_count = 3,
		.row_last = 20,
		.step_last = 21,
		.is_text = true,
		.text = STR("18446744073709551616"),
	};
	struct key_stat told = truth;

	assert_null(chunk_check_stat(s->a, &truth, &truth));
	told.number_count++;
	assert_says(chunk_check_stat(s->a, &told, &truth), "count of numbers");
	told = truth;
	told.row_count = 12;
	assert_says(chunk_check_stat(s->a, &told, &truth), "count of rows");
	told = truth;
	told.kinds |= KEY_KIND_NULL;
	assert_says(chunk_check_stat(s->a, &told, &truth), "kinds");
	told = truth;
	told.text = STR("18446744073709551617");
	assert_says(chunk_check_stat(s->a, &told, &truth), "last value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_truth, setup, teardown),
		cmocka_unit_test_setup_teardown(test_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rows_rise, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_member_of_a_cell, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_key_list, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
