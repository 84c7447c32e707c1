#ifndef SCENE_H
#define SCENE_H

#include "batch_scan.h"
#include "buf.h"
#include "fixture.h"
#include "flush.h"
#include "job.h"
#include "project.h"
#include "run.h"

struct codec;
struct writer_cache;

/*
 * What the tests of the write path stand on: a migrated database, a project, and a new run for every
 * test. Batches are scanned as the server does and flushed by the test itself.
 */
struct scene {
	struct fixture *f;
	struct arena *a; /* of the group, and of the connection */
	struct db *db;
	struct ingest *ingest;
	struct metric_cache *metrics;
	struct codec *codec;
	struct writer_cache *known; /* of its flushes */
	int64_t user_id;
	int64_t project_id;
	int64_t run_id;
	struct run_clock clock; /* limit_us: the project's */
	struct job job;         /* on the scene's connection */
	_Atomic bool stop;
};

/* Of the group; then of each test: a new run, the clock not shifted. */
int scene_group_setup(void **state);
int scene_group_teardown(void **state);
int scene_setup(void **state);
#define SCENE_TEST(name) cmocka_unit_test_setup(name, scene_setup)

/* SQL of the test's own; the numbers of its first row's first column, or NULL. */
void scene_sql(struct scene *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
int64_t scene_number(struct scene *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The database's clock moves on. */
void scene_shift_clock(struct scene *s, int64_t seconds);

int64_t scene_new_run(struct scene *s);
struct run scene_run(struct scene *s);
struct writer scene_writer(struct scene *s, const char *client);
/* As the front door does it: a new session. */
struct ingest_batch *scene_joins(struct scene *s, const char *client, const char *label,
				 enum writer_role role);
struct writer scene_join(struct scene *s, const char *client, enum writer_role role);

/* A batch with these members beside who it comes from: "\"history\":[{\"loss\":1}]". */
struct ingest_batch *scene_batch(struct scene *s, const char *client, int64_t number,
				 const char *streams);
/* Its bytes stay the same whoever scans them: a repeat. */
struct ingest_batch *scene_scan(struct scene *s, const char *body);
struct ingest_batch *scene_rows_by_hand(struct scene *s, const char *who, const char *key,
					const char *rows);
err_t scene_flush(struct scene *s, struct ingest_batch **batches, size_t count,
		  enum flush_wait wait);
/* The writer's next batch, which must be stored; its answer. */
struct ingest_answer scene_send(struct scene *s, const char *client, const char *streams);
struct ingest_answer scene_send_buf(struct scene *s, const char *client, struct buf *streams);

/* The batch was refused so; type NULL: any. */
void assert_refused(const struct ingest_batch *b, enum err_kind kind, const char *type);

/* One compaction; whether more waits. */
err_t scene_compact_once(struct scene *s, bool *ret_more);
/* Until nothing waits. */
void scene_compact(struct scene *s);

#endif
