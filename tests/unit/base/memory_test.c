/* The budget: who counts, what is reserved, what finds no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "memory.h"
#include "shares.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static void note_freed(void *freed)
{
	++*(int *)freed;
}

static void test_parts(void **state)
{
	struct memory m;

	(void)state;
	memory_init(&m, 8 * MIB);
	memory_take(&m, MEMORY_SEARCH, 3 * MIB);
	memory_take(&m, MEMORY_REQUESTS, MIB);
	assert_int_equal(memory_used_by(&m, MEMORY_SEARCH), 3 * MIB);
	assert_int_equal(memory_used_by(&m, MEMORY_REQUESTS), MIB);
	assert_int_equal(memory_used_by(&m, MEMORY_LISTENERS), 0);
	memory_give(&m, MEMORY_SEARCH, 3 * MIB);
	assert_int_equal(m.used, MIB);
	assert_int_equal(m.peak, 4 * MIB);
}

static void test_the_last_eighth_is_for_small_things(void **state)
{
	struct memory m;

	(void)state;
	memory_init(&m, 8 * MIB);
	assert_true(memory_has(&m, 7 * MIB));
	assert_false(memory_has(&m, 7 * MIB + 1));
	memory_take(&m, MEMORY_REQUESTS, 7 * MIB);
	assert_false(memory_has(&m, MEMORY_SMALL + 1));
	assert_true(memory_has(&m, MEMORY_SMALL));
	memory_take(&m, MEMORY_REQUESTS, MIB);
	assert_true(memory_has(&m, 0));
	assert_false(memory_has(&m, 1));
}

/* What a request grew to has room, or what was reserved has; a large one leaves the last eighth. */
static void test_what_is_held_fits(void **state)
{
	struct memory_share large, small, none = { 0 };
	struct memory m;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&large, &m, 0);
	share_begin(&small, &m, 0);
	share_grow(&large, 7 * MIB);
	assert_true(share_fits(&large));
	share_grow(&small, 1);
	assert_false(share_fits(&large));
	assert_true(share_fits(&small));
	share_reserve(&large, 8 * MIB);
	assert_true(share_fits(&large));
	assert_false(share_fits(&small));
	assert_true(share_fits(&none));
	share_end(&large);
	share_end(&small);
}

static void test_what_is_reserved_is_not_counted_twice(void **state)
{
	struct memory_share s;
	struct memory m;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&s, &m, 100);
	assert_int_equal(m.used, 100);
	share_grow(&s, 60);
	assert_int_equal(m.used, 100);
	share_grow(&s, 60);
	assert_int_equal(m.used, 120);
	assert_true(share_reserve(&s, 200));
	assert_int_equal(m.used, 200);
	share_shrink(&s, 20);
	assert_int_equal(m.used, 200);
	share_settle(&s);
	assert_int_equal(m.used, 100);
	assert_true(share_has(&s, 7 * MIB - 100));
	assert_false(share_has(&s, 7 * MIB - 99));
	assert_true(share_may_read(&s, 7 * MIB));
	assert_false(share_may_read(&s, 7 * MIB + 1));
	share_end(&s);
	assert_int_equal(m.used, 0);
	share_grow(&s, 10); /* what ends after it counts nowhere */
	assert_int_equal(m.used, 0);
}

/* Its first block, what is held elsewhere, and bufs that come and go: nothing is left behind. */
static void test_an_arena_beside(void **state)
{
	struct memory_share s;
	struct memory m;
	struct arena *a = arena_new(1024);
	struct arena *beside;
	struct buf lent = { 0 };
	int freed = 0;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&s, &m, 0);
	beside = arena_new_beside(a, KIB);
	assert_int_equal(m.used, 0);
	arena_free(beside);
	arena_count_in(a, &s);
	beside = arena_new_beside(a, 64 * KIB);
	assert_int_equal(m.used, 64 * KIB);
	arena_hold(beside, note_freed, &freed, MIB);
	assert_int_equal(m.used, 64 * KIB + MIB);
	arena_reset(beside);
	assert_int_equal(freed, 1);
	assert_int_equal(m.used, 64 * KIB);
	buf_reserve(&lent, 4096);
	buf_count_in(&lent, &s);
	assert_int_equal(m.used, 64 * KIB + lent.size);
	buf_count_in(&lent, NULL);
	assert_int_equal(m.used, 64 * KIB);
	arena_free(beside);
	assert_int_equal(m.used, 0);
	buf_free(&lent);
	share_end(&s);
	arena_free(a);
}

