/* Writers that join together, in one flush with each other and with batches. */
#include "arena.h"
#include "batch.h"
#include "scene.h"
#include "writer_cache.h"

enum { MANY = 400 };

static void flush_all(struct scene *s, struct ingest_batch **batches, size_t count)
{
	ok(scene_flush(s, batches, count, FLUSH_WAIT));
	for (size_t i = 0; i < count; i++)
		ok(batches[i]->error);
}

static const char *text(struct scene *s, const char *column, const char *client)
{
	int64_t number = scene_number(s,
				      "select (%s)::int8 as number from run_writer "
				      "where run_id = %lld and client = '%s'",
				      column, (long long)s->run_id, client);

	return arena_printf(s->a, "%lld", (long long)number);
}

/* One change of the run, one number for each. */
static void test_many_at_once(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *joins[MANY];
	int64_t before = scene_run(s).document_seq;

	for (int i = 0; i < MANY; i++) {
		const char *client = arena_printf(s->a, "w%d", i);

		joins[i] = scene_joins(s, client, client, i % 2 ? WRITER_WORKER : WRITER_PRIMARY);
	}
	flush_all(s, joins, MANY);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(joins[i]->joined->writer.writer, i);
		assert_int_equal(joins[i]->joined->writer.session, 1);
	}
	assert_int_equal(scene_run(s).document_seq, before + 1);
	assert_int_equal(scene_writer(s, "w17").writer, 17);
	scene_send(s, "w17", "\"history\":[{\"x\":1}]");
}

/* In the order in which they came: what a session stored before is remembered, what comes behind it is refused. */
static void test_between_batches(void **state)
{
	struct scene *s = *state;
	struct batch_session sessions[BATCH_SESSIONS];
	struct ingest_batch *batches[5];

	scene_join(s, "w0", WRITER_WORKER);
	batches[0] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	batches[1] = scene_joins(s, "w0", "other", WRITER_WORKER);
	batches[2] = scene_batch(s, "w0", 2, "\"history\":[{\"x\":2}]");
	batches[3] = scene_joins(s, "new", "new", WRITER_WORKER);
	batches[4] = scene_joins(s, "new", "new", WRITER_WORKER);
	ok(scene_flush(s, batches, 5, FLUSH_WAIT));
	ok(batches[0]->error);
	assert_int_equal(batches[1]->joined->writer.session, 2);
	assert_int_equal(batch_sessions(&batches[1]->joined->writer, sessions), 1);
	assert_int_equal(sessions[0].batch, 1);
	assert_refused(batches[2], ERR_CONFLICT, "session-fenced");
	assert_int_equal(batches[3]->joined->writer.session, 1);
	assert_int_equal(batches[4]->joined->writer.session, 2);
	assert_int_equal(batches[4]->joined->writer.writer, batches[3]->joined->writer.writer);
	assert_int_equal(scene_writer(s, "w0").history_rows, 1);
	assert_string_equal(scene_writer(s, "w0").label.at, "other");
	scene_compact(s);
	assert_int_equal(scene_writer(s, "w0").history_rows, 1);
	assert_int_equal(scene_writer(s, "w0").batch, 0);
	scene_send(s, "w0", "\"history\":[{\"x\":2}]");
	assert_int_equal(scene_writer(s, "w0").history_rows, 2);
}

/* The flusher knows the lost one, but not all that is stored of it; that is not lost either. */
static void test_a_lost_one_is_replaced(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[3];

	scene_join(s, "old", WRITER_PRIMARY);
	scene_send(s, "old", "\"history\":[{\"x\":1}]");
	scene_sql(s, "update run_writer set info = '{\"pid\":7}' where run_id = %lld",
		  (long long)s->run_id);
	scene_shift_clock(s, s->clock.limit_us / 1000000 + 1);
	batches[0] = scene_joins(s, "worker", "old", WRITER_WORKER);
	batches[1] = scene_joins(s, "new", "old", WRITER_PRIMARY);
	batches[2] = scene_joins(s, "newest", "old", WRITER_PRIMARY);
	flush_all(s, batches, 1);
	assert_int_equal(scene_writer(s, "old").state, WRITER_ALIVE);
	flush_all(s, batches + 1, 2);
	assert_int_equal(scene_writer(s, "old").state, WRITER_REPLACED);
	assert_int_equal(scene_writer(s, "new").state, WRITER_ALIVE);
	assert_string_equal(text(s, "info->>'pid'", "old"), "7");
	assert_int_equal(scene_writer(s, "old").history_rows, 1);
}

/* Marks of the same flush do not lead a server past a join that it has not seen. */
static void test_another_server_sees_it(void **state)
{
	struct scene *s = *state;
	struct writer_cache *mine = s->known;
	struct writer_cache *other = writer_cache_new();
	struct ingest_batch *late;
	struct ingest_batch *batches[2];

	scene_join(s, "w0", WRITER_WORKER);
	scene_join(s, "w1", WRITER_WORKER);
	s->known = other;
	scene_send(s, "w0", "\"history\":[{\"x\":1}]");
	late = scene_batch(s, "w0", 2, "\"history\":[{\"x\":2}]");
	s->known = mine;
	batches[0] = scene_batch(s, "w1", 1, "\"history\":[{\"x\":1}]");
	batches[1] = scene_joins(s, "w0", "w0", WRITER_WORKER);
	flush_all(s, batches, 2);
	s->known = other;
	ok(scene_flush(s, &late, 1, FLUSH_WAIT));
	assert_refused(late, ERR_CONFLICT, "session-fenced");
	s->known = mine;
	writer_cache_free(other);
}

/* A flush notes few changes of a run, however often it is preempting and begins again. */
static void test_into_a_preempting_run(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[12];

	scene_join(s, "w0", WRITER_PRIMARY);
	for (int i = 0; i < 12; i += 2) {
		const char *client = arena_printf(s->a, "j%d", i);

		batches[i] = scene_batch(s, "w0", 1 + i / 2, "\"preempting\":true");
		batches[i + 1] = scene_joins(s, client, client, WRITER_WORKER);
	}
	ok(scene_flush(s, batches, 12, FLUSH_WAIT));
	for (int i = 0; i < 12; i++)
		ok(batches[i]->error);
	assert_int_equal(batches[0]->answer.state, RUN_PREEMPTING);
	assert_int_equal(scene_run(s).state, RUN_RUNNING);
	assert_int_equal(scene_send(s, "w0", "\"preempting\":true").state, RUN_PREEMPTING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_many_at_once),           SCENE_TEST(test_between_batches),
		SCENE_TEST(test_a_lost_one_is_replaced), SCENE_TEST(test_another_server_sees_it),
		SCENE_TEST(test_into_a_preempting_run),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
