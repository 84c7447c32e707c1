/* Flushes that meet: another server's, one that fails, a run that is locked. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "scene.h"

/* A run that is locked elsewhere is passed over, the others are stored. */
static void test_a_locked_run_is_passed_over(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *other = fixture_connect(a);
	int64_t locked = s->run_id;
	struct ingest_batch *batches[2];
	struct run *run;
	err_t e;

	scene_join(s, "w0", WRITER_PRIMARY);
	batches[0] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	s->run_id = scene_new_run(s);
	scene_join(s, "w0", WRITER_PRIMARY);
	batches[1] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	ok(db_begin(other, 20000, 0));
	ok(run_store_lock(other, locked, &run));
	e = scene_flush(s, batches, 2, FLUSH_WAIT);
	assert_true(db_err_is(e, DB_LOCK_NOT_AVAILABLE));
	ok(scene_flush(s, batches, 2, FLUSH_SKIP));
	assert_refused(batches[0], ERR_BUSY, NULL);
	ok(batches[1]->error);
	db_rollback(other);
	ok(scene_flush(s, batches, 1, FLUSH_SKIP));
	ok(batches[0]->error);
	assert_int_equal(scene_run(s).next_row, 1);
	db_close(other);
	arena_free(a);
}

/* ---- two servers ------------------------------------------------------------------------------------------------------ */

enum { SERVERS = 2, BATCHES = 150 };

struct server {
	struct arena *a;
	struct codec *codec;
	struct db *db;
	struct ingest_batch *batches[BATCHES];
	pthread_t thread;
	err_t failed;
};

static void *serve(void *p)
{
	struct server *server = p;

	for (int i = 0; i < BATCHES && !server->failed; i += 3) {
		struct flush f = { .db = server->db,
				   .arena = server->a,
				   .codec = server->codec,
				   .batches = server->batches + i,
				   .count = 3 };

		do { /* the other one holds the run for longer on a busy machine */
			server->failed = flush_run(&f, FLUSH_WAIT);
			if (server->failed)
				db_rollback(server->db);
		} while (server->failed && db_err_is(server->failed, DB_LOCK_NOT_AVAILABLE));
	}
	return NULL;
}

/* Two connections flush into one run: every row has a number of its own, none is missing. */
static void test_two_servers(void **state)
{
	static const char *const clients[SERVERS] = { "w0", "w1" };
	struct scene *s = *state;
	struct server servers[SERVERS];

	for (int i = 0; i < SERVERS; i++) {
		scene_join(s, clients[i], WRITER_PRIMARY);
		servers[i] = (struct server){ .a = arena_new(1 << 16), .codec = codec_new() };
		servers[i].db = fixture_connect(servers[i].a);
		for (int k = 0; k < BATCHES; k++)
			servers[i].batches[k] = scene_batch(
				s, clients[i], k + 1,
				arena_printf(s->a, "\"history\":[{\"x\":%d},{\"x\":%d}]", 2 * k,
					     2 * k + 1));
	}
	for (int i = 0; i < SERVERS; i++)
		pthread_create(&servers[i].thread, NULL, serve, &servers[i]);
	for (int i = 0; i < SERVERS; i++)
		pthread_join(servers[i].thread, NULL);
	for (int i = 0; i < SERVERS; i++) {
		ok(servers[i].failed);
		for (int k = 0; k < BATCHES; k++)
			ok(servers[i].batches[k]->error);
		assert_int_equal(scene_writer(s, clients[i]).batch, BATCHES);
		db_close(servers[i].db);
		codec_free(servers[i].codec);
		arena_free(servers[i].a);
	}
	assert_int_equal(scene_run(s).next_row, SERVERS * BATCHES * 2);
	assert_int_equal(scene_run(s).last_step, SERVERS * BATCHES * 2 - 1);
	assert_int_equal(
		scene_number(
			s,
			"select count(*) as number from (select row_first, lead(row_first) over "
			"(order by seq) as next, row_count from tail where run_id = %lld) t "
			"where next <> row_first + row_count",
			(long long)s->run_id),
		0);
}

/* ---- the flusher ------------------------------------------------------------------------------------------------------- */

enum { WAITING = 9 };

struct waiting {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int done;
};

