/*
 * Loads columns and keeps them up to date with the documents. A project is
 * loaded window by window without a lock; documents that change in between
 * are put in afterwards, by their count, as is all that comes later.
 *
 * To make room, the least recently queried project is dropped. One that was queried a moment ago is
 * not dropped for another, so that two projects of which only one fits do not alternate.
 */
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "search_parts.h"

enum {
	WINDOW_ARENA = 64 << 10,
	IN_USE_US = 60 * 1000 * 1000,
	NO_ROOM_US = 60 * 1000 * 1000,
	TOO_LARGE_US = 600 * 1000 * 1000,
	RECENT_MOST = 16,
	GARBAGE_BYTES = 16 << 20, /* limit of garbage before a project is loaded again */
};

/* The write lock is held. */
static void drop_columns(struct search_project *p)
{
	columns_free(p->columns);
	p->columns = NULL;
	atomic_store(&p->bytes, 0);
}

static struct columns_document document_of(const struct search_document_row *row)
{
	return (struct columns_document){ row->run_id, row->change, row->visibility, row->deleted,
					  row->document };
}

static bool put_all(struct columns *c, const struct search_document_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct columns_document doc = document_of(&rows[i]);

		if (!columns_put(c, &doc))
			return false;
	}
	return true;
}

/* ---- what was changed ---------------------------------------------------------------------------- */

/* Rows come in order of their change; when there are none left, all up to `to` is included. */
static void put_changed(struct search_project *p, const struct search_document_row *rows,
			size_t count, int64_t to)
{
	int64_t reached = count ? rows[count - 1].change : to;

	pthread_rwlock_wrlock(&p->lock);
	if (p->columns && put_all(p->columns, rows, count)) {
		atomic_store(&p->bytes, p->columns->arena.bytes);
		if (reached > p->change)
			p->change = reached;
	} else {
		drop_columns(p);
	}
	pthread_rwlock_unlock(&p->lock);
}

static void drop_locked(struct search_project *p)
{
	pthread_rwlock_wrlock(&p->lock);
	drop_columns(p);
	pthread_rwlock_unlock(&p->lock);
}

err_t search_catch_up(struct db *db, struct search_project *p, const struct search_count_row *now,
		      int64_t limit)
{
	const int64_t to = now->change;
	struct search_document_row *rows;
	int64_t from;
	size_t count;
	err_t e = NULL;

	pthread_rwlock_rdlock(&p->lock);
	from = p->columns ? p->change : to;
	pthread_rwlock_unlock(&p->lock);
	if (from < now->forgotten) {
		drop_locked(p);
		return NULL;
	}
	while (!e && from < to) {
		e = search_store_changed(db, p->project_id, from, limit, &rows, &count);
		if (e)
			return e;
		put_changed(p, rows, count, to);
		from = count ? rows[count - 1].change : to;
		if (count >= (size_t)limit)
			break; /* the next pass goes on */
	}
	return e;
}

/* ---- room ---------------------------------------------------------------------------------------- */

