#include "search.h"

#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "bare_tally.h"
#include "clock.h"
#include "different_tally.h"
#include "fields_tally.h"
#include "search_parts.h"
#include "values_tally.h"

enum {
	TRIES = 3,
	TURN_US = 2 * 1000 * 1000, /* the most that a query waits until its project is loaded */
	VERDICTS_SHARE = 32,       /* of the memory, for the results of expressions on texts */
	WALKS_MAX = 64, /* walks of a filter over columns; then the database is queried */
};

struct search *search_new(size_t memory)
{
	struct search *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	pthread_mutex_init(&s->lock, NULL);
	clock_cond_init(&s->wake);
	clock_cond_init(&s->come);
	clock_cond_init(&s->folded);
	s->results = match_cache_new(memory / VERDICTS_SHARE);
	s->memory = memory - memory / VERDICTS_SHARE;
	return s;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	while (s->projects) {
		struct search_project *next = s->projects->next;

		columns_free(s->projects->columns);
		pthread_rwlock_destroy(&s->projects->lock);
		free(s->projects);
		s->projects = next;
	}
	match_cache_free(s->results);
	pthread_cond_destroy(&s->folded);
	pthread_cond_destroy(&s->come);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void search_close(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	s->is_closed = true;
	pthread_cond_broadcast(&s->wake);
	pthread_cond_broadcast(&s->come);
	pthread_mutex_unlock(&s->lock);
}

void search_wait(struct search *s, int64_t us)
{
	const struct timespec until = clock_timespec(clock_mono_us() + us);

	pthread_mutex_lock(&s->lock);
	s->is_followed = s->memory > 0;
	while (!s->is_closed && !s->is_wanted) {
		if (pthread_cond_timedwait(&s->wake, &s->lock, &until))
			break;
	}
	s->is_wanted = false;
	pthread_mutex_unlock(&s->lock);
}

/* ---- projects ------------------------------------------------------------------------------------ */

/* A waiting writer goes before later readers: columns never fall behind because of queries. */
static struct search_project *project_new(int64_t project_id)
{
	struct search_project *p = calloc(1, sizeof(*p));
	pthread_rwlockattr_t attr;

	if (!p)
		abort();
	p->project_id = project_id;
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&p->lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	return p;
}

struct search_project *search_take(struct search *s, int64_t project_id)
{
	struct search_project *p;

