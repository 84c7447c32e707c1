/* Flushes: what one transaction makes of batches, and that it makes it once. */
#include "dump.h"

#include <pthread.h>

#include "clock.h"
#include "writer_cache.h"

static uint64_t digest_of_table(struct scene *s, const char *table, const char *without)
{
	return (uint64_t)scene_number(
		s,
		"select ('x' || substr(md5(coalesce(string_agg(line, '' order by line), '')), "
		"1, 15))::bit(60)::int8 as number from %s t, "
		"lateral (select (to_jsonb(t) - '{%s}'::text[])::text as line) l where run_id = %lld",
		table, without, (long long)s->run_id);
}

/* Everything a flush can change of a run. */
static uint64_t digest_of_run(struct scene *s)
{
	static const char *const tables[] = {
		"tail",         "run_hot",         "run_writer", "run_state",
		"run_config",   "run_leaf",        "run_merged", "run_overlay",
		"run_conflict", "run_idempotency", "run_sent"
	};
	uint64_t digest = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		digest = digest * 31 + digest_of_table(s, tables[i], "");
	return digest;
}

/* But for signs of life, and for what is counted of writers, which is written now and then. */
static uint64_t digest_of_content(struct scene *s)
{
	static const char *const tables[] = { "tail",         "run_state",  "run_config",
					      "run_leaf",     "run_merged", "run_overlay",
					      "run_conflict", "run_sent" };
	uint64_t digest = digest_of_table(s, "run_hot", "heard_at,look_at,version,row_sum");

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		digest = digest * 31 + digest_of_table(s, tables[i], "");
	return digest;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

static void test_rows_and_watermark(void **state)
{
	struct scene *s = *state;
	struct ingest_answer answer;
	struct writer w;
	struct run run;

	scene_join(s, "w0", WRITER_PRIMARY);
	answer = scene_send(s, "w0", "\"history\":[{\"loss\":0.5},{\"_step\":7,\"loss\":2}]");
	assert_int_equal(answer.batch, 1);
	assert_int_equal(answer.row_first, 0);
	assert_int_equal(answer.rows, 2);
	assert_int_equal(answer.step_next, 8);
	answer = scene_send(s, "w0", "\"history\":[{\"loss\":3}],\"events\":[{\"cpu\":1}]");
	assert_int_equal(answer.row_first, 2);
	assert_int_equal(answer.step_next, 9);
	run = scene_run(s);
	assert_int_equal(run.next_row, 3);
	assert_int_equal(run.next_event, 1);
	assert_int_equal(run.last_step, 8);
	assert_int_equal(run.tail_rows, 3);
	assert_int_equal(run.tail_bytes,
			 scene_number(s,
				      "select sum(size_bytes)::int8 as number from tail "
				      "where run_id = %lld",
				      (long long)s->run_id));
	w = scene_writer(s, "w0");
	assert_int_equal(w.batch, 2);
	assert_int_equal(w.history_rows, 3);
	assert_int_equal(w.event_rows, 1);
	assert_int_equal(w.last_step, 8);
	assert_int_equal(w.data_at.us, w.heard_at.us);
	assert_same_text("rows", dump_rows(s, STREAM_HISTORY),
			 "0 w0 s0 loss=0x1p-1\n1 w0 s7 loss=0x1p+1\n2 w0 s8 loss=0x1.8p+1\n");
}

/* Rows are numbered in order of arrival, over writers and within one flush. */
static void test_row_numbers_are_the_runs(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[4];

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	batches[0] = scene_batch(s, "w1", 1, "\"history\":[{\"x\":10},{\"x\":11}]");
	batches[1] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":0}]");
	batches[2] = scene_batch(s, "w1", 2, "\"history\":[{\"_step\":1,\"x\":12}]");
	batches[3] = scene_batch(s, "w0", 2, "\"history\":[{\"x\":1}]");
	ok(scene_flush(s, batches, 4, FLUSH_WAIT));
	for (int i = 0; i < 4; i++)
		ok(batches[i]->error);
	assert_int_equal(batches[0]->answer.row_first, 0);
	assert_int_equal(batches[1]->answer.row_first, 2);
	assert_int_equal(batches[2]->answer.row_first, 3);
	assert_int_equal(batches[3]->answer.row_first, 4);
	assert_int_equal(batches[3]->answer.step_next, 4);
	assert_same_text("rows", dump_rows(s, STREAM_HISTORY),
			 "0 w1 s0 x=0x1.4p+3\n1 w1 s1 x=0x1.6p+3\n2 w0 s2 x=0x0p+0\n"
			 "3 w1 s1 x=0x1.8p+3\n4 w0 s3 x=0x1p+0\n");
}

