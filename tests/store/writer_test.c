/* Who is asked when a writer joins or finishes, and that many workers are not read for it; which writers are made. */
#include <string.h>

#include "arena.h"
#include "scene.h"

enum { WORKERS = 300 };

static void set_parent(struct scene *s, const char *client, const char *parent)
{
	scene_sql(s, "update run_writer set parent = '%s' where run_id = %lld and client = '%s'",
		  parent, (long long)s->run_id, client);
}

/* "p0 w3": their clients. */
static const char *clients(struct scene *s, const struct writer *writers, size_t count)
{
	struct buf *out = buf_new(s->a);

	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%.*s", i ? " " : "", STR_ARG(writers[i].client));
	buf_add_byte(out, '\0');
	return out->at;
}

static const char *deciders(struct scene *s, const char *client, bool all)
{
	struct writer *writers;
	size_t count;

	ok(writer_store_list_deciders(s->db, s->run_id, str_of(client), all, &writers, &count));
	return clients(s, writers, count);
}

static const char *primaries(struct scene *s, const char *label)
{
	struct str labels[] = { str_of(label) };
	struct writer *writers;
	size_t count;

	ok(writer_store_list_primaries(s->db, &s->run_id, labels, 1, &writers, &count));
	return clients(s, writers, count);
}

static void join_some(struct scene *s)
{
	scene_join(s, "p0", WRITER_PRIMARY);
	scene_join(s, "w1", WRITER_WORKER);
	scene_join(s, "p2", WRITER_PRIMARY);
	scene_join(s, "w3", WRITER_WORKER);
	scene_join(s, "w4", WRITER_WORKER);
	set_parent(s, "w3", "p0");
	set_parent(s, "w4", "w1");
	set_parent(s, "p2", "p0");
}

static void test_who_decides(void **state)
{
	struct scene *s = *state;

	join_some(s);
	assert_string_equal(deciders(s, "p0", false), "p0 p2 w3");
	assert_string_equal(deciders(s, "w1", false), "p0 w1 p2 w4");
	assert_string_equal(deciders(s, "nobody", false), "p0 p2");
	assert_string_equal(deciders(s, "p0", true), "p0 w1 p2 w3 w4");
	assert_string_equal(primaries(s, "p2"), "p2");
	assert_string_equal(primaries(s, "w1"), "");
}

static int64_t rows_read(struct scene *s)
{
	return scene_number(s, "select (seq_tup_read + idx_tup_fetch)::int8 as number "
			       "from pg_stat_xact_user_tables where relname = 'run_writer'");
}

static void test_many_workers_are_not_read(void **state)
{
	struct scene *s = *state;
	int64_t before;

	join_some(s);
	scene_sql(
		s,
		"insert into run_writer select (jsonb_populate_record(w, jsonb_build_object("
		"'writer', 1000 + i, 'client', 'm' || i, 'label', 'm' || i))).* "
		"from run_writer w, generate_series(1, %d) i where run_id = %lld and client = 'w1'",
		WORKERS, (long long)s->run_id);
	ok(db_begin(s->db, 5000, 0));
	before = rows_read(s);
	assert_string_equal(deciders(s, "p0", false), "p0 p2 w3");
	assert_string_equal(primaries(s, "p2"), "p2");
	assert_in_range(rows_read(s) - before, 1, 20);
	ok(db_commit(s->db));
}

/* ---- writers that nobody joined ------------------------------------------------------------------ */

static struct ingest_batch *plain_batch(struct scene *s, const char *streams)
{
	struct ingest_batch *batch = scene_batch(s, "w0", 1, streams);

	batch->session = 0; /* only a comparison with what is stored names one */
	batch->identity = BATCH_BY_CONTENT;
	batch->client = batch->label = STR("sdk");
	batch->role = WRITER_PRIMARY;
	return batch;
}

static int64_t count_writers(struct scene *s)
{
	return scene_number(s, "select count(*) as number from run_writer where run_id = %lld",
			    (long long)s->run_id);
}

/* The first batch of a writer is refused: the writer was not made, and has no number that another one gets, too. */
static void test_a_refused_batch_makes_no_writer(void **state)
{
	struct scene *s = *state;
	struct ingest_batch *batches[2];

	scene_join(s, "w0", WRITER_PRIMARY);
	batches[0] = plain_batch(s, "\"events\":[{\"cpu\":1}]");
	ok(scene_flush(s, batches, 1, FLUSH_WAIT));
	assert_refused(batches[0], ERR_CONFLICT, "lines-known");
	assert_int_equal(scene_run(s).next_writer, 1);
	assert_int_equal(count_writers(s), 1);
	/* With it others come. */
	batches[0] = plain_batch(s, "\"events\":[{\"cpu\":1}]");
	batches[1] = scene_joins(s, "w1", "w1", WRITER_WORKER);
	ok(scene_flush(s, batches, 2, FLUSH_WAIT));
	assert_refused(batches[0], ERR_CONFLICT, "lines-known");
	assert_int_equal(scene_writer(s, "w1").writer, 1);
	/* When it is compared it is taken. */
	batches[0] = plain_batch(s, "\"events\":[{\"cpu\":1}]");
	batches[0]->lines.is_compared = true;
	ok(scene_flush(s, batches, 1, FLUSH_WAIT));
	ok(batches[0]->error);
	assert_int_equal(scene_writer(s, "sdk").writer, 2);
	assert_int_equal(scene_run(s).next_writer, 3);
	assert_int_equal(scene_join(s, "w2", WRITER_WORKER).writer, 3);
	assert_int_equal(count_writers(s), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_who_decides),
		SCENE_TEST(test_many_workers_are_not_read),
		SCENE_TEST(test_a_refused_batch_makes_no_writer),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
