#include "listener_send.h"

#include <stdlib.h>

#include "alert_json.h"
#include "alert_store.h"
#include "arena.h"
#include "json_rows.h"
#include "listener_console.h"
#include "metric_cache.h"
#include "row_json.h"
#include "run_json.h"
#include "series_rows.h"
#include "tail_store.h"
#include "writer_json.h"

enum {
	STATES_AT_ONCE = 100,
	ALERTS_AT_ONCE = 20,
	ROWS_AT_ONCE = 1000,
	ROWS_ANYWAY = LISTENER_CELLS / JSON_ROW_MAX_KEYS,
};

/* ---- states, alerts and writers ---------------------------------------------------------------------------- */

static err_t send_states(struct listener_view *view, struct listener_cursor *cursor,
			 struct buf *out, bool *ret_more)
{
	struct run_state_row *states;
	size_t count;
	err_t e;

	if (cursor->state + 1 >= view->run->next_state)
		return NULL;
	e = run_store_list_states(view->reader.db, view->run->run_id, cursor->state, STATES_AT_ONCE,
				  &states, &count);
	for (size_t i = 0; i < count && !e; i++) {
		struct json_out json = listener_event_begin_item(view, "state", out);

		run_json_write_state(&json, &states[i]);
		cursor->state = states[i].number;
		listener_event_end_item(view, &json, cursor);
	}
	*ret_more = *ret_more || (!e && count == STATES_AT_ONCE);
	return e;
}

/* Repeats of an alert are counted, not sent. */
static err_t send_alerts(struct listener_view *view, struct listener_cursor *cursor,
			 struct buf *out, bool *ret_more)
{
	struct alert *alerts;
	size_t count;
	err_t e;

	if (cursor->alert >= view->run->alerts)
		return NULL;
	e = alert_store_list(view->reader.db, view->run->run_id, cursor->alert, ALERTS_AT_ONCE,
			     &alerts, &count);
	for (size_t i = 0; i < count && !e; i++) {
		struct json_out json = listener_event_begin_item(view, "alert", out);

		alert_json_write(&json, &alerts[i]);
		cursor->alert = alerts[i].number;
		listener_event_end_item(view, &json, cursor);
	}
	*ret_more = *ret_more || (!e && count == ALERTS_AT_ONCE);
	return e;
}

static void grow_seen(struct listener_seen *seen, size_t need)
{
	if (need <= seen->count)
		return;
	seen->states = realloc(seen->states, need * sizeof(seen->states[0]));
	if (!seen->states)
		abort();
	for (size_t i = seen->count; i < need; i++)
		seen->states[i] = NULL;
	seen->count = need;
}

void listener_send_writer(struct listener_view *view, int64_t limit_us,
			  const struct listener_cursor *cursor, const struct writer *writer,
			  struct buf *out)
{
	struct run_clock clock = { view->now, limit_us };
	struct json_out json = listener_event_begin_item(view, "writer", out);

	writer_json_write(&json, writer, view->run, clock);
	listener_event_end_item(view, &json, cursor);
}

/* Sends the writers whose state has changed since it was sent last; the first call sends none. */
err_t listener_send_writers(struct listener_view *view, int64_t limit_us,
			    const struct listener_cursor *cursor, struct listener_seen *seen,
			    struct buf *out)
{
	bool is_first = !seen->states;
	size_t before = out->len;
	err_t e;

	if (!is_first && !view->is_look && !seen->is_behind)
		return NULL;
	e = listener_view_labels(view);
	if (e)
		return e;
	grow_seen(seen, 1); /* from now on changes are sent */
	seen->is_behind = false;
	for (size_t i = 0; i < view->labels.count && !seen->is_behind; i++) {
		const struct writer *w = &view->labels.writers[i];
		const char *shown =
			writer_state_shown(w, run_of_writers(view->run), view->now, limit_us);

		grow_seen(seen, (size_t)w->writer + 1);
		if (seen->states[w->writer] == shown)
			continue;
		seen->states[w->writer] = shown;
		if (!is_first)
			listener_send_writer(view, limit_us, cursor, w, out);
		seen->is_behind = out->len - before >= LISTENER_BYTES;
	}
	return NULL;
}

/*
 * ---- rows ----
 *
 * A window of rows is read at once, so few that their values fit in memory whatever the rows look like. It is sent as
 * far as the limit of bytes allows.
 */

/* Reads the count only if there is a backlog, since it takes the statistics of all writers. */
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

/* Reads the names of all keys in the rows. */
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

struct window {
	enum stream stream;
	const struct exact_row *rows;
	uint32_t count;
	struct row_names names;
};

/* Returns how many rows were written, at least one. */
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

