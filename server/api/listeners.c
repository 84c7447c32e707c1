/*
 * The thread that serves listeners. A round takes the runs that were told of; the look, about once a
 * second, takes all. What goes wrong for one listener is that one's: it is tried again later, and the
 * others go on. Only a lost connection ends a round.
 */
#include "listeners.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "arena.h"
#include "auth.h"
#include "clock.h"
#include "ingest.h"
#include "listener_list.h"
#include "log.h"
#include "neighbours.h"
#include "run_store.h"
#include "server_store.h"
#include "thread.h"

enum {
	LOOK_US = 800 *
		  1000, /* with what a round takes, who lost the right is ended within a second */
	GATHER_US = 20 * 1000, /* news of this long go together */
	AGAIN_US = 200 * 1000, /* after a connection was lost */
	CATCH_UP_US = 30 * 1000 * 1000,
	CATCH_UP_HEAVY_US = 3 * 1000 * 1000, /* who takes the memory of all others */
	READ_US = 10 * 1000 * 1000,          /* that what one listener needs may take */
	RETRY_US = 1000 * 1000,
	RETRY_DOUBLINGS = 5,
	WAITING_LIMIT = 4 << 20,
	ARENA_BYTES = 256 << 10,
};

/* What was made for one listener of a run, for the next one at the same place. */
struct shared_news {
	bool is_there;
	unsigned streams;
	struct listener_place from;
	struct listener_place to;
	bool more;
	struct buf bytes;
};

struct listeners {
	struct listeners_options options;
	struct listener_list list;
	struct neighbours *neighbours; /* NULL: none */
	bool is_running;
	pthread_t thread;
	int64_t next_look_us;
	bool is_look_due; /* the last one was cut short; until one is complete, nothing is sent */
	struct arena *connection_arena;
	struct arena *arena;     /* of a round */
	struct arena *run_arena; /* of one run in it */
	struct arena *own_arena; /* of one listener of the run */
	struct shared_news shared;
	struct db *db;
	_Atomic uint64_t too_slow; /* that were ended */
};

/* One pass of the thread. */
struct round {
	bool is_look;
	timestamp_us now;
	struct codec *codec;
	const struct run *runs;
	size_t run_count;
};

/* ---- joining and news ---------------------------------------------------------------------------- */

err_t listeners_add(struct listeners *ls, struct request *q, const struct listener_ask *ask)
{
	struct listener *l;

	if (!listener_list_reserve(&ls->list)) {
		reply_header(q, "Retry-After", "10");
		return err_new(q->arena, ERR_BUSY, "%zu connections follow live events already",
			       ls->options.limit);
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		abort();
	l->ask = *ask;
	l->asked = q;
	l->live = reply_live(q, WAITING_LIMIT);
	listener_list_add(&ls->list, l);
	neighbours_listening(ls->neighbours);
	return NULL;
}

void listeners_wake(struct listeners *ls, int64_t run_id)
{
	listener_list_tell(&ls->list, run_id);
	neighbours_tell(ls->neighbours, run_id);
}

static void on_neighbour(void *arg, int64_t run_id)
{
	struct listeners *ls = arg;

	if (run_id)
		listener_list_tell(&ls->list, run_id);
	else
		listener_list_tell_all(&ls->list);
}

/* ---- the end of one ------------------------------------------------------------------------------- */

static void end(struct listeners *ls, struct listener *l, const char *reason)
{
	struct buf *out = buf_new(ls->own_arena);

	listener_close(&l->ask.place, reason, out);
	(void)reply_live_send(l->live, buf_str(out));
	listener_list_remove(&ls->list, l);
}

/*
 * Tried again later, each time twice as much later. Its failure is no reason to stop, unless the
 * connection is lost: then the error is returned.
 */
static err_t put_off(struct listeners *ls, struct listener *l, err_t e)
{
	unsigned doublings = l->failure_count < RETRY_DOUBLINGS ? l->failure_count
								: RETRY_DOUBLINGS;

	if (!l->failure_count++)
		log_warning("a live listener waits", LOG_INT("run", l->ask.run_id),
			    LOG_TEXT("request", l->asked->id),
			    LOG_TEXT("error", err_chain(ls->own_arena, e)));
	l->not_before_us = clock_mono_us() + ((int64_t)RETRY_US << doublings);
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
	enum reply_live_state state = reply_live_state(l->live);

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
		end(ls, l, "too-slow");
		return false;
	}
	return true;
}

/* An error: the connection is lost. *ret_may is false when it was taken out. */
static err_t check_access(struct listeners *ls, struct listener *l, bool *ret_may)
{
	err_t e = auth_still(l->asked, ls->own_arena, ls->db);

	*ret_may = !e || !is_refusal(e);
	if (!*ret_may)
		end(ls, l, err_kind_name(e->kind));
	else if (e)
		return put_off(ls, l, e);
	return NULL;
}

