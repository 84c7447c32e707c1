/* The job that writes searched documents: no noted change is lost, no run holds up another. */
#include <pthread.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "deletion_store.h"
#include "document_store.h"
#include "scene.h"

enum { PUT_OFF_S = 60, TOLD_EVERY_US = 1000 * 1000, HEARD_EVERY_US = 10 * 1000 * 1000, MANY = 450 };

/* Nothing waits but the test's own run, which is noted because it was made. */
static int setup(void **state)
{
	struct scene *s = *state;
	struct run_set_item item;

	scene_sql(s, "truncate run_change, run_document");
	while (run_set_take(s->job.to_document, 0, &item) || run_set_take(s->job.to_hear, 0, &item))
		;
	s->job.seldom_us = s->job.rare_us = 0;
	s->job.done = 0;
	return scene_setup(state);
}

static void pass(struct scene *s)
{
	int64_t again_us;

	ok(document_pass(&s->job, &again_us));
}

static bool is_written(struct scene *s, int64_t run_id)
{
	return scene_number(s, "select count(*) as number from run_document where run_id = %lld",
			    (long long)run_id) == 1;
}

static int64_t count(struct scene *s, const char *from)
{
	return scene_number(s, "select count(*) as number from %s", from);
}

static bool has_document(struct scene *s, const char *jsonpath)
{
	return scene_number(s,
			    "select count(*) as number from run_document where run_id = %lld and "
			    "document @@ '%s'",
			    (long long)s->run_id, jsonpath) == 1;
}

static void test_a_change_is_searched(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	pass(s);
	assert_true(has_document(s, "$.state == \"running\""));
	scene_send(s, "w0", "\"config\":{\"lr\":0.5},\"history\":[{\"loss\":2}]");
	assert_int_equal(count(s, "run_change"), 1);
	pass(s);
	assert_int_equal(count(s, "run_change"), 0);
	assert_true(has_document(s, "$.config.lr == 0.5 && $.summary.loss == 2"));
}

/* A change that comes while the document is written is not done with it. */
static void test_a_newer_note_stays(void **state)
{
	struct scene *s = *state;
	struct run run;
	struct run_note note;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"config\":{\"lr\":1}");
	run = scene_run(s);
	note = (struct run_note){ run.run_id, run.project_id, run.document_seq };
	scene_send(s, "w0", "\"config\":{\"lr\":2}");
	ok(run_store_note_done(s->db, &note));
	assert_int_equal(count(s, "run_change"), 1);
	pass(s);
	assert_true(has_document(s, "$.config.lr == 2"));
}

static void test_a_deleted_run(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "update run_hot set deleted_at = now() where run_id = %lld",
		  (long long)s->run_id);
	pass(s);
	assert_int_equal(count(s, "run_change"), 0);
	assert_int_equal(count(s, "run_document"), 0);
}

static void test_many(void **state)
{
	struct scene *s = *state;

	for (int i = 1; i < MANY; i++)
		scene_new_run(s);
	pass(s);
	assert_int_equal(count(s, "run_change"), 0);
	assert_int_equal(count(s, "run_document"), MANY);
}

/* ---- failures --------------------------------------------------------------------------------------- */

/* PostgreSQL refuses the run's document until spoil_end(). */
static void spoil(struct scene *s, int64_t run_id)
{
	scene_sql(s, "create function refuse() returns trigger language plpgsql as "
		     "$$ begin raise 'refused'; end $$");
	scene_sql(s,
		  "create trigger refuse before insert on run_document for each row "
		  "when (new.run_id = %lld) execute function refuse()",
		  (long long)run_id);
}

static void spoil_end(struct scene *s)
{
	scene_sql(s, "drop function refuse cascade");
}

static void test_one_that_fails_is_passed_over(void **state)
{
	struct scene *s = *state;
	int64_t bad = s->run_id;
	int64_t later = scene_new_run(s);

	spoil(s, bad);
	pass(s);
	spoil_end(s);
	assert_false(is_written(s, bad));
	assert_true(is_written(s, later));
	assert_int_equal(count(s, "run_change"), 1);
}

/* It is tried again, but not at every pass. */
static void test_one_that_failed_comes_again(void **state)
{
	struct scene *s = *state;

	spoil(s, s->run_id);
	pass(s);
	spoil_end(s);
	pass(s);
	assert_false(is_written(s, s->run_id));
	scene_shift_clock(s, PUT_OFF_S + 1);
	pass(s);
	assert_true(is_written(s, s->run_id));
	assert_int_equal(count(s, "run_change"), 0);
}

static struct run_set_item told_run(const struct scene *s)
{
	return (struct run_set_item){ .run_id = s->run_id, .project_id = s->project_id };
}

static void tell(struct scene *s)
{
	run_set_add(s->job.to_document, told_run(s));
}

/* Those that were only heard have theirs later, with rows or without. */
static void test_heard_runs_have_their_turn(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "truncate run_change");
	run_set_add(s->job.to_hear, told_run(s));
	pass(s);
	assert_true(is_written(s, s->run_id));
	run_set_add(s->job.to_hear, told_run(s));
	tell(s);
	s->job.seldom_us = clock_mono_us() - TOLD_EVERY_US;
	pass(s);
	assert_int_equal(run_set_count(s->job.to_document), 0);
	assert_int_equal(run_set_count(s->job.to_hear), 1);
	s->job.rare_us = clock_mono_us() - HEARD_EVERY_US;
	s->job.seldom_us = clock_mono_us() - TOLD_EVERY_US;
	pass(s);
	assert_int_equal(run_set_count(s->job.to_hear), 0);
	assert_int_equal(s->job.done, 3);
}

