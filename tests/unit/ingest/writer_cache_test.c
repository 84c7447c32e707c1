/* What a flusher knows of writers: it holds for one version of their run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "batch.h"
#include "writer_cache.h"
#include "writer_marks.h"

static int begin(void **state)
{
	*state = writer_cache_new();
	return 0;
}

static int end(void **state)
{
	writer_cache_free(*state);
	return 0;
}

static struct writer make(int64_t run_id, const char *client, int64_t batch)
{
	static char recent[BATCH_RECENT_MAX];

	memset(recent, (int)batch, sizeof(recent));
	return (struct writer){ .run_id = run_id,
				.client = str_of(client),
				.label = STR("rank0"),
				.batch = batch,
				.recent = { recent, BATCH_MEMORY_LEN } };
}

/* The tail's next block is the version times ten. */
static void advance(struct writer_cache *cache, int64_t run_id, int64_t from, int64_t to)
{
	struct run run = { .run_id = run_id, .version = from, .next_seq = 10 * to };

	writer_cache_advance(cache, &run, to);
}

static void holds_for_one_version(void **state)
{
	struct writer_cache *cache = *state;
	struct writer w = make(1, "a", 7);
	const struct writer *found;

	assert_false(writer_cache_has(cache, 1, STR("a")));
	writer_cache_keep(cache, &w); /* of a run nobody advanced */
	assert_false(writer_cache_has(cache, 1, STR("a")));
	advance(cache, 1, 4, 5);
	writer_cache_keep(cache, &w);
	found = writer_cache_find(cache, 1, 5, STR("a"));
	assert_non_null(found);
	assert_int_equal(found->batch, 7);
	assert_true(str_is(found->label, "rank0"));
	assert_int_equal(found->recent.at[0], 7);
	assert_true(writer_cache_has(cache, 1, STR("a")));
	assert_null(writer_cache_find(cache, 1, 6, STR("a")));
	assert_null(writer_cache_find(cache, 1, 4, STR("a")));
	assert_null(writer_cache_find(cache, 2, 5, STR("a")));
	assert_null(writer_cache_find(cache, 1, 5, STR("b")));
}

/* Who went along with the run is known still; when it was changed by others, nobody is. */
static void goes_along_with_its_run(void **state)
{
	struct writer_cache *cache = *state;
	struct writer a = make(1, "a", 1);
	struct writer b = make(1, "b", 2);

	advance(cache, 1, 0, 1);
	writer_cache_keep(cache, &a);
	writer_cache_keep(cache, &b);
	advance(cache, 1, 1, 2);
	a.batch = 9;
	writer_cache_keep(cache, &a);
	assert_int_equal(writer_cache_find(cache, 1, 2, STR("a"))->batch, 9);
	assert_int_equal(writer_cache_find(cache, 1, 2, STR("b"))->batch, 2);
	advance(cache, 1, 3, 4);
	assert_false(writer_cache_has(cache, 1, STR("a")));
	assert_null(writer_cache_find(cache, 1, 4, STR("a")));
	a.label = STR("rank7");
	writer_cache_keep(cache, &a);
	assert_true(str_is(writer_cache_find(cache, 1, 4, STR("a"))->label, "rank7"));
	assert_null(writer_cache_find(cache, 1, 4, STR("b")));
}

/* What another server stored is followed by its marks, as long as they begin where this one stood. */
static void follows_marks(void **state)
{
	struct writer_cache *cache = *state;
	struct arena *arena = arena_new(0);
	struct writer a = make(1, "a", 1);
	struct writer b = make(1, "b", 2);
	struct writer_mark mark = { .writer = 2, .batch = 3, .history_rows = 30 };
	struct marks marks = {
		.run_id = 1, .seq = 25, .from = 2, .to = 7, .at = &mark, .count = 1
	};
	const struct writer *found;

	a.writer = 1;
	b.writer = 2;
	b.history_rows = 20;
	assert_int_equal(writer_cache_behind(cache, 1, 2), -1);
	advance(cache, 1, 0, 2);
	writer_cache_keep(cache, &a);
	writer_cache_keep(cache, &b);
	assert_int_equal(writer_cache_behind(cache, 1, 2), -1);
	assert_int_equal(writer_cache_behind(cache, 1, 7), 20);
	marks.from = 3; /* it was changed in between */
	writer_cache_follow(cache, arena, &marks);
	assert_null(writer_cache_find(cache, 1, 7, STR("a")));
	marks.from = 2;
	writer_cache_follow(cache, arena, &marks);
	assert_int_equal(writer_cache_find(cache, 1, 7, STR("a"))->batch, 1);
	found = writer_cache_find(cache, 1, 7, STR("b"));
	assert_int_equal(found->batch, 3);
	assert_int_equal(found->history_rows, 30);
	assert_true(str_is(found->label, "rank0"));
	assert_int_equal(writer_cache_behind(cache, 1, 8), 26);
	advance(cache, 1, 7, 8);
	assert_int_equal(writer_cache_find(cache, 1, 8, STR("b"))->batch, 3);
	arena_free(arena);
}

