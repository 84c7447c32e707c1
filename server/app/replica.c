#include "replica.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "log.h"
#include "reply.h"
#include "server_store.h"
#include "thread.h"

#define AFTER "Cairn-After"

enum {
	LOOKS_IN_BOUND = 16,
	LOOKS_KEPT = 128,
	LOOK_LEAST_US = 50 * 1000,
	LOOK_MOST_US = 1000 * 1000,
	ANSWER_US = 2 * 1000 * 1000, /* that a look may take */
};

/* The position at which the primary's WAL ended at a time. */
struct look {
	int64_t at_us;
	int64_t lsn;
};

/* The database that answered a read that the replica was allowed to answer, and why. */
enum source { FROM_REPLICA, FROM_BEHIND, FROM_AWAY, FROM_AFTER, FROM_FAILED, SOURCES };
static const char *const source_names[SOURCES] = { "replica", "behind", "away", "after", "failed" };

struct replica {
	struct replica_options options;
	pthread_t thread;
	bool is_running;
	struct arena *arena;
	struct arena *connection_arena;
	struct db *primary;
	struct db *replica;
	struct look looks[LOOKS_KEPT]; /* a ring */
	uint64_t look_count;
	enum { UNKNOWN, UP, AWAY } told; /* to the log */

	pthread_mutex_t lock; /* of `stop` */
	pthread_cond_t wake;
	bool stop;

	_Atomic bool is_up;
	_Atomic int64_t looked_us; /* when the replica was asked for what follows */
	_Atomic int64_t lsn;       /* up to which it has replayed the WAL */
	_Atomic int64_t
		fresh_us; /* what was committed before then is there; 0 or less: not known */
	_Atomic uint64_t counts[SOURCES];
};

/* ---- looking ----------------------------------------------------------------------------------- */

static err_t look_at_primary(struct replica *r, int64_t *ret_cluster)
{
	struct look *look = &r->looks[r->look_count % LOOKS_KEPT];
	struct server_lsn found;
	int64_t at_us = clock_mono_us();
	err_t e;

	db_set_deadline(r->primary, at_us + ANSWER_US);
	e = server_store_lsn(r->primary, &found);
	if (e)
		return e;
	*look = (struct look){ at_us, found.lsn };
	r->look_count++;
	*ret_cluster = found.cluster;
	return NULL;
}

/*
 * When the newest look was that the replica has passed. When it has passed none that is remembered, the
 * oldest of them with its sign turned: it is behind that one, by how much is not known.
 */
static int64_t fresh_since(const struct replica *r, int64_t lsn)
{
	uint64_t kept = r->look_count < LOOKS_KEPT ? r->look_count : LOOKS_KEPT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct look *look = &r->looks[(r->look_count - i) % LOOKS_KEPT];

		if (look->lsn <= lsn)
			return look->at_us;
	}
	return -r->looks[(r->look_count - kept) % LOOKS_KEPT].at_us;
}

static err_t look_at_replica(struct replica *r, int64_t cluster)
{
	struct server_lsn found;
	int64_t at_us = clock_mono_us();
	err_t e;

	db_set_deadline(r->replica, at_us + ANSWER_US);
	e = server_store_replayed(r->replica, &found);
	if (e)
		return e;
	if (found.cluster != cluster || !found.is_replica)
		return err_new(r->arena, ERR_PRECONDITION,
			       "read_database_url is not a streaming replica of database_url");
	atomic_store(&r->lsn, found.lsn);
	atomic_store(&r->fresh_us, fresh_since(r, found.lsn));
	atomic_store(&r->looked_us, at_us);
	return NULL;
}

static err_t look(struct replica *r)
{
	int64_t cluster;
	err_t e = look_at_primary(r, &cluster);

	return e ? e : look_at_replica(r, cluster);
}

static void take(struct replica *r, err_t e)
{
	if (e && r->told != AWAY)
		log_warning("the replica is not used", LOG_TEXT("error", err_chain(r->arena, e)));
	if (!e && r->told != UP)
		log_info("the replica is used");
	r->told = e ? AWAY : UP;
	atomic_store(&r->is_up, !e);
}

