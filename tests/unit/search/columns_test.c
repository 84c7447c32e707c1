/* Columns: rows come, change and go; what is no document, and what is too much, is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "buf.h"
#include "columns_filter.h"

struct fixture {
	struct arena *a;
	struct columns *c;
	int64_t change;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){ arena_new(4096), columns_new(64 << 20), 0 };
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	columns_free(f->c);
	arena_free(f->a);
	return 0;
}

static bool put(struct fixture *f, int64_t run_id, const char *text)
{
	const struct str given = str_of(text ? text : "{}");
	char *exact = malloc(given.len + 1); /* so that sanitizers see a read beyond the end */
	const struct columns_document doc = {
		run_id, ++f->change, 0, !text, { exact + 1, given.len }
	};
	bool is_put;

	memcpy(exact + 1, given.at, given.len);
	is_put = columns_put(f->c, &doc);
	free(exact);
	return is_put;
}

struct question {
	const struct filter_node *node;
	struct patterns *patterns;
	struct match_results *results;
};

static struct question question_of(struct fixture *f, const char *filter)
{
	struct question q;

	assert_null(filter_parse(f->a, str_of(filter), &q.node));
	assert_null(patterns_new(f->a, q.node, 0, &q.patterns));
	q.results = match_results_new(f->a, q.patterns, NULL);
	return q;
}

/* One walk. */
static struct bits walk(struct fixture *f, const struct question *q)
{
	struct bits shown = columns_shown(f->a, f->c, true, false);

	match_results_begin(q->results, f->c);
	return columns_filter(f->a, f->c, q->node, q->results, shown);
}

/* Until nothing new is met. */
static struct bits walk_to_the_end(struct fixture *f, const struct question *q)
{
	struct bits rows = walk(f, q);

	while (!match_results_are_known(q->results)) {
		assert_null(match_results_find(q->results));
		rows = walk(f, q);
	}
	return rows;
}

/* "1 3": in order of their rows. */
static const char *runs_of(struct fixture *f, struct bits rows)
{
	struct buf *out = buf_new(f->a);

	for (size_t row = bits_next(rows, 0); row < rows.rows; row = bits_next(rows, row + 1))
		buf_printf(out, "%s%lld", out->len ? " " : "", (long long)f->c->run_ids[row]);
	buf_add_byte(out, '\0');
	return out->at;
}

static const char *found(struct fixture *f, const char *filter)
{
	struct question q = question_of(f, filter);

	return runs_of(f, walk_to_the_end(f, &q));
}

/* Who asks the same again need not wait for what is known; what came since, and others, are matched. */
static void what_is_known_is_known(void **state)
{
	struct fixture *f = *state;
	struct match_cache *cache = match_cache_new(1 << 20);
	char *longer = arena_zalloc(f->a, 121, 1); /* than what is tried at once */

	f->c->id = 7;
	memset(longer, 'x', 120);
	for (int i = 0; i < 2 * VERDICT_CACHE_LEAST; i++)
		assert_true(put(f, i + 1, arena_printf(f->a, "{\"notes\": \"%s%d\"}", longer, i)));
	for (int i = 0; i < 4; i++) {
		struct question q = question_of(f, i < 3 ? "notes:/x[1]7$/" : "notes:/x[1]8$/");

		q.results = match_results_new(f->a, q.patterns, cache);
		assert_int_equal(bits_count(walk(f, &q)), i == 1 || i == 2);
		assert_int_equal(match_results_are_known(q.results), i == 1);
		assert_null(match_results_find(q.results));
		assert_int_equal(bits_count(walk_to_the_end(f, &q)), 1);
		match_results_keep(q.results);
		if (i == 1)
			assert_true(
				put(f, 5000, arena_printf(f->a, "{\"notes\": \"%sy\"}", longer)));
	}
	match_cache_free(cache);
}

static uint8_t *results_of_notes(struct fixture *f, const struct question *q, size_t *ret_count)
{
	struct filter_path path;
	const struct column *column;

	assert_null(filter_path_parse(f->a, STR("notes"), NULL, &path));
	column = columns_find(f->c, &path);
	*ret_count = column->texts.count;
	return match_results_of(q->results, column, 0);
}

/* They stay where they are until there are more texts, and then are copied. */
static void results_have_room_for_all_texts(void **state)
{
	struct fixture *f = *state;
	struct question q = question_of(f, "notes:/a/");
	uint8_t *before;
	uint8_t *after;
	size_t count;

	assert_true(put(f, 1, "{\"notes\": \"a\"}"));
	match_results_begin(q.results, f->c);
	before = results_of_notes(f, &q, &count);
	assert_int_equal(count, 1);
	before[0] = MATCH_YES;
	assert_ptr_equal(results_of_notes(f, &q, &count), before);
	memset(arena_alloc(f->a, 1000), 0xff, 1000); /* is not taken for results */
	for (int i = 2; i < 500; i++)
		assert_true(put(f, i, arena_printf(f->a, "{\"notes\": \"a%d\"}", i)));
	after = results_of_notes(f, &q, &count);
	assert_int_equal(after[0], MATCH_YES);
	for (size_t i = 1; i < count; i++)
		assert_int_equal(after[i], MATCH_UNKNOWN);
	assert_int_equal(count, 499);
}

