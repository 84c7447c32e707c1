/*
 * A row is known by a sum over its values, each hashed with its key, so that their order does not count;
 * two rows of one step with one sum of 128 bits are the same row.
 */
#include "row_match.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "checksum.h"
#include "json_scan.h"
#include "metric_cache.h"
#include "series_rows.h"

enum { WINDOW_ROWS = 4096, SCRATCH_BYTES = 256 << 10 };

struct sum {
	uint64_t low, high;
};

struct sent {
	int64_t step;
	struct sum sum;
	uint32_t row;
	bool found;
};

/* ---- sums ----------------------------------------------------------------------------------------- */

static void add_bytes(struct sum *sum, int32_t key_id, const void *bytes, size_t len)
{
	unsigned char digest[CHECKSUM128_LEN];
	struct sum more;

	checksum128(bytes, len, digest);
	memcpy(&more, digest, sizeof(more));
	more.low = (more.low ^ (uint64_t)(uint32_t)key_id) * UINT64_C(0x9e3779b97f4a7c15);
	more.high = (more.high + (uint64_t)(uint32_t)key_id) * UINT64_C(0xc2b2ae3d27d4eb4f);
	sum->low += more.low;
	sum->high += more.high;
}

static void add_number(struct sum *sum, int32_t key_id, double value)
{
	if (value == 0)
		value = 0; /* whatever its sign */
	add_bytes(sum, key_id, &value, sizeof(value));
}

/* Blanks in a list or object say nothing. */
static void add_text(struct arena *a, struct sum *sum, int32_t key_id, struct str json)
{
	struct buf *strict = buf_new(a);

	json_scan_write_strict(strict, json);
	add_bytes(sum, key_id, strict->at, strict->len);
}

/* ---- what was sent -------------------------------------------------------------------------------- */

/* An integer beyond 2^53 is there as a number and as digits, and stored as digits. */
static void add_column(struct arena *a, const struct json_column *c, int32_t key_id,
		       struct sent *sent)
{
	uint32_t text = 0;

	for (uint32_t i = 0; i < c->number_count; i++) {
		uint32_t row = json_column_number_row(c, i);

		while (text < c->text_count && json_column_text_row(c, text) < row)
			text++;
		if (text == c->text_count || json_column_text_row(c, text) != row)
			add_number(&sent[row].sum, key_id, c->numbers[i]);
	}
	for (uint32_t i = 0; i < c->text_count; i++)
		add_text(a, &sent[json_column_text_row(c, i)].sum, key_id, c->texts[i]);
}

static int by_step(const void *a, const void *b)
{
	const struct sent *x = a;
	const struct sent *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	if (x->sum.low != y->sum.low)
		return (x->sum.low > y->sum.low) - (x->sum.low < y->sum.low);
	return (x->sum.high > y->sum.high) - (x->sum.high < y->sum.high);
}

/* Those that may be stored, in order; the others are new as they are. */
static size_t keep_low(struct sent *sent, size_t count, int64_t last)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (sent[i].step >= 0 && sent[i].step <= last)
			sent[kept++] = sent[i];
	}
	if (kept)
		qsort(sent, kept, sizeof(sent[0]), by_step);
	return kept;
}

static err_t read_sent(const struct row_match *m, const struct json_rows *rows,
		       struct sent **ret_sent)
{
	struct arena *a = rows->arena;
	struct str *names = arena_new_array(a, struct str, rows->column_count + 1);
	int32_t *key_ids = arena_new_array(a, int32_t, rows->column_count + 1);
	struct sent *sent = arena_new_array(a, struct sent, rows->row_count + 1);
	err_t e;

	for (uint32_t i = 0; i < rows->column_count; i++)
		names[i] = rows->columns[i].name;
	e = metric_cache_find(m->metrics, m->db, m->project_id, names, rows->column_count, key_ids);
	if (e)
		return e;
	for (uint32_t i = 0; i < rows->row_count; i++) {
		sent[i].row = i;
		sent[i].step = rows->steps[i];
	}
	for (uint32_t i = 0; i < rows->column_count; i++)
		add_column(a, &rows->columns[i], key_ids[i], sent);
	*ret_sent = sent;
	return NULL;
}

