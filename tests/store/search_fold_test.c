/* Changes that were acknowledged before a query are in its answer, as far as the bounds of the fold allow. */
#include <pthread.h>
#include <string.h>

#include "clock.h"
#include "filter.h"
#include "run_documents.h"
#include "scene.h"
#include "search_parts.h"

enum { LONG_US = 60 * 1000 * 1000, SOME_US = 3 * 1000 * 1000, SHORT_US = 100 * 1000, MANY = 150 };

static struct scene *scene;
static struct search *search;

/* Nothing waits but the test's own run. */
static int setup(void **state)
{
	scene = *state;
	scene_sql(scene, "truncate run_change, run_document, document_count");
	scene_sql(scene, "update run_hot set state = 2 where state in (1, 7)");
	search = search_new(0);
	return scene_setup(state);
}

static int teardown(void **state)
{
	(void)state;
	search_free(search);
	return 0;
}

static struct run_reader reader(struct request *of)
{
	(void)of;
	return (struct run_reader){ scene->db, scene->codec, scene->metrics };
}

static struct search_fold fold_of(struct scene *s)
{
	return (struct search_fold){
		.db = s->db, .reader = reader, .most_us = LONG_US, .most_runs = 1000
	};
}

/* Returns how many runs the filter finds. */
static int64_t found(struct scene *s, const char *filter, struct search_fold *fold)
{
	static struct str path[] = { { "id", 2 } };
	const struct search_page ask = { .order = { path, 1 }, .limit = 10, .counts = true };
	struct search_question q = { .project_id = s->project_id,
				     .sees_private = true,
				     .fold = fold };
	struct search_page_found page;

	ok(filter_parse(s->a, str_of(filter), &q.filter));
	ok(search_page(search, s->db, &q, &ask, &page));
	return page.all;
}

static int64_t now_found(struct scene *s, const char *filter)
{
	struct search_fold fold = fold_of(s);
	int64_t count = found(s, filter, &fold);

	assert_false(fold.is_behind);
	assert_int_equal(fold.behind_us, 0);
	return count;
}

static int64_t count(struct scene *s, const char *from)
{
	return scene_number(s, "select count(*) as number from %s", from);
}

static void a_change_is_in_the_answer(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"config\":{\"lr\":1}");
	assert_int_equal(found(s, "config.lr:1", NULL), 0);
	assert_int_equal(now_found(s, "config.lr:1"), 1);
	assert_int_equal(found(s, "config.lr:1", NULL), 1);
	assert_int_equal(count(s, "run_change"), 0);
	scene_send(s, "w0", "\"config\":{\"lr\":2}");
	assert_int_equal(now_found(s, "config.lr:2"), 1);
}

/* Rows are not noted. */
static void rows_are_in_the_answer(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 1; i <= 3; i++) {
		const char *filter = arena_printf(s->a, "summary.loss:%d", i);

		scene_send(s, "w0", arena_printf(s->a, "\"history\":[{\"loss\":%d}]", i));
		assert_int_equal(now_found(s, filter), 1);
		assert_int_equal(now_found(s, filter), 1);
	}
}

/* A project with nothing new costs one look. */
static void without_changes_nothing_is_folded(void **state)
{
	struct scene *s = *state;
	struct search_project *p = search_take(search, s->project_id);

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"loss\":1}]");
	now_found(s, "");
	assert_int_equal(p->folds, 1);
	assert_int_equal(p->folds_done, 1);
	assert_true(p->has_folded);
	for (int i = 0; i < 3; i++)
		now_found(s, "");
	assert_int_equal(p->folds, 1);
	scene_send(s, "w0", "\"history\":[{\"loss\":2}]");
	now_found(s, "");
	assert_int_equal(p->folds, 2);
	search_give(search, p);
}

static void new_runs(struct scene *s, int count)
{
	for (int i = 0; i < count; i++)
		scene_new_run(s);
}

static void many_runs_are_folded_in_batches(void **state)
{
	struct scene *s = *state;

	new_runs(s, MANY - 1);
	assert_int_equal(now_found(s, ""), MANY);
	assert_int_equal(count(s, "run_change"), 0);
}

static void a_fold_writes_at_most_so_many_runs(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);

	new_runs(s, MANY - 1);
	fold.most_runs = 100;
	scene_sql(s, "update run_hot set state = 2 where state = 1");
	scene_sql(s, "update run_change set noted_at = noted_at - interval '1 hour'");
	assert_int_equal(found(s, "", &fold), 100);
	assert_true(fold.is_behind);
	assert_in_range(fold.behind_us, INT64_C(3600000000), INT64_C(3700000000));
	fold = fold_of(s);
	fold.most_runs = MANY - 100;
	assert_int_equal(found(s, "", &fold), MANY);
	assert_false(fold.is_behind);
}

