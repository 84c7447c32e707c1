/*
 * Compaction changes where values are, and no answer. Most tests send the same to two runs, of which
 * one is compacted now and then and its twin never.
 */
#include <string.h>

#include "arena.h"
#include "compaction.h"
#include "dump.h"
#include "memory.h"
#include "series_rows.h"

enum { TIME = 1700000000 };

struct twins {
	struct scene *s;
	int64_t compacted;
	int64_t plain;
	int32_t row; /* sent so far, for values and times */
};

static struct twins twins_begin(void **state)
{
	static const char *const clients[] = { "w0", "w1", "w2" };
	struct scene *s = *state;
	struct twins t = { s, s->run_id, scene_new_run(s), 0 };

	for (int i = 0; i < 6; i++) {
		s->run_id = i % 2 ? t.plain : t.compacted;
		scene_join(s, clients[i / 2], i / 2 ? WRITER_WORKER : WRITER_PRIMARY);
	}
	return t;
}

static void send(struct twins *t, const char *client, struct buf *streams)
{
	buf_add_byte(streams, '\0');
	t->s->run_id = t->compacted;
	scene_send(t->s, client, streams->at);
	t->s->run_id = t->plain;
	scene_send(t->s, client, streams->at);
}

static void compact(struct twins *t)
{
	t->s->run_id = t->compacted;
	scene_compact(t->s);
}

static void check_same(struct twins *t, const char *what)
{
	const char *expected;

	t->s->run_id = t->plain;
	expected = dump_run(t->s);
	t->s->run_id = t->compacted;
	assert_same_text(what, dump_run(t->s), expected);
}

static int64_t count_chunks(struct scene *s, const char *where)
{
	return scene_number(
		s,
		"select count(*) as number from chunk where run_id = %lld and stream = 1 "
		"and %s",
		(long long)s->run_id, where);
}

/* ---- what is sent ---------------------------------------------------------------------------------- */

static void begin_row(struct twins *t, struct buf *out)
{
	buf_printf(out, "%s{\"_timestamp\":%d.5", out->at[out->len - 1] == '[' ? "" : ",",
		   TIME + t->row);
	t->row++;
}

static struct buf *new_history(struct twins *t)
{
	struct buf *out = buf_new(t->s->a);

	buf_add_text(out, "\"history\":[");
	return out;
}

/* Rows of one writer: loss and step-by-step values, steps assigned. */
static void send_plain(struct twins *t, const char *client, int rows)
{
	struct buf *out = new_history(t);

	for (int i = 0; i < rows; i++) {
		begin_row(t, out);
		buf_printf(out, ",\"loss\":%d.%03d,\"lr\":1e-3}", 100000 / (t->row + 1),
			   t->row * 7919 % 1000);
	}
	buf_add_text(out, "]");
	send(t, client, out);
}

/* What is no finite double, and what is not always there. */
static void send_odd(struct twins *t, const char *client, int rows)
{
	static const char *const values[] = {
		"1.5",
		"NaN",
		"Infinity",
		"-Infinity",
		"12345678901234567890",
		"true",
		"\"text\"",
		"null",
		"[1,[2]]",
		"{}",
		"-0.0",
		"9007199254740993",
		"{\"in\":{\"deep\":1}}",
		"\"NaN\"",
		"1e999",
	};
	struct buf *out = new_history(t);

	for (int i = 0; i < rows; i++) {
		begin_row(t, out);
		buf_printf(out, ",\"odd\":%s", values[t->row % 15]);
		if (t->row % 3 == 0)
			buf_printf(out, ",\"rare\":%d,\"_step\":%d", t->row, 5000 - t->row % 7000);
		buf_add_text(out, "}");
	}
	buf_add_text(out, "]");
	send(t, client, out);
}

static void send_wide(struct twins *t, const char *client, int keys)
{
	struct buf *out = new_history(t);

	for (int i = 0; i < 2; i++) {
		begin_row(t, out);
		for (int k = 0; k < keys; k++)
			buf_printf(out, ",\"layer/%d/grad\":%d", k, k * t->row);
		buf_add_text(out, "}");
	}
	buf_add_text(out, "]");
	send(t, client, out);
}

