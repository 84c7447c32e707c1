/*
 * A row is identified by a sum over its values, each hashed with its key, so that their order does
 * not count; two rows of one step with one sum of 128 bits are the same row.
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

#define MOMENT STR("_timestamp")
enum { WINDOW_ROWS = 4096, LANES_MAX = 64, SCRATCH_BYTES = 256 << 10 };

struct sum {
	uint64_t low, high;
};

struct sent {
	int64_t step; /* -1: none was sent */
	struct sum sum;
	uint32_t row;
	bool found;
	double moment; /* seconds since 1970 */
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

/* Blanks in a list or object do not count. */
static void add_text(struct arena *a, struct sum *sum, int32_t key_id, struct str json)
{
	struct buf *strict = buf_new(a);

	json_scan_write_strict(strict, json);
	add_bytes(sum, key_id, strict->at, strict->len);
}

/* ---- what was sent -------------------------------------------------------------------------------- */

/* An integer beyond 2^53 comes as a number and as digits, and is stored as digits. */
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

static void note_moments(const struct json_column *c, struct sent *sent)
{
	for (uint32_t i = 0; i < c->number_count; i++)
		sent[json_column_number_row(c, i)].moment = c->numbers[i];
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
		sent[i].step = rows->steps[i] < 0 ? -1 : rows->steps[i];
	}
	for (uint32_t i = 0; i < rows->column_count; i++) {
		add_column(a, &rows->columns[i], key_ids[i], sent);
		if (str_equal(names[i], MOMENT))
			note_moments(&rows->columns[i], sent);
	}
	*ret_sent = sent;
	return NULL;
}

/* ---- what is stored ------------------------------------------------------------------------------- */

/* Some of the sent rows, in order, and the rows that may match them. */
struct search {
	struct row_match *match;
	enum stream stream;
	bool is_stepless; /* whatever step the stored ones got */
	struct sent *sent;
	double *moments; /* of all of them, in order */
	size_t count;
	int32_t key_id; /* of the moment */
};

static void find_row(struct arena *a, const struct exact_row *row, const struct search *of)
{
	struct sent wanted = { .step = of->is_stepless ? -1 : row->step };
	const struct sent *end = of->sent + of->count;
	struct sent *at;

	for (uint32_t i = 0; i < row->value_count; i++) {
		const struct row_value *v = &row->values[i];

		if (v->is_text)
			add_text(a, &wanted.sum, v->key_id, v->text);
		else
			add_number(&wanted.sum, v->key_id, v->number);
	}
	at = bsearch(&wanted, of->sent, of->count, sizeof(wanted), by_step);
	while (at && at > of->sent && by_step(at - 1, &wanted) == 0)
		at--;
	for (; at && at < end && by_step(at, &wanted) == 0; at++) {
		at->found = true;
		of->match->found_lane = row->writer;
	}
}

static err_t find_window(const struct search *of, const struct rows_ask *ask, int64_t *ret_next)
{
	struct row_match *m = of->match;
	struct arena *a = db_arena(m->db);
	struct exact_row *rows;
	uint32_t read;
	err_t e = series_rows_read_some(m->db, m->codec, ask, &rows, &read);

	for (uint32_t i = 0; !e && i < read; i++) {
		if (rows[i].value_count)
			find_row(a, &rows[i], of);
	}
	*ret_next = ask->first + (e ? 0 : read);
	return e;
}

typedef err_t window_fn(const struct search *of, const struct rows_ask *ask, int64_t *ret_next);

/* Window by window, each in memory of its own. */
static err_t read_windows(const struct search *of, struct row_span span, struct rows_ask ask,
			  window_fn *each)
{
	struct db *db = of->match->db;
	struct arena *a = db_arena(db);
	struct arena *scratch = arena_new_beside(a, SCRATCH_BYTES);
	const uint32_t most = ask.count;
	err_t e = NULL;

	ask.run_id = of->match->run->run_id;
	ask.stream = of->stream;
	ask.branch = SERIES_NO_BRANCH;
	ask.first = span.first;
	while (ask.first < span.last && !e) {
		int64_t left = span.last - ask.first;

		ask.count = left < most ? (uint32_t)left : most;
		db_set_arena(db, scratch);
		e = each(of, &ask, &ask.first);
		db_set_arena(db, a);
		if (e)
			e = err_wrap(a, e, "cannot compare the stored rows");
		arena_reset(scratch);
	}
	arena_free(scratch);
	return e;
}

/* ---- by the moment -------------------------------------------------------------------------------- */

/*
 * Rows that were logged when a sent one was, in a window; and their writers, unless those are many.
 */
struct hits {
	struct row_span span;
	int32_t lanes[LANES_MAX];
	size_t lane_count; /* LANES_MAX: of all */
	size_t row_count;  /* that have to be read for them */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool has_lane(const struct hits *hits, int32_t lane)
{
	if (hits->lane_count == LANES_MAX)
		return true;
	for (size_t i = 0; i < hits->lane_count; i++) {
		if (hits->lanes[i] == lane)
			return true;
	}
	return false;
}

static bool is_hit(const struct search *of, const struct exact_row *row)
{
	const struct row_value *v = row->values;

	return row->value_count && !v->is_text &&
	       bsearch(&v->number, of->moments, of->count, sizeof(double), by_value);
}

static struct hits hits_of(const struct search *of, const struct exact_row *rows, uint32_t count)
{
	struct hits hits = { .row_count = 0 };