/* ---- what is stored ------------------------------------------------------------------------------- */

static void find_row(struct arena *a, const struct exact_row *row, struct sent *sent, size_t count)
{
	struct sent wanted = { .step = row->step };
	const struct sent *end = sent + count;
	struct sent *at;

	for (uint32_t i = 0; i < row->value_count; i++) {
		const struct row_value *v = &row->values[i];

		if (v->is_text)
			add_text(a, &wanted.sum, v->key_id, v->text);
		else
			add_number(&wanted.sum, v->key_id, v->number);
	}
	at = bsearch(&wanted, sent, count, sizeof(sent[0]), by_step);
	while (at && at > sent && by_step(at - 1, &wanted) == 0)
		at--;
	for (; at && at < end && by_step(at, &wanted) == 0; at++)
		at->found = true;
}

static err_t find_window(const struct row_match *m, const struct rows_ask *ask, struct sent *sent,
			 size_t count, int64_t *ret_next)
{
	struct arena *a = db_arena(m->db);
	struct exact_row *rows;
	uint32_t read;
	err_t e = series_rows_read_some(m->db, m->codec, ask, &rows, &read);

	for (uint32_t i = 0; !e && i < read; i++) {
		if (rows[i].value_count)
			find_row(a, &rows[i], sent, count);
	}
	*ret_next = ask->first + (e ? 0 : read);
	return e;
}

static err_t find_span(const struct row_match *m, enum stream stream, const struct row_span *span,
		       struct sent *sent, size_t count)
{
	struct arena *a = db_arena(m->db);
	struct arena *scratch = arena_new_beside(a, SCRATCH_BYTES);
	const int32_t lane = writer_lane(m->writer);
	int64_t at = span->first;
	err_t e = NULL;

	while (at < span->last && !e) {
		int64_t left = span->last - at;
		const struct rows_ask ask = {
			.run_id = m->writer->run_id,
			.stream = stream,
			.first = at,
			.count = (uint32_t)(left < WINDOW_ROWS ? left : WINDOW_ROWS),
			.writers = &lane,
			.writer_count = 1,
		};

		db_set_arena(m->db, scratch);
		e = find_window(m, &ask, sent, count, &at);
		db_set_arena(m->db, a);
		if (e)
			e = err_wrap(a, e, "what is stored cannot be compared");
		arena_reset(scratch);
	}
	arena_free(scratch);
	return e;
}

static err_t find_stored(const struct row_match *m, enum stream stream, struct sent *sent,
			 size_t count)
{
	const struct str every = STR("_timestamp");
	struct spans_ask ask = {
		.run_id = m->writer->run_id,
		.stream = stream,
		.writer = writer_lane(m->writer),
		.from = sent[0].step,
		.to = sent[count - 1].step,
	};
	struct row_span *spans;
	size_t span_count;
	err_t e;

	e = metric_cache_find(m->metrics, m->db, m->project_id, &every, 1, &ask.key_id);
	if (!e)
		e = series_rows_spans(m->db, &ask, &spans, &span_count);
	for (size_t i = 0; !e && i < span_count; i++)
		e = find_span(m, stream, &spans[i], sent, count);
	return e;
}

err_t row_match(const struct row_match *m, enum stream stream, const struct json_rows *rows,
		bool *known)
{
	int64_t last = stream == STREAM_EVENTS ? m->writer->last_event : m->writer->last_step;
	struct sent *sent;
	size_t count;
	err_t e = read_sent(m, rows, &sent);

	if (e)
		return e;
	count = keep_low(sent, rows->row_count, last);
	if (count)
		e = find_stored(m, stream, sent, count);
	for (size_t i = 0; !e && i < count; i++)
		known[sent[i].row] = sent[i].found;
	return e;
}