static void a_fold_takes_at_most_so_long(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);

	fold.most_us = 0;
	assert_int_equal(found(s, "", &fold), 0);
	assert_true(fold.is_behind);
	assert_int_equal(now_found(s, ""), 1);
}

/* The other run is in the answer all the same; then the lock is waited for. */
static void a_run_that_is_locked_comes_last(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);
	struct db *other = fixture_connect(s->a);
	struct db *own = s->db;

	scene_new_run(s);
	s->db = other;
	ok(db_begin(s->db, LONG_US / 1000, 0));
	scene_sql(s, "select run_id from run_hot where run_id = %lld for update",
		  (long long)s->run_id);
	s->db = own;
	fold.most_us = SOME_US;
	assert_int_equal(found(s, "", &fold), 1);
	assert_true(fold.is_behind);
	db_rollback(other);
	assert_int_equal(now_found(s, ""), 2);
	db_close(other);
}

/* Holds the lock of a run until a fold waits for it, or has ended. */
struct holder {
	pthread_t thread;
	struct scene scene;
	_Atomic bool holds;
	_Atomic bool ended;
};

static void *hold(void *p)
{
	struct holder *h = p;

	ok(db_begin(h->scene.db, LONG_US / 1000, 0));
	scene_sql(&h->scene, "select run_id from run_hot where run_id = %lld for update",
		  (long long)h->scene.run_id);
	atomic_store(&h->holds, true);
	while (!atomic_load(&h->ended) && !count(&h->scene, "pg_locks where not granted"))
		sched_yield();
	db_rollback(h->scene.db);
	return NULL;
}

static void a_fold_waits_for_locks_while_it_has_time(void **state)
{
	struct scene *s = *state;
	struct holder h = { .scene = *s };

	scene_new_run(s);
	h.scene.a = arena_new(1 << 16);
	h.scene.db = fixture_connect(h.scene.a);
	pthread_create(&h.thread, NULL, hold, &h);
	while (!atomic_load(&h.holds))
		sched_yield();
	assert_int_equal(now_found(s, ""), 2);
	atomic_store(&h.ended, true);
	pthread_join(h.thread, NULL);
	db_close(h.scene.db);
	arena_free(h.scene.a);
}

/* They are not a part of the answer, so it does not lack them. */
static void runs_that_left_the_project_are_not_missed(void **state)
{
	struct scene *s = *state;
	int64_t moved = scene_new_run(s);

	scene_new_run(s);
	scene_sql(s, "update run_hot set deleted_at = now() where run_id = %lld",
		  (long long)s->run_id);
	scene_sql(s, "update run_hot set project_id = project_id + 1 where run_id = %lld",
		  (long long)moved);
	assert_int_equal(now_found(s, ""), 1);
	scene_sql(s, "update run_hot set project_id = project_id - 1 where run_id = %lld",
		  (long long)moved);
}

/* The job tries it again later; until then answers are as old as it. */
static void a_run_that_is_put_off_is_left_out(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);
	struct search_project *p = search_take(search, s->project_id);

	scene_new_run(s);
	scene_sql(
		s,
		"update run_change set not_before = now() + interval '1 hour', noted_at = noted_at - "
		"interval '10 s' where run_id = %lld",
		(long long)s->run_id);
	assert_int_equal(found(s, "", &fold), 1);
	assert_true(fold.is_behind);
	assert_in_range(fold.behind_us, 10000000, 60000000);
	assert_false(p->has_folded); /* the run may have rows */
	scene_sql(s, "update run_hot set state = 2 where run_id = %lld", (long long)s->run_id);
	assert_int_equal(found(s, "", &fold), 1);
	assert_true(p->has_folded);
	assert_int_equal(count(s, "run_change"), 1);
	search_give(search, p);
}

/* A running run without a document has no time since when it is missed, but that of its note. */
static void a_running_run_without_a_document_is_as_old_as_its_note(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"loss\":1}]");
	scene_sql(s, "update run_change set noted_at = noted_at - interval '10 s'");
	fold.most_us = 0;
	found(s, "", &fold);
	assert_true(fold.is_behind);
	assert_in_range(fold.behind_us, 10000000, 60000000);
}