static void batch_done(struct ingest_batch *b, err_t e)
{
	struct waiting *w = b->owner;

	pthread_mutex_lock(&w->lock);
	b->error = e;
	w->done++;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void submit_all(struct scene *s, struct waiting *w, struct ingest_batch **batches, int count)
{
	for (int i = 0; i < count; i++) {
		batches[i]->done = batch_done;
		batches[i]->owner = w;
		assert_true(ingest_submit(s->ingest, batches[i]));
	}
}

static void wait_for_all(struct waiting *w, int count)
{
	pthread_mutex_lock(&w->lock);
	while (w->done < count)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

/*
 * A flush that fails is halved until the bad batch stands alone. The first batch's run is locked, so
 * that the others wait for the flusher together.
 */
static void test_a_bad_batch_stands_alone(void **state)
{
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *other = fixture_connect(a);
	struct waiting w = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	struct ingest_batch *batches[WAITING];
	struct run *run;

	for (int i = 0; i < WAITING; i++) {
		s->run_id = scene_new_run(s);
		scene_join(s, "w0", WRITER_PRIMARY);
		batches[i] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
	}
	scene_sql(s, "create or replace function broken() returns trigger language plpgsql "
		     "as 'begin raise exception ''broken''; end'");
	scene_sql(
		s,
		"create trigger broken before insert on tail for each row when (new.run_id = %lld) "
		"execute function broken()",
		(long long)batches[5]->run_id);
	ok(db_begin(other, 20000, 0));
	ok(run_store_lock(other, batches[0]->run_id, &run));
	submit_all(s, &w, batches, WAITING);
	wait_for_all(&w, WAITING);
	db_rollback(other);
	scene_sql(s, "drop trigger broken on tail");
	assert_refused(batches[0], ERR_BUSY, NULL);
	for (int i = 1; i < WAITING; i++) {
		s->run_id = batches[i]->run_id;
		if (i == 5)
			assert_refused(batches[i], ERR_INTERNAL, NULL);
		else
			ok(batches[i]->error);
		assert_int_equal(scene_run(s).next_row, i != 5);
		assert_int_equal(scene_writer(s, "w0").batch, i != 5);
	}
	db_close(other);
	arena_free(a);
}

static int64_t flushes(struct scene *s)
{
	static const char name[] = "\ncairn_ingest_flushes_total ";
	struct buf *text = buf_new(s->a);
	const char *found;

	ingest_metrics(s->ingest, text);
	buf_add_byte(text, '\0');
	found = strstr(text->at, name);
	assert_non_null(found);
	return strtoll(found + strlen(name), NULL, 10);
}

/*
 * Batches with documents are stored so many at a time, however many wait: each of them asks the database
 * some questions, while the run is locked. Those without come all at once.
 */
static void test_a_flush_of_documents_is_bounded(void **state)
{
	enum { MANY = 150, AT_ONCE = 64 };
	struct scene *s = *state;
	struct arena *a = arena_new(1024);
	struct db *other = fixture_connect(a);

	for (int documents = 0; documents < 2; documents++) {
		struct waiting w = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
		struct ingest_batch *batches[MANY];
		int64_t before = flushes(s);
		struct run *run;

		s->run_id = scene_new_run(s);
		scene_join(s, "w0", WRITER_PRIMARY);
		batches[0] = scene_batch(s, "w0", 1, "\"history\":[{\"x\":1}]");
		s->run_id = scene_new_run(s);
		scene_join(s, "w0", WRITER_PRIMARY);
		for (int i = 1; i < MANY; i++)
			batches[i] = scene_batch(s, "w0", i,
						 documents ? "\"summary\":{\"best\":1}"
							   : "\"history\":[{\"x\":1}]");
		ok(db_begin(other, 20000, 0));
		ok(run_store_lock(other, batches[0]->run_id, &run));
		submit_all(s, &w, batches, MANY);
		wait_for_all(&w, MANY);
		db_rollback(other);
		assert_refused(batches[0], ERR_BUSY, NULL);
		for (int i = 1; i < MANY; i++)
			ok(batches[i]->error);
		if (documents)
			assert_true(flushes(s) - before >= (MANY - 1 + AT_ONCE - 1) / AT_ONCE);
		else
			assert_true(flushes(s) - before <= 2);
	}
	db_close(other);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_a_locked_run_is_passed_over),
		SCENE_TEST(test_two_servers),
		SCENE_TEST(test_a_bad_batch_stands_alone),
		SCENE_TEST(test_a_flush_of_documents_is_bounded),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
