/* What uploads take that come at once: each counts once, whether the sum that was read has it or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "thread.h"
#include "upload_room.h"

static const int64_t LAB[] = { 1, 10 }, LAB_TOO[] = { 1, 11 }, OTHERS[] = { 2, 20 };

struct scene {
	struct upload_room *room;
	struct arena *arena;
};

static int begin(void **state)
{
	static struct scene scene;

	scene = (struct scene){ upload_room_new(), arena_new(4096) };
	*state = &scene;
	return 0;
}

static int end(void **state)
{
	struct scene *s = *state;

	arena_free(s->arena);
	upload_room_free(s->room);
	return 0;
}

static struct upload_ask ask_of(const struct upload_claim *claim, int64_t free_bytes, int64_t bytes)
{
	return (struct upload_ask){
		.free_bytes = { free_bytes, INT64_MAX },
		.bytes = bytes,
		.seen = upload_claim_seen(claim),
		.deadline_ms = 1,
	};
}

static enum upload_answer come(struct upload_claim *claim, int64_t free_bytes, int64_t bytes)
{
	struct upload_ask ask = ask_of(claim, free_bytes, bytes);
	struct upload_others others;

	return upload_claim_begin(claim, &ask, &others);
}

static enum upload_answer settle(struct upload_claim *claim, int64_t free_bytes, int64_t bytes)
{
	struct upload_ask ask = ask_of(claim, free_bytes, bytes);
	struct upload_others others;

	return upload_claim_settle(claim, &ask, &others);
}

static enum upload_answer grow(struct upload_claim *claim, int64_t free_bytes, int64_t bytes)
{
	struct upload_ask ask = ask_of(claim, free_bytes, bytes);
	struct upload_others others;

	return upload_claim_grow(claim, &ask, &others);
}

static void what_comes_is_taken(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *c = upload_claim_new(s->room, s->arena, OTHERS);

	assert_int_equal(come(a, 100, 60), UPLOAD_FITS);
	assert_int_equal(come(b, 100, 41), UPLOAD_TOO_LARGE);
	assert_int_equal(come(b, 100, 40), UPLOAD_FITS);
	assert_int_equal(come(c, 100, 100), UPLOAD_FITS);
	upload_claim_release(a);
	upload_claim_release(a);
	assert_int_equal(come(b, 100, 100), UPLOAD_FITS);
}

static void it_goes_with_the_arena(void **state)
{
	struct scene *s = *state;
	struct upload_claim *kept = upload_claim_new(s->room, s->arena, LAB);
	struct arena *own = arena_new(256);

	assert_int_equal(come(upload_claim_new(s->room, own, LAB), 100, 100), UPLOAD_FITS);
	assert_int_equal(come(kept, 100, 1), UPLOAD_TOO_LARGE);
	arena_free(own);
	assert_int_equal(come(kept, 100, 100), UPLOAD_FITS);
}

static void one_without_a_length_grows(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB);

	assert_int_equal(come(a, 100, 0), UPLOAD_FITS);
	assert_int_equal(come(b, 100, 50), UPLOAD_FITS);
	assert_int_equal(grow(a, 100, 30), UPLOAD_FITS);
	assert_int_equal(grow(a, 100, 51), UPLOAD_TOO_LARGE);
	assert_int_equal(come(upload_claim_new(s->room, s->arena, LAB), 100, 21), UPLOAD_TOO_LARGE);
	assert_int_equal(grow(b, 100, 10), UPLOAD_FITS); /* of the 50 that it said */
	assert_int_equal(grow(a, 100, 50), UPLOAD_FITS);
}

/* Those that only come hold back nobody who has come: rows may have taken their room meanwhile. */
static void what_settles_counts_beside_what_settles(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB);

	assert_int_equal(come(a, 100, 60), UPLOAD_FITS);
	assert_int_equal(come(b, 100, 40), UPLOAD_FITS);
	assert_int_equal(settle(a, 90, 60), UPLOAD_FITS);
	assert_int_equal(settle(b, 90, 40), UPLOAD_LATE); /* a may be in the sum, or not */
	assert_int_equal(settle(b, 39, 40), UPLOAD_TOO_LARGE);
	upload_claim_release(a);
	assert_int_equal(settle(b, 30, 40), UPLOAD_TOO_LARGE);
	assert_int_equal(settle(b, 40, 40), UPLOAD_FITS);
}

static void an_old_sum_is_read_again(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB);
	struct upload_ask ask = ask_of(b, 100, 10);
	struct upload_others others;

	assert_int_equal(settle(a, 100, 60), UPLOAD_FITS);
	upload_claim_release(a);
	assert_int_equal(upload_claim_begin(b, &ask, &others), UPLOAD_ASK_AGAIN);
	assert_int_equal(come(b, 40, 10), UPLOAD_FITS);
}

