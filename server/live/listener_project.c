/*
 * Serves the listeners of a project. The project is looked at once a second, however often runs write. A new listener
 * starts from the last look.
 */
#include "arena.h"
#include "clock.h"
#include "ingest.h"
#include "listeners_parts.h"

enum {
	SIGHTS = 2,                   /* who sees what is private, and who does not */
	PIECES_MAX = 64,              /* in one go, of a project where very much changed */
	RESUME_US = 10 * 1000 * 1000, /* that another server's looks may differ from ours */
};

/* An update made for one listener, shared with the next ones that have the same cursor and the same access. */
struct project_update {
	bool is_there;
	enum visibility project;
	struct watch_cursor from;
	struct watch_cursor to;
	bool more;
	struct buf bytes;
};

/* A group in a round. */
struct project_round {
	struct listeners *ls;
	const struct round *round;
	struct project_watch *watch;
	struct follow_pass follows;
	bool is_first; /* piece of each */
	struct project_update shared[SIGHTS];
};

/* ---- watches -------------------------------------------------------------------------------------- */

static struct project_watch *find_watch(struct listeners *ls, int64_t project_id)
{
	struct project_watch *w = ls->watches;

	while (w && w->project_id != project_id)
		w = w->next;
	if (!w) {
		w = project_watch_new(project_id);
		w->next = ls->watches;
		ls->watches = w;
	}
	w->is_used = true;
	return w;
}

void listener_project_tidy(struct listeners *ls)
{
	struct project_watch **link = &ls->watches;
	size_t count = 0;
	size_t runs = 0;

	while (*link) {
		struct project_watch *w = *link;

		if (w->is_used) {
			w->is_used = false;
			count++;
			runs += w->count;
			link = &w->next;
			continue;
		}
		*link = w->next;
		project_watch_free(w);
	}
	atomic_store(&ls->watch_count, count);
	atomic_store(&ls->watched_runs, runs);
}

void listener_project_join(struct listeners *ls, const struct listener_group *groups, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		struct project_watch *w;

		if (groups[i].key > 0)
			continue;
		w = find_watch(ls, -groups[i].key);
		followed_runs_tidy(&w->followed);
		for (size_t j = 0; j < groups[i].count; j++)
			follow_list_join(&groups[i].items[j]->watcher->follows, &w->followed);
	}
	for (const struct project_watch *w = ls->watches; w; w = w->next)
		total += w->followed.count;
	atomic_store(&ls->followed_runs, total);
}

void listener_project_stop(struct listeners *ls)
{
	while (ls->watches) {
		struct project_watch *w = ls->watches;

		ls->watches = w->next;
		project_watch_free(w);
	}
}

/* ---- one listener --------------------------------------------------------------------------------- */

static struct update_view view_for(const struct project_round *pr, const struct listener *l)
{
	return (struct update_view){
		.db = pr->ls->db,
		.watch = pr->watch,
		.asked = l->asked,
		.project = l->watcher->visibility,
		.sees_private = l->watcher->sees_private,
	};
}

static bool is_same(const struct project_update *update, const struct update_view *view,
		    const struct watch_cursor *cursor)
{
	return update->is_there && update->project == view->project &&
	       update->from.change == cursor->change && update->from.time_us == cursor->time_us;
}

/* Nearly all listeners have the same cursor. */
static err_t add_update(struct project_round *pr, const struct update_view *view,
			struct watch_cursor *cursor, struct buf *out, bool *ret_more)
{
	struct project_update *update = &pr->shared[view->sees_private];
	size_t before = out->len;
	err_t e;

	if (is_same(update, view, cursor)) {
		buf_add_str(out, buf_str(&update->bytes));
	} else {
		update->is_there = false;
		update->project = view->project;
		update->from = update->to = *cursor;
		e = project_updates_write(view, &update->to, out, &update->more);
		if (e) {
			out->len = before;
			return e;
		}
		buf_clear(&update->bytes);
		if (out->len > before)
			buf_add(&update->bytes, out->at + before, out->len - before);
		update->is_there = true;
	}
	*cursor = update->to;
	*ret_more = update->more;
	return NULL;
}

static void open_one(const struct project_round *pr, const struct update_view *view,
		     struct listener *l, struct watch_cursor *cursor, struct buf *out)
{
	if (!l->watcher->resumed)
		*cursor = pr->watch->cursor;
	else if (!project_updates_is_known(view, cursor))
		project_updates_reset(view, cursor, out);
	else if (cursor->time_us > RESUME_US)
		cursor->time_us -= RESUME_US;
	project_updates_open(cursor, (timestamp_us){ pr->watch->cursor.time_us }, out);
}

/* After an error what is in `out` is valid, up to the cursor. */
static err_t write_all(struct project_round *pr, struct listener *l, struct watch_cursor *cursor,
		       struct buf *out, bool *ret_more)
{
	const struct update_view view = view_for(pr, l);
	err_t e = NULL;

	*ret_more = false;
	if (!l->is_open)
		open_one(pr, &view, l, cursor, out);
	else if (l->watcher->must_reset)
		project_updates_reset(&view, cursor, out);
	if (pr->is_first)
		e = follow_list_write(&l->watcher->follows, &pr->follows, &view, out);
	db_set_deadline(pr->ls->db, clock_mono_us() + LISTENER_READ_US);
	return e ? e : add_update(pr, &view, cursor, out, ret_more);
}

