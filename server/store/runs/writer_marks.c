/*
 * version from 8 to 8 varint time varint count for each writer: varints of writer, attempt,
 * session, batch, history_rows, event_rows, console_lines, dropped_rows, last_step + 1, last_event
 * + 1, lag (zigzag), repeats, console_shift (zigzag), heard_at (zigzag, relative to time), data_at
 * (0: none; else 1 + how long before heard_at, zigzag), how many are remembered, length of lines,
 * length of streams | those | those | those checksum: the lower half of XXH64 over all before it
 *
 * time is the latest heard_at, so that most times take a byte.
 */
#include "writer_marks.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "batch.h"
#include "buf.h"
#include "checksum.h"
#include "column.h"
#include "sections.h"
#include "line_ranges.h"
#include "record_streams.h"
#include "sdk_processes.h"
#include "store_sql.h"
#include "writer_store.h"

enum { MARKS_VERSION = 2, CHECKSUM_BYTES = 4 };
enum { MARKS_WITHOUT_STREAMS = 1 }; /* the version before */

/* ---- bytes -------------------------------------------------------------------------------------- */

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static void put_mark(struct buf *out, const struct writer_mark *m, int64_t time)
{
	const uint64_t fields[] = {
		(uint64_t)m->writer,
		(uint64_t)m->attempt,
		(uint64_t)m->session,
		(uint64_t)m->batch,
		(uint64_t)m->history_rows,
		(uint64_t)m->event_rows,
		(uint64_t)m->console_lines,
		(uint64_t)m->dropped_rows,
		(uint64_t)(m->last_step + 1),
		(uint64_t)(m->last_event + 1),
		zigzag(m->lag_us),
		(uint64_t)m->repeats,
		zigzag(m->console_shift),
		zigzag(time - m->heard_at.us),
		m->data_at.us ? 1 + zigzag(m->heard_at.us - m->data_at.us) : 0,
		m->recent.len / BATCH_MEMORY_LEN,
		m->lines.len,
		m->streams.len,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		buf_add_varint(out, fields[i]);
	buf_add_str(out, m->recent);
	buf_add_str(out, m->lines);
	buf_add_str(out, m->streams);
}

struct str marks_encode(struct arena *a, const struct marks *m)
{
	struct buf *out = buf_new(a);
	int64_t time = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (m->at[i].heard_at.us > time)
			time = m->at[i].heard_at.us;
	}
	buf_add_byte(out, MARKS_VERSION);
	buf_add_u64(out, (uint64_t)m->from);
	buf_add_u64(out, (uint64_t)m->to);
	buf_add_varint(out, (uint64_t)time);
	buf_add_varint(out, m->count);
	for (size_t i = 0; i < m->count; i++)
		put_mark(out, &m->at[i], time);
	buf_add_u32(out, (uint32_t)checksum64(out->at, out->len));
	return buf_str(out);
}

static int64_t subtract(struct sections_reader *r, int64_t from, int64_t what)
{
	int64_t left = 0;

	if (__builtin_sub_overflow(from, what, &left) || left < 0)
		r->failed = true;
	return left;
}

static int64_t number(struct sections_reader *r)
{
	uint64_t value = sections_varint(r);

	if (value > INT64_MAX)
		r->failed = true;
	return r->failed ? 0 : (int64_t)value;
}

static struct str take_bytes(struct sections_reader *r, struct arena *a, size_t len)
{
	const unsigned char *bytes = sections_bytes(r, SECTION_META, len);

	if (r->failed)
		return (struct str){ NULL, 0 };
	return (struct str){ arena_copy(a, bytes, len), len };
}

/* The same as in the migration of the writers' rows (spooled_writers.sql). */
static struct str streams_before(struct arena *a, const struct writer_mark *m)
{
	const struct str none = { NULL, 0 };
	int64_t records;

	if (__builtin_add_overflow(m->history_rows, m->event_rows, &records) ||
	    __builtin_add_overflow(records, m->console_lines, &records))
		records = INT64_MAX;
	return record_streams_put(a, none, none, records);
}

static struct str take_streams(struct sections_reader *r, struct arena *a, size_t len)
{
	struct str streams = take_bytes(r, a, len);