static void rest(struct replica *r)
{
	int64_t us = r->options.bound_us / LOOKS_IN_BOUND;
	struct timespec until;
	int64_t until_us;

	if (us < LOOK_LEAST_US)
		us = LOOK_LEAST_US;
	if (us > LOOK_MOST_US)
		us = LOOK_MOST_US;
	until_us = clock_mono_us() + us;
	until = clock_timespec(until_us);
	pthread_mutex_lock(&r->lock);
	while (!r->stop && !pthread_cond_timedwait(&r->wake, &r->lock, &until))
		;
	pthread_mutex_unlock(&r->lock);
}

static bool is_stopped(struct replica *r)
{
	bool stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

static void *replica_main(void *arg)
{
	struct replica *r = arg;

	while (!is_stopped(r)) {
		take(r, look(r));
		arena_reset(r->arena);
		rest(r);
	}
	return NULL;
}

/* ---- start and stop ---------------------------------------------------------------------------- */

static void init_wake(struct replica *r)
{
	pthread_mutex_init(&r->lock, NULL);
	clock_cond_init(&r->wake);
}

/* A replica that is away at the start is looked for later, by a connection beside the primary's. */
static err_t open_both(struct arena *a, struct replica *r)
{
	struct db *tried = NULL;
	err_t e = db_open(r->connection_arena, &r->options.primary, &r->primary);

	if (e)
		return err_wrap(a, e, "the monitor of the replica cannot reach the database");
	e = db_open(r->connection_arena, &r->options.replica, &tried);
	if (e && e->kind == ERR_INVALID)
		return err_wrap(a, e, "read_database_url");
	if (!e)
		db_close(tried);
	db_add_reader(r->primary, &r->options.replica);
	r->replica = db_reader(r->primary);
	db_set_arena(r->primary, r->arena);
	return NULL;
}

err_t replica_start(struct arena *a, const struct replica_options *options,
		    struct replica **ret_replica)
{
	struct replica *r = arena_new_of(a, struct replica);
	err_t e;

	r->options = *options;
	r->arena = arena_new(4096);
	r->connection_arena = arena_new(4096);
	init_wake(r);
	e = open_both(a, r);
	if (!e) {
		r->is_running = thread_start(&r->thread, "replica", replica_main, r);
		if (!r->is_running)
			e = err_new(a, ERR_INTERNAL, "cannot start a thread");
	}
	if (e) {
		replica_stop(r);
		return e;
	}
	*ret_replica = r;
	return NULL;
}

void replica_stop(struct replica *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->wake);
	pthread_mutex_unlock(&r->lock);
	if (r->is_running)
		pthread_join(r->thread, NULL);
	db_close(r->primary);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	arena_free(r->arena);
	arena_free(r->connection_arena);
}

/* ---- requests ---------------------------------------------------------------------------------- */

static const char digits_of_16[] = "0123456789ABCDEF";

/* Up to eight digits of an LSN, as PostgreSQL writes them. */
static bool read_half(struct str digits, int64_t *value)
{
	if (!digits.len || digits.len > 8)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
		const char *digit = memchr(digits_of_16, digits.at[i], 16);

		if (!digit)
			return false;
		*value = *value << 4 | (digit - digits_of_16);
	}
	return true;
}

/* "16/B374D848", or "now": no replica has come as far as that. */
static bool read_lsn(struct str text, int64_t *ret_lsn)
{
	struct str high = str_cut(&text, '/');
	int64_t lsn = 0;

	*ret_lsn = INT64_MAX;
	if (str_is(high, "now") && !text.len)
		return true;
	if (!read_half(high, &lsn) || lsn > INT32_MAX || !read_half(text, &lsn))
		return false;
	*ret_lsn = lsn;
	return true;
}

err_t replica_check(struct request *q)
{
	struct str after = request_header(q, AFTER);
	int64_t lsn;

	if (!(q->route->flags & ROUTE_REPLICA) || !after.at || read_lsn(after, &lsn))
		return NULL;
	return err_field(q->arena, ERR_INVALID, AFTER,
			 "must be a value of the header Cairn-Written, such as 16/B374D848, or "
			 "\"now\"");
}