static bool is_ready(const struct listener *l, int64_t now_us)
{
	return !l->must_wait && now_us >= l->not_before_us;
}

/*
 * Leaves those in the group that can be sent something now. Others are looked at again in the next
 * round where they only have to catch up, in the next look where something failed.
 */
static err_t sort_out(struct listeners *ls, const struct round *round, struct listener_group *group)
{
	int64_t now_us = clock_mono_us();
	bool is_waiting = false;
	size_t kept = 0;
	err_t e = NULL;

	for (size_t i = 0; i < group->count && !e; i++) {
		struct listener *l = group->items[i];
		bool stays = has_caught_up(ls, l, now_us);

		if (stays && round->is_look)
			e = check_access(ls, l, &stays);
		if (stays) {
			is_waiting = is_waiting || l->must_wait;
			if (is_ready(l, now_us))
				group->items[kept++] = l;
		}
		arena_reset(ls->own_arena);
	}
	group->count = kept;
	if (is_waiting)
		listener_list_tell(&ls->list, group->run_id);
	return e;
}

/* ---- sending --------------------------------------------------------------------------------------- */

static bool is_shared(const struct shared_news *shared, unsigned streams,
		      const struct listener_place *place)
{
	const struct listener_place *from = &shared->from;

	return shared->is_there && shared->streams == streams && from->row == place->row &&
	       from->event == place->event && from->seq == place->seq &&
	       from->lines == place->lines && from->state == place->state;
}

/* A thousand listeners of a run are nearly all at one place. */
static err_t add_news(struct listeners *ls, const struct listener *l, struct listener_view *view,
		      struct listener_place *place, struct buf *out, bool *ret_more)
{
	struct shared_news *shared = &ls->shared;
	size_t before = out->len;
	err_t e;

	if (!is_shared(shared, l->ask.streams, place)) {
		shared->is_there = false;
		shared->streams = l->ask.streams;
		shared->from = *place;
		e = listener_send(view, l->ask.streams, place, out, &shared->more);
		if (e)
			return e;
		shared->to = *place;
		buf_clear(&shared->bytes);
		if (out->len > before)
			buf_add(&shared->bytes, out->at + before, out->len - before);
		shared->is_there = true;
	} else {
		buf_add_str(out, buf_str(&shared->bytes));
	}
	*place = shared->to;
	*ret_more = shared->more;
	return NULL;
}

/* The place moves on when what lies before it was sent, all of it. */
static err_t send_one(struct listeners *ls, struct listener *l, struct listener_view *view,
		      bool *ret_more)
{
	struct buf *out = buf_new(ls->own_arena);
	struct listener_place place = l->ask.place;
	err_t e = NULL;

	*ret_more = false;
	if (!l->is_open)
		e = listener_open(view, &l->ask, &place, out);
	if (!e)
		e = add_news(ls, l, view, &place, out, ret_more);
	if (!e && l->ask.streams & LISTEN_WRITER) /* last: it changes `seen` */
		e = listener_send_writers(view, &l->ask, &place, &l->seen, out);
	if (e)
		return e;
	*ret_more = *ret_more || l->seen.is_behind;
	l->failure_count = 0;
	if (out->len && !reply_live_send(l->live, buf_str(out)))
		return NULL; /* over, which the next round finds */
	l->ask.place = place;
	l->is_open = true;
	return NULL;
}

/* An error: the connection is lost. */
static err_t serve_one(struct listeners *ls, struct listener *l, struct listener_view *view)
{
	bool more;
	err_t e;

	if (view->run->deleted_at.us) {
		end(ls, l, err_kind_name(ERR_GONE));
		return NULL;
	}
	if (reply_live_state(l->live) !=
	    REPLY_LIVE_READY) { /* what was sent to others took the room */
		listener_list_tell(&ls->list, l->ask.run_id);
		return NULL;
	}
	db_set_deadline(ls->db, clock_mono_us() + READ_US);
	e = send_one(ls, l, view, &more);
	if (e)
		return put_off(ls, l, e);
	if (more)
		listener_list_tell(&ls->list, l->ask.run_id);
	return NULL;
}

static const struct run *find_run(const struct round *round, int64_t run_id)
{
	for (size_t i = 0; i < round->run_count; i++) {
		if (round->runs[i].run_id == run_id)
			return &round->runs[i];
	}
	return NULL;
}

