/*
 * What the tail tells of writers: damaged bytes are refused; what is accepted is the same when it is written
 * again, and brings a writer's row to where a mark made of that row would bring it: never back, and twice is
 * once. The first byte says whether the checksum is the input's own or is put behind the rest, so that it
 * does not hide the reader; its lower bits choose the rows that the marks are applied to.
 */
#include <string.h>

#include "arena.h"
#include "batch.h"
#include "buf.h"
#include "checksum.h"
#include "fuzz.h"
#include "record_streams.h"
#include "writer_marks.h"

enum { AS_IT_IS = 0x80, ROW_KINDS = 3 };

static const int64_t run_id = 9;

static void check_same_mark(const struct writer_mark *one, const struct writer_mark *other)
{
	FUZZ_CHECK(one->writer == other->writer && one->attempt == other->attempt);
	FUZZ_CHECK(one->session == other->session && one->batch == other->batch);
	FUZZ_CHECK(one->history_rows == other->history_rows);
	FUZZ_CHECK(one->event_rows == other->event_rows);
	FUZZ_CHECK(one->console_lines == other->console_lines);
	FUZZ_CHECK(one->dropped_rows == other->dropped_rows && one->last_step == other->last_step);
	FUZZ_CHECK(one->heard_at.us == other->heard_at.us && one->data_at.us == other->data_at.us);
	FUZZ_CHECK(str_equal(one->recent, other->recent));
	FUZZ_CHECK(str_equal(one->streams, other->streams));
}

/* Nothing is below what a writer begins with. */
static void check_possible(const struct writer_mark *m)
{
	FUZZ_CHECK(m->writer >= 0 && m->attempt >= 0 && m->session >= 0 && m->batch >= 0);
	FUZZ_CHECK(m->history_rows >= 0 && m->event_rows >= 0 && m->console_lines >= 0);
	FUZZ_CHECK(m->dropped_rows >= 0 && m->last_step >= -1);
	FUZZ_CHECK(m->heard_at.us >= 0 && m->data_at.us >= 0);
	FUZZ_CHECK(m->recent.len <= BATCH_RECENT_MAX);
	FUZZ_CHECK(record_streams_are_valid(m->streams));
}

static void check_written_again(struct arena *a, const struct marks *one)
{
	struct marks other;

	FUZZ_CHECK(marks_decode(a, marks_encode(a, one), &other));
	FUZZ_CHECK(one->from == other.from && one->to == other.to && one->count == other.count);
	for (size_t i = 0; i < one->count; i++) {
		check_possible(&one->at[i]);
		check_same_mark(&one->at[i], &other.at[i]);
	}
}

/* ---- applied to rows ------------------------------------------------------------------------------ */

/* A row of the mark's writer and session: a new one, one close behind the mark, or one far ahead. */
static struct writer make_row(struct arena *a, const struct writer_mark *m, unsigned kind)
{
	struct writer w = {
		.run_id = run_id,
		.writer = m->writer,
		.session = m->session,
		.last_step = -1,
	};
	int64_t batch = kind == 2 ? INT64_MAX : m->batch < 3 ? 0 : m->batch - 2;

	if (kind == 0)
		return w;
	w.batch = batch < 20 ? 0 : batch - 20;
	while (w.batch < batch)
		batch_remember(a, &w, &(struct batch_memory){ .batch = w.batch + 1, .rows = 1 });
	w.history_rows = w.event_rows = w.console_lines = w.dropped_rows = batch;
	w.streams = record_streams_put(a, w.streams, STR("s"), batch);
	w.last_step = batch;
	w.attempt = kind == 2 ? INT32_MAX : 1;
	w.heard_at.us = w.data_at.us = batch;
	return w;
}

static void check_not_back(const struct writer *before, const struct writer *after)
{
	FUZZ_CHECK(after->batch >= before->batch && after->attempt >= before->attempt);
	FUZZ_CHECK(after->history_rows >= before->history_rows);
	FUZZ_CHECK(after->event_rows >= before->event_rows);
	FUZZ_CHECK(after->console_lines >= before->console_lines);
	FUZZ_CHECK(after->dropped_rows >= before->dropped_rows);
	FUZZ_CHECK(after->batch > before->batch ||
		   record_streams_sum(after->streams) >= record_streams_sum(before->streams));
	FUZZ_CHECK(after->last_step >= before->last_step);
	FUZZ_CHECK(after->heard_at.us >= before->heard_at.us);
	FUZZ_CHECK(after->data_at.us >= before->data_at.us);
	FUZZ_CHECK(after->recent.len <= BATCH_RECENT_MAX);
	FUZZ_CHECK(after->recent.len % BATCH_MEMORY_LEN == 0);
}

