/* What lies in the tail and in chunks: what reading it costs, and what it takes decoded. */
#include <string.h>

#include "arena.h"
#include "codec.h"
#include "run_documents.h"
#include "scene.h"

enum { MIB = 1 << 20, MANY = 50000 };

extern const struct db_stmt STMT_tail_has_all;
extern const struct db_stmt STMT_tail_pending;
extern const struct db_stmt STMT_series_rows;
extern const struct db_stmt STMT_console_read;
extern const struct db_stmt STMT_console_line_before;
extern const struct db_stmt STMT_console_spans_up;
extern const struct db_stmt STMT_console_spans_down;
extern const struct db_stmt STMT_console_arrivals_up;
extern const struct db_stmt STMT_console_arrivals_down;
extern const struct db_stmt STMT_tail_slot_runs;
extern const struct db_stmt STMT_run_list_info;

static int group_setup(void **state)
{
	struct scene *s;

	scene_group_setup(state);
	s = *state;
	scene_sql(s, "create function pages_of(query text) returns int8 language plpgsql as "
		     "$$ declare j json; begin "
		     "execute 'explain (analyze, buffers, format json) ' || query into j; "
		     "return (j->0->'Plan'->>'Shared Hit Blocks')::int8 "
		     "+ (j->0->'Plan'->>'Shared Read Blocks')::int8; end $$");
	scene_sql(s, "set plan_cache_mode = force_generic_plan");
	return 0;
}

static int setup(void **state)
{
	struct scene *s = *state;

	scene_setup(state);
	scene_sql(s, "truncate tail, chunk");
	scene_sql(s, "update tail_ring set slot = 0, opened_at = now()");
	scene_join(s, "w0", WRITER_PRIMARY);
	return 0;
}

/* ---- what it costs ---------------------------------------------------------------------------------- */

/* Pages that the statement touches, planned as in the server: for any parameters. */
static int64_t pages(struct scene *s, const struct db_stmt *stmt, const char *args)
{
	int64_t count;

	scene_sql(s, "prepare measured as %s", stmt->sql);
	count = scene_number(s, "select pages_of('execute measured(%s)') as number", args);
	scene_sql(s, "deallocate measured");
	return count;
}

static const char *run_and(struct scene *s, const char *args)
{
	return arena_printf(s->a, "%lld, %s", (long long)s->run_id, args);
}

/* Small blocks of other runs in the open slot, of a run each or of one. */
static void fill_slot(struct scene *s, const char *run_id, const char *seq)
{
	scene_sql(s,
		  "insert into tail (slot, run_id, seq, kind, writer, row_first, row_count, "
		  "step_base, size_bytes, data) select 0, %s, %s, 1, 0, i, 1, i, 1, 'x' "
		  "from generate_series(1, %d) i",
		  run_id, seq, MANY);
	scene_sql(s, "vacuum analyze tail");
}

static void test_other_runs_in_a_slot_cost_nothing(void **state)
{
	struct scene *s = *state;

	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	fill_slot(s, "i", "0");
	assert_true(pages(s, &STMT_tail_has_all, run_and(s, "-1, 0")) < 40);
	assert_true(pages(s, &STMT_tail_pending, run_and(s, "-1, 1000, 1000000")) < 80);
}

/* Whether a slot can be emptied is asked of its runs, not of its blocks. */
static void test_many_blocks_of_a_compacted_run(void **state)
{
	struct scene *s = *state;

	fill_slot(s, arena_printf(s->a, "%lld", (long long)s->run_id), "i");
	scene_sql(s, "update run_hot set compact_seq = %d where run_id = %lld", MANY,
		  (long long)s->run_id);
	assert_true(pages(s, &STMT_tail_slot_runs, "0::int2, 10") < 60);
}