	if (!record_streams_are_valid(streams))
		r->failed = true;
	return streams;
}

struct marks_head {
	int version;
	int64_t time;
};

static void get_mark(struct sections_reader *r, struct arena *a, struct marks_head head,
		     struct writer_mark *m)
{
	uint64_t data;
	size_t recent, lines, streams = 0;

	m->writer = (int32_t)sections_count(r, INT32_MAX);
	m->attempt = (int32_t)sections_count(r, INT32_MAX);
	m->session = (int32_t)sections_count(r, INT32_MAX);
	m->batch = number(r);
	m->history_rows = number(r);
	m->event_rows = number(r);
	m->console_lines = number(r);
	m->dropped_rows = number(r);
	m->last_step = number(r) - 1;
	m->last_event = number(r) - 1;
	m->lag_us = sections_signed(r);
	m->repeats = number(r);
	m->console_shift = sections_signed(r);
	m->heard_at.us = subtract(r, head.time, sections_signed(r));
	data = sections_varint(r);
	if (data)
		m->data_at.us = subtract(r, m->heard_at.us,
					 (int64_t)((data - 1) >> 1 ^ (0 - ((data - 1) & 1))));
	recent = (size_t)sections_count(r, BATCH_REMEMBERED) * BATCH_MEMORY_LEN;
	_Static_assert((int)SDK_PROCESSES_MAX_BYTES <= (int)LINE_RANGES_MAX_BYTES,
		       "both kinds of lines fit");
	lines = (size_t)sections_count(r, LINE_RANGES_MAX_BYTES);
	if (head.version != MARKS_WITHOUT_STREAMS)
		streams = (size_t)sections_count(r, RECORD_STREAMS_MAX_BYTES);
	m->recent = take_bytes(r, a, recent);
	m->lines = take_bytes(r, a, lines);
	m->streams = head.version == MARKS_WITHOUT_STREAMS ? streams_before(a, m)
							   : take_streams(r, a, streams);
}

/* The bytes without their checksum; false: it does not match. */
static bool check_sum(struct str bytes, struct sections_reader *ret_reader)
{
	const unsigned char *p = (const unsigned char *)bytes.at;
	size_t len = bytes.len - CHECKSUM_BYTES;
	uint32_t sum = 0;

	if (bytes.len <= CHECKSUM_BYTES)
		return false;
	for (int i = 0; i < CHECKSUM_BYTES; i++)
		sum |= (uint32_t)p[len + (size_t)i] << (8 * i);
	*ret_reader =
		(struct sections_reader){ .at[SECTION_META] = p, .end[SECTION_META] = p + len };
	return sum == (uint32_t)checksum64(p, len);
}

bool marks_decode(struct arena *a, struct str bytes, struct marks *ret_marks)
{
	struct writer_mark *marks;
	struct sections_reader r;
	struct marks_head head;

	if (!check_sum(bytes, &r))
		return false;
	head.version = sections_byte(&r);
	if (head.version != MARKS_VERSION && head.version != MARKS_WITHOUT_STREAMS)
		return false;
	ret_marks->from = (int64_t)sections_u64(&r);
	ret_marks->to = (int64_t)sections_u64(&r);
	head.time = number(&r);
	ret_marks->count = sections_count(&r, WRITER_MAX + 1);
	if (r.failed)
		return false;
	marks = arena_new_array(a, struct writer_mark, ret_marks->count + 1);
	for (size_t i = 0; i < ret_marks->count && !r.failed; i++)
		get_mark(&r, a, head, &marks[i]);
	ret_marks->at = marks;
	return sections_done(&r);
}

/* ---- in the database ----------------------------------------------------------------------------- */

static const struct db_column marks_columns[] = {
	DB_COLUMN(struct marks_row, run_id),
	DB_COLUMN(struct marks_row, seq),
	DB_BYTES(struct marks_row, marks),
};
const struct db_row_table marks_table = DB_ROW_TABLE(struct marks_row, marks_columns);

static err_t list(struct db *db, const struct db_stmt *stmt, struct db_args args,
		  struct marks **ret_marks, size_t *ret_count)
{
	struct arena *a = db_arena(db);
	struct marks_row *rows;
	struct marks *marks;
	err_t e;

