/* A writer, readers, two compactors and a ring that turns, all at the same time. */
#include <pthread.h>
#include <stdatomic.h>

#include "codec.h"
#include "compaction.h"
#include "scene.h"
#include "series_rows.h"
#include "series_sampled.h"

enum { ROUNDS = 120, ROWS = 20, COMPACTORS = 2 };

struct worker {
	struct scene *s;
	struct arena *a;
	struct db *db;
	struct codec *codec;
	struct ingest_batch **batches;
	struct job job;
	_Atomic int64_t *acknowledged;
	_Atomic bool *stop;
	pthread_t thread;
	err_t failed;
};

static void worker_begin(struct worker *w, struct scene *s)
{
	w->s = s;
	w->db = fixture_connect(s->a);
	w->a = arena_new(1 << 16);
	db_set_arena(w->db, w->a);
	w->codec = codec_new();
	w->job = (struct job){ .arena = w->a,
			       .db = w->db,
			       .codec = w->codec,
			       .to_compact = run_set_new(4),
			       .to_measure = run_set_new(4),
			       .stop = w->stop };
}

static void worker_end(struct worker *w)
{
	ok(w->failed);
	run_set_free(w->job.to_compact);
	run_set_free(w->job.to_measure);
	codec_free(w->codec);
	db_close(w->db);
	arena_free(w->a);
}

static void *write_all(void *p)
{
	struct worker *w = p;

	for (int i = 0; i < ROUNDS && !w->failed; i++) {
		do {
			struct flush f = { .db = w->db,
					   .arena = w->a,
					   .codec = w->codec,
					   .batches = w->batches + i,
					   .count = 1 };

			w->failed = flush_run(&f, FLUSH_WAIT);
			if (w->failed)
				db_rollback(w->db);
		} while (w->failed && (db_err_is(w->failed, DB_LOCK_NOT_AVAILABLE) ||
				       db_err_is(w->failed, DB_DEADLOCK)));
		atomic_fetch_add(w->acknowledged, ROWS);
	}
	atomic_store(w->stop, true);
	return NULL;
}

/* The ring moves on and leaves nothing behind that is compacted. */
static err_t turn_ring(struct worker *w)
{
	struct tail_ring ring;
	bool done;
	err_t e = tail_store_ring(w->db, &ring);

	if (!e)
		e = tail_store_recycle(w->db, (int16_t)((ring.slot + 1) % TAIL_SLOTS), &done);
	if (!e && done)
		e = tail_store_ring_move(w->db, (int16_t)((ring.slot + 1) % TAIL_SLOTS),
					 w->s->clock.now);
	return e;
}

static void *compact_all(void *p)
{
	struct worker *w = p;

	while (!atomic_load(w->stop) && !w->failed) {
		struct run_set_item item = { .run_id = w->s->run_id, .whatever = true };
		err_t e = compaction_run(&w->job, &item);

		run_set_take(w->job.to_compact, 0, &item);
		if (!e || e->kind == ERR_BUSY || db_err_is(e, DB_LOCK_NOT_AVAILABLE))
			e = turn_ring(w);
		w->failed = e;
		if (!e)
			arena_reset(w->a);
	}
	return NULL;
}

/* What was acknowledged before the question is in the answer, once and in its place. */
static void check_rows(struct worker *w, int32_t key_id, int64_t least)
{
	struct rows_ask ask = { .run_id = w->s->run_id,
				.stream = STREAM_HISTORY,
				.count = ROUNDS * ROWS };
	struct sampled_ask chart = {
		.series = { &w->s->run_id, 1, STREAM_HISTORY, &key_id, 1, NULL, 0 },
		.range = { INT64_MIN, INT64_MAX },
		.buckets = 1,
	};
	struct exact_row *rows;
	struct sampled_answer answer;
	int64_t found = 0;

	ok(series_rows_read(w->db, w->codec, &ask, &rows));
	for (int64_t i = 0; i < ROUNDS * ROWS; i++) {
		if (!rows[i].value_count)
			continue;
		assert_int_equal(rows[i].value_count, 2);
		assert_int_equal(rows[i].values[rows[i].values[0].key_id != key_id].number, i);
		assert_int_equal(found++, i);
	}
	assert_true(found >= least);
	ok(series_sampled(w->db, w->codec, &chart, &answer));
	if (least)
		assert_true((int64_t)answer.series[0].buckets[0].n >= found);
}

static struct ingest_batch **number_batches(struct scene *s)
{
	struct ingest_batch **batches = arena_new_array(s->a, struct ingest_batch *, ROUNDS);

	for (int i = 0; i < ROUNDS; i++) {
		struct buf *out = buf_new(s->a);

		for (int k = 0; k < ROWS; k++)
			buf_printf(out, "%s{\"n\":%d}", k ? "," : "\"history\":[", i * ROWS + k);
		buf_add_text(out, "]");
		buf_add_byte(out, '\0');
		batches[i] = scene_batch(s, "w0", i + 1, out->at);
	}
	return batches;
}

static void test_all_at_once(void **state)
{
	struct scene *s = *state;
	_Atomic int64_t acknowledged = 0;
	_Atomic bool stop = false;
	struct worker writer = { .acknowledged = &acknowledged, .stop = &stop };
	struct worker reader = { .stop = &stop };
	struct worker compactors[COMPACTORS] = { { .stop = &stop }, { .stop = &stop } };
	int32_t key_id;

	scene_join(s, "w0", WRITER_PRIMARY);
	writer.batches = number_batches(s);
	key_id = (int32_t)scene_number(
		s, "select key_id::int8 as number from project_key where name = 'n'");
	worker_begin(&writer, s);
	worker_begin(&reader, s);
	for (int i = 0; i < COMPACTORS; i++)
		worker_begin(&compactors[i], s);
	pthread_create(&writer.thread, NULL, write_all, &writer);
	for (int i = 0; i < COMPACTORS; i++)
		pthread_create(&compactors[i].thread, NULL, compact_all, &compactors[i]);
	while (!atomic_load(&stop)) {
		check_rows(&reader, key_id, atomic_load(&acknowledged));
		arena_reset(reader.a);
	}
	pthread_join(writer.thread, NULL);
	for (int i = 0; i < COMPACTORS; i++)
		pthread_join(compactors[i].thread, NULL);
	check_rows(&reader, key_id, ROUNDS * ROWS);
	scene_compact(s);
	check_rows(&reader, key_id, ROUNDS * ROWS);
	assert_true(compactors[0].job.done + compactors[1].job.done > 0);
	worker_end(&writer);
	worker_end(&reader);
	for (int i = 0; i < COMPACTORS; i++)
		worker_end(&compactors[i]);
	assert_int_equal(scene_run(s).tail_rows, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_all_at_once),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