/* A window of an exact read takes its own chunks, not all of the run. */
static void test_a_window_of_many_chunks(void **state)
{
	struct scene *s = *state;

	scene_sql(s,
		  "insert into chunk (run_id, stream, key_id, kind, writer, index_first, "
		  "value_count, row_first, row_last, step_min, step_max, data) "
		  "select %lld, 1, k, 1, 0, i * 4096, 4096, i * 4096, i * 4096 + 4095, 0, 0, "
		  "decode(repeat('ab', 500), 'hex') "
		  "from generate_series(1, 10) k, generate_series(0, 1999) i",
		  (long long)s->run_id);
	scene_sql(s, "vacuum analyze chunk");
	assert_true(pages(s, &STMT_series_rows,
			  run_and(s, "1::int2, 4096000, 4100096, ''{}'', ''{}'', 0, 0")) < 150);
	assert_true(pages(s, &STMT_series_rows,
			  run_and(s, "1::int2, 0, 4096, ''{}'', ''{}'', 0, 0")) < 200);
}

static void check_spans(struct scene *s, const struct db_stmt *up, const struct db_stmt *down)
{
	assert_true(pages(s, up, run_and(s, "''{}'', 0, 2000000, 0, -1, -1, 100")) < 60);
	assert_true(pages(s, up, run_and(s, "''{}'', 1900000, 1910000, 0, -1, -1, 100")) < 300);
	assert_true(pages(s, down, run_and(s, "''{}'', 0, 2000000, 2000000, 0, 0, 100")) < 60);
	assert_true(pages(s, down, run_and(s, "''{}'', 100000, 110000, 2000000, 0, 0, 100")) < 300);
}

/* The end of a long console, and any time or arrival in it, is found without walking through its beginning. */
static void test_a_long_console(void **state)
{
	struct scene *s = *state;

	scene_sql(
		s,
		"insert into console_chunk (run_id, writer, line_first, line_count, seq_last, "
		"time_first, time_last, arrival_first, arrival_last, data) "
		"select %lld, 0, i * 1024, 1024, 0, i * 100, i * 100 + 150, i * 100, i * 100 + 150, decode(repeat('ab', 500), 'hex') from generate_series(0, 19999) i",
		(long long)s->run_id);
	scene_sql(s, "vacuum analyze console_chunk");
	assert_true(pages(s, &STMT_console_read, run_and(s, "0, 20479000, 4, 1000")) < 60);
	assert_true(pages(s, &STMT_console_line_before, run_and(s, "0, 2000")) < 200);
	check_spans(s, &STMT_console_spans_up, &STMT_console_spans_down);
	check_spans(s, &STMT_console_arrivals_up, &STMT_console_arrivals_down);
	scene_sql(s, "truncate console_chunk");
}

static void test_runs_by_id(void **state)
{
	struct scene *s = *state;

	scene_sql(
		s,
		"insert into run (project_id, name, run_id, display_name, job_type, group_name, "
		"sweep, notes, tags, visibility, color_number, created_at) select %lld, 'many' || i, i, '', '', '', "
		"'', '', '[]', 0, i, now() from generate_series(1, 20000) i",
		(long long)s->project_id);
	scene_sql(s, "vacuum analyze run");
	assert_true(pages(s, &STMT_run_list_info,
			  arena_printf(s->a, "%lld, ''{7,4711,19999}''",
				       (long long)s->project_id)) < 40);
	scene_sql(s, "delete from run where run_id <= 20000");
}

static int64_t run_updates(struct scene *s, const char *which)
{
	scene_sql(s, "select pg_stat_force_next_flush()");
	return scene_number(
		s, "select %s as number from pg_stat_user_tables where relname = 'run_hot'", which);
}

/* A flush touches no index of run_hot (now and then a page is full). */
static void test_flushes_are_hot(void **state)
{
	enum { FLUSHES = 50 };
	struct scene *s = *state;
	int64_t all = run_updates(s, "n_tup_upd");
	int64_t hot = run_updates(s, "n_tup_hot_upd");

	for (int i = 0; i < FLUSHES; i++)
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	all = run_updates(s, "n_tup_upd") - all;
	hot = run_updates(s, "n_tup_hot_upd") - hot;
	assert_true(all >= FLUSHES);
	assert_true(hot >= all * 9 / 10);
}

/* ---- what it takes decoded -------------------------------------------------------------------------- */

