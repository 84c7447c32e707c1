/*
 * Each call reads a window of rows, and dispatch serves other requests in between. The size of a window depends on its
 * keys, on the windows before, and on its texts, and a slice ends when it is large. So memory is bounded for long rows and
 * for sparse ones.
 */
#include "series_export.h"

#include "auth.h"
#include "db.h"
#include "json_out.h"
#include "metric_cache.h"
#include "name.h"
#include "path.h"
#include "reply.h"
#include "row_json.h"
#include "run_store.h"
#include "series_ask.h"
#include "series_csv.h"

enum {
	WINDOW_ROWS = 4096,
	WINDOW_ROWS_FIRST = 256,
	WINDOW_CELLS = 1 << 20, /* rows times keys */
	SLICE_BYTES = 4 << 20,  /* a slice ends with the row that reaches it */
};

struct export
{
	struct run_reader reader; /* of the handler, or of the slice being made */
	struct series_query query;
	int64_t run_id;
	int64_t next;
	int64_t end;
	uint32_t window; /* rows */
	int32_t *ids;    /* keys read, ascending; none: all */
	size_t id_count;
	int32_t time_id; /* of _timestamp, which is read for every row; a row with nothing else is not shown */
	struct row_names names;
	struct csv_columns columns;
	bool header_done;
	int64_t shown; /* rows that were read so far, with those left out */

	bool of_project;    /* run after run */
	struct arena *home; /* of what belongs to one run */
	struct str run;
	struct row_form form;
	int64_t resume_id; /* the run and row where it goes on */
	int64_t resume_row;
};

/* ---- rows as lines --------------------------------------------------------------------------------- */

static bool is_shown(const struct export *x, const struct exact_row *row)
{
	if (row->step < x->query.range.from || row->step > x->query.range.to)
		return false;
	if (!x->id_count)
		return row->value_count > 0;
	for (uint32_t i = 0; i < row->value_count; i++) {
		if (row->values[i].key_id != x->time_id)
			return true;
		for (size_t j = 0; j < x->query.key_count; j++) {
			if (x->query.key_ids[j] == x->time_id)
				return true;
		}
	}
	return false;
}

static void write_ndjson(struct export *x, const struct exact_row *row, struct buf *slice)
{
	struct json_out out = json_out_begin(slice);

	json_out_object(&out);
	if (x->of_project)
		json_out_put_text(&out, "_run", x->run);
	row_json_put(&out, row, &x->form, labels_of(&x->query.labels, row->writer), &x->names);
	json_out_object_end(&out);
	buf_add_byte(slice, '\n');
}

static void write_csv_header(struct export *x, struct buf *slice)
{
	if (x->of_project)
		buf_add_text(slice, "_run,");
	buf_add_text(slice,
		     x->query.stream == STREAM_HISTORY ? "_row,_label,_step" : "_row,_label");
	csv_put_names(&x->columns, slice);
}

static void write_csv(struct export *x, const struct exact_row *row, struct buf *slice)
{
	if (x->of_project) {
		csv_put_text(slice, x->run);
		buf_add_byte(slice, ',');
	}
	buf_printf(slice, "%lld,", (long long)row->row);
	csv_put_text(slice, labels_of(&x->query.labels, row->writer));
	if (x->query.stream == STREAM_HISTORY)
		buf_printf(slice, ",%lld", (long long)row->step);
	csv_put_values(&x->columns, &x->names, row, &x->form, slice);
}

/* ---- windows --------------------------------------------------------------------------------------- */

static uint32_t widest(const struct export *x)
{
	size_t rows = WINDOW_CELLS / (x->names.count ? x->names.count : 1);

	return rows > WINDOW_ROWS ? WINDOW_ROWS : rows ? (uint32_t)rows : 1;
}

static void add_row(struct export *x, const struct exact_row *row, struct buf *slice)
{
	if (!row->value_count || !is_shown(x, row) || x->shown++ % x->query.every)
		return;
	if (x->query.format == SERIES_CSV)
		write_csv(x, row, slice);
	else
		write_ndjson(x, row, slice);
}

/* The next window is wider, or narrower if this one had more than a slice. */
static void add_rows(struct export *x, const struct exact_row *rows, uint32_t count,
		     struct buf *slice)
{
	uint32_t most = widest(x);
	uint32_t i = 0;