	pthread_mutex_lock(&s->lock);
	for (p = s->projects; p && p->project_id != project_id;)
		p = p->next;
	if (!p) {
		p = project_new(project_id);
		p->next = s->projects;
		s->projects = p;
	}
	p->used_us = clock_mono_us();
	p->holders++;
	pthread_mutex_unlock(&s->lock);
	return p;
}

/*
 * Requests columns if there are none. After the query is answered, not before: loading them takes a
 * processor of the server and one of the database, which are better used for the waiting client.
 */
static void want_columns(struct search *s, struct search_project *p)
{
	int64_t now_us = clock_mono_us();

	pthread_mutex_lock(&s->lock);
	if (!p->wanted && !atomic_load(&p->bytes) && now_us >= p->not_before_us) {
		p->wanted = true;
		s->is_wanted = true;
		pthread_cond_broadcast(&s->wake);
	}
	pthread_mutex_unlock(&s->lock);
}

static bool may_come(const struct search *s, struct search_project *p)
{
	return s->is_followed && !s->is_closed && p->wanted && !atomic_load(&p->bytes);
}

/*
 * Counting over all documents takes as long as loading them: a query that comes while they are
 * loaded, or is the first, waits for the columns, so that they are read once for all queries. A
 * query does not wait long for the loading of other projects.
 */
static void await_columns(struct search *s, struct search_project *p, int64_t deadline_us)
{
	const int64_t turn_us = clock_mono_us() + TURN_US;

	want_columns(s, p);
	pthread_mutex_lock(&s->lock);
	while (may_come(s, p)) {
		const int64_t until_us = s->loading == p && deadline_us ? deadline_us : turn_us;
		const struct timespec until = clock_timespec(until_us);

		if (clock_mono_us() >= until_us)
			break;
		pthread_cond_timedwait(&s->come, &s->lock, &until);
	}
	pthread_mutex_unlock(&s->lock);
}

void search_give(struct search *s, struct search_project *p)
{
	pthread_mutex_lock(&s->lock);
	p->holders--;
	pthread_mutex_unlock(&s->lock);
}

/* ---- by columns, if they can be had at once ------------------------------------------------------- */

static err_t count_now(struct db *db, int64_t project_id, struct search_count_row *ret_now)
{
	struct search_count_row *rows;
	size_t count;
	err_t e = search_store_counts(db, &project_id, 1, &rows, &count);

	if (!e)
		*ret_now = count ? rows[0] : (struct search_count_row){ .project_id = project_id };
	return e;
}

/* The state of one query. */
struct asking {
	struct search *search;
	struct db *db;
	const struct search_question *question;
	struct search_project *project;
	struct patterns *patterns;
	struct match_results *results;
	bool is_counted; /* the project's changes, when the query began */
	struct search_count_row now;
};

/* Returns with the read lock held if *ret_columns is not NULL: columns with all changes so far. */
static err_t begin_read(struct asking *k, struct columns **ret_columns)
{
	struct search_project *p = k->project;

	*ret_columns = NULL;
	if (!atomic_load(&p->bytes))
		return NULL;
	for (int i = 0; i < TRIES; i++) {
		int64_t behind;
		err_t e = k->is_counted ? NULL : count_now(k->db, p->project_id, &k->now);

		if (e)
			return e;
		k->is_counted = true;
		pthread_rwlock_rdlock(&p->lock);
		*ret_columns = p->columns;
		behind = k->now.change - p->change;
		if (p->columns && behind <= 0)
			return NULL;
		*ret_columns = NULL;
		pthread_rwlock_unlock(&p->lock);
		if (behind > SEARCH_INLINE_MAX)
			return NULL;
		e = search_catch_up(k->db, p, &k->now, SEARCH_INLINE_MAX);
		if (e)
			return e;
	}
	return NULL;
}

/*
 * Returns with the read lock held if *ret_columns is not NULL, and the rows that match. The
 * filter's expressions are matched without it, and the filter is walked again, until there are no
 * texts that it has not seen.
 */
static err_t find_rows(struct asking *k, struct columns **ret_columns, struct bits *ret_rows)
{
	struct arena *a = db_arena(k->db);

	for (int i = 0; i < WALKS_MAX; i++) {
		err_t e = begin_read(k, ret_columns);

		if (e || !*ret_columns)
			return e;
		match_results_begin(k->results, *ret_columns);
		*ret_rows = search_found_rows(a, *ret_columns, k->question, k->results);
		if (match_results_are_known(k->results))
			return NULL;
		*ret_columns = NULL;
		pthread_rwlock_unlock(&k->project->lock);
		e = match_results_find(k->results);
		if (e)
			return e;
	}
	return NULL;
}

/* A page, groups, or a count: the request, and the place of its answer. */
struct asked {
	struct tally *tally;
	const struct search_page *page;
	const struct search_groups *groups;
	struct search_page_found *ret_page;
	struct search_groups_found *ret_groups;
};

static err_t answer_by_columns(struct db *db, const struct columns *c, struct bits rows,
			       const struct asked *asked)
{
	if (asked->tally)
		return search_count(db, asked->tally, c, rows);
	if (asked->page)
		columns_page(db_arena(db), c, rows, asked->page, asked->ret_page);
	else
		columns_groups(db_arena(db), c, rows, asked->groups, asked->ret_groups);
	return NULL;
}

static err_t answer_by_sql(const struct asking *k, const struct asked *asked)
{
	if (asked->tally)
		return search_windows(k->db, k->question, k->results, asked->tally);
	if (asked->page && asked->page->more_count)
		return search_sql_page_of_several(k->db, k->question, k->patterns, asked->page,
						  asked->ret_page);
	if (asked->page)
		return search_sql_page(k->db, k->question, k->patterns, asked->page,
				       asked->ret_page);
	return search_sql_groups(k->db, k->question, k->patterns, asked->groups, asked->ret_groups);
}

static err_t answer(struct asking *k, const struct asked *asked)
{
	struct columns *columns;
	struct bits rows;
	err_t e = find_rows(k, &columns, &rows);

	if (e)
		return e;
	atomic_fetch_add(columns ? &k->search->by_columns : &k->search->by_sql, 1);
	if (!columns)
		return answer_by_sql(k, asked);
	e = answer_by_columns(k->db, columns, rows, asked);
	pthread_rwlock_unlock(&k->project->lock);
	match_results_keep(k->results);
	return e;
}

static err_t ask(struct search *s, struct db *db, const struct search_question *q,
		 const struct asked *asked)
{
	struct asking k = { .search = s, .db = db, .question = q };
	err_t e = patterns_new(db_arena(db), q->filter, q->deadline_us, &k.patterns);

	if (e)
		return e;
	k.results = match_results_new(db_arena(db), k.patterns, s->results);
	k.project = search_take(s, q->project_id);
	e = search_fold(s, db, k.project, q, &k.now, &k.is_counted);
	if (!e && asked->tally)
		await_columns(s, k.project, q->deadline_us);
	if (!e)
		e = answer(&k, asked);
	want_columns(s, k.project);
	search_give(s, k.project);
	return e;
}

err_t search_fold_now(struct search *s, struct db *db, const struct search_question *q)
{
	struct search_project *p = search_take(s, q->project_id);
	struct search_count_row now;
	bool is_counted;
	err_t e = search_fold(s, db, p, q, &now, &is_counted);

	search_give(s, p);
	return e;
}

err_t search_page(struct search *s, struct db *db, const struct search_question *q,
		  const struct search_page *page, struct search_page_found *ret_found)
{
	return ask(s, db, q, &(struct asked){ .page = page, .ret_page = ret_found });
}

err_t search_groups(struct search *s, struct db *db, const struct search_question *q,
		    const struct search_groups *groups, struct search_groups_found *ret_found)
{
	return ask(s, db, q, &(struct asked){ .groups = groups, .ret_groups = ret_found });
}

err_t search_fields(struct search *s, struct db *db, const struct search_question *q,
		    const struct search_fields *fields, struct search_fields_found *ret_found)
{
	struct fields_tally *t = fields_tally_new(db_arena(db), fields, q->deadline_us);
	err_t e = ask(s, db, q, &(struct asked){ .tally = &t->tally });

	if (!e)
		fields_tally_end(t, ret_found);
	return e;
}

err_t search_bare(struct search *s, struct db *db, const struct search_question *q,
		  struct filter_bare *bare)
{
	static const struct filter_node all = { .op = FILTER_AND };
	struct bare_tally t = bare_tally_of(bare, q->deadline_us);
	struct search_question of_all = *q;
	err_t e;