/* A row with one long text, the same over and over: a few bytes in the tail. */
static void send_text(struct scene *s, int rows)
{
	struct buf *streams = buf_new(s->a);

	buf_add_text(streams, "\"history\":[");
	for (int i = 0; i < rows; i++) {
		buf_add_text(streams, i ? ",{\"t\":\"" : "{\"t\":\"");
		memset(buf_reserve(streams, MIB - 2), 'x', MIB - 2);
		streams->len += MIB - 2;
		buf_add_text(streams, "\"}");
	}
	buf_add_text(streams, "]");
	scene_send_buf(s, "w0", streams);
}

static void test_size_is_that_of_what_is_decoded(void **state)
{
	struct scene *s = *state;

	send_text(s, 3);
	scene_send(s, "w0", "\"console\":[{\"line\":0,\"text\":\"abc\"}]");
	assert_true(scene_number(s, "select size_bytes as number from tail where kind = 1") >=
		    3 * (MIB - 2));
	assert_true(scene_number(s, "select size_bytes as number from tail where kind = 3") > 3);
	assert_true(scene_number(s, "select sum(octet_length(data)) as number from tail") < MIB);
	assert_int_equal(scene_run(s).tail_bytes,
			 scene_number(s, "select sum(size_bytes)::int8 as number from tail"));
	scene_compact(s);
	assert_int_equal(scene_run(s).tail_bytes, 0);
}

static void test_a_compaction_takes_so_much(void **state)
{
	struct scene *s = *state;
	struct pending_row *rows;
	size_t count;

	for (int i = 0; i < 5; i++)
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update tail set size_bytes = %d", 30 * MIB);
	ok(tail_store_pending(s->db, s->codec, s->run_id, -1, &rows, &count));
	assert_int_equal(count, 2);
	scene_sql(s, "update tail set size_bytes = %d where seq = 0", 100 * MIB);
	ok(tail_store_pending(s->db, s->codec, s->run_id, -1, &rows, &count));
	assert_int_equal(count, 1);
	ok(tail_store_pending(s->db, s->codec, s->run_id, 0, &rows, &count));
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].seq, 1);
	scene_compact(s);
	assert_int_equal(scene_run(s).compact_seq, scene_run(s).next_seq - 1);
	assert_int_equal(scene_run(s).tail_rows, 0);
}

/* The keys of a tail are known without holding all of it decoded. */
static void test_keys_of_a_large_tail(void **state)
{
	enum { BATCHES = 12, ROWS = 8 };
	struct scene *s = *state;
	struct arena *a = arena_new(4096);
	struct run_reader reader = { s->db, s->codec, s->metrics };
	struct key_stats stats;

	for (int i = 0; i < BATCHES; i++)
		send_text(s, ROWS);
	db_set_arena(s->db, a);
	ok(run_documents_keys(&reader, s->project_id, s->run_id, STREAM_HISTORY, &stats));
	db_set_arena(s->db, s->a);
	assert_true(arena_size(a) < 8 * MIB);
	for (uint32_t i = 0; i < stats.count; i++) {
		if (!stats.items[i].is_text)
			continue;
		assert_int_equal(stats.items[i].text_count, BATCHES * ROWS);
		assert_int_equal(stats.items[i].text.len, KEY_STAT_TEXT_MAX);
		assert_int_equal(stats.items[i].text.at[KEY_STAT_TEXT_MAX / 2], 'x');
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_other_runs_in_a_slot_cost_nothing, setup),
		cmocka_unit_test_setup(test_many_blocks_of_a_compacted_run, setup),
		cmocka_unit_test_setup(test_a_window_of_many_chunks, setup),
		cmocka_unit_test_setup(test_a_long_console, setup),
		cmocka_unit_test_setup(test_runs_by_id, setup),
		cmocka_unit_test_setup(test_flushes_are_hot, setup),
		cmocka_unit_test_setup(test_size_is_that_of_what_is_decoded, setup),
		cmocka_unit_test_setup(test_a_compaction_takes_so_much, setup),
		cmocka_unit_test_setup(test_keys_of_a_large_tail, setup),
	};

	return cmocka_run_group_tests(tests, group_setup, scene_group_teardown);
}