	while (i < count && slice->len < SLICE_BYTES)
		add_row(x, &rows[i++], slice);
	x->next += i;
	x->window = i < count || slice->len >= SLICE_BYTES ? i / 2 + 1 : 2 * x->window;
	x->window = x->window < most ? x->window : most;
}

static err_t add_window(struct request *q, struct export *x, struct buf *slice)
{
	int64_t left = x->end - x->next;
	struct rows_ask ask = {
		.run_id = x->run_id,
		.stream = x->query.stream,
		.first = x->next,
		.count = (uint32_t)(left < x->window ? left : x->window),
		.key_ids = x->ids,
		.key_count = x->id_count,
		.writers = x->query.writers,
		.writer_count = x->query.writer_count,
		.branch = x->query.branch,
		.project_id = q->target->project_id,
	};
	struct exact_row *rows;
	uint32_t count;
	err_t e;

	e = series_rows_read_some(q->db, x->reader.codec, &ask, &rows, &count);
	if (!e)
		add_rows(x, rows, count, slice);
	return e;
}

/* Reads the names of the keys: those asked for, or all of the run. */
static err_t name_keys(struct request *q, struct export *x, struct arena *a)
{
	struct key_stats stats;
	struct str *names;
	int32_t *ids = x->ids;
	int64_t project_id = q->target->project_id;
	size_t count = x->id_count;
	err_t e;

	if (!count) {
		e = x->query.branch
			    ? run_documents_keys_of_branch(&x->reader, project_id, x->run_id,
							   x->query.branch, &stats)
			    : run_documents_keys(&x->reader, project_id, x->run_id, x->query.stream,
						 &stats);
		if (e)
			return e;
		ids = arena_new_array(a, int32_t, stats.count);
		for (count = 0; count < stats.count; count++)
			ids[count] = (int32_t)stats.items[count].key_id;
	}
	names = arena_new_array(a, struct str, count);
	e = metric_cache_names(x->reader.metrics, q->db, project_id, ids, count, names);
	x->names = (struct row_names){ ids, names, count };
	return e;
}

static uint32_t first_window(const struct export *x)
{
	return widest(x) < WINDOW_ROWS_FIRST ? widest(x) : WINDOW_ROWS_FIRST;
}

/* "runs/RUN/" */
static struct str base_of(const struct export *x)
{
	struct buf *base = buf_new(x->home);

	buf_add_text(base, "runs/");
	path_encode(base, x->run);
	buf_add_byte(base, '/');
	return buf_str(base);
}

/* Reads the labels and the key names of the run, into memory that the next run reuses. */
static err_t open_run(struct request *q, struct export *x, const struct run_info *info)
{
	struct run *run;
	err_t e;

	x->run.at = str_copy(x->home, info->name);
	x->run.len = info->name.len;
	x->run_id = info->run_id;
	x->form = (struct row_form){ x->query.stream, x->query.whole_texts, base_of(x) };
	e = labels_read_of(q, x->run_id, &x->query.labels);
	if (!e)
		e = name_keys(q, x, x->home);
	if (!e)
		e = run_store_get(q->db, x->run_id, &run);
	if (e)
		return e;
	x->next = x->run_id == x->resume_id ? x->resume_row : 0;
	x->end = run->next_row;
	x->window = first_window(x);
	return NULL;
}

/* Goes on to the next run that may be seen, one per call. *ret_done: there is none. */
static err_t next_run(struct request *q, struct export *x, bool *ret_done)
{
	struct arena *former = db_arena(q->db);
	int64_t before = x->run_id;
	struct run_info *info;
	err_t e;

	arena_reset(x->home);
	db_set_arena(q->db, x->home);
	e = run_store_next_info(q->db, q->target->project_id, x->run_id, &info);
	if (!e && !info)
		*ret_done = true;
	else if (!e && series_ask_may_see(q->target, info))
		e = open_run(q, x, info);
	else if (!e)
		x->run_id = info->run_id;
	if (e && (e->kind == ERR_GONE || e->kind == ERR_NOT_FOUND))
		e = NULL; /* deleted at this moment: the next one */
	else if (e)
		x->run_id = before;
	db_set_arena(q->db, former);
	return e;
}

