/*
 * The sweeper: what time alone decides is decided once, by whichever server comes first, and undone
 * when a writer comes back.
 */
#include <pthread.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "codec.h"
#include "scene.h"

enum { RUNS = 60, LIMIT_S = PROJECT_CRASH_AFTER_S };

/* Its server was there all the time. */
static void has_heard_all(struct job *job)
{
	job->passed_us = clock_boot_us();
	job->hears_since.us = 0;
}

/* Runs of earlier tests are none of this one's. */
static int setup(void **state)
{
	struct scene *s = *state;

	int failed;

	scene_sql(s, "update run_hot set state = 2 where state = 1");
	failed = scene_setup(state);
	has_heard_all(&((struct scene *)*state)->job);
	return failed;
}

static void sweep(struct scene *s)
{
	int64_t again_us;

	ok(sweeper_pass(&s->job, &again_us));
}

/* "running crashed": all states the run went through. */
static void check_states(struct scene *s, const char *expected)
{
	struct run_state_row *rows;
	struct buf *out = buf_new(s->a);
	int16_t before = 0;
	size_t count;

	ok(run_store_list_states(s->db, s->run_id, 0, 100, &rows, &count));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(rows[i].number, i + 1);
		assert_int_equal(rows[i].from_state, before);
		before = rows[i].to_state;
		buf_printf(out, "%s%s", i ? " " : "", run_state_name(rows[i].to_state));
	}
	assert_int_equal(scene_run(s).state, before);
	if (!str_is(buf_str(out), expected))
		fail_msg("%.*s is not %s", STR_ARG(buf_str(out)), expected);
}

/* ---- one server --------------------------------------------------------------------------------------- */

static void test_crash_and_revival(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_shift_clock(s, LIMIT_S - 5);
	sweep(s);
	check_states(s, "running");
	scene_shift_clock(s, 10);
	sweep(s);
	check_states(s, "running crashed");
	sweep(s);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	check_states(s, "running crashed running");
	assert_int_equal(scene_run(s).attempt, 2);
	sweep(s);
	check_states(s, "running crashed running");
	scene_shift_clock(s, LIMIT_S + 1);
	sweep(s);
	check_states(s, "running crashed running crashed");
	scene_send(s, "w0", "");
	check_states(s, "running crashed running crashed running");
}

static void test_who_and_why(void **state)
{
	struct scene *s = *state;
	struct run_state_row *rows;
	size_t count;

	scene_shift_clock(s, LIMIT_S + 1);
	sweep(s);
	ok(run_store_list_states(s->db, s->run_id, 1, 10, &rows, &count));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].who, RUN_WHO_SWEEPER);
	assert_int_equal(rows[0].writer, -1);
	assert_true(rows[0].reason.len > 0);
	assert_true(rows[0].changed_at.us >= s->clock.now.us);
	assert_int_equal(scene_run(s).ended_at.us, rows[0].changed_at.us);
	assert_int_equal(
		scene_number(s,
			     "select count(*) as number from run_change where run_id = %lld "
			     "and seq = %lld",
			     (long long)s->run_id, (long long)scene_run(s).document_seq),
		1);
}

/* One primary ended, the other is lost: the one that ended decides, and no crash comes of it. */
static void test_the_ended_decide(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_PRIMARY);
	scene_sql(
		s,
		"update run_writer set state = 2, exit_code = 3 where run_id = %lld and writer = 0",
		(long long)s->run_id);
	scene_sql(s, "update run_hot set end_pending = true where run_id = %lld",
		  (long long)s->run_id);
	scene_shift_clock(s, LIMIT_S + 1);
	sweep(s);
	check_states(s, "running failed");
	assert_int_equal(scene_run(s).exit_code, 3);
}

/* It looks too early: nothing is recorded, and it looks again when it must. */
static void test_it_looks_again(void **state)
{
	struct scene *s = *state;
	int64_t again_us;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "");
	scene_sql(s,
		  "update run_hot set look_at = heard_at - interval '1 hour' where run_id = %lld",
		  (long long)s->run_id);
	sweep(s);
	check_states(s, "running");
	assert_int_equal(scene_run(s).look_at.us - scene_run(s).heard_at.us,
			 LIMIT_S * INT64_C(1000000));
	ok(sweeper_pass(&s->job, &again_us));
	assert_int_equal(again_us, 1000000);
	scene_sql(s,
		  "update run_hot set look_at = look_at - interval '299800 ms' where run_id = %lld",
		  (long long)s->run_id);
	ok(sweeper_pass(&s->job, &again_us));
	assert_true(again_us >= 20000 && again_us <= 1000000);
}

