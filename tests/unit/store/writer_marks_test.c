/* Marks of writers as bytes and back, and what they do to a writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "batch.h"
#include "buf.h"
#include "checksum.h"
#include "record_streams.h"
#include "writer_marks.h"

enum { NOW = 1700000000 };

static int begin(void **state)
{
	*state = arena_new(0);
	return 0;
}

static int end(void **state)
{
	arena_free(*state);
	return 0;
}

static struct writer make(int32_t number)
{
	return (struct writer){
		.run_id = 9,
		.writer = number,
		.session = 3,
		.last_step = -1,
		.heard_at = { NOW * INT64_C(1000000) },
	};
}

static void store(struct arena *a, struct writer *w, int batches)
{
	while (batches--) {
		struct batch_memory m = { .batch = w->batch + 1,
					  .row_first = 10 * w->batch,
					  .rows = 10 };

		memset(m.digest, (int)m.batch, sizeof(m.digest));
		batch_remember(a, w, &m);
		w->history_rows += 10;
		w->last_step += 10;
		w->heard_at.us += 1000;
		w->data_at = w->heard_at;
	}
}

/* Alternately in a stream without a name and in another. */
static void count(struct arena *a, struct writer *w, int64_t records)
{
	struct batch_records more = { .stream = w->batch % 2 ? STR("s") : STR(""),
				      .count = records };

	batch_count_records(a, w, &more);
}

static void assert_same(const struct writer *a, const struct writer *b)
{
	assert_int_equal(a->batch, b->batch);
	assert_int_equal(a->history_rows, b->history_rows);
	assert_int_equal(a->event_rows, b->event_rows);
	assert_int_equal(a->console_lines, b->console_lines);
	assert_int_equal(a->dropped_rows, b->dropped_rows);
	assert_int_equal(a->last_step, b->last_step);
	assert_int_equal(a->attempt, b->attempt);
	assert_int_equal(a->lag_us, b->lag_us);
	assert_int_equal(a->repeats, b->repeats);
	assert_true(str_equal(a->streams, b->streams));
	assert_int_equal(a->heard_at.us, b->heard_at.us);
	assert_int_equal(a->data_at.us, b->data_at.us);
	assert_true(str_equal(a->recent, b->recent));
}

static struct marks pass_through(struct arena *a, const struct marks *m)
{
	struct marks read = { .run_id = m->run_id, .seq = m->seq };

	assert_true(marks_decode(a, marks_encode(a, m), &read));
	assert_int_equal(read.from, m->from);
	assert_int_equal(read.to, m->to);
	assert_int_equal(read.count, m->count);
	return read;
}

/* Rows that stayed behind become what the writers are; twice does no harm, nor does an older mark. */
static void brings_rows_up(void **state)
{
	static const int batches[] = { 1, 3, BATCH_REMEMBERED, BATCH_REMEMBERED + 5 };
	struct arena *a = *state;

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		struct writer now[2] = { make(4), make(70000) };
		struct writer rows[2];
		struct writer_mark marks[2][2];
		struct marks both[2];

		store(a, &now[0], 5);
		memcpy(rows, now, sizeof(rows));
		for (int flush = 0; flush < 2; flush++) {
			for (int w = 0; w < 2; w++) {
				int64_t before = now[w].batch;

				store(a, &now[w], batches[i]);
				now[w].console_lines += w;
				now[w].lag_us = flush ? -7 : INT64_C(1) << 60;
				now[w].repeats += w;
				count(a, &now[w], w ? INT64_C(1) << 60 : 3);
				now[w].dropped_rows = INT64_MAX;
				now[w].attempt = flush;
				marks[flush][w] = writer_mark_of(&now[w], before);
			}
			both[flush] = pass_through(a, &(struct marks){ 9, flush, INT64_MIN, -1,
								       marks[flush], 2 });
		}
		marks_apply(a, both, 2, rows, 2);
		assert_same(&rows[0], &now[0]);
		assert_same(&rows[1], &now[1]);
		assert_null(batch_check_memory(a, &rows[0], 1 << 20));
		marks_apply(a, both, 2, rows, 2);
		marks_apply(a, both, 1, rows, 2);
		assert_same(&rows[0], &now[0]);
	}
}

/* A writer that joined again stands at its new session, whatever its earlier one stored. */
static void leaves_other_sessions(void **state)
{
	struct arena *a = *state;
	struct writer w = make(4);
	struct writer_mark mark;

	store(a, &w, 2);
	mark = writer_mark_of(&w, 0);
	w = make(4);
	w.session = 4;
	writer_mark_apply(a, &w, &mark);
	assert_int_equal(w.batch, 0);
	assert_int_equal(w.history_rows, 0);
	assert_int_equal(w.recent.len, 0);
}

/* By hand nothing is remembered, and counted all the same. */
static void of_a_hand(void **state)
{
	struct arena *a = *state;
	struct writer row = make(4);
	struct writer now = row;
	struct writer_mark mark;
	struct marks marks = { .run_id = 9, .at = &mark, .count = 1 };

	now.history_rows = 12;
	count(a, &now, 12);
	mark = writer_mark_of(&now, now.batch);
	marks = pass_through(a, &marks);
	marks_apply(a, &marks, 1, &row, 1);
	assert_same(&row, &now);
}

/* Of a server from before records were counted: a mark of one writer with 300 rows, 2 events and 4 lines. */
static void from_before_records(void **state)
{
	static const unsigned char head[] = { 1, 41, 0, 0, 0, 0, 0, 0,   0, 42,
					      0, 0,  0, 0, 0, 0, 0, 100, 1 };
	static const unsigned char mark[] = { 5, 1, 3, 0, 0xac, 2, 2, 4, 0,
					      0, 0, 0, 9, 1,    0, 0, 0, 0 };
	struct arena *a = *state;
	struct buf *bytes = buf_new(a);
	struct marks marks;

	buf_add(bytes, head, sizeof(head));
	buf_add(bytes, mark, sizeof(mark));
	buf_add_u32(bytes, (uint32_t)checksum64(bytes->at, bytes->len));
	assert_true(marks_decode(a, buf_str(bytes), &marks));
	assert_int_equal(marks.count, 1);
	assert_int_equal(record_streams_find(marks.at[0].streams, STR("")), 306);
	assert_int_equal(record_streams_sum(marks.at[0].streams), 306);
	assert_int_equal(marks.at[0].repeats, 9);
	assert_int_equal(marks.at[0].console_shift, -1);
	assert_int_equal(marks.at[0].heard_at.us, 100);
}

/* Any byte that is another, and any end that is missing. */
static void tells_damage(void **state)
{
	struct arena *a = *state;
	struct writer w = make(4);
	struct writer_mark mark;
	struct marks marks = { .at = &mark, .count = 1 };
	struct str bytes;

	store(a, &w, 2);
	mark = writer_mark_of(&w, 0);
	bytes = marks_encode(a, &marks);
	for (size_t i = 0; i < bytes.len; i++) {
		char *other = arena_copy(a, bytes.at, bytes.len);

		other[i] ^= 0x10;
		assert_false(marks_decode(a, (struct str){ other, bytes.len }, &marks));
		assert_false(marks_decode(a, (struct str){ bytes.at, i }, &marks));
	}
	assert_true(marks_decode(a, bytes, &marks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(brings_rows_up, begin, end),
		cmocka_unit_test_setup_teardown(leaves_other_sessions, begin, end),
		cmocka_unit_test_setup_teardown(of_a_hand, begin, end),
		cmocka_unit_test_setup_teardown(from_before_records, begin, end),
		cmocka_unit_test_setup_teardown(tells_damage, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
