/*
 * Sampling in one pass, not knowing how many rows there will be: every n-th is kept, and whenever there
 * are twice as many as wanted, every other one of them is let go and n doubles.
 */
#include "wandb_rows.h"

#include <stdlib.h>

#include "arena.h"
#include "branch_store.h"
#include "buf.h"
#include "wandb_labels.h"

enum {
	WINDOW_ROWS = 4096,
	WINDOW_CELLS = 1 << 18, /* rows times keys */
	WINDOW_ARENA = 256 << 10,
	SAMPLED_BYTES = 4 * WANDB_ROWS_BYTES, /* of rows that were kept for a while */
};

struct kept {
	int64_t step;
	int64_t row;
	struct str text;
};

struct reading {
	const struct run_reader *reader;
	const struct wandb_rows_ask *ask;
	struct arena *arena; /* of what stays */
	struct wandb_columns columns;
	struct wandb_labels labels; /* of system metrics */
	struct kept *kept;
	size_t count;
	size_t size;
	size_t most;      /* that are kept; 0: all */
	uint64_t matched; /* rows so far */
	uint64_t every;
	struct kept last; /* of all that matched, when it was not kept */
	size_t bytes;     /* of all that was written */
};

/* ---- one row -------------------------------------------------------------------------------------- */

static struct kept write_row(struct reading *r, const struct exact_row *row)
{
	struct buf *text = buf_new(r->arena);
	struct json_out out = json_out_begin(text);

	json_out_object(&out);
	if (r->ask->stream == STREAM_HISTORY)
		json_out_put_int(&out, "_step", row->step);
	r->columns.suffix = wandb_labels_suffix(&r->labels, r->ask->run->run_id, row->writer);
	wandb_columns_put(&r->columns, &out, r->ask->numbers);
	json_out_object_end(&out);
	r->bytes += text->len;
	return (struct kept){ row->step, row->row, buf_str(text) };
}

static void thin(struct reading *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->count; i += 2)
		r->kept[kept++] = r->kept[i];
	r->count = kept;
	r->every *= 2;
}

static void keep(struct reading *r, struct kept row)
{
	if (r->count == r->size)
		r->kept = arena_grow(r->arena, r->kept, &r->size, sizeof(*r->kept));
	r->kept[r->count++] = row;
	if (r->most && r->count == 2 * r->most)
		thin(r);
}

static bool is_asked(struct reading *r, const struct exact_row *row)
{
	return row->value_count && row->step >= r->ask->steps.from &&
	       row->step <= r->ask->steps.to && wandb_columns_take(&r->columns, row);
}

/* The last of a window is written although it is not kept: it may be the last of all. */
static void add_rows(struct reading *r, const struct exact_row *rows, uint32_t count)
{
	const struct exact_row *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (!is_asked(r, &rows[i]))
			continue;
		last = r->matched % r->every ? &rows[i] : NULL;
		if (!last)
			keep(r, write_row(r, &rows[i]));
		r->matched++;
		if (!last)
			r->last = (struct kept){ 0 };
	}
	if (last && wandb_columns_take(&r->columns, last))
		r->last = write_row(r, last);
}

/* ---- windows -------------------------------------------------------------------------------------- */

/* Own memory, and errors in that of the request. */
static err_t read_window(struct reading *r, int64_t first, uint32_t *count)
{
	struct arena *own = arena_new_beside(r->arena, WINDOW_ARENA);
	struct db *db = r->reader->db;
	const struct rows_ask ask = {
		.run_id = r->ask->run->run_id,
		.stream = r->ask->stream,
		.first = first,
		.count = *count,
		.project_id = r->ask->run->project_id,
		.key_ids = r->ask->key_count ? r->columns.key_ids : NULL,
		.key_count = r->ask->key_count ? r->columns.key_count : 0,
	};
	struct exact_row *rows;
	err_t e;

	db_set_arena(db, own);
	e = series_rows_read_some(db, r->reader->codec, &ask, &rows, count);
	db_set_arena(db, r->arena);
	if (e)
		e = err_wrap(r->arena, e, "rows");
	else
		add_rows(r, rows, *count);
	arena_free(own);
	return e;
}

/* An answer has to fit, into what answers may be and into the memory there is. */
static err_t check_size(const struct reading *r)
{
	size_t most = r->most ? SAMPLED_BYTES : WANDB_ROWS_BYTES;

	if (r->bytes > most)
		return err_new(r->arena, ERR_UNPROCESSABLE,
			       "the rows are larger than %zu MiB: request fewer steps or keys",
			       most >> 20);
	if (!arena_may_read(r->arena, WINDOW_ARENA))
		return err_new(r->arena, ERR_BUSY, "the server's memory for requests is in use");
	return NULL;
}