static err_t send_rows(struct listener_view *view, enum stream stream,
		       struct listener_cursor *cursor, struct buf *out, bool *ret_more)
{
	int64_t *next = stream == STREAM_HISTORY ? &cursor->row : &cursor->event;
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
	listener_event_end(out, cursor);
	*ret_more = *ret_more || *next < end;
	return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void write_open(const struct run *run, const struct listener_cursor *cursor, struct buf *out)
{
	struct json_out json;

	listener_event_begin(out, "open");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_put_text(&json, "state", str_of(run_state_name(run->state)));
	json_out_put_int(&json, "row_next", cursor->row);
	json_out_put_int(&json, "event_next", cursor->event);
	json_out_object_end(&json);
	listener_event_end(out, cursor);
}

struct listener_cursor listener_cursor_now(const struct run *run)
{
	return (struct listener_cursor){
		.row = run->next_row,
		.event = run->next_event,
		.seq = run->next_seq - 1,
		.state = run->next_state - 1,
		.alert = run->alerts,
		.branch = run->branch,
	};
}

/* Goes on from the current state, since the data behind the cursor is gone or is not what the run shows now. */
static void write_reset(const struct run *run, struct listener_cursor *cursor, struct buf *out)
{
	*cursor = listener_cursor_now(run);
	listener_event_begin(out, "reset");
	buf_add_text(out, "{}");
	listener_event_end(out, cursor);
}

static err_t send_streams(struct listener_view *view, unsigned streams,
			  struct listener_cursor *cursor, struct buf *out, bool *ret_more)
{
	err_t e = NULL;

	if (streams & LISTEN_HISTORY)
		e = send_rows(view, STREAM_HISTORY, cursor, out, ret_more);
	if (!e && streams & LISTEN_EVENTS)
		e = send_rows(view, STREAM_EVENTS, cursor, out, ret_more);
	if (!e && streams & LISTEN_CONSOLE)
		e = listener_send_console(view, cursor, out, ret_more);
	if (!e && streams & LISTEN_STATE)
		e = send_states(view, cursor, out, ret_more);
	if (!e && streams & LISTEN_ALERT)
		e = send_alerts(view, cursor, out, ret_more);
	return e;
}

int64_t listener_newest(const struct run *run, enum listener_stream stream)
{
	const struct listener_cursor now = listener_cursor_now(run);

	if (stream == LISTEN_STATE)
		return now.state;
	if (stream == LISTEN_ALERT)
		return now.alert;
	return now.seq;
}

err_t listener_tell(struct listener_view *view, enum listener_stream stream, int64_t *at,
		    struct buf *out)
{
	struct listener_cursor cursor = { .seq = *at };
	bool more = false; /* for the next time */
	err_t e;

	if (stream == LISTEN_CONSOLE) {
		e = listener_tell_console(view, &cursor, out);
		*at = cursor.seq;
	} else if (stream == LISTEN_ALERT) {
		cursor.alert = (int32_t)*at;
		e = send_alerts(view, &cursor, out, &more);
		*at = cursor.alert;
	} else {
		cursor.state = (int32_t)*at;
		e = send_states(view, &cursor, out, &more);
		*at = cursor.state;
	}
	return e;
}

/*
 * A listener that is behind may have lost lines: slots of the tail are emptied, in any order. So the check comes after
 * the read: a slot that is there now was there when it was read.
 */
err_t listener_send(struct listener_view *view, unsigned streams, struct listener_cursor *cursor,
		    struct buf *out, bool *ret_more)
{
	int64_t seq = cursor->seq;
	size_t start = out->len;
	bool is_whole = true;
	err_t e = NULL;

	*ret_more = false;
	if (cursor->branch != view->run->branch)
		is_whole = false;
	else
		e = send_streams(view, streams, cursor, out, ret_more);
	if (!e && cursor->seq > seq)
		e = tail_store_has_all(view->reader.db, view->run->run_id, seq, cursor->seq,
				       &is_whole);
	if (e || is_whole)
		return e;
	out->len = start;
	write_reset(view->run, cursor, out);
	write_open(view->run, cursor, out);
	return NULL;
}

static bool is_elsewhere(const struct listener_cursor *cursor, const struct run *run)
{
	return cursor->row > run->next_row || cursor->event > run->next_event ||
	       cursor->seq >= run->next_seq || cursor->state >= run->next_state ||
	       cursor->alert > run->alerts || cursor->branch != run->branch;
}

/* Rows and states are kept. Only the tail loses blocks. */
static err_t is_known(struct listener_view *view, const struct listener_ask *ask,
		      const struct listener_cursor *cursor, bool *ret_known)
{
	const struct run *run = view->run;

	*ret_known = !is_elsewhere(cursor, run);
	if (!*ret_known || !(ask->streams & LISTEN_CONSOLE) || cursor->seq + 1 >= run->next_seq)
		return NULL;
	return tail_store_has_all(view->reader.db, run->run_id, cursor->seq, run->next_seq - 1,
				  ret_known);
}

err_t listener_open(struct listener_view *view, const struct listener_ask *ask,
		    struct listener_cursor *cursor, struct buf *out)
{
	const struct run *run = view->run;
	bool known = true;
	err_t e = NULL;

	if (ask->resumed)
		e = is_known(view, ask, cursor, &known);
	if (e)
		return e;
	if (!ask->resumed)
		*cursor = listener_cursor_now(run);
	if (!known)
		write_reset(run, cursor, out);
	write_open(run, cursor, out);
	return NULL;
}

void listener_close(const struct listener_cursor *cursor, const char *reason, struct buf *out)
{
	struct json_out json;

	listener_event_begin(out, "end");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_put_text(&json, "reason", str_of(reason));
	json_out_object_end(&json);
	listener_event_end(out, cursor);
}
