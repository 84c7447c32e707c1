/* Checks whether listeners still have access and can take more, and ends those that do not. */
#include <stdlib.h>

#include "arena.h"
#include "auth.h"
#include "clock.h"
#include "listeners_parts.h"
#include "log.h"

enum {
	CATCH_UP_US = 30 * 1000 * 1000,
	CATCH_UP_HEAVY_US = 3 * 1000 * 1000, /* who takes the memory of all others */
	RETRY_US = 1000 * 1000,
	RETRY_DOUBLINGS = 5,
};

/* ---- what is sent to one, and its end ------------------------------------------------------------------------------- */

bool listener_send_bytes(struct listener *l, struct str bytes)
{
	const struct str none = { 0 };

	return listener_connection_send(l->connection, l->watcher ? l->watcher->project : none,
					bytes);
}

void listener_end(struct listeners *ls, struct listener *l, const char *reason)
{
	struct buf *out = buf_new(ls->own_arena);

	listener_close(l->watcher ? NULL : &l->ask.cursor, reason, out);
	(void)listener_send_bytes(l, buf_str(out));
	listener_list_remove(&ls->list, l);
}

int64_t listener_wait_us(unsigned failure_count)
{
	return (int64_t)RETRY_US << (failure_count < RETRY_DOUBLINGS ? failure_count
								     : RETRY_DOUBLINGS);
}

err_t listener_put_off(struct listeners *ls, struct listener *l, err_t e)
{
	if (!l->failure_count)
		log_warning("live listener delayed",
			    LOG_INT(l->key < 0 ? "project" : "run", llabs(l->key)),
			    LOG_TEXT("request", l->asked->id),
			    LOG_TEXT("error", err_chain(ls->own_arena, e)));
	l->not_before_us = clock_mono_us() + listener_wait_us(l->failure_count++);
	if (db_is_up(ls->db))
		return NULL;
	return err_new(ls->arena, e->kind, "%s", err_chain(ls->arena, e));
}

static bool is_refusal(err_t e)
{
	return e->kind == ERR_UNAUTHORIZED || e->kind == ERR_FORBIDDEN ||
	       e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE;
}

/* ---- may they still, can they take more ----------------------------------------------------------- */

static int64_t patience_us(enum reply_live_state state)
{
	return state == REPLY_LIVE_HEAVY ? CATCH_UP_HEAVY_US : CATCH_UP_US;
}

/* False: it was taken out. */
static bool has_caught_up(struct listeners *ls, struct listener *l, int64_t now_us)
{
	enum reply_live_state state = listener_connection_state(l->connection);

	if (state == REPLY_LIVE_OVER) {
		listener_list_remove(&ls->list, l);
		return false;
	}
	l->must_wait = state != REPLY_LIVE_READY;
	if (state == REPLY_LIVE_READY || state == REPLY_LIVE_CROWDED)
		l->full_since_us = 0;
	else if (!l->full_since_us)
		l->full_since_us = now_us;
	if (l->full_since_us && now_us - l->full_since_us > patience_us(state)) {
		atomic_fetch_add(&ls->too_slow, 1);
		listener_end(ls, l, "too-slow");
		return false;
	}
	return true;
}

/* A watcher whose access has changed has to read the project again. */
static void take_sight(struct watcher *w, const struct target *target)
{
	if (w->visibility != target->visibility || w->sees_private != target->sees_private)
		w->must_reset = true;
	w->visibility = target->visibility;
	w->sees_private = target->sees_private;
}

/* An error: the connection is lost. *ret_may: false if the listener was removed. */
static err_t check_access(struct listeners *ls, struct listener *l, bool *ret_may)
{
	const struct target *target;
	err_t e = auth_still_target(l->asked, ls->own_arena, ls->db, &target);

	*ret_may = !e || !is_refusal(e);
	if (!*ret_may)
		listener_end(ls, l, err_kind_name(e->kind));
	else if (e)
		return listener_put_off(ls, l, e);
	else if (l->watcher)
		take_sight(l->watcher, target);
	return NULL;
}

static bool is_ready(const struct listener *l, int64_t now_us)
{
	return !l->must_wait && now_us >= l->not_before_us;
}

err_t listener_sort_out(struct listeners *ls, const struct round *round,
			struct listener_group *group)
{
	int64_t now_us = clock_mono_us();
	bool is_waiting = false;
	size_t kept = 0;
	err_t e = NULL;

	for (size_t i = 0; i < group->count && !e; i++) {
		struct listener *l = group->items[i];
		bool stays = has_caught_up(ls, l, now_us);

		if (stays && (l->watcher ? round->is_watch : round->is_look))
			e = check_access(ls, l, &stays);
		if (stays) {
			is_waiting = is_waiting || l->must_wait;
			if (is_ready(l, now_us))
				group->items[kept++] = l;
		}
		arena_reset(ls->own_arena);
	}
	group->count = kept;
	if (is_waiting && group->key > 0)
		listener_list_tell(&ls->list, group->key);
	return e;
}