static void send_events_and_console(struct twins *t, const char *client)
{
	struct buf *out = buf_new(t->s->a);

	buf_add_text(out, "\"events\":[");
	for (int i = 0; i < 30; i++) {
		begin_row(t, out);
		buf_printf(out, ",\"cpu\":%d,\"gpu.0.temp\":%d}", t->row % 100, t->row % 13);
	}
	buf_add_text(out, "],\"console\":[");
	for (int i = 0; i < 40; i++)
		buf_printf(out, "%s{\"line\":%d,\"time\":1,\"text\":\"%s says %d\"}", i ? "," : "",
			   (t->row % 5 * 30 + i) * (i % 3 ? 1 : 400), client, t->row);
	buf_add_text(out, "],\"config\":{\"lr\":0.1},\"summary\":{\"best\":1}");
	send(t, client, out);
}

static void send_some(struct twins *t)
{
	send_plain(t, "w0", 700);
	send_odd(t, "w1", 333);
	send_plain(t, "w1", 57);
	send_events_and_console(t, "w0");
	send_wide(t, "w2", 300);
	send_odd(t, "w2", 1);
	send_events_and_console(t, "w2");
	send_plain(t, "w0", 1);
}

/* ---- the same answers -------------------------------------------------------------------------------- */

static void test_the_same_answers(void **state)
{
	struct twins t = twins_begin(state);

	for (int round = 0; round < 9; round++) {
		send_some(&t);
		check_same(&t, "before a compaction");
		if (round % 3 == 1)
			continue;
		compact(&t);
		check_same(&t, "after a compaction");
	}
	compact(&t);
	assert_int_equal(scene_run(t.s).tail_rows, 0);
	assert_int_equal(scene_run(t.s).tail_bytes, 0);
	scene_compact(t.s);
	check_same(&t, "after one that had nothing to do");
}

/* Whatever the sizes of what comes: chunks of numbers are full but for the last, cells stand at 256. */
static void test_chunks_are_full(void **state)
{
	static const int sizes[] = { 1, 4094, 1, 1, 255, 1, 4096, 300, 8000, 41 };
	struct twins t = twins_begin(state);
	int64_t total = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		send_plain(&t, "w0", sizes[i]);
		compact(&t);
		total += sizes[i];
		/* of _timestamp, loss and lr; the open chunk lies in pieces of whole cells and a rest */
		assert_int_equal(count_chunks(t.s, "value_count = 4096"), total / 4096 * 3);
		assert_true(count_chunks(t.s, "value_count < 4096") <= 3 * (3 + 3 + 1));
		assert_int_equal(count_chunks(t.s, "index_first % 256 <> 0"), 0);
		assert_int_equal(
			scene_number(t.s,
				     "select sum(value_count)::int8 as number from chunk where "
				     "run_id = %lld",
				     (long long)t.s->run_id),
			3 * total);
	}
	check_same(&t, "after many");
}

/* Texts end a chunk early; the next compaction goes on with it or behind it. */
static void test_long_texts(void **state)
{
	struct twins t = twins_begin(state);
	char *text = arena_zalloc(t.s->a, 1, (1 << 20) + 1);

	memset(text, 'x', (1 << 20) - 100);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			struct buf *out = new_history(&t);

			begin_row(&t, out);
			buf_printf(out, ",\"note\":\"%d%s\"}]", t.row, text);
			send(&t, "w0", out);
		}
		compact(&t);
	}
	check_same(&t, "long texts");
	assert_true(count_chunks(t.s, "kind = 2") >= 2);
}

