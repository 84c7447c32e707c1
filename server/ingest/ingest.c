/*
 * Flushers: threads with a queue and a connection each. Rejected: a queue per run (idle runs cost
 * memory, and a flush of many runs is what makes small batches cheap), and flushing from workers
 * (one commit per request).
 */
#include "ingest.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "incoming.h"
#include "buf.h"
#include "clock.h"
#include "codec.h"
#include "flush.h"
#include "log.h"
#include "metric_cache.h"
#include "queue.h"
#include "thread.h"
#include "writer_cache.h"

enum {
	FLUSH_BATCHES = 512,
	FLUSH_BYTES = 8 << 20,
	FLUSH_DOCUMENTS = 512,
	ASKS_MUCH = 8,   /* config or explicit summary: each makes some queries */
	ASKS_LITTLE = 1, /* a whole summary: most of it follows from history */
	FLUSHER_ARENA = 256 << 10,
	GATHER_US = 2000,
	CODECS_KEPT = 64,
	CODEC_KEPT_BYTES = 4 << 20, /* a codec that a large batch made larger is not kept */
};

struct flusher {
	struct ingest *ingest;
	struct queue *queue;
	struct queue *answered; /* for the thread that answers clients during the next flush */
	pthread_t teller;
	bool tells;
	bool flushes;
	struct arena *arena;
	struct arena *connection_arena;
	struct db *db;
	struct codec *codec;
	struct writer_cache *known;
	int64_t took_us; /* the last flush */
	pthread_t thread;
};

struct ingest {
	struct ingest_options options;
	struct metric_cache *metrics;
	struct flusher *flushers;
	struct incoming *incoming;
	pthread_mutex_t codec_lock;
	struct codec *codecs[CODECS_KEPT];
	unsigned codec_count;
	_Atomic uint64_t flushes, batches, points, bytes, failures, expired;
};

/* ---- answers ------------------------------------------------------------------------------------------ */

static void count_batch(struct ingest *ingest, const struct ingest_batch *b)
{
	atomic_fetch_add_explicit(&ingest->batches, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&ingest->bytes, b->bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&ingest->points,
				  b->history.facts.point_count + b->events.facts.point_count,
				  memory_order_relaxed);
}

static void report_updates(struct ingest *ingest, const struct flush *f)
{
	if (!ingest->options.update)
		return;
	for (size_t i = 0; i < f->run_count; i++) {
		struct run_work *work = &f->runs[i];

		if (!work->changed)
			continue;
		work->update.run_id = work->run->run_id;
		work->update.project_id = work->run->project_id;
		work->update.tail_rows = work->run->tail_rows;
		work->update.tail_bytes = work->run->tail_bytes;
		work->update.writers = work->run->next_writer;
		work->update.run_state = work->run->state;
		ingest->options.update(ingest->options.update_arg, &work->update);
	}
}

static void answer_all(struct flusher *fl, struct flush *f)
{
	struct ingest *ingest = fl->ingest;

	atomic_fetch_add_explicit(&ingest->flushes, 1, memory_order_relaxed);
	report_updates(ingest, f);
	for (size_t i = 0; i < f->count; i++) {
		struct ingest_batch *b = f->batches[i];

		b->answer.written = db_written(f->db);
		if (!b->error && (!b->join || b->config))
			count_batch(ingest, b);
		if (!queue_push(fl->answered, b))
			b->done(b, b->error);
	}
}

/* Waking connections costs system calls for each batch: it is done during the next flush. */
static void *teller_main(void *arg)
{
	struct flusher *fl = arg;
	struct ingest_batch *b;

	while ((b = queue_pop(fl->answered)))
		b->done(b, b->error);
	return NULL;
}

/* The error is in the flusher's arena; each request gets its own. Its causes are in the log. */
static void refuse_all(struct ingest *ingest, struct ingest_batch **batches, size_t count, err_t e)
{
	atomic_fetch_add_explicit(&ingest->failures, count, memory_order_relaxed);
	for (size_t i = 0; i < count; i++) {
		struct ingest_batch *b = batches[i];
		struct err *own = err_field(b->arena, e->kind, e->field, "%s", e->message);

		own->hint = e->hint ? arena_strdup(b->arena, e->hint) : NULL;
		b->done(b, own);
	}
}