static size_t bytes_of_others(struct search *s, const struct search_project *but)
{
	size_t bytes = 0;

	pthread_mutex_lock(&s->lock);
	for (const struct search_project *p = s->projects; p; p = p->next)
		bytes += p == but ? 0 : atomic_load(&p->bytes);
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

/* The least recently queried project, if that was a while ago; held. */
static struct search_project *take_idle(struct search *s, const struct search_project *but)
{
	int64_t oldest_us = clock_mono_us() - IN_USE_US;
	struct search_project *idle = NULL;

	pthread_mutex_lock(&s->lock);
	for (struct search_project *p = s->projects; p; p = p->next) {
		if (p == but || !atomic_load(&p->bytes) || p->used_us > oldest_us)
			continue;
		oldest_us = p->used_us;
		idle = p;
	}
	if (idle)
		idle->holders++;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

/* False: there is no room for so many bytes of `p`. */
static bool make_room(struct search *s, const struct search_project *p, size_t bytes)
{
	while (bytes_of_others(s, p) + bytes > s->memory) {
		struct search_project *idle = take_idle(s, p);

		if (!idle)
			return false;
		drop_locked(idle);
		search_give(s, idle);
	}
	return true;
}

static void put_off(struct search *s, struct search_project *p, int64_t for_us)
{
	pthread_mutex_lock(&s->lock);
	p->not_before_us = clock_mono_us() + for_us;
	p->wanted = false;
	pthread_cond_broadcast(&s->come);
	pthread_mutex_unlock(&s->lock);
}

/* ---- loading ------------------------------------------------------------------------------------- */

err_t search_load_window(struct db *db, int64_t project_id, struct columns *c, int64_t *after,
			 bool *ret_fits)
{
	struct arena *before = db_arena(db);
	struct arena *own = arena_new(WINDOW_ARENA);
	struct search_document_row *rows;
	size_t count;
	err_t e;

	db_set_arena(db, own);
	e = search_store_load(db, project_id, *after, &rows, &count);
	if (!e) {
		*ret_fits = put_all(c, rows, count);
		*after = count ? rows[count - 1].run_id : *after;
	}
	db_set_arena(db, before);
	e = e ? err_wrap(before, e, "the documents of project %lld", (long long)project_id) : NULL;
	arena_free(own);
	return e;
}

static err_t load_all(struct search *s, struct db *db, struct search_project *p, struct columns *c,
		      const _Atomic bool *stop, int64_t *ret_put_off_us)
{
	int64_t after = INT64_MIN;
	int64_t before;
	bool fits = true;
	err_t e;

	*ret_put_off_us = 0;
	do {
		before = after;
		e = search_load_window(db, p->project_id, c, &after, &fits);
		if (!e && !fits)
			*ret_put_off_us = TOO_LARGE_US;
		else if (!e && !make_room(s, p, c->arena.bytes))
			*ret_put_off_us = NO_ROOM_US;
	} while (!e && !*ret_put_off_us && after != before && !atomic_load(stop));
	return e;
}

static void install(struct search *s, struct search_project *p, struct columns *c, int64_t change)
{
	struct columns *old;

	pthread_rwlock_wrlock(&p->lock);
	old = p->columns;
	p->columns = c;
	p->change = change;
	p->loaded_bytes = c->arena.bytes;
	atomic_store(&p->bytes, c->arena.bytes);
	pthread_rwlock_unlock(&p->lock);
	columns_free(old);
	pthread_mutex_lock(&s->lock);
	p->wanted = false;
	pthread_cond_broadcast(&s->come);
	pthread_mutex_unlock(&s->lock);
}

static void set_loading(struct search *s, const struct search_project *p)
{
	pthread_mutex_lock(&s->lock);
	s->loading = p;
	pthread_cond_broadcast(&s->come);
	pthread_mutex_unlock(&s->lock);
}

static err_t load(struct search *s, struct db *db, struct search_project *p,
		  const _Atomic bool *stop, uint64_t *ret_loaded)
{
	struct columns *c = columns_new(s->memory);
	struct search_count_row *counts;
	int64_t put_off_us = 0;
	size_t count;
	err_t e;

	c->id = atomic_fetch_add(&s->loads, 1) + 1;
	e = search_store_counts(db, &p->project_id, 1, &counts, &count);
	if (!e)
		e = load_all(s, db, p, c, stop, &put_off_us);
	if (e || put_off_us || atomic_load(stop)) {
		columns_free(c);
		if (put_off_us)
			put_off(s, p, put_off_us);
		return e;
	}
	install(s, p, c, count ? counts[0].change : 0);
	(*ret_loaded)++;
	return NULL;
}

static err_t load_wanted(struct search *s, struct db *db, struct search_project *p,
			 const _Atomic bool *stop, uint64_t *ret_loaded)
{
	err_t e;

	set_loading(s, p);
	e = load(s, db, p, stop, ret_loaded);
	set_loading(s, NULL);
	return e;
}

static void set_wanted(struct search *s, struct search_project *p)
{
	pthread_mutex_lock(&s->lock);
	s->is_followed = p->wanted = true;
	pthread_mutex_unlock(&s->lock);
}

/*
 * It was loaded without a query: it makes room for queried ones, and if there was no room for it,
 * that is not a reason to wait.
 */
static void set_unasked(struct search *s, struct search_project *p)
{
	pthread_mutex_lock(&s->lock);
	p->used_us = p->not_before_us = 0;
	pthread_mutex_unlock(&s->lock);
}

static bool is_asked(struct search *s)
{
	bool asked;

	pthread_mutex_lock(&s->lock);
	asked = s->is_wanted;
	pthread_mutex_unlock(&s->lock);
	return asked;
}

static err_t load_unasked(struct search *s, struct db *db, int64_t project_id,
			  const _Atomic bool *stop, uint64_t *ret_loaded)
{
	struct search_project *p = search_take(s, project_id);
	err_t e = NULL;

	if (!atomic_load(&p->bytes)) {
		set_wanted(s, p);
		e = load_wanted(s, db, p, stop, ret_loaded);
		set_unasked(s, p);
	}
	search_give(s, p);
	return e;
}

err_t search_load_recent(struct search *s, struct db *db, const _Atomic bool *stop,
			 uint64_t *ret_loaded)
{
	struct search_recent_row *rows;
	size_t count = 0;
	err_t e = s->memory ? search_store_recent(db, RECENT_MOST, &rows, &count) : NULL;

	*ret_loaded = 0;
	for (size_t i = 0; i < count && !e && *ret_loaded == i && !is_asked(s); i++)
		e = load_unasked(s, db, rows[i].project_id, stop, ret_loaded);
	return e;
}

/* ---- one pass ------------------------------------------------------------------------------------ */

struct held {
	struct search_project **at;
	int64_t *ids;
	size_t count;
};

/* Projects that are not held, not wanted and have no columns are dropped on the way. */
static struct held hold_all(struct search *s, struct arena *a)
{
	struct search_project **link = &s->projects;
	struct held held = { 0 };
	size_t count = 0;

	pthread_mutex_lock(&s->lock);
	while (*link) {
		struct search_project *p = *link;

		if (p->holders || p->wanted || atomic_load(&p->bytes) ||
		    p->not_before_us > clock_mono_us()) {
			link = &p->next;
			count++;
			continue;
		}
		*link = p->next;
		pthread_rwlock_destroy(&p->lock);
		free(p);
	}
	held.at = arena_new_array(a, struct search_project *, count + 1);
	held.ids = arena_new_array(a, int64_t, count + 1);
	for (struct search_project *p = s->projects; p; p = p->next) {
		p->holders++;
		held.ids[held.count] = p->project_id;
		held.at[held.count++] = p;
	}
	pthread_mutex_unlock(&s->lock);
	return held;
}

static struct search_project *find_held(const struct held *held, int64_t project_id)
{
	for (size_t i = 0; i < held->count; i++) {
		if (held->ids[i] == project_id)
			return held->at[i];
	}
	abort(); /* the database returns only those that were asked for */
}

static bool is_wanted(struct search *s, const struct search_project *p)
{
	size_t bytes = atomic_load(&p->bytes);
	bool wanted;

	pthread_mutex_lock(&s->lock);
	wanted = p->wanted || (bytes && bytes > 2 * p->loaded_bytes + GARBAGE_BYTES);
	pthread_mutex_unlock(&s->lock);
	return wanted;
}

static err_t follow_all(struct search *s, struct db *db, const struct held *held,
			const _Atomic bool *stop, uint64_t *ret_loaded)
{
	struct search_count_row *counts;
	size_t count;
	err_t e = NULL;

	for (size_t i = 0; i < held->count && !e && !atomic_load(stop); i++) {
		if (is_wanted(s, held->at[i]))
			e = load_wanted(s, db, held->at[i], stop, ret_loaded);
	}
	if (!e)
		e = search_store_counts(db, held->ids, held->count, &counts, &count);
	for (size_t i = 0; !e && i < count && !atomic_load(stop); i++) {
		struct search_project *p = find_held(held, counts[i].project_id);

		if (!atomic_load(&p->bytes))
			continue;
		e = search_catch_up(db, p, &counts[i], SEARCH_STEP);
		if (!e && !make_room(s, p, atomic_load(&p->bytes))) {
			drop_locked(p);
			put_off(s, p, NO_ROOM_US);
		}
	}
	return e;
}

err_t search_follow(struct search *s, struct db *db, const _Atomic bool *stop, uint64_t *ret_loaded)
{
	struct held held;
	err_t e;

	*ret_loaded = 0;
	if (!s->memory)
		return NULL;
	held = hold_all(s, db_arena(db));
	e = held.count ? follow_all(s, db, &held, stop, ret_loaded) : NULL;
	for (size_t i = 0; i < held.count; i++)
		search_give(s, held.at[i]);
	return e;
}