/* However much is kept, it takes no more than it may. */
static void the_cache_is_bounded(void **state)
{
	enum { COUNT = 2000, ROOM = 10 };
	struct fixture *f = *state;
	struct match_cache *cache = match_cache_new((COUNT + 1) * ROOM);
	struct question q = question_of(f, "notes:/a/");
	uint8_t results[COUNT] = { MATCH_YES, MATCH_NO };
	uint8_t found[COUNT];
	int kept = 0;

	for (uint64_t i = 1; i <= 100; i++)
		match_cache_put(cache, &(struct match_key){ i, 0, patterns_node(q.patterns, 0) },
				results, COUNT);
	for (uint64_t i = 1; i <= 100; i++) {
		size_t count = match_cache_get(
			cache, &(struct match_key){ i, 0, patterns_node(q.patterns, 0) }, found,
			COUNT);

		assert_int_equal(count, i > 100 - ROOM ? COUNT : 0);
		kept += count > 0;
	}
	assert_int_equal(kept, ROOM);
	assert_memory_equal(found, results, COUNT);
	match_cache_free(cache);
}

/* There is a limit of bytes, and one of expressions. */
static void the_cache_drops_what_was_used_longest_ago(void **state)
{
	enum { COUNT = 2000, KEPT = 64, ROUNDS = 3 * KEPT };
	struct fixture *f = *state;
	struct question q = question_of(f, "notes:/a/");
	const struct filter_node *node = patterns_node(q.patterns, 0);
	static const size_t limits[] = { 1 << 24, (COUNT + 1) * (KEPT / 2) };
	uint8_t results[COUNT] = { MATCH_YES };

	for (size_t i = 0; i < 2; i++) {
		struct match_cache *cache = match_cache_new(limits[i]);
		struct match_key first = { 1000, 3, node };

		match_cache_put(cache, &first, results, COUNT);
		for (uint64_t round = 1; round <= ROUNDS; round++) {
			const struct match_key key = { round, 3, node };

			match_cache_put(cache, &key, results, COUNT);
			assert_int_equal(match_cache_get(cache, &first, results, COUNT), COUNT);
			for (uint64_t back = 8; back; back--) {
				const struct match_key last = { round - back, 3, node };

				assert_int_equal(match_cache_get(cache, &last, results, COUNT),
						 round > back ? COUNT : 0);
			}
		}
		match_cache_free(cache);
	}
}

/* The same expression on other columns, or with another case of letters, has other results. */
static void the_cache_does_not_mix_up_expressions(void **state)
{
	enum { COUNT = VERDICT_CACHE_LEAST };
	struct fixture *f = *state;
	struct question lower = question_of(f, "{\"notes\":{\"$regex\":\"a\"}}");
	struct question other = question_of(f, "{\"notes\":{\"$regex\":\"b\"}}");
	struct question both = question_of(f, "{\"notes\":{\"$regex\":\"a\",\"$options\":\"i\"}}");
	struct match_cache *cache = match_cache_new(1 << 20);
	const struct match_key key = { 1, 3, patterns_node(lower.patterns, 0) };
	const struct match_key others[] = {
		{ 2, 3, key.node },
		{ 1, 4, key.node },
		{ 1, 3, patterns_node(other.patterns, 0) },
		{ 1, 3, patterns_node(both.patterns, 0) },
	};
	static uint8_t results[COUNT] = { MATCH_YES };
	uint8_t more[COUNT + 1];

	match_cache_put(cache, &key, results, COUNT);
	assert_int_equal(match_cache_get(cache, &key, more, COUNT + 1), COUNT);
	assert_int_equal(match_cache_get(cache, &key, more, 5), 5);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(match_cache_get(cache, &others[i], more, COUNT), 0);
	match_cache_put(cache, &(struct match_key){ 0, 3, key.node }, results, COUNT);
	assert_int_equal(match_cache_get(cache, &(struct match_key){ 0, 3, key.node }, more, COUNT),
			 0);
	match_cache_put(cache, &others[0], results, COUNT - 1);
	assert_int_equal(match_cache_get(cache, &others[0], more, COUNT), 0);
	match_cache_free(cache);
}

