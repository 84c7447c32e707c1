/*
 * The keeper: a thread that starts PostgreSQL, watches it and starts it again.
 *
 * The kernel signals a child when the thread that forked it ends, not when the process does. So the
 * thread that forks PostgreSQL is one that lives as long as the server: a kill -9 of the server ends
 * all threads, the kernel sends SIGINT, and PostgreSQL shuts down in order. Rejected: a supervisor
 * process, which would be one more thing to kill and to find.
 */
#include "db_embedded.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "db_file_system.h"
#include "db_server.h"
#include "log.h"
#include "str.h"
#include "thread.h"

#define RETRY_FIRST_MS 100
#define RETRY_MOST_MS 10000
#define LOOK_MS 50
#define LITTLE_BYTES (16 << 20) /* a segment of PostgreSQL's log */

enum keeper_state { KEEPER_STARTING, KEEPER_READY, KEEPER_FAILED };

struct db_embedded {
	struct arena *arena;
	struct db_cluster cluster;
	struct db_server server; /* the keeper's, once it runs */
	pthread_t keeper;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum keeper_state state;
	bool stopping;
	const char *failure; /* with KEEPER_FAILED, in the arena */
};

/* ---- the keeper ------------------------------------------------------------------------------ */

static struct timespec after_ms(int ms)
{
	int64_t at_us = clock_mono_us() + (int64_t)ms * 1000;

	return clock_timespec(at_us);
}

/* True if it is time to stop; else after `ms`. */
static bool rest(struct db_embedded *e, int ms)
{
	struct timespec until = after_ms(ms);
	bool stopping;

	pthread_mutex_lock(&e->lock);
	while (!e->stopping && !pthread_cond_timedwait(&e->changed, &e->lock, &until))
		continue;
	stopping = e->stopping;
	pthread_mutex_unlock(&e->lock);
	return stopping;
}

static void tell(struct db_embedded *e, enum keeper_state state, const char *failure)
{
	pthread_mutex_lock(&e->lock);
	e->state = state;
	e->failure = failure;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}

/* Waits until PostgreSQL answers; false when it ended or we shall stop. */
static bool wait_ready(struct db_embedded *e)
{
	enum db_server_state state;
	int pause_ms = 5;

	do {
		if (rest(e, pause_ms))
			return false;
		state = db_server_look(&e->server);
		pause_ms = pause_ms < 80 ? pause_ms + pause_ms / 4 + 1 : pause_ms;
	} while (state == DB_SERVER_STARTING);
	return state == DB_SERVER_READY;
}

/* Until it ends or we shall stop. */
static void watch(struct db_embedded *e)
{
	while (!rest(e, LOOK_MS) && !db_server_has_ended(&e->server))
		continue;
}

/* Runs PostgreSQL once, until it ends. Returns whether it ever answered. */
static bool run_once(struct db_embedded *e, struct arena *a)
{
	err_t failure = db_server_spawn(a, &e->server);
	int64_t started_us = clock_mono_us();

	if (failure) {
		log_error("cannot start PostgreSQL", LOG_TEXT("error", failure->message));
		return false;
	}
	if (!wait_ready(e))
		return false;
	log_info("PostgreSQL is ready", LOG_INT("pid", e->server.pid),
		 LOG_INT("ms", (clock_mono_us() - started_us) / 1000));
	tell(e, KEEPER_READY, NULL);
	watch(e);
	return true;
}

/* The first start must succeed; the error is reported to the thread that waits for it. */
static bool is_over(struct db_embedded *e, bool answered)
{
	bool first;

	if (rest(e, 0))
		return true;
	pthread_mutex_lock(&e->lock);
	first = e->state == KEEPER_STARTING;
	pthread_mutex_unlock(&e->lock);
	if (!first || answered)
		return false;
	tell(e, KEEPER_FAILED, db_server_last_words(e->arena, &e->server));
	return true;
}