static void check_same_row(const struct writer *one, const struct writer *other)
{
	const struct writer_mark x = writer_mark_of(one, 0);
	const struct writer_mark y = writer_mark_of(other, 0);

	check_same_mark(&x, &y);
	FUZZ_CHECK(str_equal(one->recent, other->recent));
}

static void check_applied(struct arena *a, const struct marks *m, const struct writer *before)
{
	struct writer after = *before;
	struct writer twice;
	struct writer by_mark = *before;
	struct writer_mark made;

	marks_apply(a, m, 1, &after, 1);
	check_not_back(before, &after);
	made = writer_mark_of(&after, before->batch);
	writer_mark_apply(a, &by_mark, &made);
	check_same_row(&after, &by_mark);
	twice = after;
	marks_apply(a, m, 1, &twice, 1);
	check_same_row(&after, &twice);
	(void)batch_check_memory(a, &after, INT64_MAX);
}

static void check_rows(struct arena *a, const struct marks *m, unsigned kind)
{
	for (size_t i = 0; i < m->count && i < 8; i++) {
		struct writer row = make_row(a, &m->at[i], kind);

		check_applied(a, m, &row);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct marks marks = { .run_id = run_id, .seq = 1 };
	struct arena *a;
	struct buf *bytes;

	if (size == 0)
		return 0;
	a = arena_new(1 << 14);
	bytes = buf_new(a);
	buf_add(bytes, data + 1, size - 1);
	if (!(*data & AS_IT_IS))
		buf_add_u32(bytes, (uint32_t)checksum64(bytes->at ? bytes->at : "", bytes->len));
	if (marks_decode(a, buf_str(bytes), &marks)) {
		check_written_again(a, &marks);
		check_rows(a, &marks, *data % ROW_KINDS);
	}
	arena_free(a);
	return 0;
}

/* ---- seeds --------------------------------------------------------------------------------------- */

enum { SHAPES = 4, WRITERS = 20, CHECKSUM_BYTES = 4 };

static struct writer make_writer(struct arena *a, unsigned shape, unsigned i)
{
	const int64_t now = INT64_C(1700000000000000) + 1000 * (int64_t)i;
	struct writer w = {
		.writer = shape == 2 ? (int32_t)(INT32_MAX - i) : (int32_t)(3 * i),
		.attempt = 1 + (int32_t)(i % 2),
		.session = 1 + (int32_t)(i % 3),
		.batch = shape == 2 ? INT64_MAX - 40 : 5 * i,
		.history_rows = shape == 2 ? INT64_MAX : 700 * i,
		.event_rows = 50 * i,
		.console_lines = i,
		.dropped_rows = i % 4,
		.last_step = shape == 2 ? INT64_C(1) << 53 : (int64_t)i - 1,
		.heard_at = { now },
		.data_at = { i % 4 ? now - 500 : 0 },
	};

	for (unsigned b = 0; b < 1 + i % 18; b++) {
		struct batch_memory m = { .batch = w.batch + 1, .row_first = 7 * b, .rows = 7 };

		memset(m.digest, (int)b, sizeof(m.digest));
		batch_remember(a, &w, &m);
	}
	w.streams = record_streams_put(a, w.streams, STR(""), shape == 2 ? INT64_MAX : 751 * i);
	for (unsigned s = 0; s < i % 4; s++)
		w.streams =
			record_streams_put(a, w.streams, str_of(arena_printf(a, "s%u", s)), 1 + s);
	return w;
}

/* No writer, one, several at the ends of what is possible, many. */
static struct str make_marks(struct arena *a, unsigned shape)
{
	static const size_t counts[SHAPES] = { 0, 1, 3, WRITERS };
	struct writer writers[WRITERS];
	struct writer_mark at[WRITERS];
	const struct marks marks = {
		.from = 41,
		.to = shape == 2 ? INT64_MIN : 42,
		.at = at,
		.count = counts[shape],
	};

	for (unsigned i = 0; i < marks.count; i++) {
		writers[i] = make_writer(a, shape, i);
		at[i] = writer_mark_of(&writers[i], writers[i].batch - 1 - i % 18);
	}
	return marks_encode(a, &marks);
}

/* Each with its checksum, and without it for each kind of rows. */
size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	struct arena *a = arena_new(1 << 14);
	unsigned kind = i % (ROW_KINDS + 1);
	struct str seed;
	size_t len = 0;

	if (i / (ROW_KINDS + 1) < SHAPES) {
		seed = make_marks(a, i / (ROW_KINDS + 1));
		if (kind < ROW_KINDS)
			seed.len -= CHECKSUM_BYTES;
		len = seed.len + 1;
		FUZZ_CHECK(len <= size);
		*bytes = kind < ROW_KINDS ? (uint8_t)kind : AS_IT_IS;
		memcpy(bytes + 1, seed.at, seed.len);
	}
	arena_free(a);
	return len;
}
