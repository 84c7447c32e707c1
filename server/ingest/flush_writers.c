#include "flush_writers.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "writer_cache.h"
#include "writer_marks.h"

size_t flush_unknown_writers(const struct flush *f, int64_t *ret_run_ids, struct str *ret_clients)
{
	size_t count = 0;

	if (f->known)
		writer_cache_make_room(f->known);
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

/* If two batches of one writer took it twice, the two are equal. */
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

/* ---- marks in the tail --------------------------------------------------------------------------- */

struct asked_marks {
	int64_t *run_ids;
	int64_t *afters;
	size_t count;
};

static struct asked_marks ask_none(struct flush *f)
{
	return (struct asked_marks){
		.run_ids = arena_new_array(f->arena, int64_t, f->state.run_count + 1),
		.afters = arena_new_array(f->arena, int64_t, f->state.run_count + 1),
	};
}

static void ask_marks(struct asked_marks *asked, const struct run *run, int64_t after)
{
	if (run->next_seq <= after + 1)
		return;
	asked->run_ids[asked->count] = run->run_id;
	asked->afters[asked->count++] = after;
}

static bool has_writer_of(const struct writer *writers, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (writers[i].run_id == run_id)
			return true;
	}
	return false;
}

/* Updates writers' rows by the marks that are still in the tail. */
static err_t bring_up(struct flush *f, struct writer *writers, size_t count)
{
	struct asked_marks asked = ask_none(f);
	struct marks *marks;
	size_t found;
	err_t e;

	for (size_t i = 0; count && i < f->state.run_count; i++) {
		if (has_writer_of(writers, count, f->state.runs[i].run_id))
			ask_marks(&asked, &f->state.runs[i], f->state.runs[i].compact_seq);
	}
	if (!asked.count)
		return NULL;
	e = marks_store_list(f->db, asked.run_ids, asked.afters, asked.count, &marks, &found);
	if (!e)
		marks_apply(f->arena, marks, found, writers, count);
	return e;
}

/* Applies what other servers stored since: their marks lead from the known version to the run's. */
static err_t follow_all(struct flush *f)
{
	struct asked_marks asked = ask_none(f);
	struct marks *marks;
	size_t found;
	err_t e;

	for (size_t i = 0; i < f->state.run_count; i++) {
		const struct run *run = &f->state.runs[i];
		int64_t next_seq = writer_cache_behind(f->known, run->run_id, run->version);

		if (next_seq >= 0)
			ask_marks(&asked, run, next_seq - 1);
	}
	if (!asked.count)
		return NULL;
	e = marks_store_list(f->db, asked.run_ids, asked.afters, asked.count, &marks, &found);
	for (size_t i = 0; !e && i < found; i++)
		writer_cache_follow(f->known, f->arena, &marks[i]);
	return e;
}

/* ---- those that are known ------------------------------------------------------------------------ */

struct stale {
	int64_t *run_ids;
	struct str *clients;
	size_t count;
};

/* For writers that were not read; f->state.writers has room for one more of each batch. */
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
	if (!e)
		e = bring_up(f, found, count);
	if (e)
		return e;
	if (count)
		memcpy(f->state.writers + f->state.writer_count, found, count * sizeof(found[0]));
	f->state.writer_count += count;
	return NULL;
}

/* Makes room for more writers after the existing ones. */
static void make_room(struct flush *f, size_t more)
{
	size_t count = f->state.writer_count;
	struct writer *all = arena_new_array(f->arena, struct writer, count + more);

	if (count)
		memcpy(all, f->state.writers, count * sizeof(all[0]));
	f->state.writers = all;
}

static err_t add_known(struct flush *f)
{
	struct stale stale = {
		.run_ids = arena_new_array(f->arena, int64_t, f->count),
		.clients = arena_new_array(f->arena, struct str, f->count),
	};

	make_room(f, f->count);
	take_known(f, &stale);
	return ask_stale(f, &stale);
}