/* ---- what is left out ---------------------------------------------------------------------------------- */

static void leave_out(struct ingest_batch *b, const char *name, int64_t count)
{
	const struct left_out member = { LEFT_OUT_HISTORY, LEFT_OUT_ROW_FULL, str_of(name),
					 STR("1\0"), count };

	left_out_add(&b->left_out, b->arena, &member);
}

/* Of two batches in one flush and of one after it: the same member is one entry. */
static void test_left_out(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[2];
	struct left_out_row *rows;
	size_t count;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < 2; i++) {
		batches[i] = scene_batch(s, "w0", i + 1, "\"history\":[{\"x\":1}]");
		leave_out(batches[i], "a", 2);
	}
	leave_out(batches[1], "b\n", 1);
	ok(scene_flush(s, batches, 2, FLUSH_WAIT));
	batches[0] = scene_batch(s, "w0", 3, "");
	leave_out(batches[0], "c", 1);
	leave_out(batches[0], "a", 1);
	ok(scene_flush(s, batches, 1, FLUSH_WAIT));
	assert_int_equal(scene_run(s).left_out, 7);
	assert_int_equal(scene_run(s).next_row, 2);
	ok(left_out_store_list(s->db, s->run_id, -1, 10, &rows, &count));
	assert_int_equal(count, 3);
	assert_true(str_is(rows[0].name, "a") && rows[0].count == 5 && rows[0].number == 0);
	assert_true(rows[0].last_at.us > rows[0].first_at.us);
	assert_true(str_is(rows[1].name, "b␊") && str_is(rows[1].sample, "1?"));
	assert_true(str_is(rows[2].name, "c") && str_is(rows[2].reason, "row-full"));
	ok(left_out_store_list(s->db, s->run_id, 0, 1, &rows, &count));
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].number, 1);
}

static void test_left_out_is_bounded(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *b;
	struct left_out_row *rows;
	size_t count;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < 2; i++) {
		b = scene_batch(s, "w0", i + 1, "");
		for (int j = 0; j < LEFT_OUT_MAX - 300; j++)
			leave_out(b, arena_printf(b->arena, "w%d", i * (LEFT_OUT_MAX - 300) + j),
				  1);
		ok(scene_flush(s, &b, 1, FLUSH_WAIT));
	}
	b = scene_batch(s, "w0", 3, "");
	leave_out(b, "w0", 1);
	leave_out(b, "more", 1);
	ok(scene_flush(s, &b, 1, FLUSH_WAIT));
	assert_int_equal(scene_run(s).left_out, 2 * (LEFT_OUT_MAX - 300) + 2);
	ok(left_out_store_list(s->db, s->run_id, -1, 2 * LEFT_OUT_MAX, &rows, &count));
	assert_int_equal(count, LEFT_OUT_MAX);
	assert_int_equal(rows[0].count, 2);
}

static void test_a_heartbeat_is_a_batch(void **state)
{
	struct scene *s = *state;
	struct ingest_answer answer;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_shift_clock(s, 100);
	answer = scene_send(s, "w0", "");
	assert_int_equal(answer.batch, 1);
	assert_int_equal(answer.rows, 0);
	assert_int_equal(scene_writer(s, "w0").data_at.us, 0);
	assert_true(scene_writer(s, "w0").heard_at.us >= s->clock.now.us);
	assert_true(scene_run(s).look_at.us >= s->clock.now.us + s->clock.limit_us);
	assert_int_equal(scene_run(s).tail_rows, 0);
}

/* ---- repeats ------------------------------------------------------------------------------------------ */

#define BODY(session, batch, streams) \
	"{\"writer\":\"w0\",\"session\":" #session ",\"batch\":" #batch "," streams "}"
#define ALL_STREAMS \
	"\"history\":[{\"loss\":1}],\"events\":[{\"cpu\":1}]," \
	"\"console\":[{\"line\":0,\"text\":\"a\"}],\"config\":{\"lr\":1},\"summary\":{\"best\":1}," \
	"\"dropped\":{\"history\":2}"