/* ---- flushing ------------------------------------------------------------------------------------------ */

static err_t try_flush(struct flusher *fl, struct flush *f, enum flush_wait wait)
{
	err_t e;

	e = flush_run(f, wait);
	if (e)
		db_rollback(fl->db);
	return e;
}

/*
 * Drops batches past their deadline: their client has been answered or will retry, so storing them
 * now would be a surprise. The others stay in order; returns how many remain.
 */
static size_t drop_expired(struct ingest *ingest, struct ingest_batch **batches, size_t count)
{
	int64_t now_us = clock_mono_us();
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct ingest_batch *b = batches[i];

		if (!b->deadline_us || now_us <= b->deadline_us) {
			batches[kept++] = b;
			continue;
		}
		atomic_fetch_add_explicit(&ingest->expired, 1, memory_order_relaxed);
		b->done(b, err_new(b->arena, ERR_BUSY, "the batch could not be stored in time"));
	}
	return kept;
}

/* Whether a smaller flush may succeed where this one failed: the database works. */
static bool may_be_one_batch(err_t e)
{
	if (e->kind != ERR_BUSY && e->kind != ERR_TIMEOUT)
		return true;
	return e->sqlstate && (db_err_is(e, DB_QUERY_CANCELED) || db_err_is(e, DB_IDLE_TOO_LONG) ||
			       strncmp(e->sqlstate, "40", 2) == 0);
}

static struct flush new_flush(struct flusher *fl, struct ingest_batch **batches, size_t count)
{
	return (struct flush){
		.db = fl->db,
		.arena = fl->arena,
		.codec = fl->codec,
		.known = fl->known,
		.metrics = fl->ingest->metrics,
		.batches = batches,
		.count = count,
	};
}

/*
 * Retries once after a deadlock with a server that empties the slot that it was about to write to
 * (it knows the next one then), and once if a run is locked elsewhere: without those runs.
 */
static err_t flush_retrying(struct flusher *fl, struct flush *f)
{
	err_t e = try_flush(fl, f, FLUSH_WAIT);

	if (e && db_err_is(e, DB_DEADLOCK)) {
		*f = new_flush(fl, f->batches, f->count);
		e = try_flush(fl, f, FLUSH_WAIT);
	}
	if (e && db_err_is(e, DB_LOCK_NOT_AVAILABLE)) {
		*f = new_flush(fl, f->batches, f->count);
		e = try_flush(fl, f, FLUSH_SKIP);
	}
	return e;
}

/* Stores the batches; if that fails, each half of them, so that one bad batch fails alone. */
static void flush_bisecting(struct flusher *fl, struct ingest_batch **batches, size_t count)
{
	struct flush f;
	err_t e;

	count = drop_expired(fl->ingest, batches, count);
	if (!count)
		return;
	f = new_flush(fl, batches, count);
	e = flush_retrying(fl, &f);
	if (!e) {
		answer_all(fl, &f);
		return;
	}
	if (count == 1 || !may_be_one_batch(e)) {
		if (e->kind != ERR_UNPROCESSABLE) /* that is the client's error */
			log_warning("flush failed", LOG_INT("batches", count),
				    LOG_TEXT("error", err_chain(fl->arena, e)));
		refuse_all(fl->ingest, batches, count, e);
		return;
	}
	flush_bisecting(fl, batches, count / 2);
	flush_bisecting(fl, batches + count / 2, count - count / 2);
}

static size_t documents_of(const struct ingest_batch *b)
{
	if (b->config || (b->summary && !b->summary_is_whole))
		return ASKS_MUCH;
	return b->summary ? ASKS_LITTLE : 0;
}

/* How many of them one transaction takes: its work under the runs' locks is bounded. */
static size_t within_limits(struct ingest_batch **batches, size_t count)
{
	size_t bytes = 0;
	size_t documents = 0;
	size_t n = 0;

	for (; n < count; n++) {
		bytes += batches[n]->bytes;
		documents += documents_of(batches[n]);
		if (n && (bytes > FLUSH_BYTES || documents > FLUSH_DOCUMENTS))
			break;
	}
	return n;
}