static err_t serve_group(struct listeners *ls, const struct round *round,
			 const struct listener_group *group)
{
	struct listener_view view = {
		.reader = { ls->db, round->codec, ingest_metrics_cache(ls->options.ingest) },
		.arena = ls->run_arena,
		.run = find_run(round, group->run_id),
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

static err_t read_runs(struct listeners *ls, struct round *round,
		       const struct listener_group *groups, size_t count)
{
	int64_t *ids = arena_new_array(ls->arena, int64_t, count);
	struct run *runs;
	size_t n = 0;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		if (groups[i].count)
			ids[n++] = groups[i].run_id;
	}
	if (!n)
		return NULL;
	db_set_deadline(ls->db, clock_mono_us() + READ_US);
	e = server_store_now(ls->db, &round->now);
	if (!e)
		e = run_store_list(ls->db, ids, n, &runs, &round->run_count);
	if (!e)
		round->runs = runs;
	return e;
}

/* A look begins by forgetting what is known of keys and paths: they are to be as they are now. */
static err_t serve_round(struct listeners *ls, struct round *round)
{
	struct listener_group *groups;
	size_t count = listener_list_take(&ls->list, ls->arena, round->is_look, &groups);
	err_t e = NULL;

	if (!count)
		return NULL;
	if (round->is_look) {
		neighbours_listening(ls->neighbours);
		auth_forget_all(ls->options.auth);
	}
	db_set_arena(ls->db, ls->own_arena);
	db_set_deadline(ls->db, clock_mono_us() + READ_US);
	for (size_t i = 0; i < count && !e; i++)
		e = sort_out(ls, round, &groups[i]);
	db_set_arena(ls->db, ls->arena);
	if (!e)
		e = read_runs(ls, round, groups, count);
	for (size_t i = 0; i < count && !e; i++)
		e = serve_group(ls, round, &groups[i]);
	return e;
}

/* ---- the thread ------------------------------------------------------------------------------------ */

static err_t pass(struct listeners *ls)
{
	int64_t now_us = clock_mono_us();
	struct round round = { .is_look = ls->is_look_due || now_us >= ls->next_look_us };
	err_t e;

	if (round.is_look)
		ls->next_look_us = now_us + LOOK_US;
	round.codec = ingest_take_codec(ls->options.ingest, NULL);
	e = serve_round(ls, &round);
	ingest_give_codec(ls->options.ingest, round.codec);
	ls->is_look_due = round.is_look && e;
	return e;
}

static void *listeners_main(void *arg)
{
	struct listeners *ls = arg;
	bool is_failing = false;

	while (listener_list_wait(&ls->list, ls->next_look_us)) {
		err_t e = pass(ls);

		if (e && !is_failing)
			log_warning("live listeners wait",
				    LOG_TEXT("error", err_chain(ls->arena, e)));
		is_failing = e != NULL;
		arena_reset(ls->arena);
		clock_sleep_us(e ? AGAIN_US : GATHER_US);
	}
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------------- */

static err_t start_neighbours(struct arena *a, struct listeners *ls)
{
	struct neighbours_options options = {
		.database = ls->options.neighbours,
		.heard = on_neighbour,
		.arg = ls,
	};

	return options.database.url ? neighbours_start(a, &options, &ls->neighbours) : NULL;
}

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners)
{
	struct listeners *ls = arena_new_of(a, struct listeners);
	err_t e;

	ls->options = *options;
	listener_list_init(&ls->list, options->limit);
	ls->connection_arena = arena_new(4096);
	ls->arena = arena_new(ARENA_BYTES);
	ls->run_arena = arena_new(ARENA_BYTES);
	ls->own_arena = arena_new(ARENA_BYTES);
	e = db_open(ls->connection_arena, &options->database, &ls->db);
	if (!e)
		db_set_arena(ls->db, ls->arena);
	if (!e && !thread_start(&ls->thread, "live", listeners_main, ls))
		e = err_new(a, ERR_INTERNAL, "cannot start a thread");
	ls->is_running = !e;
	if (!e)
		e = start_neighbours(a, ls);
	if (e) {
		e = err_wrap(a, e, "live listeners cannot be served");
		listeners_stop(ls);
		return e;
	}
	*ret_listeners = ls;
	return NULL;
}

void listeners_stop(struct listeners *ls)
{
	if (!ls)
		return;
	neighbours_stop(ls->neighbours);
	listener_list_stop(&ls->list);
	if (ls->is_running)
		pthread_join(ls->thread, NULL);
	listener_list_deinit(&ls->list);
	db_close(ls->db);
	buf_free(&ls->shared.bytes);
	arena_free(ls->own_arena);
	arena_free(ls->run_arena);
	arena_free(ls->arena);
	arena_free(ls->connection_arena);
}

void listeners_metrics(struct listeners *ls, struct buf *text)
{
	if (!ls)
		return;
	buf_printf(
		text,
		"# HELP cairn_live_too_slow_total Listeners that were ended because they took too "
		"little.\n"
		"# TYPE cairn_live_too_slow_total counter\ncairn_live_too_slow_total %llu\n",
		(unsigned long long)atomic_load(&ls->too_slow));
	neighbours_metrics(ls->neighbours, text);
}
