/* Blocks: what rows bring is what comes back, with steps assigned as the rule says. */
#include "series_data.h"

#include "block.h"
#include "json_number.h"
#include "json_rows.h"
#include "pack.h"
#include "json_scan.h"

struct fixture {
	struct arena *arena;
	struct codec *codec;
	struct buf bytes;
};

static int begin(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .arena = arena_new(1 << 16), .codec = codec_new() };
	*state = &f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	buf_free(&f->bytes);
	codec_free(f->codec);
	arena_free(f->arena);
	return 0;
}

static void scan(struct fixture *f, struct str text, struct json_rows *rows)
{
	char *body = arena_zalloc(f->arena, text.len + JSON_SCAN_PADDING, 1);
	struct json_scan s;
	err_t e;

	memcpy(body, text.at, text.len);
	json_rows_init(rows, f->arena, text.len);
	json_scan_begin(&s, f->arena, (struct str){ body, text.len });
	json_scan_rows_body(&s, rows);
	e = json_scan_end(&s);
	if (e)
		fail_msg("%s", e->message);
}

/* Encodes rows with key ids 10, 11, … in order of columns. */
static struct block_facts encode(struct fixture *f, const struct json_rows *rows)
{
	uint32_t *ids = arena_new_array(f->arena, uint32_t, rows->column_count + 1);
	struct block_facts facts;

	for (uint32_t i = 0; i < rows->column_count; i++)
		ids[i] = 10 + i;
	buf_clear(&f->bytes);
	block_encode_rows(f->codec, rows, ids, &f->bytes, &facts);
	return facts;
}

static void decode(struct fixture *f, struct block_ask ask, struct block *block)
{
	err_t e = block_decode(f->codec, f->arena, buf_str(&f->bytes), &ask, block);

	if (e)
		fail_msg("%s", e->message);
}

static void steps_are_assigned_by_the_rule(void **state)
{
	static const struct {
		const char *rows;
		int64_t last_step;
		int64_t steps[6];
		uint32_t assigned;
		int64_t step_top, step_min, step_max;
		int64_t last_after;
	} cases[] = {
		{ "[{},{},{}]", -1, { 0, 1, 2 }, 3, -1, -1, -1, 2 },
		{ "[{},{}]", 41, { 42, 43 }, 2, -1, -1, -1, 43 },
		{ "[{\"_step\":5},{\"_step\":6}]", -1, { 5, 6 }, 0, 6, 5, 6, 6 },
		{ "[{\"_step\":5},{\"_step\":3},{}]", -1, { 5, 3, 6 }, 1, 6, 3, 5, 6 },
		{ "[{\"_step\":5},{},{\"_step\":2},{}]", 100, { 5, 101, 2, 102 }, 2, 7, 2, 5, 102 },
		{ "[{},{\"_step\":7},{},{}]", 0, { 1, 7, 8, 9 }, 3, 9, 7, 7, 9 },
		{ "[{\"_step\":9007199254740992},{}]",
		  -1,
		  { 9007199254740992, 9007199254740993 },
		  1,
		  9007199254740993,
		  9007199254740992,
		  9007199254740992,
		  9007199254740993 },
		{ "[]", 12, { 0 }, 0, -1, -1, -1, 12 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_rows rows;
		struct block block;
		struct block_facts facts;

		scan(f, str_of(cases[i].rows), &rows);
		facts = encode(f, &rows);
		assert_int_equal(facts.assigned, cases[i].assigned);
		assert_int_equal(facts.step_top, cases[i].step_top);
		assert_int_equal(facts.step_min, cases[i].step_min);
		assert_int_equal(facts.step_max, cases[i].step_max);
		assert_int_equal(block_last_step(&facts, cases[i].last_step), cases[i].last_after);
		decode(f, (struct block_ask){ .row_first = 1000, .last_step = cases[i].last_step },
		       &block);
		assert_int_equal(block.row_count, rows.row_count);
		for (uint32_t j = 0; j < block.row_count; j++) {
			assert_int_equal(block.steps[j], cases[i].steps[j]);
			assert_int_equal(block.rows[j], 1000 + j);
		}
	}
}

static void assert_columns_equal(const struct json_column *c, const struct block_column *b)
{
	assert_int_equal(c->number_count, b->number_count);
	assert_int_equal(c->text_count, b->text_count);
	assert_true(series_same(c->numbers, b->numbers, c->number_count));
	for (uint32_t i = 0; i < c->number_count; i++)
		assert_int_equal(json_column_number_row(c, i), block_number_row(b, i));
	for (uint32_t i = 0; i < c->text_count; i++) {
		assert_int_equal(json_column_text_row(c, i), block_text_row(b, i));
		assert_true(str_equal(c->texts[i], b->texts[i]));
	}
}

/* Rows of every kind of series; sparse keys, texts, mixed kinds, big integers. */
static struct str many_rows(struct fixture *f, uint32_t count)
{
	struct buf *out = buf_new(f->arena);

	for (uint32_t i = 0; i < count; i++) {
		buf_printf(out, "{\"i\":%u", i);
		for (int kind = 0; kind < SERIES_KINDS; kind++) {
			char text[JSON_NUMBER_TEXT_SIZE];
			double v = series_number((enum series_kind)kind, i, count);
			int len = (int)json_number_write(v, text);

			buf_printf(out, ",\"kind/%d\":%.*s", kind, len, text);
		}
		if (i % 7 == 3)
			buf_printf(out, ",\"sparse\":%u,\"note\":\"row %u\"", i, i);
		if (i % 5 == 1)
			buf_printf(out, ",\"mixed\":%s", i % 2 ? "true" : "1.5");
		if (i % 11 == 0)
			buf_printf(out, ",\"big\":90071992547409930%u", i);
		if (i % 3 == 0)
			buf_printf(out, ",\"_step\":%u", i * 2);
		buf_add_text(out, ",\"all\":[1, 2]}\n");
	}
	return buf_str(out);
}

static void rows_come_back_bit_for_bit(void **state)
{
	static const uint32_t counts[] = { 1, 2, 10, 100, 1000 };
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct json_rows rows;
		struct block block;
		struct block_facts facts;

		scan(f, many_rows(f, counts[i]), &rows);
		facts = encode(f, &rows);
		assert_int_equal(facts.point_count, rows.cell_count);
		decode(f, (struct block_ask){ .row_first = 5, .last_step = 7 }, &block);
		assert_int_equal(block.column_count, rows.column_count);
		assert_int_equal(block_cells(&block), rows.cell_count);
		for (uint32_t j = 0; j < block.column_count; j++) {
			assert_int_equal(block.columns[j].key_id, 10 + j);
			assert_columns_equal(&rows.columns[j], &block.columns[j]);
		}
	}
}

