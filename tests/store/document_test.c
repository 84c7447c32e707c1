/* The job that writes searched documents: no noted change is lost, no run holds up another. */
#include <string.h>

#include "document_store.h"
#include "scene.h"

enum { MANY = 450 };

static int setup(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "delete from run_change");
	scene_sql(s, "delete from run_document");
	return scene_setup(state);
}

/* The job resets its arena: it has one of its own here, as in the server. */
static err_t pass(struct scene *s, struct arena *a)
{
	int64_t again_us;
	err_t e;

	s->job.arena = a;
	db_set_arena(s->db, a);
	e = document_pass(&s->job, &again_us);
	db_set_arena(s->db, s->a);
	s->job.arena = s->a;
	return e;
}

static void write_all(struct scene *s)
{
	struct arena *a = arena_new(1 << 16);

	ok(pass(s, a));
	arena_free(a);
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
	write_all(s);
	assert_true(has_document(s, "$.state == \"running\""));
	scene_send(s, "w0", "\"config\":{\"lr\":0.5},\"history\":[{\"loss\":2}]");
	assert_int_equal(count(s, "run_change"), 1);
	write_all(s);
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
	write_all(s);
	assert_true(has_document(s, "$.config.lr == 2"));
}

/* What comes of rows alone is told by the flusher, not noted. */
static void test_told_runs(void **state)
{
	struct scene *s = *state;
	int64_t limit_us = clock_mono_us() + INT64_C(30000000);

	scene_join(s, "w0", WRITER_PRIMARY);
	write_all(s);
	scene_send(s, "w0", "\"history\":[{\"loss\":7}]");
	assert_int_equal(count(s, "run_change"), 0);
	run_set_add(s->job.to_document,
		    (struct run_set_item){ .run_id = s->run_id, .project_id = s->project_id });
	while (!has_document(s, "$.summary.loss == 7") && clock_mono_us() < limit_us)
		write_all(s);
	assert_true(has_document(s, "$.summary.loss == 7"));
}

static void test_a_deleted_run(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "update run_hot set deleted_at = now() where run_id = %lld",
		  (long long)s->run_id);
	write_all(s);
	assert_int_equal(count(s, "run_change"), 0);
	assert_int_equal(count(s, "run_document"), 0);
}

static void test_many(void **state)
{
	struct scene *s = *state;

	for (int i = 1; i < MANY; i++)
		scene_new_run(s);
	write_all(s);
	assert_int_equal(count(s, "run_change"), 0);
	assert_int_equal(count(s, "run_document"), MANY);
}

/* A document that cannot be written is said, and tried again; the others do not wait for it. */
static void test_one_that_fails(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1 << 16);

	for (int i = 0; i < 5; i++)
		scene_new_run(s);
	scene_sql(s, "create or replace function broken() returns trigger language plpgsql "
		     "as 'begin raise exception ''broken''; end'");
	scene_sql(s,
		  "create trigger broken before insert on run_document for each row "
		  "when (new.run_id = %lld) execute function broken()",
		  (long long)s->run_id);
	assert_non_null(pass(s, a));
	assert_int_equal(count(s, "run_document"), 5);
	assert_int_equal(count(s, "run_change"), 1);
	scene_sql(s, "drop trigger broken on run_document");
	ok(pass(s, a));
	assert_int_equal(count(s, "run_document"), 6);
	assert_int_equal(count(s, "run_change"), 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_change_is_searched, setup),
		cmocka_unit_test_setup(test_a_newer_note_stays, setup),
		cmocka_unit_test_setup(test_told_runs, setup),
		cmocka_unit_test_setup(test_a_deleted_run, setup),
		cmocka_unit_test_setup(test_many, setup),
		cmocka_unit_test_setup(test_one_that_fails, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