static void rows_change_and_go(void **state)
{
	struct fixture *f = *state;

	assert_true(put(f, 1, "{\"state\": \"running\", \"config\": {\"x\": 1}}"));
	assert_true(put(f, 2, "{\"state\": \"failed\", \"config\": {\"x\": [1, \"y\"]}}"));
	assert_true(put(f, 3, "{\"state\": \"running\"}"));
	assert_string_equal(found(f, "config.x=1"), "1 2");
	assert_string_equal(found(f, "not has:config.x"), "3");
	assert_true(put(f, 1, "{\"state\": \"failed\"}"));
	assert_string_equal(found(f, "config.x=1"), "2");
	assert_string_equal(found(f, "state:failed"), "1 2");
	assert_true(put(f, 2, NULL));
	assert_string_equal(found(f, ""), "1 3");
	assert_true(put(f, 2, "{\"state\": \"killed\"}"));
	assert_string_equal(found(f, "state:killed"), "2");
}

/* Whoever follows may bring what is older than what is there. */
static void what_is_older_changes_nothing(void **state)
{
	struct fixture *f = *state;
	const struct columns_document old = { 1, 1, 0, true, STR("{}") };

	assert_true(put(f, 1, "{\"state\": \"running\"}"));
	assert_true(put(f, 1, "{\"state\": \"failed\"}"));
	assert_true(columns_put(f->c, &old));
	assert_string_equal(found(f, "state:failed"), "1");
}

static void many_rows_and_chunks(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3 * COLUMNS_CHUNK + 5; i++)
		assert_true(put(f, i,
				arena_printf(f->a, "{\"id\": \"r%d\", \"config\": {\"x\": %d}}", i,
					     i % 500)));
	assert_string_equal(found(f, "config.x:499"), "499");
	assert_string_equal(found(f, "config.x>=498"), "498 499");
	assert_string_equal(found(f, "id:/^r77[0-2]$/"), "770 771 772");
	assert_string_equal(found(f, "not config.x<499"), "499");
}

static void what_is_no_document_is_told(void **state)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{",
		"{\"state\"",
		"{\"state\": ",
		"{\"state\": \"",
		"{\"state\": \"a\"",
		"{\"config\": {\"x\": [1, 2}}",
		"{\"config\": {\"x\": [[1}}",
		"{\"config\": {\"x\" 1}}",
		"{\"tags\": [\"a\" \"b\"]}",
		"{\"config\": {\"x\": }}",
		"{\"config\": {\"x\": \"\\u00",
		"{\"config\": {\"a\": [{\"b\": 1, \"c\"]}}",
		"{\"state\": \"a\",",
		"{\"state\": \"a\\",
		"{\"state\": \"a\\\"",
		"{\"config\": {\"x",
		"{\"config\": {\"x\": tru",
		"{\"config\": {\"x\": [1, ",
		"{\"nothing\": [\"x",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (put(f, 1, bad[i]))
			fail_msg("\"%s\" was taken", bad[i]);
	}
}

static void memory_is_limited(void **state)
{
	struct fixture *f = *state;
	int64_t i = 0;

	columns_free(f->c);
	f->c = columns_new(4 << 20);
	while (put(f, i,
		   arena_printf(f->a, "{\"config\": {\"x%lld\": \"%01000lld\"}}", (long long)i,
				(long long)i)))
		i++;
	assert_in_range(i, 200, 4000);
	assert_in_range(f->c->arena.bytes, 4 << 20, 8 << 20);
}