static void only_what_is_asked_is_decoded(void **state)
{
	static const uint32_t ids[] = { 3, 12, 13, 20, 22, 99 };
	struct fixture *f = *state;
	struct json_rows rows;
	struct block all, some;
	uint32_t at = 0;

	scan(f, many_rows(f, 100), &rows);
	encode(f, &rows);
	decode(f, (struct block_ask){ .last_step = -1 }, &all);
	decode(f, (struct block_ask){ .last_step = -1, .key_ids = ids, .key_count = 6 }, &some);
	assert_int_equal(some.column_count, 4);
	for (uint32_t i = 0; i < all.column_count; i++) {
		const struct block_column *x = &all.columns[i];
		const struct block_column *y = &some.columns[at];

		if (at == some.column_count || x->key_id != y->key_id)
			continue;
		assert_int_equal(x->number_count, y->number_count);
		assert_int_equal(x->text_count, y->text_count);
		assert_true(series_same(x->numbers, y->numbers, x->number_count));
		at++;
	}
	assert_int_equal(at, 4);
}

static void a_column_can_be_left_out(void **state)
{
	struct fixture *f = *state;
	const uint32_t ids[] = { 4, BLOCK_KEY_NONE, 2 };
	struct json_rows rows;
	struct block_facts facts;
	struct block block;

	scan(f, STR("{\"a\":1,\"b\":2,\"c\":3}{\"a\":4,\"b\":5}"), &rows);
	block_encode_rows(f->codec, &rows, ids, &f->bytes, &facts);
	assert_int_equal(facts.point_count, 3);
	decode(f, (struct block_ask){ .last_step = -1 }, &block);
	assert_int_equal(block.column_count, 2);
	assert_int_equal(block.columns[0].key_id, 4);
	assert_int_equal(block.columns[1].key_id, 2);
	assert_int_equal(block_number_row(&block.columns[1], 0), 0);
}