static void test_a_repeat_stores_nothing(void **state)
{
	static const char body[] = BODY(1, 1, ALL_STREAMS);
	struct scene *s = *state;
	struct ingest_batch *first, *again;
	struct writer before, after;
	uint64_t digest;

	scene_join(s, "w0", WRITER_PRIMARY);
	first = scene_scan(s, body);
	ok(scene_flush(s, &first, 1, FLUSH_WAIT));
	ok(first->error);
	scene_send(s, "w0", "\"history\":[{\"loss\":2}],\"summary\":{\"best\":2}");
	digest = digest_of_content(s);
	before = scene_writer(s, "w0");
	scene_shift_clock(s, 50);
	again = scene_scan(s, body);
	ok(scene_flush(s, &again, 1, FLUSH_WAIT));
	ok(again->error);
	assert_int_equal(again->answer.batch, 1);
	assert_int_equal(again->answer.row_first, first->answer.row_first);
	assert_int_equal(again->answer.rows, first->answer.rows);
	assert_int_equal(digest_of_content(s), digest);
	after = scene_writer(s, "w0");
	assert_int_equal(after.repeats, before.repeats + 1);
	assert_int_equal(after.batch, before.batch);
	assert_int_equal(after.history_rows, before.history_rows);
	assert_int_equal(after.event_rows, before.event_rows);
	assert_int_equal(after.console_lines, before.console_lines);
	assert_int_equal(after.last_step, before.last_step);
	assert_int_equal(after.data_at.us, before.data_at.us);
	assert_int_equal(after.dropped_rows, 2);
}

/* The same batch twice in one flush: two requests that raced. */
static void test_a_repeat_in_one_flush(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[3];

	scene_join(s, "w0", WRITER_PRIMARY);
	batches[0] = scene_scan(s, BODY(1, 1, ALL_STREAMS));
	batches[1] = scene_scan(s, BODY(1, 1, ALL_STREAMS));
	batches[2] = scene_scan(s, BODY(1, 1, "\"history\":[{\"loss\":9}]"));
	ok(scene_flush(s, batches, 3, FLUSH_WAIT));
	ok(batches[0]->error);
	ok(batches[1]->error);
	assert_int_equal(batches[1]->answer.row_first, 0);
	assert_int_equal(batches[1]->answer.rows, 1);
	assert_refused(batches[2], ERR_CONFLICT, "batch-differs");
	assert_int_equal(scene_run(s).next_row, 1);
	assert_int_equal(scene_run(s).tail_rows, 3);
}

/* Each batch is judged for itself: what is refused harms no other. */
static void test_refusals_in_one_flush(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[7];

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w0", WRITER_PRIMARY);
	batches[0] = scene_scan(s, BODY(2, 2, "\"history\":[{\"x\":9}]"));
	batches[1] = scene_scan(s, BODY(2, 1, "\"history\":[{\"x\":0}]"));
	batches[2] = scene_scan(s, BODY(1, 1, "\"history\":[{\"x\":8}]"));
	batches[3] = scene_scan(s, "{\"writer\":\"who\",\"session\":1,\"batch\":1}");
	batches[4] = scene_scan(s, BODY(2, 2, "\"history\":[{\"x\":1}]"));
	batches[5] = scene_scan(s, BODY(2, 1, "\"history\":[{\"x\":7}]"));
	batches[6] = scene_scan(s, BODY(2, 3, "\"history\":[{\"x\":2}]"));
	batches[5]->run_id = 12345;
	ok(scene_flush(s, batches, 7, FLUSH_WAIT));
	assert_refused(batches[0], ERR_CONFLICT, "batch-gap");
	assert_int_equal(batches[0]->error->expected, 1);
	ok(batches[1]->error);
	assert_refused(batches[2], ERR_CONFLICT, "session-fenced");
	assert_refused(batches[3], ERR_NOT_FOUND, "writer-unknown");
	ok(batches[4]->error);
	assert_refused(batches[5], ERR_NOT_FOUND, NULL);
	ok(batches[6]->error);
	assert_same_text("rows", dump_rows(s, STREAM_HISTORY),
			 "0 w0 s0 x=0x0p+0\n1 w0 s1 x=0x1p+0\n2 w0 s2 x=0x1p+1\n");
}

static void test_a_deleted_run(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batch;

	scene_join(s, "w0", WRITER_PRIMARY);
	batch = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	scene_sql(s, "update run_hot set deleted_at = now() where run_id = %lld",
		  (long long)s->run_id);
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	assert_refused(batch, ERR_GONE, NULL);
}

