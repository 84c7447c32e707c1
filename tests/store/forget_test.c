/*
 * Answers to an Idempotency-Key, kept for a week, and drafts of views, for 90 days and so many of one user: then
 * forgotten in portions.
 */
#include "scene.h"
#include "view.h"

enum { DAY_S = 24 * 3600, MANY = 2500 };

static int setup(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "truncate run_idempotency");
	s->job.done = 0;
	return scene_setup(state);
}

static void pass(struct scene *s)
{
	int64_t again_us;

	ok(forget_pass(&s->job, &again_us));
	assert_true(again_us > 0);
}

static int64_t count(struct scene *s)
{
	return scene_number(s, "select count(*) as number from run_idempotency");
}

static void send(struct scene *s, const char *key)
{
	struct ingest_batch *batch = scene_rows_by_hand(s, "ann", key, "{\"loss\":1}");

	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
}

static void test_an_answer_is_kept_for_a_week(void **state)
{
	struct scene *s = *state;

	send(s, "monday");
	scene_shift_clock(s, 6 * DAY_S);
	send(s, "sunday");
	pass(s);
	assert_int_equal(count(s), 2);
	send(s, "monday");
	assert_int_equal(scene_run(s).next_row, 2);
	scene_shift_clock(s, DAY_S + 1);
	pass(s);
	assert_int_equal(count(s), 1);
	assert_int_equal(s->job.done, 1);
	send(s, "sunday");
	assert_int_equal(scene_run(s).next_row, 2);
	send(s, "monday");
	assert_int_equal(scene_run(s).next_row, 3);
}

static void test_many_are_forgotten_in_one_pass(void **state)
{
	struct scene *s = *state;

	scene_sql(s,
		  "insert into run_idempotency (run_id, key, digest, row_first, row_count, "
		  "created_at) select %lld, i::text, 'x', i, 1, now() - interval '8 days' "
		  "from generate_series(1, %d) i",
		  (long long)s->run_id, MANY);
	pass(s);
	assert_int_equal(count(s), 0);
	assert_int_equal(s->job.done, MANY);
}

/* In each of so many projects, of user 1; those of one age are as old in all. */
static void save_drafts(struct scene *s, int projects, const char *age, int count)
{
	scene_sql(s,
		  "insert into project_view (project_id, id, kind, name, owner_id, state, version, "
		  "created_at, changed_at, changed_by) select p, '%s' || i, 4, '', 1, '{}', 1, "
		  "now() - interval '%s', now(), 1 from generate_series(1, %d) p, "
		  "generate_series(1, %d) i",
		  age, age, projects, count);
}

static void save_views(struct scene *s, int kind, const char *age, int count)
{
	scene_sql(s,
		  "insert into project_view (project_id, id, kind, name, owner_id, state, version, "
		  "created_at, changed_at, changed_by) select %lld, '%d ' || '%s' || i, %d, '', 1, "
		  "'{}', 1, now() - interval '%s', now(), 1 from generate_series(1, %d) i",
		  (long long)s->project_id, kind, age, kind, age, count);
}

static void test_drafts_of_views_are_forgotten(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "delete from project_view");
	save_views(s, 4, "91 days", MANY);
	save_views(s, 4, "89 days", 2);
	save_views(s, 2, "91 days", 3);
	pass(s);
	assert_int_equal(
		scene_number(s, "select count(*) as number from project_view where kind = 4"), 2);
	assert_int_equal(
		scene_number(s, "select count(*) as number from project_view where kind = 2"), 3);
	assert_int_equal(s->job.done, 0);
}

static void test_of_one_user_the_last_drafts_are_kept(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "delete from project_view");
	save_drafts(s, 9, "2 days", 1);
	save_drafts(s, VIEW_DRAFT_USER_MAX / 100, "1 day", 99);
	save_drafts(s, 1, "3 days", 1);
	pass(s);
	assert_int_equal(scene_number(s, "select count(*) as number from project_view"),
			 VIEW_DRAFT_USER_MAX);
	save_drafts(s, 20, "1 hour", 100);
	scene_sql(
		s,
		"update project_view set owner_id = 2 where created_at < now() - interval '36 hours'");
	pass(s);
	assert_int_equal(
		scene_number(s, "select count(*) as number from project_view where owner_id = 1"),
		VIEW_DRAFT_USER_MAX);
	assert_int_equal(
		scene_number(s, "select count(*) as number from project_view where owner_id = 1 "
				"and created_at < now() - interval '2 hours'"),
		0);
	assert_int_equal(
		scene_number(s, "select count(*) as number from project_view where owner_id = 2"),
		10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_an_answer_is_kept_for_a_week, setup),
		cmocka_unit_test_setup(test_many_are_forgotten_in_one_pass, setup),
		cmocka_unit_test_setup(test_drafts_of_views_are_forgotten, setup),
		cmocka_unit_test_setup(test_of_one_user_the_last_drafts_are_kept, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