/* A small block is plain until it is packed; alone it is compressed and the same. */
static void small_blocks_wait_for_a_pack(void **state)
{
	struct fixture *f = *state;
	struct buf rows_text = { 0 };
	struct buf alone = { 0 };
	struct json_rows rows;
	struct block before, after;
	struct block_ask ask = { .last_step = -1 };

	for (int i = 0; i < 40; i++)
		buf_printf(&rows_text, "{\"a\":%d,\"b\":\"this comes again\"}", i);
	scan(f, buf_str(&rows_text), &rows);
	encode(f, &rows);
	assert_true(pack_takes(buf_str(&f->bytes)));
	decode(f, ask, &before);
	pack_alone(f->codec, buf_str(&f->bytes), &alone);
	assert_false(pack_takes(buf_str(&alone)));
	assert_true(alone.len < f->bytes.len);
	assert_null(block_decode(f->codec, f->arena, buf_str(&alone), &ask, &after));
	assert_int_equal(after.row_count, before.row_count);
	assert_memory_equal(after.columns[0].numbers, before.columns[0].numbers,
			    40 * sizeof(double));
	buf_free(&alone);
	for (int i = 0; i < 1000; i++)
		buf_printf(&rows_text, "{\"a\":%d.%d}", i * 7919 % 1000, i);
	scan(f, buf_str(&rows_text), &rows);
	encode(f, &rows);
	assert_false(pack_takes(buf_str(&f->bytes)));
	buf_free(&rows_text);
}

/* Blocks of one writer, with rows of others between, become one block and come back. */
static void blocks_merge(void **state)
{
	static const char *const parts[] = { "{\"a\":1,\"b\":\"x\"}{\"a\":2}", "{\"b\":3,\"c\":4}",
					     "{\"a\":5,\"_step\":50}{}{\"b\":\"y\",\"a\":6}" };
	static const double a_numbers[] = { 1, 2, 5, 6 };
	struct fixture *f = *state;
	struct block blocks[3], whole, back;
	struct block_facts facts;

	for (int i = 0; i < 3; i++) {
		struct json_rows rows;
		uint32_t ids[4] = { 0 };

		scan(f, str_of(parts[i]), &rows);
		for (uint32_t j = 0; j < rows.column_count; j++)
			ids[j] = (uint32_t)*rows.columns[j].name.at;
		buf_clear(&f->bytes);
		block_encode_rows(f->codec, &rows, ids, &f->bytes, &facts);
		decode(f, (struct block_ask){ .row_first = 10 * i + 3, .last_step = 20 * i },
		       &blocks[i]);
	}
	block_merge(f->arena, blocks, 3, &whole);
	buf_clear(&f->bytes);
	block_encode(f->codec, &whole, &f->bytes, &facts);
	assert_int_equal(facts.assigned, 0);
	assert_int_equal(facts.point_count, 8);
	decode(f, (struct block_ask){ .row_first = 3, .last_step = -1 }, &back);
	assert_int_equal(back.row_count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		static const int64_t rows[] = { 3, 4, 13, 23, 24, 25 };
		static const int64_t steps[] = { 1, 2, 21, 50, 51, 52 };

		assert_int_equal(back.rows[i], rows[i]);
		assert_int_equal(back.steps[i], steps[i]);
	}
	assert_int_equal(back.column_count, 3);
	assert_int_equal(back.columns[0].key_id, 'a');
	assert_int_equal(back.columns[0].number_count, 4);
	assert_true(series_same(back.columns[0].numbers, a_numbers, 4));
	assert_int_equal(block_number_row(&back.columns[0], 3), 5);
	assert_int_equal(back.columns[1].text_count, 2);
	assert_int_equal(block_text_row(&back.columns[1], 1), 5);
	assert_true(str_is(back.columns[1].texts[1], "\"y\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steps_are_assigned_by_the_rule, begin, end),
		cmocka_unit_test_setup_teardown(rows_come_back_bit_for_bit, begin, end),
		cmocka_unit_test_setup_teardown(only_what_is_asked_is_decoded, begin, end),
		cmocka_unit_test_setup_teardown(a_column_can_be_left_out, begin, end),
		cmocka_unit_test_setup_teardown(blocks_merge, begin, end),
		cmocka_unit_test_setup_teardown(small_blocks_wait_for_a_pack, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