static void *keep(void *context)
{
	struct db_embedded *e = context;
	struct arena *a = arena_new(4096);
	int pause_ms = RETRY_FIRST_MS;

	for (;;) {
		bool answered = run_once(e, a);

		if (is_over(e, answered))
			break;
		pause_ms = answered ? RETRY_FIRST_MS : pause_ms * 2;
		pause_ms = pause_ms < RETRY_MOST_MS ? pause_ms : RETRY_MOST_MS;
		log_warning("PostgreSQL ended and will be restarted",
			    LOG_INT("status", e->server.status), LOG_INT("pause_ms", pause_ms),
			    LOG_TEXT("log", db_server_last_words(a, &e->server)));
		if (rest(e, pause_ms))
			break;
		arena_reset(a);
	}
	db_server_stop(&e->server);
	arena_free(a);
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------- */

static err_t find_programs(struct arena *a, const struct db_embedded_options *o, int major,
			   struct db_programs *ret_programs)
{
	int newest = 0;
	err_t e = db_programs_find(a, o, major, ret_programs, &newest);

	if (!e || !major)
		return e;
	if (newest > major)
		return err_new(a, ERR_PRECONDITION,
			       "the database needs PostgreSQL %d, but this machine has %d: run "
			       "\"cairnd embedded upgrade\", or set embedded_upgrade to auto",
			       major, newest);
	return e;
}

static err_t prepare(struct arena *a, const struct db_embedded_options *o, struct db_embedded *e)
{
	struct db_programs programs;
	int major;
	err_t failure = db_cluster_major(&e->cluster, a, &major);

	if (!failure)
		failure = find_programs(a, o, major, &programs);
	if (!failure && !major) {
		log_info("creating a new database", LOG_TEXT("folder", e->cluster.pg),
			 LOG_INT("version", programs.major));
		failure = db_cluster_init(&e->cluster, a, &programs, e->cluster.pg);
	}
	if (failure)
		return failure;
	return db_server_prepare(e->arena, &e->cluster, o, &programs, &e->server);
}

/* Signals are for the other threads; a keeper that ended by one would take PostgreSQL with it. */
static bool start_keeper(struct db_embedded *e)
{
	sigset_t all;
	sigset_t before;
	bool started;

	pthread_mutex_init(&e->lock, NULL);
	clock_cond_init(&e->changed);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = thread_start(&e->keeper, "keeper", keep, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (started)
		return true;
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	return false;
}

static void release(struct db_embedded *e)
{
	db_cluster_close(&e->cluster);
	arena_free(e->arena);
	free(e);
}

static err_t wait_started(struct db_embedded *e, struct arena *a, bool (*cancelled)(void))
{
	bool give_up = false;
	struct err *failure = NULL;

	pthread_mutex_lock(&e->lock);
	while (e->state == KEEPER_STARTING && !give_up) {
		struct timespec until = after_ms(LOOK_MS);

		pthread_cond_timedwait(&e->changed, &e->lock, &until);
		give_up = cancelled && cancelled();
	}
	if (e->state == KEEPER_FAILED)
		failure =
			err_new(a, ERR_PRECONDITION, "PostgreSQL failed to start: %s", e->failure);
	else if (e->state == KEEPER_STARTING)
		failure = err_new(a, ERR_BUSY, "the start of PostgreSQL was cancelled");
	if (e->state == KEEPER_FAILED && db_free_bytes(e->cluster.data) < LITTLE_BYTES)
		failure->hint = db_cluster_full;
	pthread_mutex_unlock(&e->lock);
	return failure;
}

/* An error that outlives the arena it was created in. */
static err_t moved(struct arena *a, err_t failure)
{
	struct err *e = err_new(a, failure->kind, "%s", err_chain(a, failure));

	if (failure->hint)
		e->hint = arena_strdup(a, failure->hint);
	return e;
}

err_t db_embedded_start(struct arena *a, const struct db_embedded_options *options,
			struct db_embedded **ret_embedded)
{
	struct db_embedded *e = calloc(1, sizeof(*e));
	err_t failure;

	if (!e)
		abort();
	e->arena = arena_new(8192);
	e->cluster = (struct db_cluster){ .lock = -1, .log = -1 };
	failure = db_cluster_open(e->arena, options, &e->cluster);
	if (!failure)
		failure = prepare(a, options, e);
	if (!failure && !start_keeper(e))
		failure = err_new(a, ERR_INTERNAL, "cannot start a thread");
	if (failure) {
		failure = moved(a, failure);
		release(e);
		return failure;
	}
	failure = wait_started(e, a, options->cancelled);
	if (failure) {
		db_embedded_stop(e);
		return failure;
	}
	*ret_embedded = e;
	return NULL;
}

void db_embedded_stop(struct db_embedded *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->stopping = true;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->keeper, NULL);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	release(e);
}

const char *db_embedded_url(const struct db_embedded *e)
{
	return e->cluster.url;
}

err_t db_embedded_attach(struct arena *a, const char *data_dir, const char **ret_url)
{
	const char *record = arena_printf(a, "%s/postgres.socket", data_dir);
	const char *folder = db_read_line(a, record);
	const char *url = folder ? db_cluster_url(a, folder) : NULL;

	switch (url ? PQping(url) : PQPING_NO_RESPONSE) {
	case PQPING_OK:
		*ret_url = url;
		return NULL;
	case PQPING_REJECT:
		return err_new(a, ERR_BUSY, "the database of \"%s\" is starting or stopping",
			       data_dir);
	default:
		*ret_url = NULL;
		return NULL;
	}
}