/* Keys of a batch have the numbers of the project that it was sent to. */
static void test_a_run_that_was_moved(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batch;
	uint64_t before;

	scene_join(s, "w0", WRITER_PRIMARY);
	before = digest_of_run(s);
	batch = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	batch->project_id++;
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	assert_refused(batch, ERR_GONE, NULL);
	assert_true(digest_of_run(s) == before);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
}

/* ---- all or nothing ------------------------------------------------------------------------------------- */

/* Whichever statement of the flush fails, data and watermark are both there or neither. */
static void test_a_failed_flush_leaves_nothing(void **state)
{
	static const struct {
		const char *table;
		const char *event;
		const char *body;
	} steps[] = {
		{ "tail", "insert", BODY(1, 1, ALL_STREAMS) },
		{ "run_hot", "update", BODY(1, 1, ALL_STREAMS) },
		{ "run_config", "insert", BODY(1, 1, ALL_STREAMS) },
		{ "run_leaf", "insert", BODY(1, 1, ALL_STREAMS) },
		{ "run_merged", "insert", BODY(1, 1, ALL_STREAMS) },
		{ "run_change", "insert", BODY(1, 1, ALL_STREAMS) },
		/* with nothing in the tail there is no place for a mark */
		{ "run_writer", "update", BODY(1, 1, "\"config\":{\"lr\":1}") },
	};
	struct scene *s = *state;
	struct ingest_batch *batch;
	uint64_t digest;

	scene_join(s, "w0", WRITER_PRIMARY);
	digest = digest_of_run(s);
	scene_sql(s, "create or replace function broken() returns trigger language plpgsql "
		     "as 'begin raise exception ''broken''; end'");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		scene_sql(s,
			  "create trigger broken before %s on %s for each row "
			  "execute function broken()",
			  steps[i].event, steps[i].table);
		batch = scene_scan(s, steps[i].body);
		if (!scene_flush(s, &batch, 1, FLUSH_WAIT))
			fail_msg("the flush did without %s", steps[i].table);
		scene_sql(s, "drop trigger broken on %s", steps[i].table);
		if (digest_of_run(s) != digest)
			fail_msg("something is left of a flush that failed at %s", steps[i].table);
	}
	batch = scene_scan(s, BODY(1, 1, ALL_STREAMS));
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
	assert_int_equal(scene_run(s).next_row, 1);
	assert_int_equal(scene_writer(s, "w0").batch, 1);
}

/* ---- by hand ------------------------------------------------------------------------------------------------ */

static void test_by_hand(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[4];
	struct writer w;

	batches[0] = scene_rows_by_hand(s, "ann", "k1", "[{\"x\":1},{\"x\":2}]");
	batches[1] = scene_rows_by_hand(s, "ann", "k1", "[{\"x\":1},{\"x\":2}]");
	batches[2] = scene_rows_by_hand(s, "ann", "k1", "[{\"x\":3}]");
	batches[3] = scene_rows_by_hand(s, "ann", "", "{\"x\":4}");
	ok(scene_flush(s, batches, 4, FLUSH_WAIT));
	ok(batches[0]->error);
	ok(batches[1]->error);
	assert_refused(batches[2], ERR_CONFLICT, NULL);
	ok(batches[3]->error);
	assert_int_equal(batches[1]->answer.row_first, 0);
	assert_int_equal(batches[1]->answer.rows, 2);
	assert_int_equal(batches[3]->answer.row_first, 2);
	w = scene_writer(s, "hand/ann/ann");
	assert_int_equal(w.role, WRITER_HAND);
	assert_int_equal(w.history_rows, 3);
	batches[0] = scene_rows_by_hand(s, "ann", "k1", "[{\"x\":1},{\"x\":2}]");
	batches[1] = scene_rows_by_hand(s, "bob", "", "{\"x\":5}");
	batches[2] = scene_rows_by_hand(s, "ann", "k1", "{\"x\":5}");
	ok(scene_flush(s, batches, 3, FLUSH_WAIT));
	ok(batches[0]->error);
	assert_int_equal(batches[0]->answer.row_first, 0);
	assert_int_equal(batches[1]->answer.row_first, 3);
	assert_refused(batches[2], ERR_CONFLICT, NULL);
	assert_int_equal(scene_run(s).next_writer, 2);
	assert_int_equal(scene_run(s).next_row, 4);
}

/* ---- states --------------------------------------------------------------------------------------------------- */