/* A list of many objects, each with a name of its own and one that all have. */
static void a_list_of_objects_is_read_once(void **state)
{
	struct fixture *f = *state;
	struct buf *text = buf_new(f->a);

	buf_add_text(text, "{\"config\": {\"a\": [");
	for (int i = 0; i < 20000; i++)
		buf_printf(text, "%s{\"b\": %d}", i ? ", " : "", i);
	buf_add_text(text, "]}}");
	buf_add_byte(text, '\0');
	assert_true(put(f, 1, text->at));
	assert_string_equal(found(f, "config.a.b:19999"), "1");
	assert_string_equal(found(f, "config.a.b:20000"), "");
	assert_true(f->c->arena.bytes < 4 << 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Longer than what is told at once. */
#define LONG "------------------------------------------------------------------------"

/* What comes, goes and is put in anew between two walks. */
static void texts_change_between_walks(void **state)
{
	struct fixture *f = *state;
	struct question q = question_of(f, "not config.x:/^a/ state:/./");
	struct columns *old;

	assert_true(put(f, 1, "{\"state\": \"s\", \"config\": {\"x\": \"a" LONG "\"}}"));
	assert_true(put(f, 2, "{\"state\": \"s\", \"config\": {\"x\": \"b" LONG "\"}}"));
	(void)walk(f, &q);
	assert_false(match_results_are_known(q.results));
	assert_true(put(f, 2, "{\"state\": \"t\", \"config\": {\"x\": \"ab" LONG "\"}}"));
	assert_true(put(f, 3,
			"{\"state\": \"t\", \"config\": {\"x\": [1, \"ab" LONG "\", \"c" LONG
			"\"]}}"));
	assert_true(put(f, 4, "{\"state\": \"t\", \"config\": {\"x\": [\"b" LONG "\"]}}"));
	assert_null(match_results_find(q.results));
	assert_string_equal(runs_of(f, walk_to_the_end(f, &q)), "4");
	assert_string_equal(runs_of(f, walk(f, &q)), "4");
	assert_true(match_results_are_known(q.results));

	old = f->c;
	f->c = columns_new(64 << 20);
	assert_true(put(f, 5, "{\"state\": \"s\", \"config\": {\"x\": \"b" LONG "\"}}"));
	assert_true(put(f, 6, "{\"state\": \"s\", \"config\": {\"x\": \"a" LONG "\"}}"));
	columns_free(old);
	assert_string_equal(runs_of(f, walk_to_the_end(f, &q)), "5");
}

/* Most texts are short: a walk matches them itself, unless it is interrupted for some milliseconds. */
static void short_texts_are_known_after_one_walk(void **state)
{
	enum { TRIES = 5 };
	struct fixture *f = *state;
	size_t found = 0;

	for (int i = 0; i < 60; i++)
		assert_true(
			put(f, i, arena_printf(f->a, "{\"config\": {\"x\": \"value %d\"}}", i)));
	for (int i = 0; i < TRIES && !found; i++) {
		struct question q = question_of(f, "config.x:/7$/");

		found = bits_count(walk(f, &q));
		assert_int_equal(bits_count(walk_to_the_end(f, &q)), 6);
	}
	assert_int_equal(found, 6);
}

/* More than one walk asks for. */
static void texts_are_many(void **state)
{
	enum { TEXTS = 70000 };
	struct fixture *f = *state;
	struct question q = question_of(f, "config.x:/77$/");
	unsigned walks = 0;

	for (int i = 0; i < TEXTS; i++)
		assert_true(
			put(f, i, arena_printf(f->a, "{\"config\": {\"x\": \"" LONG "%d\"}}", i)));
	do {
		assert_null(match_results_find(q.results));
		(void)walk(f, &q);
		walks++;
	} while (!match_results_are_known(q.results));
	assert_int_equal(walks, 3);
	assert_int_equal(bits_count(walk(f, &q)), TEXTS / 100);
}

/* Each of 64 rows, and each kind of cell, before, at and behind the bound. */
static void ranges(void **state)
{
	static const char *const values[] = { "-1",    "0",    "0.5",      "1",
					      "\"1\"", "[1]",  "[2, 0.1]", "0.10000000000000000001",
					      "null",  "true", "-0" };
	enum { VALUES = sizeof(values) / sizeof(values[0]), ROWS = 64 * VALUES };
	static const struct {
		const char *filter;
		const char *holds;
	} cases[] = {
		{ "config.x<0.5", "yy....yy..y" }, { "config.x<=0.5", "yyy...yy..y" },
		{ "config.x>0", "..yy.yyy..." },   { "config.x>=0", ".yyy.yyy..y" },
		{ "config.x>0.1", "..yy.yyy..." }, { "config.x<=0.1", "yy....y...y" },
		{ "config.x<-0", "y.........." },
	};
	struct fixture *f = *state;

	for (int i = 0; i < ROWS; i++)
		assert_true(put(
			f, i, arena_printf(f->a, "{\"config\": {\"x\": %s}}", values[i % VALUES])));
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct question q = question_of(f, cases[k].filter);
		struct bits rows = walk_to_the_end(f, &q);

		for (size_t i = 0; i < ROWS; i++) {
			bool holds = rows.words[i / 64] >> i % 64 & 1;

			if (holds != (cases[k].holds[i % VALUES] == 'y'))
				fail_msg("%s: row %zu, %s", cases[k].filter, i, values[i % VALUES]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_change_and_go),
		TEST(what_is_older_changes_nothing),
		TEST(many_rows_and_chunks),
		TEST(what_is_no_document_is_told),
		TEST(memory_is_limited),
		TEST(a_list_of_objects_is_read_once),
		TEST(short_texts_are_known_after_one_walk),
		TEST(texts_are_many),
		TEST(what_is_known_is_known),
		TEST(results_have_room_for_all_texts),
		TEST(the_cache_is_bounded),
		TEST(the_cache_drops_what_was_used_longest_ago),
		TEST(the_cache_does_not_mix_up_expressions),
		TEST(texts_change_between_walks),
		TEST(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
