/* The ring of the tail's slots: when it moves on, and that a slot is emptied only of what is compacted. */
#include <pthread.h>
#include <string.h>

#include "dump.h"

enum { OPEN_S = 600 };

/* Slot 0 is open since now, and all slots are empty. */
static int setup(void **state)
{
	struct scene *s = *state;
	struct run_set_item item;

	scene_setup(state);
	scene_sql(s, "truncate tail");
	scene_sql(s, "update tail_ring set slot = 0, opened_at = now()");
	while (run_set_take(s->job.to_compact, 0, &item))
		;
	s->job.done = 0;
	scene_join(s, "w0", WRITER_PRIMARY);
	return 0;
}

static void turn(struct scene *s)
{
	int64_t again_us;

	ok(ring_pass(&s->job, &again_us));
}

static int16_t open_slot(struct scene *s)
{
	struct tail_ring ring;

	ok(tail_store_ring(s->db, &ring));
	return ring.slot;
}

static int64_t count_blocks(struct scene *s, int slot)
{
	return scene_number(s, "select count(*) as number from tail where slot = %d", slot);
}

static void test_it_moves_with_age(void **state)
{
	struct scene *s = *state;

	turn(s);
	assert_int_equal(open_slot(s), 0);
	scene_shift_clock(s, OPEN_S - 60);
	turn(s);
	assert_int_equal(open_slot(s), 0);
	for (int i = 1; i <= 2 * TAIL_SLOTS; i++) {
		scene_shift_clock(s, OPEN_S + 61);
		turn(s);
		assert_int_equal(open_slot(s), i % TAIL_SLOTS);
		turn(s);
		assert_int_equal(open_slot(s), i % TAIL_SLOTS);
	}
	assert_int_equal(s->job.done, 2 * TAIL_SLOTS);
}

/* Compacted or not, open or left: what is in the ring is read once. */
static void test_a_slot_is_emptied_when_it_is_compacted(void **state)
{
	struct scene *s = *state;
	struct run_set_item item;
	const char *before;

	scene_send(s, "w0", "\"history\":[{\"x\":1}],\"console\":[{\"line\":0,\"text\":\"a\"}]");
	scene_shift_clock(s, OPEN_S + 1);
	turn(s);
	assert_int_equal(open_slot(s), 1);
	scene_send(s, "w0", "\"history\":[{\"x\":2}]");
	before = dump_run(s);
	assert_false(run_set_take(s->job.to_compact, 0, &item));
	turn(s);
	assert_int_equal(count_blocks(s, 0), 2);
	assert_true(run_set_take(s->job.to_compact, 0, &item));
	assert_int_equal(item.run_id, s->run_id);
	assert_true(item.whatever);
	scene_compact(s);
	assert_same_text("compacted", dump_run(s), before);
	assert_int_equal(count_blocks(s, 0), 2);
	turn(s);
	assert_int_equal(count_blocks(s, 0), 0);
	assert_int_equal(count_blocks(s, 1), 1);
	assert_same_text("emptied", dump_run(s), before);
}

/* Something that waits in the next slot: the one after it is as good. */
static void test_it_takes_any_that_is_empty(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "update tail_ring set slot = 1");
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update tail_ring set slot = 0");
	for (int slot = 2; slot < TAIL_SLOTS; slot++) {
		scene_shift_clock(s, OPEN_S + 1);
		turn(s);
		assert_int_equal(open_slot(s), slot);
	}
	scene_shift_clock(s, OPEN_S + 1);
	turn(s);
	assert_int_equal(open_slot(s), 0);
	assert_int_equal(count_blocks(s, 1), 1);
}

/* While all others hold something that waits, writers stay where they are. */
static void test_it_stays_when_all_are_full(void **state)
{
	struct scene *s = *state;

	for (int slot = 1; slot < TAIL_SLOTS; slot++) {
		scene_sql(s, "update tail_ring set slot = %d", slot);
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	}
	scene_sql(s, "update tail_ring set slot = 0");
	scene_shift_clock(s, OPEN_S + 1);
	turn(s);
	assert_int_equal(open_slot(s), 0);
	scene_compact(s);
	turn(s);
	assert_int_equal(open_slot(s), 0);
	assert_int_equal(count_blocks(s, 1), 0);
	turn(s);
	assert_int_equal(open_slot(s), 1);
}

/* A flush that read the open slot before it moved: the block lies in a slot that was left, and is found. */
static void test_a_late_block(void **state)
{
	struct scene *s = *state;
	const char *before;

	scene_shift_clock(s, OPEN_S + 1);
	turn(s);
	scene_sql(s, "update tail_ring set slot = 0");
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update tail_ring set slot = 1");
	before = dump_run(s);
	turn(s);
	assert_int_equal(count_blocks(s, 0), 1);
	assert_same_text("kept", dump_run(s), before);
	scene_compact(s);
	turn(s);
	assert_int_equal(count_blocks(s, 0), 0);
	assert_same_text("compacted", dump_run(s), before);
}

