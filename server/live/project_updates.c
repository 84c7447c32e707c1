/*
 * Changes of a project's runs, for listeners with the same access. A run whose document changed, or that starts or stops
 * running, is sent whole, as in the list of runs. A run that only goes on is sent with the few members that change,
 * since thousands of runs may do so at once.
 */
#include "project_updates.h"

#include <stdlib.h>

#include "arena.h"
#include "listener_event.h"
#include "run_json.h"
#include "run.h"
#include "watch_store.h"

enum {
	WHOLE_AT_ONCE = 32, /* each may have 64 KiB of notes */
	TURNED_BYTES = 4 << 20,
	BEHIND_MAX = 2000, /* changes, or runs, beyond which reading again is cheaper */
};

/* A run to be reported as a whole. */
struct reported_run {
	int64_t run_id;
	bool was_changed; /* who may see it, since the cursor */
};

struct reported_list {
	struct reported_run *at;
	size_t count;
};

bool project_updates_may_see(const struct update_view *v, int16_t visibility)
{
	return access_sees(v->sees_private, v->project, (enum visibility)visibility);
}

/* ---- events --------------------------------------------------------------------------------------- */

/* The items of an event, which are split into several events if there are many. */
struct items {
	const char *name;
	struct buf *out;
	struct json_out json;
	size_t start;
	bool is_open;
};

static void items_end(struct items *items)
{
	if (!items->is_open)
		return;
	json_out_array_end(&items->json);
	json_out_object_end(&items->json);
	listener_event_end(items->out, NULL);
	items->is_open = false;
}

static struct json_out *items_next(struct items *items)
{
	if (items->is_open && items->out->len - items->start > LISTENER_BYTES)
		items_end(items);
	if (!items->is_open) {
		items->start = items->out->len;
		listener_event_begin(items->out, items->name);
		items->json = json_out_begin(items->out);
		json_out_object(&items->json);
		json_out_key(&items->json, "items");
		json_out_array(&items->json);
		items->is_open = true;
	}
	return &items->json;
}

/* The last event's end is an empty line. */
static void put_id(const struct watch_cursor *cursor, struct buf *out)
{
	out->len--;
	buf_add_text(out, "id: ");
	watch_cursor_write(cursor, out);
	buf_add_text(out, "\n\n");
}

void project_updates_open(const struct watch_cursor *cursor, timestamp_us now, struct buf *out)
{
	struct json_out json;

	listener_event_begin(out, "open");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_put_time(&json, "now", now);
	json_out_object_end(&json);
	listener_event_end(out, NULL);
	put_id(cursor, out);
}

void project_updates_reset(const struct update_view *v, struct watch_cursor *cursor,
			   struct buf *out)
{
	*cursor = v->watch->cursor;
	listener_event_begin(out, "reset");
	buf_add_text(out, "{}");
	listener_event_end(out, NULL);
	put_id(cursor, out);
}

/* ---- which ---------------------------------------------------------------------------------------- */

static int by_run(const void *a, const void *b)
{
	const struct reported_run *x = a;
	const struct reported_run *y = b;

	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

static struct reported_run *find_reported(const struct reported_list *reported, int64_t run_id)
{
	const struct reported_run one = { .run_id = run_id };

	return reported->count ? bsearch(&one, reported->at, reported->count, sizeof(one), by_run)
			       : NULL;
}

static size_t count_turned(const struct project_watch *w, int64_t since_us)
{
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++)
		count += w->runs[i].turned_us > since_us;
	return count;
}

bool project_updates_is_known(const struct update_view *v, const struct watch_cursor *cursor)
{
	const struct project_watch *w = v->watch;

	return cursor->change >= w->forgotten && cursor->change <= w->cursor.change &&
	       cursor->time_us <= w->cursor.time_us &&
	       w->cursor.change - cursor->change <= BEHIND_MAX &&
	       count_turned(w, cursor->time_us) <= BEHIND_MAX;
}

/* *ret_next: the cursor behind them; that of the watch unless there are more. */
static err_t list_changed(const struct update_view *v, const struct watch_cursor *cursor,
			  struct reported_list *ret_reported, struct watch_cursor *ret_next,
			  bool *ret_more)
{
	const struct project_watch *w = v->watch;
	struct watch_changed_ask ask = { w->project_id, cursor->change, w->cursor.change,
					 WHOLE_AT_ONCE };
	struct watch_changed_row *rows = NULL;
	size_t count = 0;
	err_t e = NULL;

	if (ask.after < ask.up_to)
		e = watch_store_changed(v->db, &ask, &rows, &count);
	if (e)
		return e;
	ret_reported->at = arena_new_array(db_arena(v->db), struct reported_run, count);
	ret_reported->count = count;
	for (size_t i = 0; i < count; i++)
		ret_reported->at[i] =
			(struct reported_run){ rows[i].run_id, rows[i].shown > cursor->change };
	*ret_more = count == WHOLE_AT_ONCE;
	*ret_next = *ret_more ? (struct watch_cursor){ rows[count - 1].change, cursor->time_us }
			      : w->cursor;
	qsort(ret_reported->at, count, sizeof(ret_reported->at[0]), by_run);
	return NULL;
}

/* Lists the runs that are not among the changed ones, in the order of the watch. */
static struct reported_list list_turned(const struct update_view *v, int64_t since_us,
					struct reported_list *changed)
{
	const struct project_watch *w = v->watch;
	struct reported_list turned = {
		arena_new_array(db_arena(v->db), struct reported_run, w->count), 0
	};

