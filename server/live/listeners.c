/*
 * The thread that serves listeners. A round serves the runs with reported updates. The look, about once a second, serves all
 * runs. An error of one listener does not stop the others: it is tried again later. Only a lost connection ends a round.
 */
#include "listeners.h"

#include <stdlib.h>

#include "arena.h"
#include "auth.h"
#include "clock.h"
#include "http_server.h"
#include "ingest.h"
#include "listeners_parts.h"
#include "log.h"
#include "run.h"
#include "run_store.h"
#include "server_store.h"
#include "shares.h"
#include "thread.h"

enum {
	LOOK_US =
		800 *
		1000, /* with the time of a round: a listener that lost its access is ended within a second */
	WATCH_US = 1000 * 1000, /* a run is told of once a second */
	GATHER_US = 20 * 1000,  /* updates of this long go together */
	AGAIN_US = 200 * 1000,  /* after a connection was lost */
	ARENA_BYTES = 256 << 10,
};

/* ---- joining and updates ------------------------------------------------------------------------- */

/* The share of a user is named "/user", which no address is. */
static bool take_shares(struct listeners *ls, struct request *q, size_t count,
			struct listener_shares *shares)
{
	size_t limit = shares_of(ls->options.limit, ls->options.share);
	struct str address = q->client_address;
	struct str user = auth_who(q);

	*shares = (struct listener_shares){ .shares = ls->shares };
	if (address.len && !http_server_trusts(q, address)) {
		shares->owners[0] = shares_take(ls->shares, address, count, limit);
		if (!shares->owners[0])
			return false;
	}
	if (!user.len)
		return true;
	shares->owners[1] = shares_take(
		ls->shares, str_of(arena_printf(q->arena, "/%.*s", STR_ARG(user))), count, limit);
	if (shares->owners[1])
		return true;
	shares_give(ls->shares, shares->owners[0], count);
	return false;
}

static err_t reserve(struct listeners *ls, struct request *q, size_t count,
		     struct listener_shares *shares)
{
	if (!take_shares(ls, q, count, shares)) {
		atomic_fetch_add(&ls->refused, 1);
		reply_header(q, "Retry-After", "10");
		return err_new(
			q->arena, ERR_BUSY,
			"too many runs and projects are followed from this address or by this user: "
			"the limit is the setting client_share");
	}
	if (listener_list_reserve(&ls->list, count))
		return NULL;
	for (size_t i = 0; i < 2; i++)
		shares_give(ls->shares, shares->owners[i], count);
	reply_header(q, "Retry-After", "10");
	return err_new(q->arena, ERR_BUSY,
		       "cannot follow %zu more runs and projects: the limit is %zu", count,
		       ls->options.limit);
}

