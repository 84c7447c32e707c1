/*
 * A run with a primary and a worker, and what happens to it, for tests of its state. One is lost that was
 * not heard for 300 s.
 */
#ifndef RUN_SCENE_H
#define RUN_SCENE_H

#include "run.h"

#define SECOND INT64_C(1000000)
enum {
	NOW_S = 1000,
	HEARD_S = 900,
	LIMIT_S = 300,
	PRIMARY = 0,
	WORKER = 1,
	WRITERS = 3,
	USER = 12
};

struct run_scene {
	struct arena *a;
	struct run run;
	struct writer writers[WRITERS]; /* the last: whom a test makes */
	struct run_changes changes;
	struct run_clock clock;
};

struct writer run_scene_writer(int32_t number, enum writer_role role, const char *label);

/* Made at 100 s; both are there, none has joined. */
void run_scene_begin(struct run_scene *s);
/* Both joined at 900 s, and it is 1000 s; of that no changes are kept. */
void run_scene_begin_joined(struct run_scene *s);
void run_scene_end(struct run_scene *s);

void run_scene_at(struct run_scene *s, int64_t second);
void run_scene_join(struct run_scene *s, int which);
/* Of a process that began then, whose data is sent later. */
void run_scene_join_later(struct run_scene *s, int which, int64_t started_s);
void run_scene_hear(struct run_scene *s, int which);
void run_scene_promote(struct run_scene *s, int which);
void run_scene_finish(struct run_scene *s, int which, int32_t exit_code);
void run_scene_override(struct run_scene *s, enum run_state state);

#endif