	of_all.filter = &all;
	of_all.group_key = (struct filter_path){ 0 };
	e = ask(s, db, &of_all, &(struct asked){ .tally = &t.tally });
	bare->is_known = !e;
	return e;
}

err_t search_field_values(struct search *s, struct db *db, const struct search_question *q,
			  const struct search_field_values *values,
			  struct search_field_values_found *ret_found)
{
	struct values_tally *t = values_tally_new(db_arena(db), values, q->deadline_us);
	err_t e = ask(s, db, q, &(struct asked){ .tally = &t->tally });

	return e ? e : values_tally_end(t, ret_found);
}

err_t search_different(struct search *s, struct db *db, const struct search_question *q,
		       const struct search_different *different,
		       struct search_different_found **ret_found)
{
	struct different_tally *t = different_tally_new(db_arena(db), different, q->deadline_us);
	err_t e = ask(s, db, q, &(struct asked){ .tally = &t->tally });

	return e ? e : different_tally_end(t, ret_found);
}

/* ---- metrics ------------------------------------------------------------------------------------- */

static void write_metric(struct buf *text, const char *name, const char *type, const char *help,
			 unsigned long long value)
{
	buf_printf(text, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, type, name,
		   value);
}

void search_metrics(struct search *s, struct buf *text)
{
	size_t projects = 0;
	size_t bytes = 0;

	pthread_mutex_lock(&s->lock);
	for (const struct search_project *p = s->projects; p; p = p->next) {
		size_t of_project = atomic_load(&p->bytes);

		projects += of_project > 0;
		bytes += of_project;
	}
	pthread_mutex_unlock(&s->lock);
	write_metric(text, "cairn_search_column_projects", "gauge",
		     "Projects held in memory as searchable columns.", projects);
	write_metric(text, "cairn_search_column_bytes", "gauge",
		     "Memory used by searchable columns.", bytes);
	write_metric(text, "cairn_search_by_columns_total", "counter",
		     "Lists, groups and counts of runs answered from columns.",
		     (unsigned long long)atomic_load(&s->by_columns));
	write_metric(text, "cairn_search_by_sql_total", "counter",
		     "Lists, groups and counts of runs answered by the database.",
		     (unsigned long long)atomic_load(&s->by_sql));
}