static struct upload_ask in_project(const struct upload_claim *claim, int64_t free_bytes,
				    int64_t bytes)
{
	struct upload_ask ask = ask_of(claim, 1000, bytes);

	ask.free_bytes[UPLOAD_OF_PROJECT] = free_bytes;
	return ask;
}

static void each_project_has_its_own_room(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB_TOO);
	struct upload_claim *c = upload_claim_new(s->room, s->arena, LAB);
	struct upload_ask large = in_project(a, 800, 700), small = in_project(b, 100, 60),
			  none = in_project(c, 800, 101), more = in_project(c, 800, 100);
	struct upload_others others;

	assert_int_equal(upload_claim_begin(a, &large, &others), UPLOAD_FITS);
	assert_int_equal(upload_claim_begin(b, &small, &others), UPLOAD_FITS);
	assert_int_equal(upload_claim_begin(c, &none, &others), UPLOAD_TOO_LARGE);
	assert_int_equal(others.level, UPLOAD_OF_PROJECT);
	assert_int_equal(others.bytes, 700);
	assert_int_equal(upload_claim_begin(c, &more, &others), UPLOAD_FITS);
	small.bytes = 101;
	assert_int_equal(upload_claim_grow(b, &small, &others), UPLOAD_TOO_LARGE);
	assert_int_equal(others.level, UPLOAD_OF_PROJECT);
	assert_int_equal(others.bytes, 0);
	small.free_bytes[UPLOAD_OF_PROJECT] = INT64_MAX;
	small.bytes = 201;
	assert_int_equal(upload_claim_grow(b, &small, &others), UPLOAD_TOO_LARGE);
	assert_int_equal(others.level, UPLOAD_OF_ENTITY);
	assert_int_equal(others.bytes, 800);
	small.free_bytes[UPLOAD_OF_PROJECT] = 200;
	assert_int_equal(upload_claim_grow(b, &small, &others), UPLOAD_TOO_LARGE);
	assert_int_equal(others.level,
			 UPLOAD_OF_PROJECT); /* which it never fits, whoever else comes */
}

/* Whoever settles in the entity may be waited for, but not where the project's own room is too small. */
static void what_is_too_large_waits_for_nobody(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB_TOO);
	struct upload_ask ask = in_project(b, 50, 60);
	struct upload_others others;

	assert_int_equal(settle(a, 1000, 950), UPLOAD_FITS);
	assert_int_equal(upload_claim_begin(b, &ask, &others), UPLOAD_TOO_LARGE);
	assert_int_equal(others.level, UPLOAD_OF_PROJECT);
	ask = in_project(b, 60, 60);
	assert_int_equal(upload_claim_begin(b, &ask, &others), UPLOAD_LATE);
}

static void *release(void *claim)
{
	upload_claim_release(claim);
	return NULL;
}

static void what_settles_is_waited_for(void **state)
{
	struct scene *s = *state;
	struct upload_claim *a = upload_claim_new(s->room, s->arena, LAB);
	struct upload_claim *b = upload_claim_new(s->room, s->arena, LAB);
	struct upload_ask ask = ask_of(b, 100, 60);
	struct upload_others others;
	pthread_t thread;

	ask.deadline_ms = 60000;
	assert_int_equal(settle(a, 100, 60), UPLOAD_FITS);
	assert_true(thread_start(&thread, "release", release, a));
	assert_int_equal(upload_claim_begin(b, &ask, &others), UPLOAD_ASK_AGAIN);
	pthread_join(thread, NULL);
}

static void files_and_joins_are_bounded(void **state)
{
	const struct scene *s = *state;

	for (int i = 0; i < UPLOAD_FILES_MAX; i++)
		assert_true(upload_room_take_file(s->room));
	assert_false(upload_room_take_file(s->room));
	upload_room_give_files(s->room, 2);
	assert_true(upload_room_take_file(s->room));
	assert_true(upload_room_begin_join(s->room, 1));
	assert_false(upload_room_begin_join(s->room, 1));
	upload_room_end_join(s->room);
	assert_true(upload_room_begin_join(s->room, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_comes_is_taken, begin, end),
		cmocka_unit_test_setup_teardown(it_goes_with_the_arena, begin, end),
		cmocka_unit_test_setup_teardown(one_without_a_length_grows, begin, end),
		cmocka_unit_test_setup_teardown(what_settles_counts_beside_what_settles, begin,
						end),
		cmocka_unit_test_setup_teardown(an_old_sum_is_read_again, begin, end),
		cmocka_unit_test_setup_teardown(each_project_has_its_own_room, begin, end),
		cmocka_unit_test_setup_teardown(what_is_too_large_waits_for_nobody, begin, end),
		cmocka_unit_test_setup_teardown(what_settles_is_waited_for, begin, end),
		cmocka_unit_test_setup_teardown(files_and_joins_are_bounded, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
