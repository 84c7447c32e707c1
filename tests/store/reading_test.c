/* How series and the console are read: by which plans, and of which moment. */
#include <pthread.h>

#include "arena.h"
#include "codec.h"
#include "console_store.h"
#include "console_times.h"
#include "memory.h"
#include "scene.h"
#include "series_store.h"

/* A plan for the parameters' values takes longer than reading a chart: see series.sql. */
static void test_charts_are_not_planned_each_time(void **state)
{
	struct scene *s = *state;
	const int32_t key_id = 1;
	const struct series_ask ask = {
		.run_ids = &s->run_id,
		.run_count = 1,
		.stream = STREAM_HISTORY,
		.key_ids = &key_id,
		.key_count = 1,
	};
	struct series_row *rows;
	size_t count;

	for (int i = 0; i < 12; i++)
		ok(series_store_read(s->db, s->codec, &ask, &rows, &count));
	assert_int_equal(scene_number(s,
				      "select custom_plans as number from pg_prepared_statements "
				      "where statement like 'select 1::int2 as part%%c.roll%%'"),
			 0);
	assert_int_equal(scene_number(s,
				      "select generic_plans as number from pg_prepared_statements "
				      "where statement like 'select 1::int2 as part%%c.roll%%'"),
			 12);
}

/* ---- the console by time ------------------------------------------------------------------------- */

struct reader {
	struct scene *s;
	struct arena *arena;
	struct db *db;
	struct codec *codec;
	pthread_t thread;
	err_t failed;
	const struct top_lines *lines;
};

static void *read_by_time(void *p)
{
	struct reader *r = p;
	const struct console_times ask = {
		.run_id = r->s->run_id,
		.streams = { true, true },
		.by = LINES_BY_TIME,
		.from = 0,
		.to = INT64_MAX,
		.order = TOP_EARLIEST,
		.limit = 100,
		.bytes = 1 << 20,
	};
	bool more;

	r->failed = console_times_read(r->db, r->codec, &ask, &r->lines, &more);
	return NULL;
}

static void begin_reader(struct reader *r, struct scene *s)
{
	*r = (struct reader){ .s = s, .arena = arena_new(1 << 16), .codec = codec_new() };
	r->db = fixture_connect(s->a);
	db_set_arena(r->db, r->arena);
	assert_int_equal(pthread_create(&r->thread, NULL, read_by_time, r), 0);
}

static void end_reader(struct reader *r)
{
	codec_free(r->codec);
	db_close(r->db);
	arena_free(r->arena);
}

/* Between its first statement and the others the chunks go: what it saw first holds. */
static void test_a_page_by_time_is_of_one_moment(void **state)
{
	struct scene *s = *state;
	struct reader r;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0",
		   "\"console\":[{\"line\":0,\"text\":\"a\"},{\"line\":1,\"text\":\"b\"}]");
	scene_compact(s);
	scene_send(s, "w0", "\"console\":[{\"line\":2,\"text\":\"c\"}]");
	ok(db_begin(s->db, 60000, 60000));
	scene_sql(s, "lock table console_chunk in access exclusive mode");
	begin_reader(&r, s);
	while (!scene_number(s, "select count(*) as number from pg_locks "
				"where not granted and relation = 'console_chunk'::regclass"))
		;
	scene_sql(s, "delete from console_chunk where run_id = %lld", (long long)s->run_id);
	ok(db_commit(s->db));
	pthread_join(r.thread, NULL);
	ok(r.failed);
	assert_int_equal(r.lines->count, 3);
	end_reader(&r);
}

enum { BAR_BLOCKS = 2000, BAR_BYTES = 8 << 20 };

/* A bar's line is sent again with each block, so any block has all later ones to look into. */
static void send_bar(struct scene *s)
{
	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0",
		   "\"console\":[{\"line\":7,\"text\":\"1 %\"},{\"line\":9,\"text\":\"a\"}]");
	scene_sql(s,
		  "insert into tail select (jsonb_populate_record(t, "
		  "jsonb_build_object('seq', t.seq + i))).* "
		  "from tail t, generate_series(1, %d) i where t.run_id = %lld and t.kind = 3",
		  BAR_BLOCKS - 1, (long long)s->run_id);
}

/* The lists of later blocks are not held, each of them, until the page is done. */
static void test_a_line_that_each_block_has_again(void **state)
{
	struct scene *s = *state;
	struct reader r = { .s = s, .arena = arena_new(1 << 16), .db = s->db, .codec = s->codec };
	struct arena *before = db_arena(s->db);
	struct memory memory;
	struct memory_share share;

	send_bar(s);
	memory_init(&memory, SIZE_MAX);
	share_begin(&share, &memory, 0);
	arena_count_in(r.arena, &share);
	db_set_arena(s->db, r.arena);
	read_by_time(&r);
	db_set_arena(s->db, before);
	ok(r.failed);
	assert_int_equal(r.lines->count, 2);
	arena_free(r.arena);
	share_end(&share);
	assert_true(memory.peak < BAR_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_charts_are_not_planned_each_time),
		SCENE_TEST(test_a_page_by_time_is_of_one_moment),
		SCENE_TEST(test_a_line_that_each_block_has_again),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
