#include "run_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"

struct writer run_scene_writer(int32_t number, enum writer_role role, const char *label)
{
	return (struct writer){
		.writer = number,
		.client = str_of(label),
		.label = str_of(label),
		.role = (int16_t)role,
		.last_step = -1,
	};
}

void run_scene_begin(struct run_scene *s)
{
	*s = (struct run_scene){ .a = arena_new(1024), .clock.limit_us = LIMIT_S * SECOND };
	run_scene_at(s, 100);
	s->writers[PRIMARY] = run_scene_writer(PRIMARY, WRITER_PRIMARY, "rank0");
	s->writers[WORKER] = run_scene_writer(WORKER, WRITER_WORKER, "rank1");
}

void run_scene_begin_joined(struct run_scene *s)
{
	run_scene_begin(s);
	run_make(&s->run, s->clock, USER, &s->changes);
	run_scene_at(s, HEARD_S);
	run_scene_join(s, PRIMARY);
	run_scene_join(s, WORKER);
	run_scene_at(s, NOW_S);
	s->changes.count = 0;
}

void run_scene_end(struct run_scene *s)
{
	arena_free(s->a);
}

void run_scene_at(struct run_scene *s, int64_t second)
{
	s->clock.now.us = second * SECOND;
}

void run_scene_join(struct run_scene *s, int which)
{
	run_scene_join_later(s, which, 0);
}

void run_scene_join_later(struct run_scene *s, int which, int64_t started_s)
{
	const struct run_joining joining = { s->writers, WRITERS, { started_s * SECOND } };

	run_join(&s->run, &s->writers[which], &joining, s->clock, &s->changes);
}

void run_scene_hear(struct run_scene *s, int which)
{
	run_hear(&s->run, &s->writers[which], s->clock, &s->changes);
}

void run_scene_promote(struct run_scene *s, int which)
{
	run_promote(&s->run, &s->writers[which], s->writers, WRITERS, s->clock, &s->changes);
}

void run_scene_finish(struct run_scene *s, int which, int32_t exit_code)
{
	const struct run_finish how = { .exit_code = exit_code };

	assert_null(run_finish(s->a, &s->run, s->writers, 2, (size_t)which, &how, s->clock,
			       &s->changes));
}

void run_scene_override(struct run_scene *s, enum run_state state)
{
	run_override(&s->run, state, USER, "so", s->clock, &s->changes);
}