/* One compaction takes so much; the rest waits for the next, and is counted block by block. */
static void test_many_blocks(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[400];
	bool more;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 400; i++)
			batches[i] = scene_batch(s, "w0", round * 400 + i + 1,
						 arena_printf(s->a, "\"history\":[{\"x\":%d}]",
							      round * 400 + i));
		ok(scene_flush(s, batches, 400, FLUSH_WAIT));
	}
	assert_in_range(scene_number(s, "select count(*) as number from tail where run_id = %lld",
				     (long long)s->run_id),
			3, 100);
	assert_int_equal(scene_run(s).tail_rows, 1200);
	scene_sql(s, "update tail set size_bytes = %d", PENDING_BYTES / 2 + 1);
	ok(scene_compact_once(s, &more));
	assert_true(more);
	assert_in_range(scene_run(s).tail_rows, 1, 1199);
	while (more)
		ok(scene_compact_once(s, &more));
	assert_int_equal(scene_run(s).tail_rows, 0);
	assert_int_equal(scene_number(s,
				      "select sum(value_count)::int8 as number from chunk "
				      "where run_id = %lld",
				      (long long)s->run_id),
			 2 * 1200);
}

/* Of all rows those of one writer, who lies among others in a pack: its row of each round. */
static void check_one_writer(struct scene *s, int32_t writer, int rounds)
{
	struct rows_ask ask = { .run_id = s->run_id,
				.stream = STREAM_HISTORY,
				.count = 1024,
				.writers = &writer,
				.writer_count = 1 };
	struct exact_row *rows;
	int found = 0;

	ok(series_rows_read(s->db, s->codec, &ask, &rows));
	for (uint32_t i = 0; i < ask.count; i++) {
		if (!rows[i].value_count)
			continue;
		assert_int_equal(rows[i].writer, writer);
		assert_int_equal(rows[i].value_count, 2); /* its time, and x */
		assert_true(rows[i].values[1].number == writer + found);
		found++;
	}
	assert_int_equal(found, rounds);
}

/* Writers one row each: as many lanes as blocks. */
static void test_many_writers(void **state)
{
	enum { WRITERS = 300 };
	struct scene *s = *state;
	const char *before;

	for (int round = 0; round < 2; round++) {
		struct ingest_batch *batches[WRITERS];

		for (int i = 0; i < WRITERS; i++) {
			const char *client = arena_printf(s->a, "w%d", i);

			if (!round)
				scene_join(s, client, WRITER_WORKER);
			batches[i] = scene_batch(
				s, client, round + 1,
				arena_printf(s->a,
					     "\"history\":[{\"x\":%d}],\"console\":[{\"line\":%d,"
					     "\"text\":\"%d\"}]",
					     i + round, round, i));
		}
		ok(scene_flush(s, batches, WRITERS, FLUSH_WAIT));
		before = dump_run(s);
		check_one_writer(s, 7, round + 1);
		scene_compact(s);
		check_one_writer(s, 7, round + 1);
		assert_same_text("compacted", dump_run(s), before);
	}
	assert_int_equal(scene_number(s,
				      "select count(*) as number from run_keys where run_id = %lld",
				      (long long)s->run_id),
			 WRITERS);
}

/* It may be restored: nothing is lost. */
static void test_a_deleted_run(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update run_hot set deleted_at = now(), purge_at = now() where run_id = %lld",
		  (long long)s->run_id);
	scene_compact(s);
	assert_int_equal(count_chunks(s, "true"), 2); /* x and its time */
}

static void test_a_run_that_is_purged(void **state)
{
	struct scene *s = *state;
	bool more;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update run_hot set deleted_at = now(), purging = true where run_id = %lld",
		  (long long)s->run_id);
	ok(scene_compact_once(s, &more));
	assert_false(more);
	/* another server was as fast */
	ok(chunk_store_compacted(s->db, s->run_id,
				 &(struct compacted){ .blocks = 1, .bytes = 10 }));
	assert_int_equal(count_chunks(s, "true"), 0);
	assert_int_equal(
		scene_number(s, "select tail_rows::int8 as number from run_hot where run_id = %lld",
			     (long long)s->run_id),
		0);
	assert_int_equal(
		scene_number(s,
			     "select (next_seq - 1 - compact_seq) as number from run_hot where "
			     "run_id = %lld",
			     (long long)s->run_id),
		0);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

