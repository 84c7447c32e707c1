/* What batches change of writers lies in the tail until the run is compacted: nobody sees them behind. */
#include "batch.h"
#include "dump.h"
#include "record_streams.h"
#include "scene.h"
#include "writer_cache.h"
#include "writer_store.h"

static int64_t row_of(struct scene *s, const char *client, const char *column)
{
	return scene_number(s,
			    "select %s as number from run_writer where run_id = %lld and "
			    "client = '%s'",
			    column, (long long)s->run_id, client);
}

/* Its row stays behind; what is read of it does not; compaction brings the row up and changes nothing else. */
static void test_rows_come_up_with_compaction(void **state)
{
	struct scene *s = *state;
	const char *before;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	for (int i = 0; i < 20; i++)
		scene_send(s, "w0", "\"history\":[{\"x\":1},{\"x\":2}],\"events\":[{\"cpu\":1}]");
	scene_send(s, "w1",
		   "\"console\":[{\"line\":4,\"text\":\"a\"}],\"dropped\":{\"console\":3}");
	assert_int_equal(row_of(s, "w0", "batch"), 0);
	assert_int_equal(scene_writer(s, "w0").batch, 20);
	assert_int_equal(scene_writer(s, "w0").history_rows, 40);
	assert_int_equal(scene_writer(s, "w1").console_lines, 5);
	assert_int_equal(scene_writer(s, "w1").dropped_rows, 3);
	assert_int_equal(record_streams_find(scene_writer(s, "w0").streams, STR("")), 60);
	assert_int_equal(row_of(s, "w0", "length(streams)::int8"), 0);
	before = dump_run(s);
	scene_compact(s);
	assert_same_text("compacted", dump_run(s), before);
	assert_int_equal(row_of(s, "w0", "batch"), 20);
	assert_int_equal(row_of(s, "w0", "history_rows"), 40);
	assert_int_equal(row_of(s, "w0", "event_rows"), 20);
	assert_int_equal(row_of(s, "w0", "last_step"), 39);
	assert_int_equal(row_of(s, "w0", "get_byte(streams, 8)::int8"), 60);
	assert_int_equal(row_of(s, "w1", "console_lines"), 5);
}

/* A batch without rows has no block to put a mark beside: its row is updated, ahead of marks that wait. */
static void test_rows_ahead_of_marks(void **state)
{
	struct scene *s = *state;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_send(s, "w0", "\"config\":{\"lr\":1}");
	assert_int_equal(row_of(s, "w0", "batch"), 2);
	assert_int_equal(row_of(s, "w0", "history_rows"), 1);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	assert_int_equal(scene_writer(s, "w0").batch, 3);
	scene_compact(s);
	assert_int_equal(row_of(s, "w0", "batch"), 3);
	assert_int_equal(row_of(s, "w0", "history_rows"), 2);
}

/* Who joins begins behind what the writer's earlier session stored, compacted or not. */
static void test_a_join_between(void **state)
{
	struct scene *s = *state;
	struct batch_session sessions[BATCH_SESSIONS];
	struct writer w;

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < 3; i++)
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	w = scene_join(s, "w0", WRITER_PRIMARY);
	assert_int_equal(batch_sessions(&w, sessions), 1);
	assert_int_equal(sessions[0].batch, 3);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_compact(s);
	w = scene_writer(s, "w0");
	assert_int_equal(w.session, 2);
	assert_int_equal(w.batch, 1);
	assert_int_equal(w.history_rows, 4);
	assert_int_equal(row_of(s, "w0", "history_rows"), 4);
}

static struct ingest_answer send_by(struct scene *s, struct writer_cache *known, const char *client)
{
	struct writer_cache *mine = s->known;
	struct ingest_answer answer;

	s->known = known;
	answer = scene_send(s, client, "\"history\":[{\"x\":1}]");
	s->known = mine;
	return answer;
}

/*
 * Two servers take turns, compacted now and then: each follows the other by the marks in the tail, and
 * reads no rows of writers for it.
 */
static void test_servers_follow_each_other(void **state)
{
	struct scene *s = *state;
	struct writer_cache *servers[2] = { s->known, writer_cache_new() };
	struct ingest_batch *batch;
	int64_t version;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	for (int i = 0; i < 60; i++) {
		const char *client = i / 2 % 2 ? "w1" : "w0";

		assert_int_equal(send_by(s, servers[i % 2], client).row_first, i);
		if (i % 20 == 15)
			scene_compact(s);
	}
	version = scene_run(s).version;
	assert_int_equal(writer_cache_find(servers[1], s->run_id, version, STR("w1"))->batch, 30);
	assert_int_equal(scene_writer(s, "w0").batch, 30);
	scene_sql(s, "update run_writer set batch = 999 where run_id = %lld", (long long)s->run_id);
	batch = scene_batch(s, "w1", 31, "\"history\":[{\"x\":1}]");
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
	writer_cache_free(servers[1]);
}

/* A server that knows writers of before a compaction whose blocks are gone reads their rows again. */
static void test_marks_that_are_gone(void **state)
{
	struct scene *s = *state;
	struct writer_cache *other = writer_cache_new();

	scene_join(s, "w0", WRITER_PRIMARY);
	send_by(s, other, "w0");
	for (int i = 0; i < 3; i++)
		scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	scene_compact(s);
	scene_sql(s, "delete from tail where run_id = %lld", (long long)s->run_id);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	assert_int_equal(send_by(s, other, "w0").batch, 6);
	assert_int_equal(scene_writer(s, "w0").history_rows, 6);
	writer_cache_free(other);
}

/*
 * Of a run that is locked elsewhere nothing is decided and nothing learnt: its writers' rows are behind,
 * and a server that took them for the truth would store a repeat once more.
 */
static void test_nothing_is_learnt_of_a_locked_run(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *other = fixture_connect(a);
	struct writer_cache *mine = s->known;
	struct ingest_batch *batch;
	struct run *run;

	scene_join(s, "w0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	s->known = NULL;
	batch = scene_batch(s, "w1", 1, "\"history\":[{\"x\":2}]");
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	s->known = mine;
	scene_send(s, "w0", "\"history\":[{\"x\":3}]");
	ok(db_begin(other, 20000, 0));
	ok(run_store_lock(other, s->run_id, &run));
	ok(scene_flush(s, &batch, 1, FLUSH_SKIP));
	assert_refused(batch, ERR_BUSY, NULL);
	db_rollback(other);
	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
	assert_int_equal(batch->answer.row_first, 1);
	assert_int_equal(scene_run(s).next_row, 3);
	assert_int_equal(scene_writer(s, "w1").history_rows, 1);
	db_close(other);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_rows_come_up_with_compaction),
		SCENE_TEST(test_rows_ahead_of_marks),
		SCENE_TEST(test_a_join_between),
		SCENE_TEST(test_servers_follow_each_other),
		SCENE_TEST(test_marks_that_are_gone),
		SCENE_TEST(test_nothing_is_learnt_of_a_locked_run),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