static bool is_fresh(struct replica *r)
{
	int64_t fresh_us = atomic_load(&r->fresh_us);

	return fresh_us > 0 && clock_mono_us() - fresh_us <= r->options.bound_us;
}

/* The header of the request has been checked. */
static bool is_far_enough(struct replica *r, const struct request *q)
{
	struct str after = request_header(q, AFTER);
	int64_t lsn = 0;

	return !after.at || (read_lsn(after, &lsn) && lsn <= atomic_load(&r->lsn));
}

static enum source choose(struct replica *r, struct request *q, struct db *reader)
{
	int64_t now_us = clock_mono_us();
	int64_t looked_us = atomic_load(&r->looked_us);

	if (!atomic_load(&r->is_up))
		return FROM_AWAY;
	if (!is_fresh(r))
		return FROM_BEHIND;
	if (!is_far_enough(r, q))
		return FROM_AFTER;
	/* If it does not answer, half of the time is left for who does. */
	db_set_deadline(reader, now_us + (q->deadline_us - now_us) / 2);
	return db_works_since(reader, looked_us) ? FROM_REPLICA : FROM_AWAY;
}

struct db *replica_of(struct request *q)
{
	struct replica *r = q->app->replica;
	struct db *reader = q->db ? db_reader(q->db) : NULL;
	enum source from;

	if (!r || !reader)
		return NULL;
	from = choose(r, q, reader);
	atomic_fetch_add(&r->counts[from], 1);
	return from == FROM_REPLICA ? reader : NULL;
}

/* A row that is missing there may have been created a moment ago: this is not a failure of the replica. */
void replica_failed(struct request *q, err_t e)
{
	struct replica *r = q->app->replica;

	atomic_fetch_add(&r->counts[FROM_FAILED], 1);
	if (e->kind == ERR_BUSY || e->kind == ERR_TIMEOUT)
		atomic_store(&r->is_up, false);
}

void replica_tell_source(struct request *q)
{
	if (q->app->replica && q->route->flags & ROUTE_REPLICA)
		reply_header(q, "Cairn-Read-From", q->is_elsewhere ? "replica" : "primary");
}

void replica_tell_written(struct request *q, int64_t written)
{
	if (q->app->replica && written)
		reply_header(q, "Cairn-Written",
			     arena_printf(q->arena, "%X/%X", (unsigned)((uint64_t)written >> 32),
					  (unsigned)written));
}

/* ---- what operators see ------------------------------------------------------------------------ */

const char *replica_state(struct replica *r)
{
	if (!r)
		return NULL;
	if (!atomic_load(&r->is_up))
		return "away";
	return is_fresh(r) ? "in use" : "behind";
}

static double lag_s(struct replica *r)
{
	int64_t fresh_us = atomic_load(&r->fresh_us);

	return fresh_us ? (double)(clock_mono_us() - imaxabs(fresh_us)) / 1e6 : -1;
}

void replica_metrics(struct replica *r, struct buf *text)
{
	if (!r)
		return;
	buf_printf(text,
		   "# HELP cairn_replica_up Whether the replica responds.\n"
		   "# TYPE cairn_replica_up gauge\n"
		   "cairn_replica_up %d\n"
		   "# HELP cairn_replica_lag_seconds Lag of the replica, at least; -1 if not yet "
		   "known.\n"
		   "# TYPE cairn_replica_lag_seconds gauge\n"
		   "cairn_replica_lag_seconds %.3f\n"
		   "# HELP cairn_replica_reads_total Reads allowed on the replica, by server that "
		   "answered and, for the primary, the reason.\n"
		   "# TYPE cairn_replica_reads_total counter\n",
		   atomic_load(&r->is_up), lag_s(r));
	for (int i = 0; i < SOURCES; i++)
		buf_printf(text, "cairn_replica_reads_total{by=\"%s\"} %" PRIu64 "\n",
			   source_names[i], atomic_load(&r->counts[i]));
}