/* Another server knows for a second that the limit is what it was: it must not put off the end by that. */
static void test_a_server_that_knows_the_old_limit(void **state)
{
	enum { LOWERED_S = 60 };
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_sql(s, "update project set crash_after_s = %d", LOWERED_S);
	ok(run_store_look_again(s->db, s->project_id, s->clock.now));
	sweep(s);
	assert_int_equal(s->clock.limit_us, LIMIT_S * INT64_C(1000000));
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	sweep(s);
	scene_shift_clock(s, LOWERED_S + 1);
	sweep(s);
	scene_sql(s, "update project set crash_after_s = %d", LIMIT_S);
	check_states(s, "running crashed");
}

/* Who could not be heard was not silent: one that has just started, or stood still. */
static void test_a_server_that_heard_nobody(void **state)
{
	struct scene *s = *state;
	const int64_t passed_us[] = { 0, clock_boot_us() - INT64_C(16) * 1000 * 1000 };
	int64_t again_us;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (size_t i = 0; i < sizeof passed_us / sizeof *passed_us; i++) {
		scene_shift_clock(s, LIMIT_S + 10);
		s->job.passed_us = passed_us[i];
		ok(sweeper_pass(&s->job, &again_us));
		assert_int_equal(again_us, 1000000);
		scene_shift_clock(s, LIMIT_S - 5);
		sweep(s);
		check_states(s, "running");
	}
	scene_shift_clock(s, 10);
	sweep(s);
	check_states(s, "running crashed");
}

/* Its machine sleeps once, after so many looks at its clock. A pass looks as it begins, and before each run. */
struct sleeper {
	struct job job;
	struct scene *scene;
	int looks_left;
	int64_t slept_us;
};

static int64_t sleeper_boot_us(struct job *job)
{
	struct sleeper *sleeper = (struct sleeper *)job; /* its first member */
	int64_t boot_us = clock_boot_us() + sleeper->slept_us;

	if (--sleeper->looks_left == 0) {
		scene_shift_clock(sleeper->scene, LIMIT_S + 1);
		sleeper->slept_us = (LIMIT_S + 1) * INT64_C(1000000);
	}
	return boot_us;
}

/* A pass in whose midst it sleeps: the run goes on, and from the next one on it has its limit again. */
static void check_sleeper(struct scene *s, int looks, int64_t again_least_us)
{
	struct sleeper sleeper = { .job = s->job, .scene = s, .looks_left = looks };
	int64_t again_us;

	sleeper.job.boot_us = sleeper_boot_us;
	ok(sweeper_pass(&sleeper.job, &again_us));
	assert_true(sleeper.slept_us > 0);
	assert_true(again_us >= again_least_us);
	check_states(s, "running");
	assert_int_equal(sleeper.job.hears_since.us, 0);
	ok(sweeper_pass(&sleeper.job, &again_us));
	assert_true(sleeper.job.hears_since.us >= s->clock.now.us);
	check_states(s, "running");
	scene_shift_clock(s, LIMIT_S + 1);
	ok(sweeper_pass(&sleeper.job, &again_us));
	check_states(s, "running crashed");
}

static void test_it_slept_before_a_run(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_shift_clock(s, LIMIT_S + 1);
	check_sleeper(s, 1, 1000000);
}

/* What it was about to look at is judged by the time at which all were heard. */
static void test_it_slept_as_it_began_a_run(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_sql(s, "update run_hot set look_at = heard_at where run_id = %lld",
		  (long long)s->run_id);
	check_sleeper(s, 2, 0);
}

static void test_deleted_runs_are_let_be(void **state)
{
	struct scene *s = *state;
	int64_t again_us;

	scene_sql(s, "update run_hot set deleted_at = now() where run_id = %lld",
		  (long long)s->run_id);
	scene_shift_clock(s, LIMIT_S + 1);
	ok(sweeper_pass(&s->job, &again_us));
	assert_int_equal(again_us, 1000000);
	assert_int_equal(
		scene_number(s, "select state::int8 as number from run_hot where run_id = %lld",
			     (long long)s->run_id),
		RUN_RUNNING);
}

