/* Windows of exact rows: what they take goes by what they hold, not by the chunks it lies in. */
#include <string.h>

#include "arena.h"
#include "dump.h"
#include "series_rows.h"
#include "series_sampled.h"

enum { KEYS = 40, ROWS = 4096, PIECE = 512 };

static void send_rows(struct scene *s)
{
	scene_join(s, "w0", WRITER_PRIMARY);
	for (int at = 0; at < ROWS; at += PIECE) {
		struct buf *streams = buf_new(s->a);

		for (int i = 0; i < PIECE; i++) {
			buf_add_text(streams, i ? ",{" : "\"history\":[{");
			for (int k = 0; k < KEYS; k++)
				buf_printf(streams, "%s\"k%d\":%d", k ? "," : "", k, at + i);
			buf_add_byte(streams, '}');
		}
		buf_add_byte(streams, ']');
		scene_send_buf(s, "w0", streams);
	}
}

/* Ten buckets of 4096 values are filled from single values, which are gone with the answer. */
static void charts_do_not_keep_points(struct scene *s, const struct exact_row *row)
{
	struct arena *a = arena_new(4096);
	int32_t ids[KEYS + 1];
	struct sampled_ask ask = {
		.series = { .run_ids = &s->run_id,
			    .run_count = 1,
			    .stream = STREAM_HISTORY,
			    .key_ids = ids },
		.range = { INT64_MIN, INT64_MAX },
		.buckets = 10,
	};
	struct sampled_answer answer;

	for (uint32_t i = 0; i < row->value_count; i++)
		ids[ask.series.key_count++] = row->values[i].key_id;
	db_set_arena(s->db, a);
	ok(series_sampled(s->db, s->codec, &ask, &answer));
	db_set_arena(s->db, s->a);
	assert_int_equal(answer.count, row->value_count);
	for (size_t i = 0; i < answer.count; i++)
		assert_int_equal(answer.series[i].count, 10);
	assert_true(arena_size(a) < 2 << 20);
	arena_free(a);
}

/* Four rows of full chunks: forty chunks of 4096 values are decoded, 160 values stay. */
static void test_a_narrow_window_is_small(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(4096);
	struct exact_row *rows;
	uint32_t count;

	send_rows(s);
	scene_compact(s);
	db_set_arena(s->db, a);
	ok(series_rows_read_some(
		s->db, s->codec,
		&(struct rows_ask){
			.run_id = s->run_id, .stream = STREAM_HISTORY, .first = 1000, .count = 4 },
		&rows, &count));
	db_set_arena(s->db, s->a);
	assert_int_equal(count, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(rows[i].value_count, KEYS + 1); /* and _timestamp */
		assert_true(rows[i].values[1].number == 1000 + i ||
			    rows[i].values[0].number == 1000 + i);
	}
	assert_true(arena_size(a) < 2 << 20);
	charts_do_not_keep_points(s, &rows[0]);
	arena_free(a);
}

/* Forty rows of one text of 1 MiB each: several windows, every row once and whole. */
static void test_long_texts_narrow_the_window(void **state)
{
	enum { COUNT = 40, LENGTH = 1000 * 1000 };
	struct scene *s = *state;
	char *text = arena_zalloc(s->a, 1, LENGTH + 1);
	uint32_t count = 0;

	memset(text, 'x', LENGTH);
	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < COUNT; i++) {
		struct buf *streams = buf_new(s->a);

		buf_printf(streams, "\"history\":[{\"t\":\"%s\"}]", text);
		scene_send_buf(s, "w0", streams);
	}
	for (int round = 0; round < 2; round++) {
		for (int first = 0; first < COUNT; first += (int)count) {
			struct arena *a = arena_new(4096);
			struct exact_row *rows;

			db_set_arena(s->db, a);
			ok(series_rows_read_some(s->db, s->codec,
						 &(struct rows_ask){ .run_id = s->run_id,
								     .stream = STREAM_HISTORY,
								     .first = first,
								     .count = 4096 },
						 &rows, &count));
			db_set_arena(s->db, s->a);
			assert_in_range(count, 1, first + 20 < COUNT ? 20 : 4096);
			for (int i = 0; i < (int)count && first + i < COUNT; i++)
				assert_int_equal(rows[i].value_count, 2);
			arena_free(a);
		}
		scene_compact(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_a_narrow_window_is_small),
		SCENE_TEST(test_long_texts_narrow_the_window),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