static int64_t count_states(struct scene *s)
{
	return scene_number(s, "select count(*) as number from run_state where run_id = %lld",
			    (long long)s->run_id);
}

static void test_late_data(void **state)
{
	static const struct {
		enum run_state before;
		enum run_state after;
	} cases[] = {
		{ RUN_FINISHED, RUN_FINISHED },
		{ RUN_FAILED, RUN_FAILED },
		{ RUN_KILLED, RUN_KILLED },
		{ RUN_CRASHED, RUN_RUNNING },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		s->run_id = scene_new_run(s);
		scene_join(s, "w0", WRITER_PRIMARY);
		scene_sql(s, "update run_hot set state = %d where run_id = %lld",
			  (int)cases[i].before, (long long)s->run_id);
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
		scene_send(s, "w0", "\"history\":[{\"x\":2}]");
		assert_int_equal(scene_run(s).state, cases[i].after);
		assert_int_equal(scene_run(s).next_row, 2);
		assert_int_equal(scene_run(s).attempt, cases[i].before == RUN_CRASHED ? 2 : 1);
		assert_int_equal(count_states(s), cases[i].before == RUN_CRASHED ? 2 : 1);
	}
}

/* ---- documents -------------------------------------------------------------------------------------------------- */

static void test_documents(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[3];

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	batches[0] =
		scene_batch(s, "w0", 1, "\"config\":{\"lr\":1,\"a\":1},\"summary\":{\"best\":1}");
	batches[1] =
		scene_batch(s, "w1", 1, "\"config\":{\"lr\":2,\"b\":1},\"summary\":{\"best\":2}");
	batches[2] = scene_batch(s, "w0", 2, "\"config\":{\"lr\":1},\"history\":[{\"loss\":0.25}]");
	ok(scene_flush(s, batches, 3, FLUSH_WAIT));
	assert_same_text("config", dump_config(s), "{\"b\":1,\"lr\":1}");
	assert_same_text("summary", dump_summary(s), "{\"best\":2,\"loss\":0.25}");
	assert_int_equal(scene_number(s,
				      "select sum(count)::int8 as number from run_conflict "
				      "where run_id = %lld",
				      (long long)s->run_id),
			 2);
	assert_int_equal(scene_number(s, "select seq as number from run_change where run_id = %lld",
				      (long long)s->run_id),
			 scene_run(s).document_seq);
}

/* ---- more writers than a run has ---------------------------------------------------------------------------------- */

/*
 * Writers beyond the limit keep their own sessions and console; their rows are those of one overflow
 * writer, for chunks are per writer.
 */
static void test_overflow(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[4];

	scene_sql(s, "update run_hot set next_writer = %d where run_id = %lld", WRITER_MAX - 1,
		  (long long)s->run_id);
	scene_join(s, "last", WRITER_WORKER);
	scene_join(s, "o1", WRITER_WORKER);
	scene_join(s, "o2", WRITER_WORKER);
	assert_int_equal(scene_writer(s, "o1").writer, WRITER_OVERFLOW + 1);
	batches[0] = scene_batch(
		s, "o1", 1, "\"history\":[{\"x\":1}],\"console\":[{\"line\":0,\"text\":\"one\"}]");
	batches[1] = scene_batch(
		s, "o2", 1, "\"history\":[{\"x\":2}],\"console\":[{\"line\":0,\"text\":\"two\"}]");
	batches[2] = scene_batch(s, "last", 1, "\"history\":[{\"x\":3}]");
	batches[3] = scene_batch(s, "o1", 2, "\"history\":[{\"x\":4}]");
	ok(scene_flush(s, batches, 4, FLUSH_WAIT));
	for (int i = 0; i < 4; i++)
		ok(batches[i]->error);
	assert_int_equal(scene_writer(s, "o1").batch, 2);
	assert_int_equal(scene_writer(s, "o2").batch, 1);
	for (int round = 0; round < 2; round++) {
		assert_same_text("rows", dump_rows(s, STREAM_HISTORY),
				 "0 w16384 s0 x=0x1p+0\n1 w16384 s1 x=0x1p+1\n"
				 "2 w16383 s2 x=0x1.8p+1\n3 w16384 s3 x=0x1p+2\n");
		assert_same_text("console", dump_console(s), "16385:0 one\n16386:0 two\n");
		scene_compact(s);
	}
}

/* ---- the queue ---------------------------------------------------------------------------------------- */

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_done;
	err_t error;
};

