/*
 * Rows for a listener. A window of rows is read at once: few enough that its values fit in memory
 * whatever the run's rows look like, and it is sent as far as the bytes go.
 */
#include <stdlib.h>

#include "arena.h"
#include "json_rows.h"
#include "listener_rows.h"
#include "metric_cache.h"
#include "row_json.h"

enum {
	ROWS_AT_ONCE = 1000,
	ROWS_ANYWAY = LISTENER_CELLS / JSON_ROW_MAX_KEYS,
};

/* ---- how many ------------------------------------------------------------------------------------- */

/* Read only where there is a backlog: it takes the statistics of all writers. */
static err_t count_keys(struct listener_view *view, enum stream stream, size_t *ret_count)
{
	size_t *count = &view->key_counts[stream == STREAM_EVENTS];
	struct arena *a = db_arena(view->reader.db);
	struct key_stats stats;
	err_t e = NULL;

	if (!*count) {
		db_set_arena(view->reader.db, view->arena);
		e = run_documents_keys(&view->reader, view->run->project_id, view->run->run_id,
				       stream, &stats);
		db_set_arena(view->reader.db, a);
		if (!e)
			*count = stats.count + 1;
	}
	*ret_count = *count;
	return e;
}

static err_t choose_window(struct listener_view *view, enum stream stream, int64_t left,
			   uint32_t *ret_rows)
{
	size_t keys;
	size_t rows;
	err_t e;

	*ret_rows = (uint32_t)left;
	if (left <= ROWS_ANYWAY)
		return NULL;
	e = count_keys(view, stream, &keys);
	if (e)
		return e;
	rows = LISTENER_CELLS / keys;
	if (rows < ROWS_ANYWAY)
		rows = ROWS_ANYWAY;
	if (rows > ROWS_AT_ONCE)
		rows = ROWS_AT_ONCE;
	*ret_rows = left < (int64_t)rows ? (uint32_t)left : (uint32_t)rows;
	return NULL;
}

/* ---- names ---------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static size_t collect_ids(struct arena *a, const struct exact_row *rows, uint32_t count,
			  int32_t **ret_ids)
{
	size_t total = 0;
	size_t kept = 0;
	size_t n = 0;
	int32_t *ids;

	for (uint32_t i = 0; i < count; i++)
		total += rows[i].value_count;
	ids = arena_new_array(a, int32_t, total);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < rows[i].value_count; j++)
			ids[n++] = rows[i].values[j].key_id;
	}
	qsort(ids, n, sizeof(ids[0]), by_number);
	for (size_t i = 0; i < n; i++) {
		if (!kept || ids[kept - 1] != ids[i])
			ids[kept++] = ids[i];
	}
	*ret_ids = ids;
	return kept;
}

/* Names of all keys in the rows. */
static err_t name_rows(const struct listener_view *view, const struct exact_row *rows,
		       uint32_t count, struct row_names *ret_names)
{
	struct arena *a = db_arena(view->reader.db);
	int32_t *ids;
	size_t n = collect_ids(a, rows, count, &ids);
	struct str *names = arena_new_array(a, struct str, n);

	*ret_names = (struct row_names){ ids, names, n };
	return metric_cache_names(view->reader.metrics, view->reader.db, view->run->project_id, ids,
				  n, names);
}

/* ---- one event ------------------------------------------------------------------------------------ */

struct window {
	enum stream stream;
	const struct exact_row *rows;
	uint32_t count;
	struct row_names names;
};

/* Answers how many rows went in; at least one. */
static uint32_t write_rows(const struct listener_view *view, const struct window *w,
			   struct buf *out)
{
	const struct row_form form = { .stream = w->stream };
	struct json_out json = json_out_begin(out);
	size_t before = out->len;
	uint32_t i;

	json_out_object(&json);
	json_out_key(&json, "items");
	json_out_array(&json);
	for (i = 0; i < w->count && out->len - before < LISTENER_BYTES; i++) {
		const struct exact_row *row = &w->rows[i];

		if (row->value_count)
			row_json_write(&json, row, &form, labels_of(&view->labels, row->writer),
				       &w->names);
	}
	json_out_array_end(&json);
	json_out_object_end(&json);
	return i;
}

static err_t read_window(struct listener_view *view, int64_t first, int64_t end, struct window *w)
{
	struct rows_ask ask = {
		.run_id = view->run->run_id,
		.stream = w->stream,
		.first = first,
		.project_id = view->run->project_id,
	};
	struct exact_row *rows;
	err_t e;

	e = choose_window(view, w->stream, end - first, &ask.count);
	if (!e)
		e = series_rows_read(view->reader.db, view->reader.codec, &ask, &rows);
	if (!e)
		e = name_rows(view, rows, ask.count, &w->names);
	if (e)
		return e;
	w->rows = rows;
	w->count = ask.count;
	return listener_view_labels(view);
}

err_t listener_send_rows(struct listener_view *view, enum stream stream,
			 struct listener_place *place, struct buf *out, bool *ret_more)
{
	int64_t *next = stream == STREAM_HISTORY ? &place->row : &place->event;
	int64_t end = stream == STREAM_HISTORY ? view->run->next_row : view->run->next_event;
	struct window w = { .stream = stream };
	err_t e;

	if (end <= *next)
		return NULL;
	e = read_window(view, *next, end, &w);
	if (e)
		return e;
	listener_event_begin(out, stream == STREAM_HISTORY ? "history" : "events");
	*next += write_rows(view, &w, out);
	listener_event_end(out, place);
	*ret_more = *ret_more || *next < end;
	return NULL;
}