/*
 * A run somebody holds is left for the next pass; the others are swept. Who waits for runs does not stand still, however
 * many there are.
 */
static void test_a_locked_run_comes_again(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *other = fixture_connect(a);
	int64_t locked = s->run_id;
	int64_t free_one = scene_new_run(s);
	int64_t began_us = clock_boot_us();
	struct run *run;

	scene_shift_clock(s, LIMIT_S + 1);
	ok(db_begin(other, 20000, 0));
	ok(run_store_lock(other, locked, &run));
	sweep(s);
	assert_true(s->job.passed_us - began_us > 400 * 1000); /* as long as it waits for one */
	check_states(s, "running");
	s->run_id = free_one;
	check_states(s, "running crashed");
	db_rollback(other);
	sweep(s);
	s->run_id = locked;
	check_states(s, "running crashed");
	db_close(other);
	arena_free(a);
}

/* What is wrong with one run is no reason to let the others be. */
static void test_one_that_fails_holds_up_no_other(void **state)
{
	struct scene *s = *state;
	int64_t first = s->run_id;
	int64_t later = scene_new_run(s);
	int64_t again_us;
	err_t e;

	scene_sql(s, "create function refuse() returns trigger language plpgsql as $$ begin "
		     "raise 'refused'; end $$");
	scene_sql(s,
		  "create trigger refuse before insert on run_state for each row "
		  "when (new.run_id = %lld) execute function refuse()",
		  (long long)first);
	scene_sql(s,
		  "update run_hot set look_at = look_at - interval '1 minute' where run_id = %lld",
		  (long long)first);
	scene_shift_clock(s, LIMIT_S + 1);
	e = sweeper_pass(&s->job, &again_us);
	scene_sql(s, "drop function refuse cascade");
	assert_non_null(e);
	assert_non_null(strstr(err_chain(s->a, e), "refused"));
	assert_non_null(
		strstr(err_chain(s->a, e), arena_printf(s->a, "run %lld", (long long)first)));
	check_states(s, "running");
	s->run_id = later;
	check_states(s, "running crashed");
	s->run_id = first;
	sweep(s);
	check_states(s, "running crashed");
}

static int64_t rows_scanned(struct scene *s)
{
	return scene_number(s, "select seq_tup_read as number from pg_stat_xact_user_tables "
			       "where relname = 'run_hot'");
}

/* What is asked each second costs by the runs that run, not by those that ever ran. */
static void test_ended_runs_cost_nothing(void **state)
{
	struct scene *s = *state;
	struct run_due_ask ask = { .now = s->clock.now, .limit = 100 };
	struct run_due *due;
	timestamp_us next;
	int64_t before;
	size_t count;

	scene_sql(s,
		  "insert into run_hot (run_id, project_id, next_row, next_event, next_seq, "
		  "last_step, compact_seq, tail_rows, tail_bytes, heard_at, look_at, state, "
		  "attempt, fallback_state, end_pending, next_writer, next_state, document_seq, "
		  "started_at) select i, %lld, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, "
		  "false, 0, 2, 0, now() from generate_series(1, 5000) i",
		  (long long)s->project_id);
	scene_sql(s, "analyze run_hot");
	ok(db_begin(s->db, 20000, 0));
	before = rows_scanned(s);
	ok(run_store_list_due(s->db, &ask, &due, &count));
	ok(run_store_next_due(s->db, &next));
	assert_int_equal(rows_scanned(s), before);
	db_rollback(s->db);
	scene_sql(s, "delete from run_hot where run_id <= 5000");
}

/* ---- two servers ---------------------------------------------------------------------------------------- */

struct server {
	struct job job;
	pthread_barrier_t *barrier;
	pthread_t thread;
	err_t failed;
	struct ingest_batch **batches; /* of a server that also stores: one for each run */
};

static void *serve(void *p)
{
	struct server *server = p;

	pthread_barrier_wait(server->barrier);
	for (int i = 0; i < 3 && !server->failed; i++) {
		int64_t again_us;

		server->failed = sweeper_pass(&server->job, &again_us);
	}
	return NULL;
}

