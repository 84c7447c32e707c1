/*
 * Rejected: notifications by writers. Every API, job and server would have to send them, and a look would still be needed
 * for those that cannot. The look finds changes once a second, which is as often as lists may change.
 */
#include "project_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "search_store.h"
#include "server_store.h"
#include "watch_store.h"

enum { KEEP_US = 60 * 1000 * 1000 /* a run that stopped, for listeners that are behind */ };

/* ---- cursors --------------------------------------------------------------------------------------- */

void watch_cursor_write(const struct watch_cursor *cursor, struct buf *out)
{
	buf_printf(out, "%" PRId64 ".%" PRId64, cursor->change, cursor->time_us);
}

bool watch_cursor_read(struct str text, struct watch_cursor *ret_cursor)
{
	struct watch_cursor p;

	if (!str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.change) ||
	    !str_to_int64(text, 0, INT64_MAX, &p.time_us))
		return false;
	*ret_cursor = p;
	return true;
}

/* ---- start and stop ------------------------------------------------------------------------------- */

struct project_watch *project_watch_new(int64_t project_id)
{
	struct project_watch *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->project_id = project_id;
	return w;
}

void project_watch_free(struct project_watch *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->runs[i].name);
	free(w->runs);
	followed_runs_deinit(&w->followed);
	free(w);
}

/* ---- the runs that run ---------------------------------------------------------------------------- */

/* A look: rows and names by run_id. */
struct look {
	int64_t now_us;
	bool tells_shown; /* who may see a run was known at the look before */
	const struct watch_running_row *rows;
	size_t row_count;
	const struct watch_name_row *names;
	size_t name_count;
	struct watched_run *runs; /* as they are afterwards */
	size_t count;
};

static const struct watch_name_row *find_name(const struct look *look, int64_t run_id)
{
	size_t low = 0;
	size_t high = look->name_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (look->names[middle].run_id < run_id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == look->name_count || look->names[low].run_id != run_id)
		return NULL;
	return &look->names[low];
}

static bool has_moved(const struct watched_run *run, const struct watch_running_row *row)
{
	return run->rows != row->rows || run->event_rows != row->event_rows ||
	       run->last_step != row->last_step || run->heard_us != row->heard_at.us;
}

static void take_numbers(struct watched_run *run, const struct watch_running_row *row)
{
	run->rows = row->rows;
	run->event_rows = row->event_rows;
	run->last_step = row->last_step;
	run->heard_us = row->heard_at.us;
}

static void add_new(struct look *look, const struct watch_running_row *row, bool is_first)
{
	const struct watch_name_row *name = find_name(look, row->run_id);
	struct watched_run *run = &look->runs[look->count];

	if (!name) /* there are too many for one look, or it is gone by now */
		return;
	*run = (struct watched_run){
		.run_id = row->run_id,
		.visibility = name->visibility,
		.moved_us = is_first ? row->heard_at.us : look->now_us,
		.turned_us = is_first ? 0 : look->now_us,
		.runs = true,
		.name = strndup(name->name.at, name->name.len),
	};
	if (!run->name)
		abort();
	take_numbers(run, row);
	look->count++;
}

static void keep_running(struct look *look, const struct watched_run *old,
			 const struct watch_running_row *row)
{
	const struct watch_name_row *name = find_name(look, row->run_id);
	struct watched_run *run = &look->runs[look->count++];

	*run = *old;
	if (has_moved(old, row))
		run->moved_us = look->now_us;
	if (!old->runs)
		run->turned_us = look->now_us;
	run->runs = true;
	if (name && look->tells_shown && name->visibility != old->visibility)
		run->shown_us = look->now_us;
	if (name)
		run->visibility = name->visibility;
	take_numbers(run, row);
}

static void keep_ended(struct look *look, struct watched_run *old)
{
	struct watched_run *run;

	if (!old->runs && look->now_us - old->turned_us > KEEP_US) {
		free(old->name);
		return;
	}
	run = &look->runs[look->count++];
	*run = *old;
	if (old->runs)
		run->turned_us = look->now_us;
	run->runs = false;
}

/* Both are in order of run_id. */
static void merge(struct project_watch *w, struct look *look)
{
	size_t i = 0;

	look->runs = calloc(w->count + look->row_count + 1, sizeof(look->runs[0]));
	if (!look->runs)
		abort();
	for (size_t j = 0; j < look->row_count; j++) {
		const struct watch_running_row *row = &look->rows[j];

		while (i < w->count && w->runs[i].run_id < row->run_id)
			keep_ended(look, &w->runs[i++]);
		if (i < w->count && w->runs[i].run_id == row->run_id)
			keep_running(look, &w->runs[i++], row);
		else
			add_new(look, row, !w->was_looked);
	}
	while (i < w->count)
		keep_ended(look, &w->runs[i++]);
	free(w->runs);
	w->runs = look->runs;
	w->count = look->count;
}

/* Chooses new runs, and runs whose visibility is read again. */
static size_t collect_unknown(const struct project_watch *w, const struct look *look,
			      enum watch_names names, int64_t *ids)
{
	size_t most = w->was_looked ? WATCH_NEW_MAX : WATCH_RUNNING_MAX;
	size_t new_count = 0;
	size_t count = 0;
	size_t i = 0;

	for (size_t j = 0; j < look->row_count; j++) {
		const struct watch_running_row *row = &look->rows[j];
		bool is_new;

		while (i < w->count && w->runs[i].run_id < row->run_id)
			i++;
		is_new = i == w->count || w->runs[i].run_id != row->run_id;
		if (is_new ? new_count++ < most : names == WATCH_NAMES_ANEW)
			ids[count++] = row->run_id;
	}
	return count;
}

static err_t look_at_running(struct project_watch *w, struct db *db, enum watch_names names,
			     struct look *look)
{
	struct watch_running_row *rows;
	struct watch_name_row *named = NULL;
	int64_t *ids;
	size_t count;
	err_t e;

	e = watch_store_running(db, w->project_id, WATCH_RUNNING_MAX, &rows, &look->row_count);
	if (e)
		return e;
	look->rows = rows;
	ids = arena_new_array(db_arena(db), int64_t, look->row_count);
	count = collect_unknown(w, look, names, ids);
	if (count)
		e = watch_store_names(db, w->project_id, ids, count, &named, &look->name_count);
	look->names = named;
	return e;
}

/* ---- one look ------------------------------------------------------------------------------------- */

/*
 * Reads the clock first and the count next. What is read after them may be newer and is sent again, but nothing that was
 * there before is missed.
 */
err_t project_watch_look(struct project_watch *w, struct db *db, enum watch_names names)
{
	struct look look = {
		.tells_shown = w->names == WATCH_NAMES_ANEW && names == WATCH_NAMES_ANEW,
	};
	struct search_count_row *counts;
	timestamp_us now;
	size_t count;
	err_t e;

	e = server_store_now(db, &now);
	if (!e)
		e = search_store_counts(db, &w->project_id, 1, &counts, &count);
	look.now_us = now.us;
	if (!e)
		e = look_at_running(w, db, names, &look);
	if (e)
		return e;
	merge(w, &look);
	w->cursor.time_us = look.now_us;
	w->cursor.change = count ? counts[0].change : 0;
	w->forgotten = count ? counts[0].forgotten : 0;
	w->names = names;
	w->was_looked = true;
	return NULL;
}