/* Rows of a run that is locked elsewhere may be out of date, and are not cached. */
static void leave_unlocked(struct flush_state *state)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->writer_count; i++) {
		if (find_run(state, state->writers[i].run_id))
			state->writers[kept++] = state->writers[i];
	}
	state->writer_count = kept;
}

/* ---- those whose place a primary that joins may take --------------------------------------------- */

static size_t ask_primaries(const struct flush *f, int64_t *run_ids, struct str *labels)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct writer_join *join = f->batches[i]->join;

		if (!join || join->role != WRITER_PRIMARY ||
		    !find_run(&f->state, f->batches[i]->run_id))
			continue;
		run_ids[count] = f->batches[i]->run_id;
		labels[count++] = join->label;
	}
	return count;
}

static err_t add_primaries(struct flush *f)
{
	int64_t *run_ids = arena_new_array(f->arena, int64_t, f->count);
	struct str *labels = arena_new_array(f->arena, struct str, f->count);
	size_t asked = ask_primaries(f, run_ids, labels);
	struct writer *found;
	size_t count;
	err_t e;

	if (!asked)
		return NULL;
	e = writer_store_list_primaries(f->db, run_ids, labels, asked, &found, &count);
	if (!e)
		e = bring_up(f, found, count);
	if (e || !count)
		return e;
	make_room(f, count);
	memcpy(f->state.writers + f->state.writer_count, found, count * sizeof(found[0]));
	f->state.writer_count += count;
	return NULL;
}

err_t flush_complete_writers(struct flush *f)
{
	err_t e;

	if (f->state.run_count)
		qsort(f->state.runs, f->state.run_count, sizeof(f->state.runs[0]), by_run);
	leave_unlocked(&f->state);
	e = bring_up(f, f->state.writers, f->state.writer_count);
	if (!e && f->known)
		e = follow_all(f);
	if (!e && f->known)
		e = add_known(f);
	if (!e)
		e = add_primaries(f);
	if (!e)
		put_in_order(&f->state);
	return e;
}

/* ---- one of them --------------------------------------------------------------------------------- */

struct writer *flush_find_writer(const struct flush *f, const struct ingest_batch *b)
{
	struct writer wanted = { .run_id = b->run_id, .client = b->client };
	struct writer *found = NULL;

	if (f->state.writer_count)
		found = bsearch(&wanted, f->state.writers, f->state.writer_count, sizeof(wanted),
				by_run_and_client);
	/* one that joined in this flush may have the name of one that was there */
	for (size_t i = 0; i < f->new_writer_count; i++) {
		if (by_run_and_client(&wanted, &f->new_writers[i]) == 0)
			found = &f->new_writers[i];
	}
	return found;
}

struct writer *flush_make_writer(struct flush *f, struct run_work *work,
				 const struct ingest_batch *b)
{
	struct writer *w = &f->new_writers[f->new_writer_count++];

	*w = (struct writer){
		.run_id = b->run_id,
		.writer = run_number_writer(work->run),
		.client = b->client,
		.state = WRITER_ALIVE,
		.last_step = -1,
		.last_event = -1,
		.joined_at = f->state.now,
	};
	return w;
}

struct writer *flush_make_unjoined(struct flush *f, struct run_work *work,
				   const struct ingest_batch *b)
{
	struct writer *w = flush_make_writer(f, work, b);

	w->label = b->label;
	w->role = (int16_t)b->role;
	w->attempt = work->run->attempt;
	w->info = STR("{}");
	w->heard_at = f->state.now;
	return w;
}

void flush_unmake_writer(struct flush *f, struct run_work *work)
{
	work->run->next_writer = f->new_writers[--f->new_writer_count].writer;
}

/* ---- when it is committed ------------------------------------------------------------------------ */

static void advance_runs(const struct flush *f)
{
	for (size_t i = 0; i < f->run_count; i++) {
		const struct run_work *work = &f->runs[i];

		writer_cache_advance(f->known, work->run,
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