static err_t read_span(struct reading *r, int64_t first, int64_t end)
{
	size_t keys = r->columns.key_count ? r->columns.key_count : 1;
	int64_t widest = WINDOW_CELLS / (int64_t)keys;

	if (widest > WINDOW_ROWS && keys > 1)
		widest = WINDOW_ROWS;
	if (widest > ROWS_WINDOW_MAX)
		widest = ROWS_WINDOW_MAX;
	while (first < end) {
		int64_t left = end - first;
		uint32_t count = (uint32_t)(left < widest ? left : widest > 0 ? widest : 1);
		err_t e = read_window(r, first, &count);

		if (!e)
			e = check_size(r);
		if (e)
			return e;
		first += count;
	}
	return NULL;
}

static int64_t lesser(int64_t one, int64_t other)
{
	return one < other ? one : other;
}

/* The rows below `end` that may have the steps: some of those in chunks, and all behind them. */
static err_t read_run(struct reading *r, int64_t run_id, int64_t end)
{
	const struct steps_ask ask = { run_id, r->ask->stream, r->columns.time_id, r->ask->steps };
	struct steps_extent extent;
	err_t e = series_store_find_steps(r->reader->db, &ask, &extent);

	if (!e)
		e = read_span(r, extent.first, lesser(extent.last + 1, end));
	if (!e)
		e = read_span(r, extent.compacted + 1, end);
	return e;
}

/* Returns the end of a run's rows in a branch that others may continue. */
static int64_t end_in(const struct branch_view *view, int64_t run_id, int64_t end)
{
	int64_t found = 0;

	for (size_t i = 0; i < view->count; i++) {
		if (view->parts[i].run_id == run_id && view->parts[i].row_end > found)
			found = view->parts[i].row_end;
	}
	return lesser(found, end);
}

static err_t read_by_steps(struct reading *r, int64_t end)
{
	const struct run *run = r->ask->run;
	struct branch_view view;
	int64_t *ids;
	size_t count;
	err_t e;

	if (!run->branch || r->ask->stream != STREAM_HISTORY)
		return read_run(r, run->run_id, end);
	e = branch_store_view(r->reader->db, run->run_id, run->branch, &view);
	if (e)
		return e;
	ids = arena_new_array(r->arena, int64_t, view.count);
	count = branch_runs(&view, ids);
	for (size_t i = 0; i < count && !e; i++)
		e = read_run(r, ids[i], end_in(&view, ids[i], end));
	return e;
}

/* ---- the answer ----------------------------------------------------------------------------------- */

static int by_step(const void *a, const void *b)
{
	const struct kept *x = a;
	const struct kept *y = b;

	if (x->step != y->step)
		return (x->step > y->step) - (x->step < y->step);
	return (x->row > y->row) - (x->row < y->row);
}

/* Picks evenly spaced rows, with the first and the last, when there are more than wanted. */
static void pick(struct reading *r, struct wandb_rows *rows)
{
	size_t wanted = r->count;

	if (r->ask->samples && wanted > r->ask->samples)
		wanted = r->ask->samples;
	rows->texts = arena_new_array(r->arena, struct str, wanted + 1);
	rows->count = wanted;
	for (size_t i = 0; i < wanted; i++) {
		size_t at = wanted > 1 ? i * (r->count - 1) / (wanted - 1) : 0;

		rows->texts[i] = r->kept[at].text;
	}
}

static void finish(struct reading *r, struct wandb_rows *rows)
{
	if (r->last.text.len)
		keep(r, r->last);
	if (r->count)
		qsort(r->kept, r->count, sizeof(*r->kept), by_step);
	pick(r, rows);
}

err_t wandb_rows_read(const struct run_reader *reader, const struct wandb_rows_ask *ask,
		      struct wandb_rows *ret_rows)
{
	const struct wandb_columns_ask columns = { ask->run, ask->stream, ask->keys,
						   ask->key_count };
	struct reading r = {
		.reader = reader,
		.ask = ask,
		.arena = db_arena(reader->db),
		.most = ask->samples,
		.every = 1,
	};
	int64_t end = ask->stream == STREAM_HISTORY ? ask->run->next_row : ask->run->next_event;
	err_t e = wandb_columns_read(reader, &columns, &r.columns);

	if (!e && ask->stream == STREAM_EVENTS && end)
		e = wandb_labels_read(reader->db, ask->run->run_id, &r.labels);
	if (!e && !r.columns.is_empty && r.columns.time_id != INT32_MAX)
		e = ask->steps.from == INT64_MIN && ask->steps.to == INT64_MAX
			    ? read_span(&r, 0, end)
			    : read_by_steps(&r, end);
	if (!e)
		finish(&r, ret_rows);
	return e;
}
