#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "writer_cache.h"
#include "compaction.h"
#include "db_migrate.h"
#include "entity_store.h"
#include "id.h"
#include "json_scan.h"
#include "metric_cache.h"
#include "project_store.h"
#include "server_store.h"

/* ---- SQL ----------------------------------------------------------------------------------------- */

struct number_only {
	int64_t number;
};
static const struct db_column number_only_columns[] = { DB_COLUMN(struct number_only, number) };
static const struct db_row_table number_only_table =
	DB_ROW_TABLE(struct number_only, number_only_columns);

/* A connection knows statements by their address: each text is a statement of its own. */
static const struct db_stmt *new_stmt(struct scene *s, const char *format, va_list ap)
	__attribute__((format(printf, 2, 0)));
static const struct db_stmt *new_stmt(struct scene *s, const char *format, va_list ap)
{
	struct db_stmt *stmt = arena_new_of(s->a, struct db_stmt);

	stmt->name = arena_printf(s->a, "scene_%p", (void *)stmt);
	stmt->sql = arena_vprintf(s->a, format, ap);
	return stmt;
}

void scene_sql(struct scene *s, const char *format, ...)
{
	const struct db_stmt *stmt;
	va_list ap;

	va_start(ap, format);
	stmt = new_stmt(s, format, ap);
	va_end(ap);
	assert_ok(db_exec(s->db, stmt, DB_NO_ARGS, NULL), stmt->sql);
}

int64_t scene_number(struct scene *s, const char *format, ...)
{
	const struct db_stmt *stmt;
	void *row;
	va_list ap;

	va_start(ap, format);
	stmt = new_stmt(s, format, ap);
	va_end(ap);
	assert_ok(db_first(s->db, stmt, DB_NO_ARGS, &number_only_table, &row), stmt->sql);
	assert_non_null(row);
	return ((struct number_only *)row)->number;
}

void scene_shift_clock(struct scene *s, int64_t seconds)
{
	scene_sql(s, "update server_clock set shift_us = shift_us + %lld where id = 1",
		  (long long)seconds * 1000000);
	ok(server_store_now(s->db, &s->clock.now));
}

/* ---- the group, the test --------------------------------------------------------------------------- */

static void make_project(struct scene *s)
{
	struct project project;
	bool made;

	ok(server_store_now(s->db, &s->clock.now));
	ok(db_begin(s->db, 5000, 0));
	ok(entity_store_add_user(s->db, &(struct account_new){ .name = STR("ann") }, s->clock.now,
				 &s->user_id));
	ok(db_commit(s->db));
	project = project_default(s->user_id, STR("digits"));
	ok(project_store_make(s->db, &project, s->clock.now, &made));
	assert_true(made);
	s->project_id = scene_number(s, "select project_id as number from project");
	s->clock.limit_us = (int64_t)project.crash_after_s * 1000000;
}

int scene_group_setup(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct ingest_options options = {
		.flushers = 1,
		.queue_limit = 256,
		.database = { .url = getenv("CAIRN_TEST_DATABASE_URL"),
			      .connect_timeout_s = 60,
			      .application_name = "test" },
	};
	void *fixture;
	int applied;

	fixture_setup(&fixture);
	s->f = fixture;
	s->a = s->f->a;
	s->db = s->f->db;
	ok(db_migrate(s->db, &db_schema, 5, &applied));
	ok(ingest_start(s->a, &options, &s->ingest));
	s->metrics = ingest_metrics_cache(s->ingest);
	s->codec = codec_new();
	s->known = writer_cache_new();
	s->job = (struct job){
		.name = "test",
		.arena = s->a,
		.db = s->db,
		.codec = s->codec,
		.metrics = s->metrics,
		.to_compact = run_set_new(64),
		.to_document = run_set_new(64),
		.to_hear = run_set_new(512),
		.to_measure = run_set_new(64),
		.stop = &s->stop,
	};
	make_project(s);
	*state = s;
	return 0;
}

int scene_group_teardown(void **state)
{
	struct scene *s = *state;
	void *fixture = s->f;

	run_set_free(s->job.to_compact);
	run_set_free(s->job.to_document);
	run_set_free(s->job.to_hear);
	run_set_free(s->job.to_measure);
	codec_free(s->codec);
	writer_cache_free(s->known);
	ingest_stop(s->ingest);
	fixture_teardown(&fixture);
	free(s);
	return 0;
}

int64_t scene_new_run(struct scene *s)
{
	char *name = arena_alloc(s->a, ID_RUN_LEN + 1);
	struct run_info info = { .tags = STR("[]") };
	int64_t run_id;

	id_text(name, ID_RUN_LEN);
	info.name = info.display_name = str_of(name);
	info.job_type = info.group_name = info.sweep = info.notes = STR("");
	ok(db_begin(s->db, 5000, 0));
	ok(run_store_make(s->db, s->project_id, &info, s->user_id, s->clock, &run_id));
	ok(db_commit(s->db));
	assert_true(run_id);
	return run_id;
}

