#include "listener_send.h"

#include <stdio.h>
#include <stdlib.h>

#include "labels.h"
#include "metric_cache.h"
#include "row_json.h"
#include "run_json.h"
#include "writer_json.h"
#include "writer_store.h"

enum { ROWS_AT_ONCE = 1000, BLOCKS_AT_ONCE = 64, STATES_AT_ONCE = 100 };

void listener_place_write(const struct listener_place *p, char text[static 96])
{
	snprintf(text, 96, "%lld.%lld.%lld.%d", (long long)p->row, (long long)p->event,
		 (long long)p->seq, p->state);
}

bool listener_place_read(struct str text, struct listener_place *ret_place)
{
	struct listener_place p;
	int64_t state;

	if (!str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.row) ||
	    !str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.event) ||
	    !str_to_int64(str_cut(&text, '.'), -1, INT64_MAX, &p.seq) ||
	    !str_to_int64(text, 0, INT32_MAX, &state))
		return false;
	p.state = (int32_t)state;
	*ret_place = p;
	return true;
}

/* ---- framing -------------------------------------------------------------------------------------- */

static void begin_event(struct buf *out, const char *name)
{
	buf_printf(out, "event: %s\ndata: ", name);
}

static void end_event(struct buf *out, const struct listener_ask *ask)
{
	char id[96];

	listener_place_write(&ask->place, id);
	buf_printf(out, "\nid: %s\n\n", id);
}

/* ---- rows ----------------------------------------------------------------------------------------- */