/* Who reads a slot keeps it; emptying it waits for no long. */
static void test_readers_hold_a_slot(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *reader = fixture_connect(a);
	bool there, done;

	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_compact(s);
	ok(db_begin(reader, 20000, 0));
	ok(tail_store_has_all(reader, s->run_id, -1, 0, &there));
	ok(tail_store_recycle(s->db, 0, &done));
	assert_false(done);
	assert_int_equal(count_blocks(s, 0), 1);
	db_rollback(reader);
	ok(tail_store_recycle(s->db, 0, &done));
	assert_true(done);
	assert_int_equal(count_blocks(s, 0), 0);
	db_close(reader);
	arena_free(a);
}

struct recycler {
	struct db *db;
	pthread_t thread;
	_Atomic bool ended;
	bool done;
	err_t failed;
};

static void *recycle(void *p)
{
	struct recycler *r = p;

	r->failed = tail_store_recycle(r->db, 0, &r->done);
	atomic_store(&r->ended, true);
	return NULL;
}

/* Looking again takes as long as it takes (here somebody holds the runs): nobody's reads wait for it. */
static void test_readers_go_on_while_it_is_looked_at(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct recycler r = { .db = fixture_connect(a) };
	struct db *holder = fixture_connect(a);
	static const struct db_stmt hold = { "hold", "lock run_hot in access exclusive mode" };
	static const struct db_stmt read = { "read", "lock tail_0 in access share mode nowait" };

	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_compact(s);
	ok(db_begin(holder, 20000, 0));
	ok(db_exec(holder, &hold, DB_NO_ARGS, NULL));
	pthread_create(&r.thread, NULL, recycle, &r);
	while (!atomic_load(&r.ended)) {
		ok(db_begin(s->db, 20000, 0));
		ok(db_exec(s->db, &read, DB_NO_ARGS, NULL));
		ok(db_commit(s->db));
	}
	pthread_join(r.thread, NULL);
	db_rollback(holder);
	ok(r.failed);
	assert_false(r.done);
	assert_int_equal(count_blocks(s, 0), 1);
	db_close(holder);
	db_close(r.db);
	arena_free(a);
}

static void test_what_waits_is_not_emptied(void **state)
{
	struct scene *s = *state;
	bool done;

	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	ok(tail_store_recycle(s->db, 0, &done));
	assert_false(done);
	assert_int_equal(count_blocks(s, 0), 1);
}

/* ---- two servers -------------------------------------------------------------------------------------- */

struct server {
	struct job job;
	pthread_barrier_t *barrier;
	pthread_t thread;
	err_t failed;
};

static void *serve(void *p)
{
	struct server *server = p;
	int64_t again_us;

	pthread_barrier_wait(server->barrier);
	server->failed = ring_pass(&server->job, &again_us);
	return NULL;
}

static void test_two_servers_move_once(void **state)
{
	struct scene *s = *state;
	struct server servers[2] = { 0 };
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++) {
		servers[i].barrier = &barrier;
		servers[i].job = s->job;
		servers[i].job.db = fixture_connect(s->a);
		servers[i].job.arena = arena_new(1 << 16);
		db_set_arena(servers[i].job.db, servers[i].job.arena);
	}
	for (int round = 1; round <= 20; round++) {
		int64_t before = open_slot(s);

		scene_shift_clock(s, OPEN_S + 1);
		for (int i = 0; i < 2; i++)
			pthread_create(&servers[i].thread, NULL, serve, &servers[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(servers[i].thread, NULL);
		for (int i = 0; i < 2; i++)
			ok(servers[i].failed);
		/* To the next slot, or to the one after it where the other server is at that. */
		assert_int_not_equal(open_slot(s), before);
		assert_int_equal(servers[0].job.done + servers[1].job.done, round);
	}
	for (int i = 0; i < 2; i++) {
		db_close(servers[i].job.db);
		arena_free(servers[i].job.arena);
	}
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_it_moves_with_age, setup),
		cmocka_unit_test_setup(test_a_slot_is_emptied_when_it_is_compacted, setup),
		cmocka_unit_test_setup(test_it_takes_any_that_is_empty, setup),
		cmocka_unit_test_setup(test_it_stays_when_all_are_full, setup),
		cmocka_unit_test_setup(test_a_late_block, setup),
		cmocka_unit_test_setup(test_readers_hold_a_slot, setup),
		cmocka_unit_test_setup(test_readers_go_on_while_it_is_looked_at, setup),
		cmocka_unit_test_setup(test_what_waits_is_not_emptied, setup),
		cmocka_unit_test_setup(test_two_servers_move_once, setup),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