	for (uint32_t i = 0; i < count; i++) {
		if (!is_hit(of, &rows[i]))
			continue;
		if (hits.span.last == 0)
			hits.span.first = rows[i].row;
		hits.span.last = rows[i].row + 1;
		if (!has_lane(&hits, rows[i].writer))
			hits.lanes[hits.lane_count++] = rows[i].writer;
	}
	for (uint32_t i = 0; i < count; i++)
		hits.row_count += rows[i].value_count && rows[i].row >= hits.span.first &&
				  rows[i].row < hits.span.last && has_lane(&hits, rows[i].writer);
	return hits;
}

/* Each read is bounded by rows that hold values. */
static err_t find_hits(const struct search *of, const struct hits *hits)
{
	struct rows_ask ask = {
		.count = hits->row_count <= WINDOW_ROWS ? ROWS_WINDOW_MAX : WINDOW_ROWS,
		.writers = hits->lanes,
		.writer_count = hits->lane_count < LANES_MAX ? hits->lane_count : 0,
	};

	return read_windows(of, hits->span, ask, find_window);
}

/* An equal row was logged at the same moment: full rows are read only if such rows exist. */
static err_t find_moments(const struct search *of, const struct rows_ask *ask, int64_t *ret_next)
{
	struct row_match *m = of->match;
	struct exact_row *rows;
	struct hits hits;
	uint32_t read;
	err_t e = series_rows_read_some(m->db, m->codec, ask, &rows, &read);

	if (e)
		return e;
	*ret_next = ask->first + read;
	hits = hits_of(of, rows, read);
	return find_hits(of, &hits);
}

static err_t find_span(const struct search *of, struct row_span span)
{
	const struct rows_ask ask = {
		.count = ROWS_WINDOW_MAX,
		.key_ids = &of->key_id,
		.key_count = 1,
	};

	return read_windows(of, span, ask, find_moments);
}

/* ---- where ---------------------------------------------------------------------------------------- */

static err_t find_by_step(const struct search *of)
{
	const struct spans_ask ask = {
		.run_id = of->match->run->run_id,
		.stream = of->stream,
		.key_id = of->key_id,
		.from = of->sent[0].step,
		.to = of->sent[of->count - 1].step,
	};
	struct row_span *spans;
	size_t span_count;
	err_t e = series_rows_spans(of->match->db, &ask, &spans, &span_count);

	for (size_t i = 0; !e && i < span_count; i++)
		e = find_span(of, spans[i]);
	return e;
}

static err_t find_everywhere(const struct search *of)
{
	const struct run *run = of->match->run;
	const int64_t count = of->stream == STREAM_EVENTS ? run->next_event : run->next_row;

	return find_span(of, (struct row_span){ 0, count });
}

/* ---- all ------------------------------------------------------------------------------------------ */

/*
 * Rows above all that the run has are new in any case. The time of its last event is not known, nor
 * the last step of branches that were left.
 */
static bool is_low(const struct search *of, const struct sent *sent)
{
	const struct run *run = of->match->run;

	if (of->is_stepless)
		return sent->step < 0;
	return sent->step >= 0 && (of->stream == STREAM_EVENTS || run_was_rewound(run) ||
				   sent->step <= run->last_step);
}

static void take_low(struct search *of, const struct sent *sent, size_t count)
{
	struct arena *a = db_arena(of->match->db);

	of->count = 0;
	of->sent = arena_new_array(a, struct sent, count);
	of->moments = arena_new_array(a, double, count);
	for (size_t i = 0; i < count; i++) {
		if (!is_low(of, &sent[i]))
			continue;
		of->moments[of->count] = sent[i].moment;
		of->sent[of->count++] = sent[i];
	}
	if (!of->count)
		return;
	qsort(of->sent, of->count, sizeof(of->sent[0]), by_step);
	qsort(of->moments, of->count, sizeof(of->moments[0]), by_value);
}

static err_t find_some(struct search *of, const struct sent *sent, size_t count, bool *known)
{
	err_t e;

	take_low(of, sent, count);
	if (!of->count)
		return NULL;
	e = of->is_stepless ? find_everywhere(of) : find_by_step(of);
	for (size_t i = 0; i < of->count; i++)
		known[of->sent[i].row] |= of->sent[i].found;
	return e;
}

err_t row_match(struct row_match *m, enum stream stream, const struct json_rows *rows, bool *known)
{
	struct search of = { .match = m, .stream = stream };
	struct sent *sent;
	err_t e;

	e = metric_cache_find(m->metrics, m->db, m->project_id, &MOMENT, 1, &of.key_id);
	if (!e)
		e = read_sent(m, rows, &sent);
	if (!e)
		e = find_some(&of, sent, rows->row_count, known);
	of.is_stepless = true;
	return e ? e : find_some(&of, sent, rows->row_count, known);
}