static err_t send_one(struct project_round *pr, struct listener *l, bool *ret_more)
{
	struct buf *out = buf_new(pr->ls->own_arena);
	struct watch_cursor cursor = l->watcher->cursor;
	err_t e = write_all(pr, l, &cursor, out, ret_more);

	if (out->len && !listener_send_bytes(l, buf_str(out)))
		return e; /* over, which the next round finds */
	l->failure_count = e ? l->failure_count : 0;
	l->watcher->cursor = cursor;
	l->watcher->must_reset = false;
	l->is_open = true;
	return e;
}

/* *ret_more: more updates are left, and the listener has room for them. */
static err_t serve_one(struct project_round *pr, struct listener *l, bool *ret_more)
{
	err_t e;

	*ret_more = false;
	if (listener_connection_state(l->connection) != REPLY_LIVE_READY)
		return NULL; /* it goes on from its cursor the next time */
	e = send_one(pr, l, ret_more);
	if (e)
		*ret_more = false;
	return e ? listener_put_off(pr->ls, l, e) : NULL;
}

/* told: how many followers were served before the limit of the pass was reached. */
static void take_turn(struct project_round *pr, size_t told)
{
	if (pr->follows.is_full)
		pr->watch->turn += told ? told : 1;
}

/* Sends a piece to each listener, so that those with the same cursor share it, then the next to those that are behind. */
static err_t serve_all(struct project_round *pr, struct listener **due, size_t count)
{
	size_t told = 0;
	err_t e = NULL;

	for (int piece = 0; piece < PIECES_MAX && count && !e; piece++) {
		size_t left = 0;

		pr->is_first = !piece;
		for (size_t i = 0; i < count && !e; i++) {
			bool more;

			e = serve_one(pr, due[i], &more);
			if (more)
				due[left++] = due[i];
			told += pr->is_first && !pr->follows.is_full;
			arena_reset(pr->ls->own_arena);
		}
		count = left;
	}
	take_turn(pr, told);
	return e;
}

/* ---- a group -------------------------------------------------------------------------------------- */

/* A listener that resumes from a cursor waits for the next look, which is not older than the cursor. */
static bool is_due(const struct listener *l, bool was_looked)
{
	return was_looked || (!l->is_open && !l->watcher->resumed);
}

static bool sees_all(const struct listener_group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		if (!group->items[i]->watcher->sees_private)
			return false;
	}
	return true;
}

static err_t look_at_followed(struct project_round *pr, enum follow_turn turn,
			      struct listener **due, size_t count)
{
	struct listeners *ls = pr->ls;
	struct listener_view base = {
		.reader = { ls->db, pr->round->codec, ingest_metrics_cache(ls->options.ingest) },
		.arena = ls->run_arena,
		.now = { pr->watch->cursor.time_us },
	};

	pr->follows = follow_pass_begin(&pr->watch->followed, base, ls->scratch,
					atomic_load(&ls->followed_runs));
	for (size_t i = 0; i < count; i++)
		follow_list_want(&due[i]->watcher->follows);
	return follow_pass_look(&pr->follows, pr->watch->project_id, turn);
}

static err_t prepare(struct project_round *pr, const struct listener_group *group,
		     struct listener **due, size_t *ret_count)
{
	bool looks = pr->round->is_watch || !pr->watch->was_looked;
	size_t count = 0;
	err_t e = NULL;

	db_set_deadline(pr->ls->db, clock_mono_us() + LISTENER_READ_US);
	if (looks)
		e = project_watch_look(pr->watch, pr->ls->db,
				       sees_all(group) ? WATCH_NAMES_KNOWN : WATCH_NAMES_ANEW);
	for (size_t i = 0; i < group->count; i++) {
		struct listener *l = group->items[(pr->watch->turn + i) % group->count];

		if (is_due(l, looks))
			due[count++] = l;
	}
	*ret_count = count;
	if (e || !count)
		return e;
	return look_at_followed(pr, looks ? FOLLOW_TURN : FOLLOW_BETWEEN, due, count);
}

static err_t put_off_all(struct listeners *ls, struct listener **due, size_t count, err_t why)
{
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++)
		e = listener_put_off(ls, due[i], why);
	return e;
}

static void end_follows(struct project_round *pr)
{
	if (!pr->follows.runs) /* it did not come to that */
		return;
	follow_pass_end(&pr->follows);
	atomic_fetch_add(&pr->ls->followed_made, pr->follows.made);
	atomic_fetch_add(&pr->ls->followed_late, pr->follows.late);
}

err_t listener_project_serve(struct listeners *ls, const struct round *round,
			     const struct listener_group *group)
{
	struct project_round pr = { .ls = ls, .round = round };
	struct listener **due;
	size_t count = 0;
	err_t e;

	pr.watch = find_watch(ls, -group->key);
	if (!group->count)
		return NULL;
	due = arena_new_array(ls->arena, struct listener *, group->count);
	db_set_arena(ls->db, ls->run_arena);
	e = prepare(&pr, group, due, &count);
	if (e) {
		e = put_off_all(ls, due, count, e);
		count = 0;
	}
	db_set_arena(ls->db, ls->own_arena);
	if (!e)
		e = serve_all(&pr, due, count);
	end_follows(&pr);
	for (int i = 0; i < SIGHTS; i++)
		buf_free(&pr.shared[i].bytes);
	db_set_arena(ls->db, ls->arena);
	arena_reset(ls->run_arena);
	return e;
}