enum { SPREAD_LINES = 400, SPREAD_BATCH = 100, SPREAD_TEXT = 64000 };

/* Lines far apart, of texts that hardly compress, or of short ones. */
static void send_spread(struct scene *s, int first, bool is_long)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
	struct buf *out = buf_new(s->a);
	uint64_t dice = 88172645463325252u + (uint64_t)first;

	buf_add_text(out, "\"console\":[");
	for (int i = first; i < first + SPREAD_BATCH; i++) {
		buf_printf(out, "%s{\"line\":%d,\"text\":\"", i == first ? "" : ",",
			   i * 2048 + is_long);
		for (int j = 0; j < (is_long ? SPREAD_TEXT : 3); j++) {
			dice ^= dice << 13;
			dice ^= dice >> 7;
			dice ^= dice << 17;
			buf_add_byte(out, letters[dice % 64]);
		}
		buf_add_text(out, "\"}");
	}
	buf_add_text(out, "]");
	scene_send_buf(s, "w0", out);
}

/* A few short lines, each in a chunk of its own: not all of these chunks are held at once. */
static void test_lines_that_touch_many_chunks(void **state)
{
	struct scene *s = *state;
	struct arena *before = db_arena(s->db);
	struct arena *own = arena_new(4096);
	struct memory memory;
	struct memory_share share;
	bool more;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < SPREAD_LINES; i += SPREAD_BATCH)
		send_spread(s, i, true);
	scene_compact(s);
	for (int i = 0; i < SPREAD_LINES; i += SPREAD_BATCH)
		send_spread(s, i, false);
	memory_init(&memory, SIZE_MAX);
	share_begin(&share, &memory, 0);
	arena_count_in(own, &share);
	db_set_arena(s->db, own);
	ok(scene_compact_once(s, &more));
	db_set_arena(s->db, before);
	arena_free(own);
	share_end(&share);
	assert_true(memory.peak < (size_t)SPREAD_LINES * SPREAD_TEXT * 3 / 4);
	assert_int_equal(
		scene_number(s, "select console_lines as number from run_hot where run_id = %lld",
			     (long long)s->run_id),
		2 * SPREAD_LINES);
}

/* ---- crashes -------------------------------------------------------------------------------------------- */

/* The connection dies at each of the steps: nothing is lost, nothing comes twice. */
static void test_a_crash_at_every_step(void **state)
{
	static const char *const steps[] = { "insert on chunk",         "insert on run_keys",
					     "insert on console_chunk", "update on run_hot",
					     "update on chunk",         "update on run_keys" };
	struct twins t = twins_begin(state);
	struct scene *s = t.s;
	bool more;

	scene_sql(s, "create function dies() returns trigger language plpgsql as "
		     "'begin perform pg_terminate_backend(pg_backend_pid()); return new; end'");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const char *table = strrchr(steps[i], ' ') + 1;

		send_some(&t);
		s->run_id = t.compacted;
		scene_sql(s, "create trigger dies before %s for each row execute function dies()",
			  steps[i]);
		if (!scene_compact_once(s, &more))
			fail_msg("the compaction did without %s", steps[i]);
		assert_false(db_in_transaction(s->db));
		scene_sql(s, "drop trigger dies on %s", table);
		check_same(&t, steps[i]);
		compact(&t);
		check_same(&t, "the next one works");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_same_answers),
		SCENE_TEST(test_chunks_are_full),
		SCENE_TEST(test_long_texts),
		SCENE_TEST(test_many_blocks),
		SCENE_TEST(test_many_writers),
		SCENE_TEST(test_a_deleted_run),
		SCENE_TEST(test_a_run_that_is_purged),
		SCENE_TEST(test_lines_that_touch_many_chunks),
		SCENE_TEST(test_a_crash_at_every_step),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
