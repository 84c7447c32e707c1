/*
 * The rows and the branch of all runs come by one statement, and the statistics of those that are not kept by pieces
 * of runs, as a question for metrics has them: a statement over all of them would look at what it leaves for later
 * every time. The age is read before the statistics, so what is kept is never older than it says.
 *
 * Whoever may read a project can ask for keys that nobody asked for before, again and again. So few such questions at
 * once keep workers busy, and one of a project. Another one waits a little, for a page asks for several lists with the
 * same order at once: what it wants is then probably at hand.
 */
#include "metric_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "fact_cache.h"
#include "memory.h"
#include "metric_sums.h"
#include "turns.h"

enum {
	PLACES = 1 << 18, /* 16 MiB, of which only what is used is taken */
	PIECE = 200,      /* runs that are read at once; more of them are many */
	PIECE_ARENA = 64 << 10,
};
static const int64_t KEEPS_US = INT64_C(7) * 24 * 3600 * 1000000;
static const int64_t WAITS_US = INT64_C(2) * 1000000;

struct metric_facts {
	struct fact_cache *cache;
	struct memory *memory;
	_Atomic size_t places; /* that hold something */
	_Atomic uint64_t refused;
	struct turns turns; /* at reading many runs */
};

struct metric_facts *metric_facts_new(struct memory *memory)
{
	struct metric_facts *facts = calloc(1, sizeof(*facts));

	if (!facts)
		abort();
	facts->cache = fact_cache_new(PLACES, sizeof(struct metric_fact), KEEPS_US);
	facts->memory = memory;
	turns_init(&facts->turns);
	return facts;
}

void metric_facts_free(struct metric_facts *facts)
{
	if (!facts)
		return;
	memory_give(facts->memory, MEMORY_FACTS,
		    facts->places * fact_cache_place_bytes(facts->cache));
	turns_deinit(&facts->turns);
	fact_cache_free(facts->cache);
	free(facts);
}

void metric_facts_metrics(struct metric_facts *facts, struct buf *text)
{
	struct fact_cache_counts counts = fact_cache_counts(facts->cache);

	buf_printf(text,
		   "# HELP cairn_metric_facts_lookups_total Lookups of metric summaries for sorted "
		   "queries.\n"
		   "# TYPE cairn_metric_facts_lookups_total counter\n"
		   "cairn_metric_facts_lookups_total{from=\"memory\"} %" PRIu64 "\n"
		   "cairn_metric_facts_lookups_total{from=\"database\"} %" PRIu64 "\n"
		   "# HELP cairn_metric_facts_refused_total Sorted queries rejected because of "
		   "concurrent full scans.\n"
		   "# TYPE cairn_metric_facts_refused_total counter\n"
		   "cairn_metric_facts_refused_total %" PRIu64 "\n"
		   "# HELP cairn_metric_facts_waiting Sorted queries waiting because of concurrent "
		   "full scans.\n"
		   "# TYPE cairn_metric_facts_waiting gauge\n"
		   "cairn_metric_facts_waiting %zu\n",
		   counts.hits, counts.misses, facts->refused, turns_waiting(&facts->turns));
}

/* What a fact is of; no byte of it is padding. A run that was moved has other numbers of keys. */
struct place {
	int64_t project_id;
	int64_t run_id;
	int64_t next_row;
	int32_t branch;
	int32_t key_id;
};
_Static_assert(sizeof(struct place) == 32, "the bytes of a place are its name");

struct reading {
	struct metric_facts *kept;
	const struct run_reader *reader;
	const struct metric_facts_ask *ask;
	const struct metric_age **ages; /* of each run; NULL: it is gone */
	struct metric_fact *facts;
};

static struct place place_of(const struct reading *r, size_t run, size_t key)
{
	return (struct place){
		.project_id = r->ask->project_id,
		.run_id = r->ask->run_ids[run],
		.next_row = r->ages[run]->next_row,
		.branch = r->ages[run]->branch,
		.key_id = r->ask->key_ids[key],
	};
}

/* ---- what is kept -------------------------------------------------------------------------------- */

