#include <string.h>

#include "arena.h"
#include "batch_blocks.h"
#include "batch_last.h"
#include "batch_names.h"
#include "batch_scan.h"
#include "buf.h"
#include "json_scan.h"
#include "row_axes.h"

enum { LINE_ARENA = 64 << 10 };

typedef void axes_fn(struct json_rows *rows, double now_s);

struct part {
	struct arena *arena; /* scratch */
	struct batch_rows *rows;
	axes_fn *axes;
	enum stream stream;
};

/* As one body, with the padding that a scanner needs. */
static struct str join(struct arena *a, const struct batch_rows *rows)
{
	static const char padding[JSON_SCAN_PADDING];
	struct buf *out = buf_new(a);
	size_t len;

	for (size_t i = 0; i < rows->count; i++) {
		buf_add_str(out, rows->lines[i]);
		buf_add_byte(out, '\n');
	}
	len = out->len;
	buf_add(out, padding, sizeof(padding));
	return (struct str){ out->at, len };
}

static err_t scan(const struct part *part, struct json_rows *ret_rows)
{
	struct str body = join(part->arena, part->rows);
	struct json_scan json;
	err_t e;

	json_rows_init(ret_rows, part->arena, body.len);
	ret_rows->row_limit = BLOCK_MAX_ROWS;
	ret_rows->kind = part->stream == STREAM_EVENTS ? LEFT_OUT_EVENTS : LEFT_OUT_HISTORY;
	json_scan_begin(&json, part->arena, body);
	json_scan_rows_body(&json, ret_rows);
	e = json_scan_end(&json);
	if (!e && ret_rows->row_count != part->rows->count)
		e = err_new(part->arena, ERR_INVALID, "a line contains more than one row");
	if (!e)
		part->axes(ret_rows, batch_now_s());
	return e;
}

/* ---- what cannot be read --------------------------------------------------------------------------- */

void batch_make_storable(char *copy, struct str text)
{
	for (size_t i = 0; i < text.len;) {
		size_t size = str_utf8_sequence(text.at + i, text.len - i);
		bool is_good = size && text.at[i];

		if (is_good)
			memcpy(copy + i, text.at + i, size);
		else
			copy[i] = '?';
		i += is_good ? size : 1;
	}
}

void batch_add_unread(struct ingest_batch *batch, int16_t stream, struct str line)
{
	struct str head = str_head(line, RUN_UNREAD_MAX_BYTES);
	char *copy;

	if (batch->unread_count++ >= RUN_UNREAD_MAX)
		return;
	if (!batch->unread)
		batch->unread = arena_new_array(batch->arena, struct ingest_unread, RUN_UNREAD_MAX);
	copy = arena_alloc(batch->arena, head.len + 1);
	batch_make_storable(copy, head);
	batch->unread[batch->unread_count - 1] =
		(struct ingest_unread){ stream, { copy, head.len } };
}

/* If there is no memory to parse the line, it counts as a row. */
static bool is_row(const struct part *part, struct arena *own, struct str *line)
{
	struct batch_rows one = { line, 1 };
	const struct part alone = { own, &one, part->axes, part->stream };
	struct json_rows read;
	err_t e;

	if (!str_starts(str_trim(*line), "{"))
		return false;
	e = scan(&alone, &read);
	return !e || e->kind == ERR_BUSY;
}

/*
 * Finds the bad lines: parses each line by itself, and moves those that are not a row to the unread
 * ones. All use the same memory: there may be millions.
 */
static void part_lines(const struct part *part, struct ingest_batch *batch)
{
	struct arena *own = arena_new_beside(part->arena, LINE_ARENA);
	struct batch_rows *rows = part->rows;
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (is_row(part, own, &rows->lines[i]))
			rows->lines[kept++] = rows->lines[i];
		else
			batch_add_unread(batch, (int16_t)part->stream, rows->lines[i]);
		arena_reset(own);
	}
	arena_free(own);
	rows->count = kept;
}

/* ---- all lines together ---------------------------------------------------------------------------- */

/* Removes from *ret_rows the rows that are stored. */
static err_t drop_known(const struct part *part, struct batch_parts *parts,
			struct json_rows *ret_rows)
{
	struct batch_rows *rows = part->rows;
	bool *known = arena_new_array(part->arena, bool, rows->count + 1);
	size_t before = rows->count;
	size_t kept = 0;
	err_t e;

	e = row_match(parts->match, part->stream, ret_rows, known);
	if (e)
		return e;
	for (size_t i = 0; i < before; i++) {
		if (!known[i])
			rows->lines[kept++] = rows->lines[i];
	}
	rows->count = kept;
	parts->repeated += before - kept;
	if (kept == before)
		return NULL;
	*ret_rows = (struct json_rows){ .arena = part->arena };
	return kept ? scan(part, ret_rows) : NULL;
}

/* Each line is a row, but together they may exceed a batch's limit of keys or values. */
static err_t scan_what_fits(const struct part *part, struct ingest_batch *batch,
			    struct json_rows *ret_rows)
{
	struct batch_rows *rows = part->rows;

	while (rows->count) {
		size_t count = rows->count;
		err_t e = scan(part, ret_rows);

		if (!e || e->kind == ERR_BUSY)
			return e;
		rows->count /= 2;
		for (size_t i = rows->count; i < count; i++)
			batch_add_unread(batch, (int16_t)part->stream, rows->lines[i]);
	}
	*ret_rows = (struct json_rows){ .arena = part->arena };
	return NULL;
}

static err_t read_lines(const struct part *part, struct ingest_batch *batch,
			struct json_rows *ret_rows)
{
	err_t e;

	*ret_rows = (struct json_rows){ .arena = part->arena };
	if (!part->rows->count)
		return NULL;
	e = scan(part, ret_rows);
	if (!e || e->kind == ERR_BUSY)
		return e;
	part_lines(part, batch);
	return scan_what_fits(part, batch, ret_rows);
}

static err_t read(const struct part *part, struct batch_parts *parts, struct ingest_batch *batch,
		  struct json_rows *ret_rows)
{
	err_t e = read_lines(part, batch, ret_rows);

	if (!e && parts->match && ret_rows->row_count)
		e = drop_known(part, parts, ret_rows);
	return e;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

struct parts_read {
	struct ingest *ingest;
	struct db *db;
	struct json_rows history;
	struct json_rows events;
};

static err_t make(struct parts_read *r, struct ingest_batch *batch)
{
	err_t e = batch_make_blocks(r->ingest, r->db, &r->history, &r->events, batch);

	if (!e && r->history.row_count)
		batch->last = batch_last_values(batch->arena, &r->history);
	return e;
}

err_t batch_scan_parts(struct ingest *ingest, const struct batch_source *from,
		       struct batch_parts *parts, struct ingest_batch *batch)
{
	const struct part history = { from->scratch, &parts->history, row_axes_history,
				      STREAM_HISTORY };
	const struct part events = { from->scratch, &parts->events, row_axes_events,
				     STREAM_EVENTS };
	struct parts_read r = { .ingest = ingest, .db = from->db };
	err_t e;

	e = read(&history, parts, batch, &r.history);
	if (!e)
		e = read(&events, parts, batch, &r.events);
	if (e)
		return e;
	batch_take_digest(batch, from->body);
	e = make(&r, batch);
	if (!e && parts->console.count)
		batch_make_lines(ingest, from->scratch, &parts->console, batch);
	return e;
}
