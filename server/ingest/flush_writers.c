#include "flush_writers.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "writer_cache.h"

size_t flush_unknown_writers(const struct flush *f, int64_t *ret_run_ids, struct str *ret_clients)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct ingest_batch *b = f->batches[i];

		if (f->known && writer_cache_has(f->known, b->run_id, b->client))
			continue;
		ret_run_ids[count] = b->run_id;
		ret_clients[count++] = b->client;
	}
	return count;
}

static int by_run_and_client(const void *a, const void *b)
{
	const struct writer *x = a;
	const struct writer *y = b;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return str_compare(x->client, y->client);
}

/* Two batches of one writer took it twice, and each is as the other. */
static void put_in_order(struct flush_state *state)
{
	size_t kept = 0;

	if (!state->writer_count)
		return;
	qsort(state->writers, state->writer_count, sizeof(state->writers[0]), by_run_and_client);
	for (size_t i = 0; i < state->writer_count; i++) {
		if (!kept || by_run_and_client(&state->writers[kept - 1], &state->writers[i]) != 0)
			state->writers[kept++] = state->writers[i];
	}
	state->writer_count = kept;
}

static int by_run(const void *a, const void *b)
{
	int64_t x = ((const struct run *)a)->run_id;
	int64_t y = ((const struct run *)b)->run_id;

	return (x > y) - (x < y);
}

static const struct run *find_run(const struct flush_state *state, int64_t run_id)
{
	struct run wanted = { .run_id = run_id };

	return state->run_count
		       ? bsearch(&wanted, state->runs, state->run_count, sizeof(wanted), by_run)
		       : NULL;
}

struct stale {
	int64_t *run_ids;
	struct str *clients;
	size_t count;
};

/* Of those that were not asked for; f->state.writers has room for one of each batch more. */
static void take_known(struct flush *f, struct stale *stale)
{
	struct flush_state *state = &f->state;

	for (size_t i = 0; i < f->count; i++) {
		const struct ingest_batch *b = f->batches[i];
		const struct run *run = find_run(state, b->run_id);
		const struct writer *known;

		if (!run || !writer_cache_has(f->known, b->run_id, b->client))
			continue;
		known = writer_cache_find(f->known, b->run_id, run->version, b->client);
		if (known) {
			state->writers[state->writer_count++] = *known;
			continue;
		}
		stale->run_ids[stale->count] = b->run_id;
		stale->clients[stale->count++] = b->client;
	}
}

static err_t ask_stale(struct flush *f, const struct stale *stale)
{
	struct writer *found;
	size_t count;
	err_t e;

	if (!stale->count)
		return NULL;
	e = writer_store_find_all(f->db, stale->run_ids, stale->clients, stale->count, &found,
				  &count);
	if (e)
		return e;
	if (count)
		memcpy(f->state.writers + f->state.writer_count, found, count * sizeof(found[0]));
	f->state.writer_count += count;
	return NULL;
}

static err_t add_known(struct flush *f)
{
	struct stale stale = {
		.run_ids = arena_new_array(f->arena, int64_t, f->count),
		.clients = arena_new_array(f->arena, struct str, f->count),
	};
	struct writer *all =
		arena_new_array(f->arena, struct writer, f->state.writer_count + f->count);

	if (f->state.writer_count)
		memcpy(all, f->state.writers, f->state.writer_count * sizeof(all[0]));
	f->state.writers = all;
	take_known(f, &stale);
	return ask_stale(f, &stale);
}

err_t flush_complete_writers(struct flush *f)
{
	err_t e;

	if (f->state.run_count)
		qsort(f->state.runs, f->state.run_count, sizeof(f->state.runs[0]), by_run);
	e = f->known ? add_known(f) : NULL;
	if (!e)
		put_in_order(&f->state);
	return e;
}

static void advance_runs(const struct flush *f)
{
	for (size_t i = 0; i < f->run_count; i++) {
		const struct run_work *work = &f->runs[i];

		writer_cache_advance(f->known, work->run->run_id, work->run->version,
				     work->changed ? f->version : work->run->version);
	}
}

void flush_keep_writers(struct flush *f)
{
	if (!f->known)
		return;
	advance_runs(f);
	for (size_t i = 0; i < f->state.writer_count; i++)
		writer_cache_keep(f->known, &f->state.writers[i]);
	for (size_t i = 0; i < f->new_writer_count; i++)
		writer_cache_keep(f->known, &f->new_writers[i]);
}