static void *zeroed(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static void add(struct listeners *ls, struct listener *l)
{
	listener_list_add(&ls->list, l);
	peers_listening(ls->peers);
}

err_t listeners_add(struct listeners *ls, struct request *q, const struct listener_ask *ask)
{
	struct listener_shares shares;
	struct listener *l;
	err_t e = reserve(ls, q, 1, &shares);

	if (e)
		return e;
	l = zeroed(sizeof(*l));
	l->key = ask->run_id;
	l->ask = *ask;
	l->asked = q;
	l->connection = listener_connection_new(q, 1, &shares);
	add(ls, l);
	return NULL;
}

static struct listener *watcher_of(const struct watcher_ask *ask,
				   struct listener_connection *connection)
{
	const struct target *target = ask->asked->target;
	struct listener *l = zeroed(sizeof(*l));
	struct watcher *w = zeroed(sizeof(*w));

	w->project = ask->project;
	w->resumed = ask->resumed;
	w->cursor = ask->cursor;
	w->visibility = target->visibility;
	w->sees_private = target->sees_private;
	follow_list_init(&w->follows, ask->names, ask->count);
	w->follows.streams = ask->streams;
	w->follows.limit_us = target->crash_after_us;
	l->key = -target->project_id;
	l->watcher = w;
	l->asked = ask->asked;
	l->connection = connection;
	return l;
}

static void refuse(struct listener_connection *connection, const struct watcher_ask *ask)
{
	struct buf *out = buf_new(ask->asked->arena);

	listener_close(NULL, ask->refused, out);
	(void)listener_connection_send(connection, ask->project, buf_str(out));
}

/* Refusals are sent first: once a listener is added, only the thread may send to its connection. */
err_t listeners_add_watchers(struct listeners *ls, struct request *q,
			     const struct watcher_ask *asks, size_t count)
{
	struct listener_shares shares;
	struct listener_connection *connection;
	size_t seen = 0;
	err_t e;

	for (size_t i = 0; i < count; i++)
		seen += !asks[i].refused;
	e = reserve(ls, q, seen, &shares);
	if (e)
		return e;
	connection = listener_connection_new(q, seen, &shares);
	for (size_t i = 0; i < count; i++) {
		if (asks[i].refused)
			refuse(connection, &asks[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (!asks[i].refused)
			add(ls, watcher_of(&asks[i], connection));
	}
	return NULL;
}

void listeners_wake(struct listeners *ls, int64_t run_id)
{
	listener_list_tell(&ls->list, run_id);
	peers_notify(ls->peers, run_id);
}

static void on_peer_change(void *arg, int64_t run_id)
{
	struct listeners *ls = arg;

	if (run_id)
		listener_list_tell(&ls->list, run_id);
	else
		listener_list_tell_all(&ls->list);
}

/* ---- one round ------------------------------------------------------------------------------------- */

static err_t read_runs(struct listeners *ls, struct round *round,
		       const struct listener_group *groups, size_t count)
{
	int64_t *ids = arena_new_array(ls->arena, int64_t, count);
	struct run *runs;
	size_t n = 0;
	err_t e;

	for (size_t i = 0; i < count; i++) {
		if (groups[i].count && groups[i].key > 0)
			ids[n++] = groups[i].key;
	}
	if (!n)
		return NULL;
	db_set_deadline(ls->db, clock_mono_us() + LISTENER_READ_US);
	e = server_store_now(ls->db, &round->now);
	if (!e)
		e = run_store_list(ls->db, ids, n, &runs, &round->run_count);
	if (e)
		return e;
	run_list_sort(runs, round->run_count);
	round->runs = runs;
	return NULL;
}

static err_t serve_groups(struct listeners *ls, const struct round *round,
			  const struct listener_group *groups, size_t count)
{
	err_t e = NULL;

	listener_project_join(ls, groups, count);
	for (size_t i = 0; i < count && !e; i++) {
		if (groups[i].key > 0)
			e = listener_run_serve(ls, round, &groups[i]);
		else
			e = listener_project_serve(ls, round, &groups[i]);
	}
	return e;
}

/* A look begins with empty caches of keys and paths, so that it sees them as they are now. */
static err_t serve_round(struct listeners *ls, struct round *round)
{
	unsigned also = (round->is_look ? TAKE_RUNS : 0) | (round->is_watch ? TAKE_PROJECTS : 0);
	struct listener_group *groups;
	size_t count = listener_list_take(&ls->list, ls->arena, also, &groups);
	err_t e = NULL;

	if (!count)
		return NULL;
	if (also) {
		peers_listening(ls->peers);
		auth_forget_all(ls->options.auth);
	}
	db_set_arena(ls->db, ls->own_arena);
	db_set_deadline(ls->db, clock_mono_us() + LISTENER_READ_US);
	for (size_t i = 0; i < count && !e; i++)
		e = listener_sort_out(ls, round, &groups[i]);
	db_set_arena(ls->db, ls->arena);
	if (!e)
		e = read_runs(ls, round, groups, count);
	return e ? e : serve_groups(ls, round, groups, count);
}

/* ---- the thread ------------------------------------------------------------------------------------ */

static err_t pass(struct listeners *ls)
{
	int64_t now_us = clock_mono_us();
	struct round round = {
		.is_look = ls->is_look_due || now_us >= ls->next_look_us,
		.is_watch = now_us >= ls->next_watch_us,
	};
	err_t e;

	if (round.is_look)
		ls->next_look_us = now_us + LOOK_US;
	round.codec = ingest_take_codec(ls->options.ingest, NULL);
	e = serve_round(ls, &round);
	ingest_give_codec(ls->options.ingest, round.codec);
	ls->is_look_due = round.is_look && e;
	if (round.is_watch && !e) {
		ls->next_watch_us = now_us + WATCH_US;
		listener_project_tidy(ls);
	}
	return e;
}

static int64_t next_pass_us(const struct listeners *ls)
{
	return ls->next_look_us < ls->next_watch_us ? ls->next_look_us : ls->next_watch_us;
}

static void *listeners_main(void *arg)
{
	struct listeners *ls = arg;
	bool is_failing = false;

	while (listener_list_wait(&ls->list, next_pass_us(ls))) {
		err_t e = pass(ls);

		if (e && !is_failing)
			log_warning("live listeners delayed",
				    LOG_TEXT("error", err_chain(ls->arena, e)));
		is_failing = e != NULL;
		arena_reset(ls->arena);
		clock_sleep_us(e ? AGAIN_US : GATHER_US);
	}
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------------- */

static err_t start_peers(struct arena *a, struct listeners *ls)
{
	struct peers_options options = {
		.database = ls->options.peers,
		.changed = on_peer_change,
		.arg = ls,
	};

	return options.database.url ? peers_start(a, &options, &ls->peers) : NULL;
}

err_t listeners_start(struct arena *a, const struct listeners_options *options,
		      struct listeners **ret_listeners)
{
	struct listeners *ls = arena_new_of(a, struct listeners);
	err_t e;

	ls->options = *options;
	listener_list_init(&ls->list, options->limit);
	ls->shares = shares_new(a);
	ls->connection_arena = arena_new(4096);
	ls->arena = arena_new(ARENA_BYTES);
	ls->run_arena = arena_new(ARENA_BYTES);
	ls->own_arena = arena_new(ARENA_BYTES);
	ls->scratch = arena_new(ARENA_BYTES);
	e = db_open(ls->connection_arena, &options->database, &ls->db);
	if (!e)
		db_set_arena(ls->db, ls->arena);
	if (!e && !thread_start(&ls->thread, "live", listeners_main, ls))
		e = err_new(a, ERR_INTERNAL, "cannot start a thread");
	ls->is_running = !e;
	if (!e)
		e = start_peers(a, ls);
	if (e) {
		e = err_wrap(a, e, "cannot serve live listeners");
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
	peers_stop(ls->peers);
	listener_list_stop(&ls->list);
	if (ls->is_running)
		pthread_join(ls->thread, NULL);
	listener_list_deinit(&ls->list);
	listener_project_stop(ls);
	db_close(ls->db);
	buf_free(&ls->shared.bytes);
	arena_free(ls->scratch);
	arena_free(ls->own_arena);
	arena_free(ls->run_arena);
	arena_free(ls->arena);
	arena_free(ls->connection_arena);
}

void listeners_metrics(struct listeners *ls, struct buf *text)
{
	if (!ls)
		return;
	buf_printf(text,
		   "# HELP cairn_live_too_slow_total Listeners disconnected because they read too "
		   "slowly.\n"
		   "# TYPE cairn_live_too_slow_total counter\n"
		   "cairn_live_too_slow_total %llu\n"
		   "# HELP cairn_live_refused_total Listeners rejected because their address or "
		   "user has too many.\n"
		   "# TYPE cairn_live_refused_total counter\n"
		   "cairn_live_refused_total %llu\n"
		   "# HELP cairn_live_projects Projects with listeners.\n"
		   "# TYPE cairn_live_projects gauge\n"
		   "cairn_live_projects %zu\n"
		   "# HELP cairn_live_project_runs Runs of these projects that are checked once a "
		   "second.\n"
		   "# TYPE cairn_live_project_runs gauge\n"
		   "cairn_live_project_runs %zu\n"
		   "# HELP cairn_live_followed_runs Runs followed by listeners.\n"
		   "# TYPE cairn_live_followed_runs gauge\n"
		   "cairn_live_followed_runs %zu\n"
		   "# HELP cairn_live_followed_made_total Updates of followed runs prepared, each "
		   "for all listeners at the same position.\n"
		   "# TYPE cairn_live_followed_made_total counter\n"
		   "cairn_live_followed_made_total %llu\n"
		   "# HELP cairn_live_followed_late_total Followed-run updates delayed by rate "
		   "limiting.\n"
		   "# TYPE cairn_live_followed_late_total counter\n"
		   "cairn_live_followed_late_total %llu\n",
		   (unsigned long long)atomic_load(&ls->too_slow),
		   (unsigned long long)atomic_load(&ls->refused), atomic_load(&ls->watch_count),
		   atomic_load(&ls->watched_runs), atomic_load(&ls->followed_runs),
		   (unsigned long long)atomic_load(&ls->followed_made),
		   (unsigned long long)atomic_load(&ls->followed_late));
	peers_metrics(ls->peers, text);
}