static err_t read_labels(const struct listener_view *view, struct labels *ret_labels)
{
	return writer_store_list(view->reader.db, view->run->run_id, -1, WRITER_LIST_MAX,
				 &ret_labels->writers, &ret_labels->count);
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

static err_t send_rows(const struct listener_view *view, struct listener_ask *ask,
		       enum stream stream, struct buf *out, bool *ret_more)
{
	int64_t *next = stream == STREAM_HISTORY ? &ask->place.row : &ask->place.event;
	int64_t end = stream == STREAM_HISTORY ? view->run->next_row : view->run->next_event;
	struct rows_ask rows_ask = {
		.run_id = view->run->run_id,
		.stream = stream,
		.first = *next,
		.count = (uint32_t)(end - *next < ROWS_AT_ONCE ? end - *next : ROWS_AT_ONCE),
	};
	struct json_out json = json_out_begin(out);
	struct row_names names;
	struct labels labels;
	struct exact_row *rows;
	err_t e;

	if (end <= *next)
		return NULL;
	e = series_rows_read(view->reader.db, view->reader.codec, &rows_ask, &rows);
	if (!e)
		e = name_rows(view, rows, rows_ask.count, &names);
	if (!e)
		e = read_labels(view, &labels);
	if (e)
		return e;
	begin_event(out, stream == STREAM_HISTORY ? "history" : "events");
	json_out_object(&json);
	json_out_key(&json, "items");
	json_out_array(&json);
	for (uint32_t i = 0; i < rows_ask.count; i++) {
		if (rows[i].value_count)
			row_json_write(&json, &rows[i], stream, labels_of(&labels, rows[i].writer),
				       &names);
	}
	json_out_array_end(&json);
	json_out_object_end(&json);
	*next += rows_ask.count;
	*ret_more = *ret_more || *next < end;
	end_event(out, ask);
	return NULL;
}

/* ---- console -------------------------------------------------------------------------------------- */

static err_t send_console(const struct listener_view *view, struct listener_ask *ask,
			  struct buf *out, bool *ret_more)
{
	struct arena *a = db_arena(view->reader.db);
	struct json_out json = json_out_begin(out);
	struct pending_row *blocks;
	struct labels labels;
	size_t count;
	err_t e;

	if (ask->place.seq + 1 >= view->run->next_seq)
		return NULL;
	e = series_store_console_after(view->reader.db, view->run->run_id, ask->place.seq,
				       BLOCKS_AT_ONCE, &blocks, &count);
	if (!e && count)
		e = read_labels(view, &labels);
	if (e)
		return e;
	ask->place.seq = count == BLOCKS_AT_ONCE ? blocks[count - 1].seq : view->run->next_seq - 1;
	*ret_more = *ret_more || count == BLOCKS_AT_ONCE;
	if (!count)
		return NULL;
	begin_event(out, "console");
	json_out_object(&json);
	json_out_key(&json, "items");
	json_out_array(&json);
	for (size_t i = 0; i < count && !e; i++) {
		struct lines lines = { .count = 0 };

		e = lines_decode(view->reader.codec, a, blocks[i].data, &lines);
		for (uint32_t j = 0; !e && j < lines.count; j++)
			row_json_write_line(&json, &lines.items[j], blocks[i].writer,
					    labels_of(&labels, blocks[i].writer));
	}
	json_out_array_end(&json);
	json_out_object_end(&json);
	end_event(out, ask);
	return e;
}

/* ---- states and writers ---------------------------------------------------------------------------- */

static err_t send_states(const struct listener_view *view, struct listener_ask *ask,
			 struct buf *out)
{
	struct run_state_row *states;
	size_t count;
	err_t e;

	if (ask->place.state + 1 >= view->run->next_state)
		return NULL;
	e = run_store_list_states(view->reader.db, view->run->run_id, ask->place.state,
				  STATES_AT_ONCE, &states, &count);
	for (size_t i = 0; i < count && !e; i++) {
		struct json_out json;

		begin_event(out, "state");
		json = json_out_begin(out);
		run_json_write_state(&json, &states[i]);
		ask->place.state = states[i].number;
		end_event(out, ask);
	}
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

static err_t send_writers(const struct listener_view *view, struct listener_ask *ask,
			  struct listener_seen *seen, struct buf *out)
{
	struct run_clock clock = { view->now, ask->limit_us };
	struct writer *writers;
	bool first = !seen->states;
	size_t count;
	err_t e;

	e = writer_store_list(view->reader.db, view->run->run_id, -1, WRITER_LIST_MAX, &writers,
			      &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		const char *shown = writer_state_shown(&writers[i], view->now, ask->limit_us);
		struct json_out json;
		bool changed;

		grow_seen(seen, (size_t)writers[i].writer + 1);
		changed = seen->states[writers[i].writer] != shown;
		seen->states[writers[i].writer] = shown;
		if (!changed || first)
			continue;
		begin_event(out, "writer");
		json = json_out_begin(out);
		writer_json_write(&json, &writers[i], clock);
		end_event(out, ask);
	}
	grow_seen(seen, 1); /* from now on what is new is told */
	return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------ */

err_t listener_send(const struct listener_view *view, struct listener_ask *ask,
		    struct listener_seen *seen, struct buf *out, bool *ret_more)
{
	err_t e = NULL;

	*ret_more = false;
	if (ask->streams & LISTEN_HISTORY)
		e = send_rows(view, ask, STREAM_HISTORY, out, ret_more);
	if (!e && ask->streams & LISTEN_EVENTS)
		e = send_rows(view, ask, STREAM_EVENTS, out, ret_more);
	if (!e && ask->streams & LISTEN_CONSOLE)
		e = send_console(view, ask, out, ret_more);
	if (!e && ask->streams & LISTEN_STATE)
		e = send_states(view, ask, out);
	if (!e && ask->streams & LISTEN_WRITER)
		e = send_writers(view, ask, seen, out);
	return e;
}

static bool is_ahead(const struct listener_place *place, const struct run *run)
{
	return place->row > run->next_row || place->event > run->next_event ||
	       place->seq >= run->next_seq || place->state >= run->next_state;
}

err_t listener_open(const struct listener_view *view, struct listener_ask *ask, struct buf *out)
{
	const struct run *run = view->run;
	struct listener_place now = { run->next_row, run->next_event, run->next_seq - 1,
				      run->next_state - 1 };
	struct json_out json;
	bool there = true;
	err_t e;

	if (ask->resumed && !is_ahead(&ask->place, run) && ask->place.seq + 1 < run->next_seq) {
		e = series_store_tail_has(view->reader.db, run->run_id, ask->place.seq + 1, &there);
		if (e)
			return e;
	}
	if (ask->resumed && (is_ahead(&ask->place, run) || !there)) {
		ask->place = now;
		buf_add_text(out, "event: reset\ndata: {}");
		end_event(out, ask);
	} else if (!ask->resumed) {
		ask->place = now;
	}
	begin_event(out, "open");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_put_text(&json, "state", str_of(run_state_name(run->state)));
	json_out_put_int(&json, "row_next", ask->place.row);
	json_out_put_int(&json, "event_next", ask->place.event);
	json_out_object_end(&json);
	end_event(out, ask);
	return NULL;
}
