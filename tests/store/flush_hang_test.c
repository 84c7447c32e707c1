/* A batch whose statement hangs, and one of another run that comes with it: that is stored before its deadline. */
#include <stdatomic.h>

#include "clock.h"
#include "ingest.h"
#include "scene.h"

/* The machine may stand still for as long as a try takes. */
enum { DEADLINE_US = 6 * 1000 * 1000, TRIES = 5 };

static void on_done(struct ingest_batch *b, err_t e)
{
	b->error = e;
	atomic_fetch_add((_Atomic int *)b->owner, 1);
}

/* What changes the run waits for longer than anybody. */
static void hang(struct scene *s, int64_t run_id)
{
	scene_sql(s, "create function sleep_long() returns trigger language plpgsql as "
		     "'begin perform pg_sleep(600); return new; end'");
	scene_sql(s,
		  "create trigger hangs before update on run_hot for each row "
		  "when (new.run_id = %lld) execute function sleep_long()",
		  (long long)run_id);
}

static struct ingest_batch *new_batch(struct scene *s, int64_t run_id, _Atomic int *done)
{
	struct ingest_batch *b;

	s->run_id = run_id;
	b = scene_batch(s, "w0", scene_writer(s, "w0").batch + 1, "\"history\":[{\"loss\":1}]");
	b->owner = done;
	b->done = on_done;
	return b;
}

/* Whether both were told in time: the one that it is not stored, the other that it is. */
static bool try_both(struct scene *s, int64_t hanging, int64_t other)
{
	_Atomic int done = 0;
	struct ingest_batch *both[] = { new_batch(s, hanging, &done), new_batch(s, other, &done) };
	int64_t until_us = clock_mono_us() + DEADLINE_US;
	bool is_in_time;

	for (size_t i = 0; i < 2; i++) {
		both[i]->deadline_us = until_us;
		assert_true(ingest_submit(s->ingest, both[i]));
	}
	while (atomic_load(&done) < 2)
		clock_sleep_us(1000);
	is_in_time = clock_mono_us() < until_us;
	assert_non_null(both[0]->error);
	if (both[1]->error)
		assert_int_equal(both[1]->error->kind, ERR_BUSY);
	return is_in_time && !both[1]->error;
}

static void test_another_run_is_not_held_up(void **state)
{
	struct scene *s = *state;
	int64_t hanging = s->run_id;
	int64_t other = scene_new_run(s);
	bool found = false;

	scene_join(s, "w0", WRITER_PRIMARY);
	s->run_id = other;
	scene_join(s, "w0", WRITER_PRIMARY);
	hang(s, hanging);
	for (int i = 0; i < TRIES && !found; i++)
		found = try_both(s, hanging, other);
	assert_true(found);
	scene_sql(s, "drop function sleep_long cascade");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_another_run_is_not_held_up),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
