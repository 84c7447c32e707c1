/* Memory of columns: counted, and beyond its limit only reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bounded_arena.h"

enum { BLOCK = 256 << 10, HEAD_MOST = 64 };

/* Pieces of all sizes, each filled: none overlaps another, or reaches beyond its block. */
static void pieces_do_not_overlap(void **state)
{
	enum { COUNT = 400 };
	struct bounded_arena space = { .limit = SIZE_MAX };
	unsigned char *pieces[COUNT];
	size_t sizes[COUNT];
	size_t sum = 0;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		sizes[i] = i % 40 == 7 ? (BLOCK / 4) + i - 100 : 1 + i * 37 % 3000;
		sum += sizes[i];
		pieces[i] = bounded_arena_alloc(&space, sizes[i]);
		assert_int_equal((uintptr_t)pieces[i] % 8, 0);
		memset(pieces[i], (int)i & 0xff, sizes[i]);
	}
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(pieces[i][k], (int)i & 0xff);
	}
	assert_true(space.bytes >= sum && space.bytes < 2 * sum + BLOCK);
	bounded_arena_free(&space);
}

/* The block that is being filled goes on being filled. */
static void a_large_piece_has_a_block_of_its_own(void **state)
{
	struct bounded_arena space = { .limit = SIZE_MAX };
	char *small;
	size_t bytes;

	(void)state;
	bounded_arena_alloc(&space, BLOCK); /* the first of all */
	bytes = space.bytes;
	assert_in_range(bytes, 2 * BLOCK, 2 * BLOCK + 2 * HEAD_MOST);
	small = bounded_arena_alloc(&space, 8);
	bounded_arena_alloc(&space, BLOCK / 4 + 1);
	assert_in_range(space.bytes - bytes, BLOCK / 4 + 1, BLOCK / 4 + 8 + HEAD_MOST);
	bytes = space.bytes;
	assert_ptr_equal(bounded_arena_alloc(&space, BLOCK / 4), small + 8);
	assert_int_equal(space.bytes, bytes);
	bounded_arena_free(&space);
}

static void a_block_is_filled_to_its_end(void **state)
{
	struct bounded_arena space = { .limit = SIZE_MAX };
	char *first = bounded_arena_alloc(&space, BLOCK / 4);
	size_t bytes = space.bytes;

	(void)state;
	for (int i = 1; i < 4; i++)
		assert_ptr_equal(bounded_arena_alloc(&space, BLOCK / 4), first + i * (BLOCK / 4));
	assert_int_equal(space.bytes, bytes);
	bounded_arena_alloc(&space, 1);
	assert_in_range(space.bytes, 2 * BLOCK, 2 * BLOCK + 2 * HEAD_MOST);
	bounded_arena_free(&space);
}

static void it_is_over_beyond_its_limit(void **state)
{
	struct bounded_arena space = { .limit = 100, .bytes = 100 };

	(void)state;
	assert_false(bounded_arena_is_over(&space));
	space.bytes++;
	assert_true(bounded_arena_is_over(&space));
}

static void arrays_grow_by_twice_their_room(void **state)
{
	struct bounded_arena space = { .limit = SIZE_MAX };
	int64_t *array = NULL;
	size_t room = 0;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		const size_t before = room;

		array = bounded_arena_grow(&space, array, i, &room, sizeof(*array));
		assert_true(room > i);
		assert_true(room == before || (i == before && (!before || room == 2 * before)));
		assert_int_equal(space.bytes, room * sizeof(*array));
		array[i] = (int64_t)i;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(array[i], i);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_do_not_overlap),
		cmocka_unit_test(a_large_piece_has_a_block_of_its_own),
		cmocka_unit_test(a_block_is_filled_to_its_end),
		cmocka_unit_test(it_is_over_beyond_its_limit),
		cmocka_unit_test(arrays_grow_by_twice_their_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