	for (size_t i = 0; i < w->count; i++) {
		const struct watched_run *run = &w->runs[i];
		bool was_shown = run->shown_us > since_us;
		struct reported_run *reported;

		if (run->turned_us <= since_us && !was_shown)
			continue;
		reported = find_reported(changed, run->run_id);
		if (reported)
			reported->was_changed |= was_shown;
		else
			turned.at[turned.count++] = (struct reported_run){ run->run_id, was_shown };
	}
	return turned;
}

/* ---- whole runs ----------------------------------------------------------------------------------- */

/* A listener that could not see the run before is not sent its deletion. */
static bool is_gone(const struct update_view *v, const struct reported_run *reported,
		    const struct run_info *info, bool is_deleted)
{
	return project_updates_may_see(v, info->visibility) ? is_deleted : reported->was_changed;
}

static void write_one(const struct update_view *v, const struct reported_run *reported,
		      const struct run_info *info, const struct run *run, struct items *whole,
		      struct items *gone)
{
	bool is_deleted = info->deleted_at.us || !run || run->deleted_at.us;

	if (is_gone(v, reported, info, is_deleted)) {
		struct json_out *json = items_next(gone);

		json_out_object(json);
		json_out_put_text(json, "id", info->name);
		json_out_object_end(json);
	} else if (!is_deleted && project_updates_may_see(v, info->visibility)) {
		run_json_write(items_next(whole), v->asked, info, run);
	}
}

static err_t write_some(const struct update_view *v, const struct reported_list *reported,
			struct items *whole, struct items *gone)
{
	int64_t *ids = arena_new_array(db_arena(v->db), int64_t, reported->count);
	struct run_info *infos;
	struct run *runs;
	size_t info_count;
	size_t run_count;
	err_t e;

	for (size_t i = 0; i < reported->count; i++)
		ids[i] = reported->at[i].run_id;
	e = run_store_list_info(v->db, v->watch->project_id, ids, reported->count, &infos,
				&info_count);
	if (!e)
		e = run_store_list_shown(v->db, ids, reported->count, &runs, &run_count);
	if (!e)
		run_list_sort(runs, run_count);
	for (size_t i = 0; !e && i < info_count; i++) {
		const struct run_info *info = &infos[i];

		write_one(v, find_reported(reported, info->run_id), info,
			  run_list_find(runs, run_count, info->run_id), whole, gone);
	}
	return e;
}

/* As far as so many bytes go. */
static err_t write_whole(const struct update_view *v, const struct reported_list *reported,
			 size_t bytes, struct buf *out)
{
	struct items whole = { .name = "run", .out = out };
	struct items gone = { .name = "gone", .out = buf_new(db_arena(v->db)) };
	size_t start = out->len;
	err_t e = NULL;

	for (size_t i = 0; i < reported->count && !e && out->len - start < bytes;
	     i += WHOLE_AT_ONCE) {
		size_t left = reported->count - i;
		struct reported_list some = { reported->at + i,
					      left < WHOLE_AT_ONCE ? left : WHOLE_AT_ONCE };

		e = write_some(v, &some, &whole, &gone);
	}
	items_end(&whole);
	items_end(&gone);
	buf_add_str(out, buf_str(gone.out));
	return e;
}

/* ---- runs that go on ------------------------------------------------------------------------------ */

static bool is_moved(const struct update_view *v, const struct watched_run *run, int64_t since_us)
{
	return run->moved_us > since_us && run->runs && project_updates_may_see(v, run->visibility);
}

static void write_moved(const struct update_view *v, const struct reported_list *changed,
			int64_t since_us, struct buf *out)
{
	struct items items = { .name = "run", .out = out };

	for (size_t i = 0; i < v->watch->count; i++) {
		const struct watched_run *run = &v->watch->runs[i];
		struct json_out *json;

		if (!is_moved(v, run, since_us) || run->turned_us > since_us ||
		    find_reported(changed, run->run_id))
			continue;
		json = items_next(&items);
		json_out_object(json);
		json_out_put_text(json, "id", str_of(run->name));
		json_out_put_int(json, "rows", run->rows);
		json_out_put_int(json, "event_rows", run->event_rows);
		json_out_put_int_or_null(json, "last_step", run->last_step >= 0, run->last_step);
		json_out_put_time(json, "heard_at", (timestamp_us){ run->heard_us });
		json_out_object_end(json);
	}
	items_end(&items);
}

/* ---- all ------------------------------------------------------------------------------------------ */

/*
 * Changed documents come first, piece by piece, then what the watch saw itself. The document of a run that started or
 * stopped is written soon: a run for which there is no room now is sent with it.
 */
err_t project_updates_write(const struct update_view *v, struct watch_cursor *cursor,
			    struct buf *out, bool *ret_more)
{
	struct reported_list changed;
	struct watch_cursor next;
	size_t start = out->len;
	err_t e;

	*ret_more = false;
	if (!project_updates_is_known(v, cursor)) {
		project_updates_reset(v, cursor, out);
		return NULL;
	}
	e = list_changed(v, cursor, &changed, &next, ret_more);
	if (!e && !*ret_more) {
		struct reported_list turned = list_turned(v, cursor->time_us, &changed);

		e = write_whole(v, &turned, TURNED_BYTES, out);
	}
	if (!e)
		e = write_whole(v, &changed, SIZE_MAX, out);
	if (e)
		return e;
	if (!*ret_more)
		write_moved(v, &changed, cursor->time_us, out);
	*cursor = next;
	if (out->len > start)
		put_id(cursor, out);
	return NULL;
}