static void batch_done(struct ingest_batch *b, err_t e)
{
	struct waiter *w = b->owner;

	pthread_mutex_lock(&w->lock);
	w->is_done = true;
	w->error = e;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

/* By way of a flusher's thread. */
static err_t submit(struct scene *s, struct ingest_batch *b)
{
	struct waiter w = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, NULL };

	b->owner = &w;
	b->done = batch_done;
	assert_true(ingest_submit(s->ingest, b));
	pthread_mutex_lock(&w.lock);
	while (!w.is_done)
		pthread_cond_wait(&w.changed, &w.lock);
	pthread_mutex_unlock(&w.lock);
	return w.error;
}

static void test_an_expired_batch_is_not_stored(void **state)
{
	struct scene *s = *state;
	int64_t now_us = clock_mono_us();
	struct ingest_batch *b;
	uint64_t before;
	err_t e;

	scene_join(s, "w0", WRITER_PRIMARY);
	before = digest_of_run(s);
	b = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	b->deadline_us = now_us - 1;
	e = submit(s, b);
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	assert_int_equal(digest_of_run(s), before);
	b = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	b->deadline_us = now_us + INT64_C(3600) * 1000000;
	ok(submit(s, b));
	assert_int_equal(scene_run(s).next_row, 1);
}

static void assert_refused_error(err_t e, enum err_kind kind, const char *type)
{
	assert_non_null(e);
	assert_int_equal(e->kind, kind);
	assert_string_equal(e->type, type);
}

/* Flushes through a cache of their own, as of another server. */
static err_t flush_knowing(struct scene *s, struct writer_cache *known, struct ingest_batch *b)
{
	struct writer_cache *mine = s->known;
	err_t e;

	s->known = known;
	e = scene_flush(s, &b, 1, FLUSH_WAIT);
	s->known = mine;
	return e ? e : b->error;
}

/* Two servers that know a writer, a join at neither: each sees what the others did to it. */
static void test_known_writers_are_never_old(void **state)
{
	struct scene *s = *state;
	struct writer_cache *other = writer_cache_new();
	struct ingest_batch *batches[4];
	int64_t version;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	version = scene_run(s).version;
	assert_non_null(writer_cache_find(s->known, s->run_id, version, STR("w0")));
	for (int i = 0; i < 4; i++)
		batches[i] = scene_batch(s, "w0", i + 2, "\"history\":[{\"x\":2}]");
	ok(flush_knowing(s, other, batches[0]));
	version = scene_run(s).version;
	assert_true(writer_cache_has(s->known, s->run_id, STR("w0")));
	assert_null(writer_cache_find(s->known, s->run_id, version, STR("w0")));
	assert_int_equal(writer_cache_find(other, s->run_id, version, STR("w0"))->batch, 2);
	assert_refused_error(flush_knowing(s, s->known, batches[2]), ERR_CONFLICT, "batch-gap");
	ok(flush_knowing(s, s->known, batches[1]));
	ok(flush_knowing(s, other,
			 batches[0])); /* a repeat of what it stored before the other did */
	assert_int_equal(batches[0]->answer.row_first, 1);
	assert_int_equal(scene_writer(s, "w0").batch, 3);
	scene_join(s, "w0", WRITER_PRIMARY);
	assert_refused_error(flush_knowing(s, other, batches[2]), ERR_CONFLICT, "session-fenced");
	assert_refused_error(flush_knowing(s, s->known, batches[2]), ERR_CONFLICT,
			     "session-fenced");
	assert_int_equal(scene_run(s).next_row, 3);
	writer_cache_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_rows_and_watermark),
		SCENE_TEST(test_row_numbers_are_the_runs),
		SCENE_TEST(test_left_out),
		SCENE_TEST(test_left_out_is_bounded),
		SCENE_TEST(test_a_heartbeat_is_a_batch),
		SCENE_TEST(test_a_repeat_stores_nothing),
		SCENE_TEST(test_a_repeat_in_one_flush),
		SCENE_TEST(test_refusals_in_one_flush),
		SCENE_TEST(test_a_deleted_run),
		SCENE_TEST(test_a_run_that_was_moved),
		SCENE_TEST(test_a_failed_flush_leaves_nothing),
		SCENE_TEST(test_by_hand),
		SCENE_TEST(test_late_data),
		SCENE_TEST(test_documents),
		SCENE_TEST(test_overflow),
		SCENE_TEST(test_an_expired_batch_is_not_stored),
		SCENE_TEST(test_known_writers_are_never_old),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