static void test_a_reservation_stands_also_where_there_is_no_room(void **state)
{
	struct memory_share s;
	struct memory m;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&s, &m, 0);
	assert_false(share_reserve(&s, 8 * MIB));
	assert_int_equal(m.used, 8 * MIB);
	share_end(&s);
	assert_int_equal(m.used, 0);
	assert_int_equal(m.peak, 8 * MIB);
}

static void test_arenas_and_their_buffers_count(void **state)
{
	struct arena *a = arena_new(KIB);
	struct memory_share s;
	struct memory m;
	struct buf *b;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&s, &m, 0);
	arena_count_in(a, &s);
	b = buf_new(a); /* fits into the first block */
	assert_int_equal(m.used, 0);
	(void)arena_alloc(a, 10 * KIB);
	assert_int_equal(m.used, 10 * KIB);
	buf_reserve(b, 64 * KIB);
	assert_int_equal(m.used, 74 * KIB);
	assert_true(arena_has_room(a, 6 * MIB));
	assert_false(arena_has_room(a, 7 * MIB));
	arena_reset(a);
	assert_int_equal(m.used, 0);
	arena_count_in(a, NULL);
	(void)arena_alloc(a, MIB);
	assert_int_equal(m.used, 0);
	arena_free(a);
}

static void test_large_things_do_not_enlarge_what_follows(void **state)
{
	struct arena *a = arena_new(KIB);
	struct memory_share s = { NULL, 0, 0 };

	(void)state;
	arena_count_in(a, &s);
	(void)arena_alloc(a, 32 * MIB);
	(void)arena_alloc(a, KIB);
	assert_true(arena_size(a) <= 33 * MIB + KIB);
	buf_reserve(buf_new(a), 8 * MIB);
	assert_int_equal(arena_held(a),
			 arena_size(a) - KIB + 8 * MIB); /* but for the first block */
	arena_reset(a);
	assert_int_equal(arena_held(a), 0);
	arena_count_in(a, NULL);
	assert_int_equal(arena_held(a), KIB);
	arena_free(a);
}

static void test_an_owner_has_a_share(void **state)
{
	struct arena *a = arena_new(64);
	struct shares *s = shares_new(a);
	struct share_owner *first, *other;

	(void)state;
	first = shares_take(s, STR("ann"), 2, 3);
	assert_non_null(first);
	assert_null(shares_take(s, STR("ann"), 2, 3));
	assert_ptr_equal(shares_take(s, STR("ann"), 1, 3), first);
	assert_null(shares_take(s, STR("ann"), 1, 3));
	other = shares_take(s, STR("bob"), 3, 3);
	assert_non_null(other);
	assert_null(shares_take(s, STR("cy"), 4, 3));
	shares_give(s, first, 3);
	shares_give(s, NULL, 1);
	assert_non_null(shares_take(s, STR("ann"), 3, 3)); /* freed with the arena */
	shares_give(s, other, 3);
	arena_free(a);

	assert_int_equal(shares_of(4096, 75), 3072);
	assert_int_equal(shares_of(16, 50), 8);
	assert_int_equal(shares_of(1, 1), 1);
	assert_true(shares_of(10, 100) > 10);
}

static void test_an_arena_goes_back(void **state)
{
	struct arena *a = arena_new(64);
	struct memory_share share;
	struct arena_mark mark;
	struct memory m;
	const char *kept;
	struct buf *b;

	(void)state;
	memory_init(&m, 8 * MIB);
	share_begin(&share, &m, 0);
	arena_count_in(a, &share);
	kept = arena_strdup(a, "kept");
	mark = arena_mark(a);
	for (int round = 0; round < 3; round++) {
		arena_alloc(a, MIB);
		b = buf_new(a);
		buf_reserve(b, 1000);
		assert_true(m.used > MIB + 1000);
		arena_rewind(a, &mark);
		assert_int_equal(m.used, 0);
		assert_string_equal(kept, "kept");
	}
	arena_free(a);
	share_end(&share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_the_last_eighth_is_for_small_things),
		cmocka_unit_test(test_what_is_held_fits),
		cmocka_unit_test(test_an_owner_has_a_share),
		cmocka_unit_test(test_an_arena_goes_back),
		cmocka_unit_test(test_what_is_reserved_is_not_counted_twice),
		cmocka_unit_test(test_an_arena_beside),
		cmocka_unit_test(test_a_reservation_stands_also_where_there_is_no_room),
		cmocka_unit_test(test_arenas_and_their_buffers_count),
		cmocka_unit_test(test_large_things_do_not_enlarge_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
