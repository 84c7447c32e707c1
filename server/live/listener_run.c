/* Serves the listeners of a run. */
#include "arena.h"
#include "clock.h"
#include "ingest.h"
#include "listeners_parts.h"
#include "run.h"

/* ---- sending --------------------------------------------------------------------------------------- */

static bool is_shared(const struct shared_update *shared, unsigned streams,
		      const struct listener_cursor *cursor)
{
	const struct listener_cursor *from = &shared->from;

	return shared->is_there && shared->streams == streams && from->row == cursor->row &&
	       from->event == cursor->event && from->seq == cursor->seq &&
	       from->lines == cursor->lines && from->state == cursor->state &&
	       from->alert == cursor->alert && from->branch == cursor->branch;
}

/* Nearly all of a thousand listeners of a run have the same cursor. */
static err_t add_update(struct listeners *ls, const struct listener *l, struct listener_view *view,
			struct listener_cursor *cursor, struct buf *out, bool *ret_more)
{
	struct shared_update *shared = &ls->shared;
	size_t before = out->len;
	err_t e;

	if (!is_shared(shared, l->ask.streams, cursor)) {
		shared->is_there = false;
		shared->streams = l->ask.streams;
		shared->from = *cursor;
		e = listener_send(view, l->ask.streams, cursor, out, &shared->more);
		if (e)
			return e;
		shared->to = *cursor;
		buf_clear(&shared->bytes);
		if (out->len > before)
			buf_add(&shared->bytes, out->at + before, out->len - before);
		shared->is_there = true;
	} else {
		buf_add_str(out, buf_str(&shared->bytes));
	}
	*cursor = shared->to;
	*ret_more = shared->more;
	return NULL;
}

/* The cursor moves on when everything before it was sent. */
static err_t send_one(struct listeners *ls, struct listener *l, struct listener_view *view,
		      bool *ret_more)
{
	struct buf *out = buf_new(ls->own_arena);
	struct listener_cursor cursor = l->ask.cursor;
	err_t e = NULL;

	*ret_more = false;
	if (!l->is_open)
		e = listener_open(view, &l->ask, &cursor, out);
	if (!e)
		e = add_update(ls, l, view, &cursor, out, ret_more);
	if (!e && l->ask.streams & LISTEN_WRITER) /* last: it changes `seen` */
		e = listener_send_writers(view, l->ask.limit_us, &cursor, &l->seen, out);
	if (e)
		return e;
	*ret_more = *ret_more || l->seen.is_behind;
	l->failure_count = 0;
	if (out->len && !listener_send_bytes(l, buf_str(out)))
		return NULL; /* over, which the next round finds */
	l->ask.cursor = cursor;
	l->is_open = true;
	return NULL;
}

/* An error: the connection is lost. */
static err_t serve_one(struct listeners *ls, struct listener *l, struct listener_view *view)
{
	bool more;
	err_t e;

	if (view->run->deleted_at.us) {
		listener_end(ls, l, err_kind_name(ERR_GONE));
		return NULL;
	}
	if (listener_connection_state(l->connection) !=
	    REPLY_LIVE_READY) { /* what was sent to others took the room */
		listener_list_tell(&ls->list, l->key);
		return NULL;
	}
	db_set_deadline(ls->db, clock_mono_us() + LISTENER_READ_US);
	e = send_one(ls, l, view, &more);
	if (e)
		return listener_put_off(ls, l, e);
	if (more)
		listener_list_tell(&ls->list, l->key);
	return NULL;
}

err_t listener_run_serve(struct listeners *ls, const struct round *round,
			 const struct listener_group *group)
{
	struct listener_view view = {
		.reader = { ls->db, round->codec, ingest_metrics_cache(ls->options.ingest) },
		.arena = ls->run_arena,
		.run = run_list_find(round->runs, round->run_count, group->key),
		.now = round->now,
		.is_look = round->is_look,
	};
	err_t e = NULL;

	ls->shared.is_there = false;
	db_set_arena(ls->db, ls->own_arena);
	for (size_t i = 0; i < group->count && view.run && !e; i++) {
		e = serve_one(ls, group->items[i], &view);
		arena_reset(ls->own_arena);
	}
	db_set_arena(ls->db, ls->arena);
	arena_reset(ls->run_arena);
	return e;
}