static void *store(void *p)
{
	struct server *server = p;

	pthread_barrier_wait(server->barrier);
	for (int i = 0; i < RUNS && !server->failed; i++) {
		struct flush f = { .db = server->job.db,
				   .arena = server->job.arena,
				   .codec = server->job.codec,
				   .batches = server->batches + i,
				   .count = 1 };

		do {
			server->failed = flush_run(&f, FLUSH_WAIT);
			if (server->failed)
				db_rollback(server->job.db);
		} while (server->failed && db_err_is(server->failed, DB_LOCK_NOT_AVAILABLE));
	}
	return NULL;
}

static void server_begin(struct scene *s, struct server *server, pthread_barrier_t *barrier)
{
	server->barrier = barrier;
	server->job.db = fixture_connect(s->a);
	server->job.arena = arena_new(1 << 16);
	server->job.codec = codec_new();
	server->job.stop = &s->stop;
	has_heard_all(&server->job);
	db_set_arena(server->job.db, server->job.arena);
}

static void server_end(struct server *server)
{
	ok(server->failed);
	db_close(server->job.db);
	codec_free(server->job.codec);
	arena_free(server->job.arena);
}

static void run_all(struct server *servers, int count, void *(*last)(void *))
{
	for (int i = 0; i < count; i++)
		pthread_create(&servers[i].thread, NULL, i == count - 1 ? last : serve,
			       &servers[i]);
	for (int i = 0; i < count; i++)
		pthread_join(servers[i].thread, NULL);
}

static void test_two_servers_record_one_change(void **state)
{
	struct scene *s = *state;
	struct server servers[2] = { 0 };
	pthread_barrier_t barrier;
	int64_t runs[RUNS];

	for (int i = 0; i < RUNS; i++)
		runs[i] = i ? scene_new_run(s) : s->run_id;
	scene_shift_clock(s, LIMIT_S + 1);
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		server_begin(s, &servers[i], &barrier);
	run_all(servers, 2, serve);
	pthread_barrier_destroy(&barrier);
	assert_int_equal(servers[0].job.done + servers[1].job.done, RUNS);
	for (int i = 0; i < 2; i++)
		server_end(&servers[i]);
	for (int i = 0; i < RUNS; i++) {
		s->run_id = runs[i];
		check_states(s, "running crashed");
	}
}

/*
 * While two servers sweep, a third stores what the writers had to say. Whoever was first: the run goes
 * on, and the history of its states has no gap and no contradiction.
 */
static void test_data_comes_while_it_is_swept(void **state)
{
	struct scene *s = *state;
	struct server servers[3] = { 0 };
	struct ingest_batch *batches[RUNS];
	pthread_barrier_t barrier;

	for (int i = 0; i < RUNS; i++) {
		if (i)
			s->run_id = scene_new_run(s);
		scene_join(s, "w0", WRITER_PRIMARY);
		batches[i] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	}
	scene_shift_clock(s, LIMIT_S + 1);
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		server_begin(s, &servers[i], &barrier);
	servers[2].batches = batches;
	run_all(servers, 3, store);
	pthread_barrier_destroy(&barrier);
	for (int i = 0; i < 3; i++)
		server_end(&servers[i]);
	for (int i = 0; i < RUNS; i++) {
		s->run_id = batches[i]->run_id;
		ok(batches[i]->error);
		assert_int_equal(scene_run(s).next_row, 1);
		check_states(s, scene_run(s).attempt == 1 ? "running" : "running crashed running");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_crash_and_revival, setup),
		cmocka_unit_test_setup(test_who_and_why, setup),
		cmocka_unit_test_setup(test_the_ended_decide, setup),
		cmocka_unit_test_setup(test_it_looks_again, setup),
		cmocka_unit_test_setup(test_a_server_that_knows_the_old_limit, setup),
		cmocka_unit_test_setup(test_a_server_that_heard_nobody, setup),
		cmocka_unit_test_setup(test_it_slept_before_a_run, setup),
		cmocka_unit_test_setup(test_it_slept_as_it_began_a_run, setup),
		cmocka_unit_test_setup(test_deleted_runs_are_let_be, setup),
		cmocka_unit_test_setup(test_a_locked_run_comes_again, setup),
		cmocka_unit_test_setup(test_one_that_fails_holds_up_no_other, setup),
		cmocka_unit_test_setup(test_ended_runs_cost_nothing, setup),
		cmocka_unit_test_setup(test_two_servers_record_one_change, setup),
		cmocka_unit_test_setup(test_data_comes_while_it_is_swept, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