static int by_run(const void *a, const void *b)
{
	const struct metric_age *x = a;
	const struct metric_age *y = b;

	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

static err_t read_ages(struct reading *r)
{
	const struct metric_facts_ask *ask = r->ask;
	struct metric_age *ages;
	size_t count;
	err_t e = metric_sums_ages(r->reader->db, ask->project_id, ask->run_ids, ask->run_count,
				   &ages, &count);

	if (e)
		return e;
	if (count)
		qsort(ages, count, sizeof(ages[0]), by_run);
	for (size_t i = 0, at = 0; i < ask->run_count; i++) {
		while (at < count && ages[at].run_id < ask->run_ids[i])
			at++;
		r->ages[i] = at < count && ages[at].run_id == ask->run_ids[i] ? &ages[at] : NULL;
	}
	return NULL;
}

/* Whether all of the run's are. */
static bool find_kept(const struct reading *r, size_t run)
{
	bool found = true;

	for (size_t key = 0; key < r->ask->key_count && found; key++) {
		const struct place place = place_of(r, run, key);

		found = fact_cache_find(r->kept->cache,
					(struct str){ (const char *)&place, sizeof(place) },
					&r->facts[run * r->ask->key_count + key]);
	}
	return found;
}

static void keep(const struct reading *r, size_t run, size_t key, const struct bucket *sum)
{
	struct metric_fact *fact = &r->facts[run * r->ask->key_count + key];
	const struct place place = place_of(r, run, key);

	if (metric_sums_has(sum))
		fact->last = sum->last;
	if (sum->n)
		*fact = (struct metric_fact){ sum->last, sum->min, sum->max, sum->mean };
	if (!fact_cache_save(r->kept->cache, (struct str){ (const char *)&place, sizeof(place) },
			     fact_cache_generation(r->kept->cache), fact))
		return;
	r->kept->places++;
	memory_take(r->kept->memory, MEMORY_FACTS, fact_cache_place_bytes(r->kept->cache));
}

/* ---- what is read -------------------------------------------------------------------------------- */

/* runs: their places among all. */
static err_t read_sums(const struct reading *r, const size_t *runs, size_t count)
{
	struct arena *a = db_arena(r->reader->db);
	const size_t keys = r->ask->key_count;
	struct bucket *sums = arena_new_array(a, struct bucket, count * keys);
	int64_t ids[PIECE];
	const struct metric_sums_ask ask = {
		.run_ids = ids,
		.run_count = count,
		.key_ids = r->ask->key_ids,
		.key_count = keys,
		.project_id = r->ask->project_id,
	};
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = r->ask->run_ids[runs[i]];
	e = metric_sums_read(r->reader, &ask, sums);
	for (size_t i = 0; i < count * keys && !e; i++)
		keep(r, runs[i / keys], i % keys, &sums[i]);
	return e;
}

static err_t read_piece(const struct reading *r, const size_t *runs, size_t count)
{
	struct arena *home = db_arena(r->reader->db);
	struct arena *own = arena_new_beside(home, PIECE_ARENA);
	err_t e;

	db_set_arena(r->reader->db, own);
	e = read_sums(r, runs, count);
	db_set_arena(r->reader->db, home);
	if (e)
		e = err_copy(home, e);
	arena_free(own);
	return e;
}

static err_t read_pieces(const struct reading *r, const size_t *runs, size_t count)
{
	err_t e = NULL;

	for (size_t at = 0; at < count && !e; at += PIECE)
		e = read_piece(r, runs + at, count - at < PIECE ? count - at : PIECE);
	return e;
}

/* Of these runs, those that are not kept. */
static size_t find_missing(const struct reading *r, size_t *runs, size_t count)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++) {
		if (!find_kept(r, runs[i]))
			runs[missing++] = runs[i];
	}
	return missing;
}

/* Not so long that no time were left to read. */
static int64_t waits_until(const struct reading *r)
{
	int64_t now_us = clock_mono_us();
	int64_t most_us = (r->ask->deadline_us - now_us) / 2;

	return now_us + (most_us < WAITS_US ? most_us : WAITS_US);
}

static err_t read_many(const struct reading *r, size_t *runs, size_t count)
{
	struct turns *turns = &r->kept->turns;
	bool has_turn = turns_try(turns, r->ask->project_id);
	err_t e;

	if (!has_turn) {
		has_turn = turns_wait(turns, r->ask->project_id, waits_until(r));
		count = find_missing(r, runs, count); /* others have read meanwhile */
	}
	if (!has_turn && count > PIECE) {
		r->kept->refused++;
		return err_new(db_arena(r->reader->db), ERR_BUSY,
			       "too many queries are ordering runs by their metrics");
	}
	e = read_pieces(r, runs, count);
	if (has_turn)
		turns_end(turns, r->ask->project_id);
	return e;
}

static err_t read_missing(const struct reading *r)
{
	size_t *runs = arena_new_array(db_arena(r->reader->db), size_t, r->ask->run_count);
	size_t count = 0;

	for (size_t i = 0; i < r->ask->run_count; i++) {
		if (r->ages[i])
			runs[count++] = i;
	}
	count = find_missing(r, runs, count);
	return count > PIECE ? read_many(r, runs, count) : read_pieces(r, runs, count);
}

err_t metric_facts_read(struct metric_facts *facts, const struct run_reader *reader,
			const struct metric_facts_ask *ask, struct metric_fact *ret_facts)
{
	static const struct metric_fact none = { (double)NAN, (double)NAN, (double)NAN,
						 (double)NAN };
	struct reading r = {
		.kept = facts,
		.reader = reader,
		.ask = ask,
		.ages = arena_new_array(db_arena(reader->db), const struct metric_age *,
					ask->run_count + 1),
		.facts = ret_facts,
	};
	err_t e;

	for (size_t i = 0; i < ask->run_count * ask->key_count; i++)
		ret_facts[i] = none;
	if (!ask->run_count || !ask->key_count)
		return NULL;
	e = read_ages(&r);
	return e ? e : read_missing(&r);
}