/* Of many that are due together so many each second, and none that came after them. */
static void test_many_heard_runs_are_written_over_seconds(void **state)
{
	struct scene *s = *state;

	for (int64_t i = 0; i < 250; i++)
		run_set_add(s->job.to_hear, (struct run_set_item){ .run_id = 1 + i });
	pass(s);
	assert_int_equal(run_set_count(s->job.to_hear), 50);
	for (int64_t i = 0; i < 30; i++)
		run_set_add(s->job.to_hear, (struct run_set_item){ .run_id = 1000 + i });
	pass(s);
	assert_int_equal(run_set_count(s->job.to_hear), 80);
	s->job.seldom_us = clock_mono_us() - TOLD_EVERY_US;
	pass(s);
	assert_int_equal(run_set_count(s->job.to_hear), 30);
	s->job.seldom_us = clock_mono_us() - TOLD_EVERY_US;
	pass(s);
	assert_int_equal(run_set_count(s->job.to_hear), 30);
}

/* Runs that only got rows have their turn every second, whenever the passes begin. */
static void test_told_runs_have_their_turn(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "truncate run_change");
	tell(s);
	pass(s);
	assert_true(is_written(s, s->run_id));
	tell(s);
	pass(s);
	assert_int_equal(run_set_count(s->job.to_document), 1);
	s->job.seldom_us = clock_mono_us() - TOLD_EVERY_US;
	pass(s);
	assert_int_equal(run_set_count(s->job.to_document), 0);
	assert_int_equal(s->job.done, 2);
}

static void test_a_told_run_that_fails_is_noted(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "truncate run_change");
	tell(s);
	spoil(s, s->run_id);
	pass(s);
	spoil_end(s);
	assert_int_equal(count(s, "run_change"), 1);
	scene_shift_clock(s, PUT_OFF_S + 1);
	pass(s);
	assert_true(is_written(s, s->run_id));
	assert_int_equal(count(s, "run_change"), 0);
}

/* ---- beside a delete -------------------------------------------------------------------------------- */

struct writing {
	struct job job;
	pthread_t thread;
	_Atomic bool ended;
	err_t failed;
};

static void *write_documents(void *p)
{
	struct writing *w = p;
	int64_t again_us;

	w->failed = document_pass(&w->job, &again_us);
	atomic_store(&w->ended, true);
	return NULL;
}

static void wait_until_it_waits(struct scene *s, struct writing *w)
{
	while (!atomic_load(&w->ended) &&
	       !scene_number(s, "select count(*) as number from pg_locks where not granted"))
		;
}

/* The job read the run before the delete was committed: what is deleted stays deleted. */
static void test_a_delete_takes_the_document_along(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(4096);
	struct db *other = fixture_connect(a);
	struct run_deletion deletion = { RUN_WHO_USER, 0, "deleted", s->clock.now };
	struct run_changes changes = { .count = 0 };
	struct writing w = { .job = s->job };
	struct run *run;

	w.job.arena = a;
	w.job.db = fixture_connect(a);
	ok(db_begin(other, 20000, 0));
	ok(run_store_lock(other, s->run_id, &run));
	run_delete(run, &deletion, s->clock.now, &changes);
	ok(deletion_store_delete_run(other, run, &deletion, &changes));
	pthread_create(&w.thread, NULL, write_documents, &w);
	wait_until_it_waits(s, &w);
	ok(db_commit(other));
	pthread_join(w.thread, NULL);
	ok(w.failed);
	assert_false(is_written(s, s->run_id));
	db_close(other);
	db_close(w.job.db);
	arena_free(a);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

/* A pass over many runs takes no more memory than one of them. */
static void test_memory_is_of_one_run(void **state)
{
	struct scene *s = *state;
	enum { RUNS = 16, BYTES = 1 << 20 };
	struct arena *a = arena_new(4096);
	struct job job = s->job;
	int64_t again_us;

	for (int i = 0; i < RUNS; i++) {
		scene_sql(
			s,
			"insert into run_leaf (run_id, kind, place, path, writer, shared, value) "
			"values (%lld, 1, 'p', 'text', 0, false, '\"' || repeat('x', %d) || '\"')",
			(long long)scene_new_run(s), BYTES);
	}
	job.arena = a;
	job.db = fixture_connect(a);
	ok(document_pass(&job, &again_us));
	assert_int_equal(count(s, "run_change"), 0);
	assert_true(arena_size(a) < BYTES);
	db_close(job.db);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_change_is_searched, setup),
		cmocka_unit_test_setup(test_a_newer_note_stays, setup),
		cmocka_unit_test_setup(test_a_deleted_run, setup),
		cmocka_unit_test_setup(test_many, setup),
		cmocka_unit_test_setup(test_one_that_fails_is_passed_over, setup),
		cmocka_unit_test_setup(test_one_that_failed_comes_again, setup),
		cmocka_unit_test_setup(test_heard_runs_have_their_turn, setup),
		cmocka_unit_test_setup(test_many_heard_runs_are_written_over_seconds, setup),
		cmocka_unit_test_setup(test_told_runs_have_their_turn, setup),
		cmocka_unit_test_setup(test_a_told_run_that_fails_is_noted, setup),
		cmocka_unit_test_setup(test_a_delete_takes_the_document_along, setup),
		cmocka_unit_test_setup(test_memory_is_of_one_run, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