/*
 * The fixed cost of a flush is as much as that of a dozen small batches. So while workers read
 * more, it waits for them, at most as long as the last flush took: under load flushes are fewer and
 * larger, and a single batch is not delayed.
 */
static void gather(struct flusher *fl)
{
	int64_t most_us = fl->took_us < GATHER_US ? fl->took_us : GATHER_US;

	incoming_wait(fl->ingest->incoming, clock_mono_us() + most_us);
}

static void flush_timed(struct flusher *fl, struct ingest_batch **batches, size_t count)
{
	int64_t began_us = clock_mono_us();

	flush_bisecting(fl, batches, count);
	arena_reset(fl->arena);
	fl->took_us = clock_mono_us() - began_us;
}

static void *flusher_main(void *arg)
{
	struct flusher *fl = arg;
	struct ingest_batch *batches[FLUSH_BATCHES];
	size_t count = 0;

	for (;;) {
		size_t now;

		if (!count) {
			db_prepare_ahead(fl->db);
			batches[0] = queue_pop(fl->queue);
			if (!batches[0])
				return NULL;
			count = 1;
			gather(fl);
		}
		count += queue_pop_many(fl->queue, (void **)(batches + count),
					FLUSH_BATCHES - count, 0);
		now = within_limits(batches, count);
		flush_timed(fl, batches, now);
		count -= now;
		/* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
		memmove(batches, batches + now, count * sizeof(batches[0]));
	}
}

/* ---- start and stop -------------------------------------------------------------------------------------- */

static err_t flusher_start(struct arena *a, struct ingest *ingest, struct flusher *fl)
{
	err_t e;

	fl->ingest = ingest;
	fl->connection_arena = arena_new(4096);
	e = db_open(fl->connection_arena, &ingest->options.database, &fl->db);
	if (e)
		return err_wrap(a, e, "a flusher cannot reach the database");
	fl->codec = codec_new();
	fl->known = writer_cache_new();
	fl->arena = arena_new(FLUSHER_ARENA);
	db_set_arena(fl->db, fl->arena);
	fl->queue = queue_new(ingest->options.queue_limit);
	fl->answered = queue_new(2 * FLUSH_BATCHES);
	fl->tells = thread_start(&fl->teller, "teller", teller_main, fl);
	if (!fl->tells)
		return err_new(a, ERR_INTERNAL, "cannot start a thread");
	fl->flushes = thread_start(&fl->thread, "flusher", flusher_main, fl);
	if (!fl->flushes)
		return err_new(a, ERR_INTERNAL, "cannot start a flusher thread");
	return NULL;
}

err_t ingest_start(struct arena *a, const struct ingest_options *options,
		   struct ingest **ret_ingest)
{
	struct ingest *ingest = arena_new_of(a, struct ingest);
	err_t e = NULL;

	ingest->options = *options;
	ingest->metrics = metric_cache_new(METRIC_CACHE_NAMES);
	ingest->incoming = incoming_new();
	pthread_mutex_init(&ingest->codec_lock, NULL);
	ingest->flushers = arena_new_array(a, struct flusher, options->flushers);
	for (unsigned i = 0; i < options->flushers && !e; i++)
		e = flusher_start(a, ingest, &ingest->flushers[i]);
	if (e) {
		ingest_stop(ingest);
		return e;
	}
	*ret_ingest = ingest;
	return NULL;
}

static void flusher_end(struct flusher *fl)
{
	if (fl->flushes) {
		queue_close(fl->queue);
		pthread_join(fl->thread, NULL);
	}
	if (fl->tells) {
		queue_close(fl->answered);
		pthread_join(fl->teller, NULL);
	}
	fl->flushes = fl->tells = false;
}

static void flusher_free(struct flusher *fl)
{
	queue_free(fl->answered);
	queue_free(fl->queue);
	db_close(fl->db);
	codec_free(fl->codec);
	writer_cache_free(fl->known);
	arena_free(fl->arena);
	arena_free(fl->connection_arena);
}

void ingest_end(struct ingest *ingest)
{
	for (unsigned i = 0; i < ingest->options.flushers; i++)
		flusher_end(&ingest->flushers[i]);
}

void ingest_stop(struct ingest *ingest)
{
	if (!ingest)
		return;
	ingest_end(ingest);
	for (unsigned i = 0; i < ingest->options.flushers; i++)
		flusher_free(&ingest->flushers[i]);
	while (ingest->codec_count)
		codec_free(ingest->codecs[--ingest->codec_count]);
	pthread_mutex_destroy(&ingest->codec_lock);
	incoming_free(ingest->incoming);
	metric_cache_free(ingest->metrics);
}

/* ---- for workers -------------------------------------------------------------------------------------------- */

void ingest_announce(struct ingest *ingest)
{
	incoming_begin(ingest->incoming);
}

void ingest_announce_end(struct ingest *ingest)
{
	incoming_end(ingest->incoming);
}

bool ingest_submit(struct ingest *ingest, struct ingest_batch *b)
{
	uint64_t mixed = (uint64_t)b->run_id * UINT64_C(0x9e3779b97f4a7c15);
	unsigned which = (unsigned)((mixed >> 32) % ingest->options.flushers);

	return queue_push(ingest->flushers[which].queue, b);
}

size_t ingest_waiting(struct ingest *ingest)
{
	size_t most = 0;

	for (unsigned i = 0; i < ingest->options.flushers; i++) {
		size_t waiting = queue_length(ingest->flushers[i].queue);

		most = waiting > most ? waiting : most;
	}
	return most;
}

size_t ingest_queue_limit(const struct ingest *ingest)
{
	return ingest->options.queue_limit;
}

struct metric_cache *ingest_metrics_cache(struct ingest *ingest)
{
	return ingest->metrics;
}

int64_t ingest_new_names_per_hour(const struct ingest *ingest)
{
	return ingest->options.new_names_per_hour;
}

struct codec *ingest_take_codec(struct ingest *ingest, struct memory_share *share)
{
	struct codec *codec = NULL;

	pthread_mutex_lock(&ingest->codec_lock);
	if (ingest->codec_count)
		codec = ingest->codecs[--ingest->codec_count];
	pthread_mutex_unlock(&ingest->codec_lock);
	if (!codec)
		codec = codec_new();
	codec_count_in(codec, share);
	return codec;
}

void ingest_give_codec(struct ingest *ingest, struct codec *codec)
{
	bool is_small = codec_size(codec) <= CODEC_KEPT_BYTES;

	codec_count_in(codec, NULL);
	pthread_mutex_lock(&ingest->codec_lock);
	if (is_small && ingest->codec_count < CODECS_KEPT) {
		ingest->codecs[ingest->codec_count++] = codec;
		codec = NULL;
	}
	pthread_mutex_unlock(&ingest->codec_lock);
	codec_free(codec);
}

static void put_counter(struct buf *text, const char *name, const char *help, uint64_t value)
{
	buf_printf(text,
		   "# HELP cairn_ingest_%s %s\n# TYPE cairn_ingest_%s counter\n"
		   "cairn_ingest_%s %llu\n",
		   name, help, name, name, (unsigned long long)value);
}

void ingest_metrics(struct ingest *ingest, struct buf *text)
{
	put_counter(text, "flushes_total", "Transactions that stored batches.",
		    atomic_load(&ingest->flushes));
	put_counter(text, "batches_total", "Batches stored or repeated.",
		    atomic_load(&ingest->batches));
	put_counter(text, "points_total", "Values stored.", atomic_load(&ingest->points));
	put_counter(text, "bytes_total", "Bytes of blocks stored.", atomic_load(&ingest->bytes));
	put_counter(text, "expired_total", "Batches dropped because their deadline had passed.",
		    atomic_load(&ingest->expired));
	put_counter(text, "failures_total", "Batches rejected because a flush failed.",
		    atomic_load(&ingest->failures));
	buf_printf(text,
		   "# HELP cairn_metric_names Metric names held in memory.\n"
		   "# TYPE cairn_metric_names gauge\n"
		   "cairn_metric_names %zu\n",
		   metric_cache_count(ingest->metrics));
}