static err_t next_slice(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct export *x = state;
	struct run_view *view = run_view_begin(q, db_arena(q->db));
	err_t e = NULL;

	x->reader = *run_view_of(view);
	if (!x->header_done && x->query.format == SERIES_CSV)
		write_csv_header(x, slice);
	x->header_done = true;
	if (x->next < x->end)
		e = add_window(q, x, slice);
	else if (x->of_project)
		e = next_run(q, x, ret_done);
	if (!x->of_project)
		*ret_done = x->next >= x->end;
	run_view_end(view);
	return e;
}

/* ---- beginning ------------------------------------------------------------------------------------- */

static err_t find_time_id(struct request *q, struct export *x)
{
	struct str name = STR("_timestamp");

	return metric_cache_find(x->reader.metrics, q->db, q->target->project_id, &name, 1,
				 &x->time_id);
}

static void begin(struct request *q, struct export *x)
{
	const char *type = x->query.format == SERIES_CSV ? "text/csv; charset=utf-8"
							 : "application/x-ndjson";

	if (x->query.format == SERIES_CSV)
		csv_columns_make(q->arena, x->query.keys, x->query.key_count, &x->names,
				 &x->columns);
	reply_stream(q, type, next_slice, x);
}

err_t series_export(struct request *q, const struct run_reader *reader,
		    const struct series_query *query)
{
	struct export *x = arena_new_of(q->arena, struct export);
	struct run *run;
	err_t e;

	x->reader = *reader;
	x->query = *query;
	x->run_id = q->target->run_id;
	e = run_store_get(q->db, x->run_id, &run);
	if (!e)
		e = find_time_id(q, x);
	if (e)
		return e;
	x->form = (struct row_form){ query->stream, query->whole_texts, STR("") };
	x->next = query->after + 1;
	x->end = query->stream == STREAM_HISTORY ? run->next_row : run->next_event;
	if (query->row >= 0) {
		x->next = query->row > x->next ? query->row : x->next;
		x->end = query->row < x->end ? query->row + 1 : x->end;
	}
	if (query->key_count) {
		x->id_count = series_query_ids(query, q->arena, x->time_id, &x->ids);
		if (series_query_ids(query, q->arena, INT32_MAX, &(int32_t *){ NULL }) == 0)
			x->end = 0; /* none of the keys exists */
	}
	e = name_keys(q, x, q->arena);
	if (e)
		return e;
	x->window = first_window(x);
	begin(q, x);
	return NULL;
}

/* ---- a project ------------------------------------------------------------------------------------- */

/* "RUN/ROW": the last line that was read. */
static err_t read_after(struct request *q, struct export *x)
{
	struct str after = request_query(q, "after");
	struct run_info *info;
	struct str name;
	err_t e;

	if (!after.at)
		return NULL;
	name = str_cut(&after, '/');
	e = name_check(q->arena, NAME_RUN, "after", name);
	if (e)
		return e;
	if (!str_to_int64(after, 0, INT64_MAX - 1, &x->resume_row))
		return err_field(q->arena, ERR_INVALID, "after",
				 "must be RUN/ROW, with the _run and _row of a line");
	e = run_store_find_info(q->db, q->target->project_id, name, &info);
	if (e)
		return e;
	if (!info || !access_sees(q->target->sees_private, q->target->visibility,
				  (enum visibility)info->visibility))
		return err_field(q->arena, ERR_INVALID, "after", "the run does not exist");
	x->resume_id = info->run_id;
	x->resume_row++;
	x->run_id = info->run_id - 1;
	return NULL;
}

static void free_home(void *p)
{
	arena_free(p);
}

err_t series_export_project(struct request *q)
{
	struct run_reader reader = run_view_reader(q);
	struct export *x = arena_new_of(q->arena, struct export);
	err_t e = series_query_read_exact(q, &reader, &x->query);

	x->reader = reader;
	x->of_project = true;
	x->home = arena_new_beside(q->arena, 4096);
	arena_defer(q->arena, free_home, x->home);
	if (!e)
		e = find_time_id(q, x);
	if (!e)
		e = read_after(q, x);
	if (e)
		return e;
	if (x->query.key_count) {
		x->id_count = series_query_ids(&x->query, q->arena, x->time_id, &x->ids);
		e = name_keys(q, x, q->arena); /* for the head of CSV */
	}
	if (!e)
		begin(q, x);
	return e;
}
