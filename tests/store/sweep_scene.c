#include "sweep_scene.h"

#include <string.h>

#include "job.h"
#include "run_store.h"

/* Codecs that requests on the scene's connection borrow are given back with it, before the group ends. */
static struct arena *requests;

int sweep_group_teardown(void **state)
{
	if (requests)
		arena_free(requests);
	requests = NULL;
	return scene_group_teardown(state);
}

struct caller *sweep_caller(struct scene *s, struct arena *a, struct db *db)
{
	struct caller *c = new_caller(s, a, db);

	if (a == s->a && !requests)
		requests = arena_new(1 << 16);
	if (a == s->a)
		c->q.arena = requests;

	c->app.ingest = s->ingest;
	c->config.sweep_agent_lost_s = 300;
	c->config.workers = 64;
	c->target.right = ACCESS_RIGHT_WRITE;
	c->target.sees_private = true;
	return c;
}

struct sweep *make_sweep(struct caller *c, const char *config)
{
	const struct sweep_make_asked asked = { .config = str_of(config) };
	struct sweep_made made;

	ok(sweep_make(&c->q, &asked, &made));
	return made.sweep;
}

struct sweep_target new_agent(struct caller *c, struct sweep *sweep, const char *host)
{
	struct sweep_target t = { .sweep = sweep };

	ok(sweep_agent_make(&c->q, &t, str_of(host)));
	assert_non_null(t.agent);
	return t;
}

struct sweep_commands beat(struct caller *c, struct sweep_target *agent, const char *run)
{
	const struct str name = str_of(run);
	const struct sweep_beat_asked asked = { .run_names = &name,
						.count = run ? 1 : 0,
						.capacity = 1 };
	const struct sweep *sweep = agent->sweep;
	struct sweep_commands commands;

	/* a request finds both anew */
	ok(sweep_store_get(c->db, sweep->project_id, sweep->sweep_id, &agent->sweep));
	assert_non_null(agent->sweep);
	ok(sweep_store_find_agent(c->db, sweep->project_id, sweep->sweep_id, agent->agent->agent_id,
				  &agent->agent));
	ok(sweep_agent_beat(&c->q, agent, &asked, &commands));
	return commands;
}

const char *beat_run(struct caller *c, struct sweep_target *agent, const char *run)
{
	struct sweep_commands commands = beat(c, agent, run);

	assert_int_equal(commands.count, 1);
	assert_true(commands.at[0].kind == SWEEP_COMMAND_RUN ||
		    commands.at[0].kind == SWEEP_COMMAND_RESUME);
	return str_copy(c->a, commands.at[0].run_name);
}

void beat_nothing(struct caller *c, struct sweep_target *agent, const char *run)
{
	assert_int_equal(beat(c, agent, run).count, 0);
}

void beat_exit(struct caller *c, struct sweep_target *agent, const char *run)
{
	struct sweep_commands commands = beat(c, agent, run);

	assert_int_equal(commands.count, 1);
	assert_int_equal(commands.at[0].kind, SWEEP_COMMAND_EXIT);
}

/* ---- runs ----------------------------------------------------------------------------------------- */

void begin_run(struct scene *s, const char *name, const struct sweep *sweep)
{
	struct run_info info = {
		.name = str_of(name),
		.display_name = str_of(name),
		.job_type = STR(""),
		.group_name = STR(""),
		.sweep = sweep->name,
		.notes = STR(""),
		.tags = STR("[]"),
	};

	scene_shift_clock(s, 0);
	ok(db_begin(s->db, 5000, 0));
	ok(run_store_make(s->db, s->project_id, &info, s->user_id, s->clock, &s->run_id));
	ok(db_commit(s->db));
	assert_true(s->run_id);
	scene_join(s, name, WRITER_PRIMARY);
}

void log_losses(struct scene *s, const double *losses, size_t count)
{
	struct buf *rows = buf_new(s->a);
	struct run_info *infos;
	size_t found;

	ok(run_store_list_info(s->db, s->project_id, &s->run_id, 1, &infos, &found));
	assert_int_equal(found, 1);
	buf_add_text(rows, "\"history\":[");
	for (size_t i = 0; i < count; i++)
		buf_printf(rows, "%s{\"loss\":%.17g}", i ? "," : "", losses[i]);
	buf_add_text(rows, "]");
	scene_send_buf(s, str_copy(s->a, infos[0].name), rows);
}

void end_run(struct scene *s, enum run_state state)
{
	const struct run_hand hand = {
		.finish = { .state = (int16_t)state },
		.user_id = s->user_id,
	};
	struct run_changes changes = { .count = 0 };
	struct run *run;

	scene_shift_clock(s, 0);
	ok(db_begin(s->db, 5000, 0));
	ok(run_store_lock(s->db, s->run_id, &run));
	run_finish_by_hand(run, &hand, s->clock, &changes);
	ok(run_store_save(s->db, run));
	ok(run_store_save_changes(s->db, run, s->clock.now, &changes));
	ok(db_commit(s->db));
}

/* ---- what is stored -------------------------------------------------------------------------------- */

struct sweep_trial trial_of(struct caller *c, const struct sweep *sweep, const char *run)
{
	struct sweep_trial *trial;

	ok(sweep_store_find_trial_of_run(c->db, sweep, str_of(run), &trial));
	assert_non_null(trial);
	return *trial;
}

struct sweep *sweep_now(struct caller *c, const struct sweep *sweep)
{
	struct sweep *now;

	ok(sweep_store_get(c->db, sweep->project_id, sweep->sweep_id, &now));
	return now;
}

void sweep_job_pass(struct scene *s)
{
	int64_t again_us;

	scene_sql(
		s,
		"update sweep set look_at = '2020-01-01', row_sum = null where look_at is not null");
	s->job.agent_lost_us = INT64_C(300) * 1000000;
	ok(sweep_pass(&s->job, &again_us));
}