/* A database that went back to an earlier state may give a client another number. */
static void a_client_with_another_number(void **state)
{
	struct writer_cache *cache = *state;
	struct arena *arena = arena_new(0);
	struct writer a = make(1, "a", 1);
	struct writer_mark mark = { .writer = 6, .batch = 3 };
	struct marks marks = {
		.run_id = 1, .seq = 25, .from = 3, .to = 4, .at = &mark, .count = 1
	};

	a.writer = 5;
	advance(cache, 1, 0, 1);
	writer_cache_keep(cache, &a);
	a.writer = 6;
	advance(cache, 1, 2, 3);
	writer_cache_keep(cache, &a);
	writer_cache_follow(cache, arena, &marks);
	assert_int_equal(writer_cache_find(cache, 1, 4, STR("a"))->batch, 3);
	arena_free(arena);
}

/* However many writers: what is known is right, and it is bounded. */
static void is_bounded(void **state)
{
	struct writer_cache *cache = *state;
	size_t known = 0;

	for (int i = 0; i < 3 * WRITER_CACHE_WRITERS; i++) {
		char client[16];
		struct writer w;

		snprintf(client, sizeof(client), "w%d", i);
		w = make(i / 10, client, i % 100);
		writer_cache_make_room(cache);
		advance(cache, i / 10, i % 10, i % 10 + 1);
		writer_cache_keep(cache, &w);
		assert_int_equal(writer_cache_find(cache, i / 10, i % 10 + 1, w.client)->batch,
				 i % 100);
	}
	for (int i = 0; i < 3 * WRITER_CACHE_WRITERS; i++) {
		char client[16];

		snprintf(client, sizeof(client), "w%d", i);
		known += writer_cache_has(cache, i / 10, str_of(client));
	}
	assert_in_range(known, 1, WRITER_CACHE_WRITERS);
}

/*
 * A flush takes a writer as it is known, and keeps it when the cache was emptied for others meanwhile:
 * what the writer consists of must still be there.
 */
static void what_a_flush_took_outlives_the_others(void **state)
{
	struct writer_cache *cache = *state;
	struct writer first = make(0, "first", 7);
	struct writer taken;

	advance(cache, 0, 0, 1);
	writer_cache_keep(cache, &first);
	for (int i = 1; i < WRITER_CACHE_WRITERS; i++) {
		char client[16];
		struct writer w;

		snprintf(client, sizeof(client), "w%d", i);
		w = make(i, client, 1);
		advance(cache, i, 0, 1);
		writer_cache_keep(cache, &w);
	}
	taken = *writer_cache_find(cache, 0, 1, STR("first"));
	advance(cache, 0, 1, 2);
	writer_cache_keep(cache, &taken);
	assert_int_equal(writer_cache_find(cache, 0, 2, STR("first"))->recent.at[0], 7);
	writer_cache_make_room(cache);
	assert_false(writer_cache_has(cache, 0, STR("first")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(holds_for_one_version, begin, end),
		cmocka_unit_test_setup_teardown(goes_along_with_its_run, begin, end),
		cmocka_unit_test_setup_teardown(follows_marks, begin, end),
		cmocka_unit_test_setup_teardown(a_client_with_another_number, begin, end),
		cmocka_unit_test_setup_teardown(is_bounded, begin, end),
		cmocka_unit_test_setup_teardown(what_a_flush_took_outlives_the_others, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