/* Its document has all until it was read. */
static void a_run_with_new_rows_is_as_old_as_its_document(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"loss\":1}]");
	now_found(s, "");
	scene_sql(s, "update run_document set read_at = read_at - interval '20 s'");
	scene_send(s, "w0", "\"history\":[{\"loss\":2}]");
	fold.most_us = 0;
	assert_int_equal(found(s, "summary.loss:1", &fold), 1);
	assert_true(fold.is_behind);
	assert_in_range(fold.behind_us, 20000000, 70000000);
}

/* A replica is such a connection. */
static void queries_of_another_connection_are_not_folded(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);

	fold.db = NULL;
	assert_int_equal(found(s, "", &fold), 0);
	assert_false(fold.is_behind);
}

static void folding_without_an_answer_writes_documents(void **state)
{
	struct scene *s = *state;
	struct search_fold fold = fold_of(s);
	const struct search_question q = { .project_id = s->project_id, .fold = &fold };

	ok(search_fold_now(search, s->db, &q));
	assert_int_equal(found(s, "", NULL), 1);
}

/* ---- several queries at once --------------------------------------------------------------------- */

struct query {
	pthread_t thread;
	struct arena *a;
	struct db *db;
	struct search_fold fold;
	err_t error;
};

static void *run_query(void *p)
{
	struct query *query = p;
	const struct search_question q = { .project_id = scene->project_id, .fold = &query->fold };

	query->error = search_fold_now(search, query->db, &q);
	return NULL;
}

static void begin(struct query *query, struct scene *s, int64_t most_us)
{
	query->a = arena_new(4096);
	query->db = fixture_connect(query->a);
	query->fold = fold_of(s);
	query->fold.db = query->db;
	query->fold.most_us = most_us;
	pthread_create(&query->thread, NULL, run_query, query);
}

static void end(struct query *query)
{
	pthread_join(query->thread, NULL);
	ok(query->error);
	db_close(query->db);
	arena_free(query->a);
}

/* A fold seems to run: the queries that come wait for the next one, which one of them does. */
static void queries_that_wait_share_the_next_fold(void **state)
{
	struct scene *s = *state;
	struct search_project *p = search_take(search, s->project_id);
	struct query queries[2];

	pthread_mutex_lock(&search->lock);
	p->is_folding = true;
	p->folds = 1;
	pthread_mutex_unlock(&search->lock);
	for (size_t i = 0; i < 2; i++)
		begin(&queries[i], s, LONG_US);
	pthread_mutex_lock(&search->lock);
	while (p->holders < 3) {
		pthread_mutex_unlock(&search->lock);
		sched_yield();
		pthread_mutex_lock(&search->lock);
	}
	p->is_folding = false;
	p->folds_done = 1;
	pthread_cond_broadcast(&search->folded);
	pthread_mutex_unlock(&search->lock);
	for (size_t i = 0; i < 2; i++) {
		end(&queries[i]);
		assert_false(queries[i].fold.is_behind);
	}
	assert_in_range(p->folds, 2, 3);
	assert_int_equal(p->folds_done, p->folds);
	assert_false(p->is_folding);
	assert_int_equal(found(s, "", NULL), 1);
	search_give(search, p);
}

/* It answers with what is in documents, and says how old that is. */
static void a_query_does_not_wait_for_a_fold_beyond_its_time(void **state)
{
	struct scene *s = *state;
	struct search_project *p = search_take(search, s->project_id);
	struct query query;

	p->is_folding = true;
	p->folds = 1;
	begin(&query, s, SHORT_US);
	end(&query);
	assert_true(query.fold.is_behind);
	assert_int_equal(p->folds, 1);
	assert_true(p->is_folding);
	p->is_folding = false;
	search_give(search, p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_is_in_the_answer),
		TEST(rows_are_in_the_answer),
		TEST(without_changes_nothing_is_folded),
		TEST(many_runs_are_folded_in_batches),
		TEST(a_fold_writes_at_most_so_many_runs),
		TEST(a_fold_takes_at_most_so_long),
		TEST(a_run_that_is_locked_comes_last),
		TEST(a_fold_waits_for_locks_while_it_has_time),
		TEST(runs_that_left_the_project_are_not_missed),
		TEST(a_run_that_is_put_off_is_left_out),
		TEST(a_running_run_without_a_document_is_as_old_as_its_note),
		TEST(a_run_with_new_rows_is_as_old_as_its_document),
		TEST(queries_of_another_connection_are_not_folded),
		TEST(folding_without_an_answer_writes_documents),
		TEST(queries_that_wait_share_the_next_fold),
		TEST(a_query_does_not_wait_for_a_fold_beyond_its_time),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