	e = db_all(db, stmt, args, &marks_table, (void **)&rows, ret_count);
	if (e)
		return e;
	marks = arena_new_array(a, struct marks, *ret_count + 1);
	for (size_t i = 0; i < *ret_count; i++) {
		marks[i].run_id = rows[i].run_id;
		marks[i].seq = rows[i].seq;
		if (!marks_decode(a, rows[i].marks, &marks[i]))
			return err_new(a, ERR_INTERNAL,
				       "the writers of block %lld of run %lld are damaged",
				       (long long)rows[i].seq, (long long)rows[i].run_id);
	}
	*ret_marks = marks;
	return NULL;
}

err_t marks_store_list(struct db *db, const int64_t *run_ids, const int64_t *afters, size_t asked,
		       struct marks **ret_marks, size_t *ret_count)
{
	return list(db, &STMT_marks_list,
		    DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, asked),
			    P_ARRAY(DB_INT8_ARRAY, afters, asked)),
		    ret_marks, ret_count);
}

err_t marks_store_waiting(struct db *db, int64_t run_id, struct marks **ret_marks,
			  size_t *ret_count)
{
	return list(db, &STMT_marks_waiting, DB_ARGS(P_INT8(run_id)), ret_marks, ret_count);
}

err_t marks_store_read(struct db *db, int64_t run_id, struct marks_row **ret_rows,
		       size_t *ret_count)
{
	return db_all(db, &STMT_marks_waiting, DB_ARGS(P_INT8(run_id)), &marks_table,
		      (void **)ret_rows, ret_count);
}

/* ---- applying ------------------------------------------------------------------------------------ */

static int by_writer(const void *a, const void *b)
{
	const struct writer *x = *(struct writer *const *)a;
	const struct writer *y = *(struct writer *const *)b;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

void marks_apply(struct arena *a, const struct marks *marks, size_t mark_count,
		 struct writer *writers, size_t writer_count)
{
	struct writer **sorted = arena_new_array(a, struct writer *, writer_count + 1);

	for (size_t i = 0; i < writer_count; i++)
		sorted[i] = &writers[i];
	if (!writer_count)
		return;
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
	qsort(sorted, writer_count, sizeof(sorted[0]), by_writer);
	for (size_t i = 0; i < mark_count; i++) {
		for (size_t j = 0; j < marks[i].count; j++) {
			struct writer wanted = { .run_id = marks[i].run_id,
						 .writer = marks[i].at[j].writer };
			struct writer *key = &wanted;
			struct writer **found =
				/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
				bsearch(&key, sorted, writer_count, sizeof(sorted[0]), by_writer);

			if (found)
				writer_mark_apply(a, *found, &marks[i].at[j]);
		}
	}
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* The numbers of the marks' writers, each once. */
static size_t numbers_of(const struct marks *marks, size_t count, struct arena *a,
			 int32_t **ret_numbers)
{
	size_t all = 0;
	size_t kept = 0;
	int32_t *numbers;

	for (size_t i = 0; i < count; i++)
		all += marks[i].count;
	numbers = arena_new_array(a, int32_t, all + 1);
	for (size_t i = 0, n = 0; i < count; i++) {
		for (size_t j = 0; j < marks[i].count; j++)
			numbers[n++] = marks[i].at[j].writer;
	}
	if (all)
		qsort(numbers, all, sizeof(numbers[0]), by_number);
	for (size_t i = 0; i < all; i++) {
		if (!kept || numbers[kept - 1] != numbers[i])
			numbers[kept++] = numbers[i];
	}
	*ret_numbers = numbers;
	return kept;
}

err_t marks_store_fold(struct db *db, int64_t run_id, const struct marks *marks, size_t count)
{
	struct arena *a = db_arena(db);
	struct writer *writers;
	int32_t *numbers;
	size_t found;
	err_t e;

	found = numbers_of(marks, count, a, &numbers);
	if (!found)
		return NULL;
	e = writer_store_list_numbers(db, run_id, numbers, found, &writers, &found);
	if (e)
		return e;
	marks_apply(a, marks, count, writers, found);
	return writer_store_advance(db, writers, found);
}