int scene_setup(void **state)
{
	struct scene *s = *state;

	scene_sql(s, "update server_clock set shift_us = 0 where id = 1");
	scene_shift_clock(s, 0);
	s->run_id = scene_new_run(s);
	return 0;
}

/* ---- runs and writers ------------------------------------------------------------------------------- */

struct run scene_run(struct scene *s)
{
	struct run *run;

	ok(run_store_get(s->db, s->run_id, &run));
	return *run;
}

struct writer scene_writer(struct scene *s, const char *client)
{
	struct writer *writers;
	size_t count;

	ok(writer_store_list_now(s->db, s->run_id, -1, WRITER_LIST_MAX, &writers, &count));
	for (size_t i = 0; i < count; i++) {
		if (str_is(writers[i].client, client))
			return writers[i];
	}
	fail_msg("no writer \"%s\"", client);
	abort();
}

/* ---- batches ---------------------------------------------------------------------------------------- */

static struct ingest_batch *new_batch(struct scene *s)
{
	struct ingest_batch *batch = arena_new_of(s->a, struct ingest_batch);

	batch->arena = s->a;
	batch->run_id = s->run_id;
	batch->project_id = s->project_id;
	batch->limit_us = s->clock.limit_us;
	return batch;
}

struct ingest_batch *scene_joins(struct scene *s, const char *client, const char *label,
				 enum writer_role role)
{
	struct ingest_batch *batch = new_batch(s);
	struct writer_join *join = arena_new_of(s->a, struct writer_join);

	join->client = batch->client = str_of(client);
	join->label = str_of(label);
	join->role = role;
	join->info = STR("{}");
	batch->join = join;
	return batch;
}

struct writer scene_join(struct scene *s, const char *client, enum writer_role role)
{
	struct ingest_batch *batch = scene_joins(s, client, client, role);

	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
	return batch->joined->writer;
}

static struct str padded(struct scene *s, const char *text)
{
	size_t len = strlen(text);
	char *bytes = arena_zalloc(s->a, 1, len + JSON_SCAN_PADDING);

	memcpy(bytes, text, len);
	return (struct str){ bytes, len };
}

struct ingest_batch *scene_scan(struct scene *s, const char *body)
{
	struct ingest_batch *batch = new_batch(s);

	ok(batch_scan(s->ingest, &(struct batch_source){ padded(s, body), s->db, s->a }, batch));
	return batch;
}

struct ingest_batch *scene_batch(struct scene *s, const char *client, int64_t number,
				 const char *streams)
{
	struct writer w = scene_writer(s, client);
	struct buf *body = buf_new(s->a);

	buf_printf(body, "{\"writer\":\"%s\",\"session\":%d,\"batch\":%lld%s%s}", client, w.session,
		   (long long)number, *streams ? "," : "", streams);
	buf_add_byte(body, '\0');
	return scene_scan(s, body->at);
}

struct ingest_batch *scene_rows_by_hand(struct scene *s, const char *who, const char *key,
					const char *rows)
{
	struct ingest_batch *batch = new_batch(s);

	batch->identity = BATCH_BY_HAND;
	batch->role = WRITER_HAND;
	batch->client = str_of(arena_printf(s->a, "hand/%s/%s", who, who));
	batch->label = str_of(who);
	batch->idempotency_key = str_of(key);
	ok(batch_scan_rows(s->ingest, &(struct batch_source){ padded(s, rows), s->db, s->a },
			   batch));
	return batch;
}

err_t scene_flush(struct scene *s, struct ingest_batch **batches, size_t count,
		  enum flush_wait wait)
{
	struct flush f = { .db = s->db,
			   .arena = s->a,
			   .codec = s->codec,
			   .known = s->known,
			   .batches = batches,
			   .count = count };
	err_t e = flush_run(&f, wait);

	if (e)
		db_rollback(s->db);
	return e;
}

struct ingest_answer scene_send(struct scene *s, const char *client, const char *streams)
{
	struct ingest_batch *batch =
		scene_batch(s, client, scene_writer(s, client).batch + 1, streams);

	ok(scene_flush(s, &batch, 1, FLUSH_WAIT));
	ok(batch->error);
	return batch->answer;
}

struct ingest_answer scene_send_buf(struct scene *s, const char *client, struct buf *streams)
{
	buf_add_byte(streams, '\0');
	return scene_send(s, client, streams->at);
}

void assert_refused(const struct ingest_batch *b, enum err_kind kind, const char *type)
{
	assert_non_null(b->error);
	if (b->error->kind != kind)
		fail_msg("%s: %s", err_kind_name(b->error->kind), b->error->message);
	if (type)
		assert_string_equal(b->error->type, type);
}

err_t scene_compact_once(struct scene *s, bool *ret_more)
{
	struct run_set_item item = { .run_id = s->run_id, .whatever = true };
	err_t e = compaction_run(&s->job, &item);

	/* a run rests between compactions; not here */
	run_set_put_off(s->job.to_compact, s->run_id, 0, RUN_SET_REST);
	*ret_more = run_set_take(s->job.to_compact, 0, &item);
	return e;
}

void scene_compact(struct scene *s)
{
	bool more = true;

	while (more)
		ok(scene_compact_once(s, &more));
}
