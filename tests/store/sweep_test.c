/* Sweeps: what heartbeats are answered, how trials follow their runs, and what the sweep job sees by itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "project_store.h"
#include "run_store.h"
#include "sweep_edit.h"
#include "sweep_json.h"
#include "sweep_metric.h"
#include "sweep_scene.h"

#define GRID \
	"{method: grid, metric: {name: loss}, parameters: {a: {values: [1, 2]}, b: {values: [x, y]}}}"

static struct caller *caller(struct scene *s)
{
	return sweep_caller(s, s->a, s->db);
}

static void change_state(struct caller *c, struct sweep *sweep, enum sweep_event event)
{
	struct sweep_target t = { .sweep = sweep };
	const struct sweep_change change = { .event = event };

	ok(sweep_edit(&c->q, &t, &change));
}

/* ---- making --------------------------------------------------------------------------------------- */

static void test_the_same_request_is_one_sweep(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	static const char config[] = "{method: random, parameters: {once: {min: 0.0, max: 1.0}}}";
	const struct sweep_make_asked asked = { .config = STR("method: nothing") };
	struct sweep *first = make_sweep(c, config);
	struct sweep_made made;
	int64_t count = scene_number(s, "select count(*) as number from sweep");

	assert_true(make_sweep(c, config)->sweep_id == first->sweep_id);
	scene_shift_clock(s, 119);
	assert_true(make_sweep(c, config)->sweep_id == first->sweep_id);
	scene_shift_clock(s, 2);
	assert_true(make_sweep(c, config)->sweep_id != first->sweep_id);
	assert_error(sweep_make(&c->q, &asked, &made), ERR_INVALID, NULL);
	assert_true(made.faults.has_error);
	assert_int_equal(scene_number(s, "select count(*) as number from sweep"), count + 1);
	assert_int_equal(first->state, SWEEP_STATE_PENDING);
}

static int64_t make_like(struct caller *c, struct sweep_make_asked asked)
{
	struct sweep_made made;

	ok(sweep_make(&c->q, &asked, &made));
	return made.sweep->sweep_id;
}

/* Another text makes another sweep. */
static void test_a_request_with_another_text(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = { .config = STR(GRID " # texts") };
	int64_t ids[4];

	ids[0] = make_like(c, asked);
	asked.display_name = STR("a");
	ids[1] = make_like(c, asked);
	asked.display_name = STR("b");
	ids[2] = make_like(c, asked);
	asked.description = STR("why");
	ids[3] = make_like(c, asked);
	for (int i = 0; i < 3; i++)
		assert_true(ids[i] < ids[i + 1]);
	assert_true(make_like(c, asked) == ids[3]);
	asked.display_name = STR("a");
	asked.description = (struct str){ NULL, 0 };
	assert_true(make_like(c, asked) == ids[1]);
}

/* The wandb SDK repeats it for minutes, and some of its forms leave texts out. */
static void test_the_same_request_of_wandb(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = { .config = STR(GRID " # of wandb"),
					  .display_name = STR("a"),
					  .state = SWEEP_STATE_RUNNING,
					  .is_of_wandb = true };
	struct sweep *sweep;
	int64_t first = make_like(c, asked);

	scene_shift_clock(s, 899);
	assert_true(make_like(c, asked) == first);
	asked.display_name = (struct str){ NULL, 0 };
	assert_true(make_like(c, asked) == first);
	asked.display_name = STR("b");
	assert_true(make_like(c, asked) != first);
	asked.display_name = STR("a");
	scene_shift_clock(s, 2);
	first = make_like(c, asked);
	ok(sweep_store_get(c->db, s->project_id, first, &sweep));
	new_agent(c, sweep, "host1"); /* it is in use, although its state is as it was */
	assert_true(make_like(c, asked) != first);
}

static void edit(struct caller *c, int64_t sweep_id, const struct sweep_change *change)
{
	struct sweep_target t = { .sweep = NULL };

	ok(sweep_store_get(c->db, c->q.target->project_id, sweep_id, &t.sweep));
	ok(sweep_edit(&c->q, &t, change));
}

/* A sweep that its user edited, or that a controller filled, is not the answer to the same request. */
static void test_the_same_request_after_a_change(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = { .config = STR(GRID " # changed"),
					  .state = SWEEP_STATE_RUNNING,
					  .is_of_wandb = true };
	const struct sweep_change name = { .has_display_name = true, .display_name = STR("a") };
	const struct sweep_change points = {
		.has_controller = true,
		.controller = STR("{\"schedule\":[{\"id\":\"one\",\"data\":{\"args\":{\"a\":{"
				  "\"value\":1}}}}]}"),
	};
	int64_t first = make_like(c, asked);

	scene_shift_clock(s, 1);
	assert_true(make_like(c, asked) == first);
	edit(c, first, &name);
	assert_true(make_like(c, asked) != first);

	asked.config = STR("{controller: {type: local}, method: random, parameters: {a: {values: "
			   "[1, 2]}}}");
	asked.controller = points.controller; /* of the same request */
	first = make_like(c, asked);
	scene_shift_clock(s, 1);
	assert_true(make_like(c, asked) == first);
	asked.controller.len = 0;
	asked.config = STR("{controller: {type: local}, method: random, parameters: {a: {values: "
			   "[1, 2]}}} # later");
	first = make_like(c, asked);
	scene_shift_clock(s, 1);
	assert_true(make_like(c, asked) == first);
	edit(c, first, &points);
	assert_true(make_like(c, asked) != first);
}

/* Runs can be made while it reads its prior runs, and it does not wait for those that are being made. */
static void test_a_sweep_beside_a_new_run(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct arena *a = arena_new(1 << 16);
	struct db *other = fixture_connect(a);

	ok(db_begin(other, 60000, 0));
	ok(project_store_hold(other, s->project_id)); /* as run_insert does */
	make_sweep(c, "{method: random, parameters: {beside: {min: 0.0, max: 1.0}}}");
	ok(db_commit(other));
	db_close(other);
	arena_free(a);
}

/* ---- heartbeats ----------------------------------------------------------------------------------- */

/* An answer that was lost is given again once; then its point is another trial's. */
static void test_a_lost_answer(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # lost answer");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);
	struct sweep_trial first = trial_of(c, sweep, run), second;
	const char *next;

	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_RUNNING);
	assert_str(first.params, "{\"a\":1,\"b\":\"x\"}");
	assert_int_equal(first.point, 0);
	assert_string_equal(beat_run(c, &agent, NULL), run);
	next = beat_run(c, &agent, NULL);
	assert_string_not_equal(next, run);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_LOST);
	second = trial_of(c, sweep, next);
	assert_int_equal(second.point, 0);
	assert_int_equal(second.retry_of, first.trial);
	assert_int_equal(second.tries, 2);

	/* it has it now, and nothing more is given */
	beat_nothing(c, &agent, next);
	assert_int_equal(trial_of(c, sweep, next).state, SWEEP_TRIAL_RUNNING);
	beat_nothing(c, &agent, "another's");
}

static void test_states_reach_agents(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # states");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_target other = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);

	change_state(c, sweep, SWEEP_EVENT_PAUSE);
	beat_nothing(c, &other, NULL);
	change_state(c, sweep, SWEEP_EVENT_RESUME);
	assert_string_not_equal(beat_run(c, &other, NULL), run);
	change_state(c, sweep, SWEEP_EVENT_STOP);
	assert_str(sweep_now(c, sweep)->why_ended, "stopped");
	beat_nothing(c, &agent, run);
	change_state(c, sweep, SWEEP_EVENT_CANCEL);
	beat_exit(c, &agent, run);
	assert_int_equal(agent.agent->state, SWEEP_AGENT_FINISHED);
}

static struct sweep_trial *by_hand_for(struct caller *c, struct sweep_target *agent)
{
	const struct sweep_hand_asked asked = { .host = STR("") };
	struct sweep_trial *trial;

	ok(sweep_suggest_by_hand(&c->q, agent, &asked, &trial));
	return trial;
}

static struct sweep_trial *by_hand(struct caller *c, struct sweep *sweep)
{
	struct sweep_target hand = { .sweep = sweep };

	return by_hand_for(c, &hand);
}

/*
 * What a cancellation ended is tried when the sweep is resumed, by agents or by hand, also if it may not fail: one that was running,
 * and one that had not begun. A trial that ended before, or that a user stopped, stays.
 */
static void test_resume_after_cancel(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c,
					 "{method: grid, metric: {name: loss}, retry: {times: 0}, "
					 "parameters: {a: {values: [1, 2, 3, 4]}}}");
	struct sweep_target agents[4], next;
	const char *runs[4];
	struct sweep_trial again, *hand;

	for (int i = 0; i < 4; i++) {
		agents[i] = new_agent(c, sweep, "host1");
		runs[i] = beat_run(c, &agents[i], NULL);
	}
	begin_run(s, runs[1], sweep);
	end_run(s, RUN_KILLED); /* by a user */
	begin_run(s, runs[2], sweep);
	begin_run(s, runs[0], sweep);
	end_run(s, RUN_FINISHED); /* not seen before the sweep is canceled */
	scene_shift_clock(s, 1);
	change_state(c, sweep, SWEEP_EVENT_CANCEL);
	beat_exit(c, &agents[2], runs[2]);
	s->run_id = scene_number(s, "select run_id as number from run where name = '%s'", runs[2]);
	end_run(s, RUN_KILLED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, runs[2]).state, SWEEP_TRIAL_KILLED);
	change_state(c, sweep, SWEEP_EVENT_RESUME);
	assert_int_equal(trial_of(c, sweep, runs[0]).state, SWEEP_TRIAL_FINISHED);
	change_state(c, sweep, SWEEP_EVENT_CANCEL); /* nothing was given since */
	change_state(c, sweep, SWEEP_EVENT_RESUME);
	next = new_agent(c, sweep, "host1");
	again = trial_of(c, sweep, beat_run(c, &next, NULL));
	assert_int_equal(again.retry_of, 3);
	assert_int_equal(again.point, 2);
	assert_int_equal(again.tries, 1);
	hand = by_hand(c, sweep);
	assert_int_equal(hand->retry_of, 4);
	assert_int_equal(hand->point, 3);
	assert_int_equal(sweep_now(c, sweep)->next_trial, 7);
}

enum { OPEN_MANY = 250 /* more than are compared at once */ };

/* Running, in programs that have no runs. */
static void add_open_trials(struct scene *s, const struct sweep *sweep, int count)
{
	scene_sql(s,
		  "insert into sweep_trial (project_id, sweep_id, trial, run_name, source, tries, "
		  "created_at, params, state, host, sent_at, sent_count, steps) "
		  "select project_id, sweep_id, i, 'open' || i, 1, 1, now(), '{\"a\":0.5}', 2, '', "
		  "now(), 1, 0 from sweep, generate_series(1, %d) i where sweep_id = %lld",
		  count, (long long)sweep->sweep_id);
	scene_sql(s, "update sweep set next_trial = %d, row_sum = null where sweep_id = %lld",
		  count + 1, (long long)sweep->sweep_id);
}

static int64_t repeats(struct scene *s, const struct sweep *sweep, const char *which)
{
	return scene_number(s,
			    "select count(*) as number from sweep_trial "
			    "where sweep_id = %lld and retry_of %s",
			    (long long)sweep->sweep_id, which);
}

static void count_inserts(struct scene *s)
{
	scene_sql(s, "create sequence inserts minvalue 0 start 0");
	scene_sql(s, "select nextval('inserts')");
	scene_sql(s, "create function count_insert() returns trigger language plpgsql as "
		     "'begin perform nextval(''inserts''); return null; end'");
	scene_sql(s, "create trigger count_insert after insert on sweep_trial "
		     "for each statement execute function count_insert()");
}

static int64_t inserts_since(struct scene *s)
{
	int64_t count = scene_number(s, "select last_value as number from inserts");

	scene_sql(s, "drop function count_insert cascade");
	scene_sql(s, "drop sequence inserts");
	return count;
}

/* Each is tried again once, but not the last: it ended before, unseen. A request has no time for a statement of each. */
static void test_resume_with_many_open_trials(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep =
		make_sweep(c, "{method: random, parameters: {a: {min: 0.0, max: 1.0}}}");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run;

	add_open_trials(s, sweep, OPEN_MANY);
	run = beat_run(c, &agent, NULL);
	assert_int_equal(trial_of(c, sweep, run).trial, OPEN_MANY + 1);
	begin_run(s, run, sweep);
	end_run(s, RUN_FINISHED);
	scene_shift_clock(s, 1);
	change_state(c, sweep, SWEEP_EVENT_CANCEL);
	count_inserts(s);
	change_state(c, sweep, SWEEP_EVENT_RESUME);
	assert_in_range(inserts_since(s), 1, OPEN_MANY / 10);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_FINISHED);
	assert_int_equal(repeats(s, sweep, "is not null"), OPEN_MANY);
	assert_int_equal(repeats(s, sweep, "= 251"), 0);
}

static void assert_asked(struct scene *s, int64_t run_id, const char *reason)
{
	s->run_id = run_id;
	assert_int_equal(scene_run(s).stop_asked_at.us != 0, reason != NULL);
	if (reason)
		assert_str(scene_run(s).stop_reason, reason);
}

/*
 * Also runs that no agent of the sweep has are asked to stop, when they begin late, too; a prior run is not. A run that cannot be
 * asked does not hide the others.
 */
static void test_cancel_reaches_all_runs(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = {
		.config = STR(GRID " # cancel"),
		.prior_runs = STR("{\"$or\":[{\"name\":\"canceled0\"}]}"),
	};
	const struct sweep none = { .name = STR("") };
	struct sweep_target agent;
	struct sweep_made made;
	int64_t prior, joined[2];
	const char *run;

	begin_run(s, "canceled0", &none);
	prior = s->run_id;
	ok(sweep_make(&c->q, &asked, &made));
	agent = new_agent(c, made.sweep, "host1");
	run = beat_run(c, &agent, NULL);
	begin_run(s, "canceled1", made.sweep);
	joined[0] = s->run_id;
	begin_run(s, "canceled2", made.sweep);
	joined[1] = s->run_id;
	sweep_job_pass(s);
	change_state(c, made.sweep, SWEEP_EVENT_CANCEL);
	scene_shift_clock(s, 0);
	assert_true(sweep_now(c, made.sweep)->look_at.us <= s->clock.now.us);
	begin_run(s, run, made.sweep);
	scene_sql(s, "create function refuse() returns trigger language plpgsql as "
		     "'begin raise exception ''refused''; end'");
	scene_sql(s,
		  "create trigger refuse before update on run_hot for each row "
		  "when (old.run_id = %lld) execute function refuse()",
		  (long long)joined[0]);
	sweep_job_pass(s);
	scene_sql(s, "drop function refuse cascade");
	assert_asked(s, s->run_id, "its sweep was canceled");
	assert_asked(s, joined[1], "its sweep was canceled");
	assert_asked(s, joined[0], NULL);
	assert_true(sweep_now(c, made.sweep)->look_at.us < s->clock.now.us + 60 * 1000000);
	sweep_job_pass(s);
	assert_asked(s, joined[0], "its sweep was canceled");
	end_run(s, RUN_FAILED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, made.sweep, "canceled1").state, SWEEP_TRIAL_KILLED);
	assert_asked(s, prior, NULL);
	assert_false(trial_of(c, made.sweep, "canceled0").stop_at.us);
}

/* Whatever becomes of an agent, all points are tried, none of them twice. */
static void test_a_grid_to_its_end(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # to its end");
	struct sweep_target dead = new_agent(c, sweep, "host1"), agent;
	const char *run = beat_run(c, &dead, NULL);

	scene_shift_clock(s, 400);
	agent = new_agent(c, sweep, "host2");
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_LOST);
	for (int i = 0; i < 4; i++) {
		run = beat_run(c, &agent, NULL);
		begin_run(s, run, sweep);
		log_losses(s, (double[]){ i, i + 0.5 }, 2);
		beat_nothing(c, &agent, run);
		end_run(s, RUN_FINISHED);
	}
	beat_exit(c, &agent, NULL);
	sweep = sweep_now(c, sweep);
	assert_int_equal(sweep->state, SWEEP_STATE_FINISHED);
	assert_str(sweep->why_ended, "all points of the grid were tried");
	assert_int_equal(scene_number(s,
				      "select count(distinct point) as number from sweep_trial "
				      "where sweep_id = %lld and state = 3",
				      (long long)sweep->sweep_id),
			 4);
}

/* ---- runs ----------------------------------------------------------------------------------------- */

static void test_values_of_the_metric(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # values");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);
	struct sweep_trial t;

	begin_run(s, run, sweep);
	log_losses(s, (double[]){ 5, 2, 9, 3 }, 4);
	sweep_job_pass(s);
	t = trial_of(c, sweep, run);
	assert_int_equal(t.state, SWEEP_TRIAL_RUNNING);
	assert_int_equal(t.steps, 4);
	assert_true(t.lowest == 2 && t.highest == 9 && t.latest == 3 && isnan(t.summary));
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	t = trial_of(c, sweep, run);
	assert_int_equal(t.state, SWEEP_TRIAL_FINISHED);
	assert_true(t.summary == 3 && t.ended_at.us);
	assert_true(sweep_trial_value(&t, SWEEP_MINIMIZE) == 2);
}

/* A run that was moved while others are read does not hide their values. */
static void test_values_beside_a_gone_run(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # gone");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const struct run_reader reader = { s->db, s->job.codec, s->job.metrics };
	const struct sweep_metric_ask ask = { s->project_id, STR("loss") };
	struct sweep_history histories[3] = { { .wants_values = true } };

	for (int i = 0; i < 3; i++) {
		const char *run = beat_run(c, &agent, NULL);

		begin_run(s, run, sweep);
		log_losses(s, (double[]){ i + 1 }, 1);
		end_run(s, RUN_FINISHED);
		histories[i].run_id = s->run_id;
	}
	scene_sql(s, "update run_hot set project_id = 1, row_sum = null where run_id = %lld",
		  (long long)histories[1].run_id);
	ok(sweep_metric_read(&reader, &ask, histories, 3));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(histories[i].is_gone, i == 1);
		assert_int_equal(histories[i].steps, i != 1);
		assert_true(i == 1 ? isnan(histories[i].lowest) : histories[i].lowest == i + 1);
	}
	assert_true(histories[0].values[0] == 1);
}

static err_t edit_metric(struct caller *c, struct sweep *sweep, const char *name)
{
	struct sweep_target t = { .sweep = sweep };
	const struct sweep_change change = {
		.has_config = true,
		.config = str_of(arena_printf(c->a,
					      "{method: tpe, metric: {name: %s, goal: maximize}, "
					      "parameters: {a: {min: 0.0, max: 1.0}}}",
					      name)),
	};

	return sweep_edit(&c->q, &t, &change);
}

/* Values of another metric are not mixed with those of the old one, also of trials that ended. */
static void test_another_metric(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # another metric");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *runs[2];
	struct sweep_trial t;

	for (int i = 0; i < 2; i++) {
		runs[i] = beat_run(c, &agent, NULL);
		begin_run(s, runs[i], sweep);
		scene_send(
			s, runs[i],
			i ? "\"history\":[{\"loss\":4}]"
			  : "\"history\":[{\"loss\":4,\"acc\":0.5},{\"acc\":0.25}],\"summary\":{\"acc\":0.75}");
		end_run(s, RUN_FINISHED);
		sweep_job_pass(s);
		assert_true(trial_of(c, sweep, runs[i]).lowest == 4);
	}
	scene_shift_clock(s, 7200);
	ok(edit_metric(c, sweep, "acc"));
	t = trial_of(c, sweep, runs[0]);
	assert_true(t.lowest == 0.25 && t.highest == 0.5 && t.latest == 0.25 && t.summary == 0.75);
	assert_int_equal(t.steps, 2);
	t = trial_of(c, sweep, runs[1]);
	assert_true(isnan(t.lowest) && isnan(t.highest) && isnan(t.latest) && isnan(t.summary));
	assert_int_equal(t.steps, 0);

	scene_sql(s, "update sweep set next_trial = 1001, row_sum = null where sweep_id = %lld",
		  (long long)sweep->sweep_id);
	ok(edit_metric(c, sweep, "loss"));
	assert_true(trial_of(c, sweep, runs[1]).lowest == 4);
	scene_sql(s, "update sweep set next_trial = 1002, row_sum = null where sweep_id = %lld",
		  (long long)sweep->sweep_id);
	assert_error(edit_metric(c, sweep, "acc"), ERR_INVALID, NULL);
	ok(edit_metric(c, sweep, "loss"));
	assert_true(trial_of(c, sweep, runs[1]).lowest == 4);
}

static void delete_run(struct scene *s)
{
	scene_sql(s, "update run set deleted_at = now(), row_sum = null where run_id = %lld",
		  (long long)s->run_id);
	scene_sql(s, "update run_hot set deleted_at = now(), row_sum = null where run_id = %lld",
		  (long long)s->run_id);
}

/* Its point is offered again, although the sweep would have been over. */
static void test_a_deleted_run(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: grid, metric: {name: loss}, parameters: {a: {values: [1]}}}");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);
	const char *again;

	begin_run(s, run, sweep);
	end_run(s, RUN_FINISHED);
	delete_run(s);
	again = beat_run(c, &agent, NULL);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_DELETED);
	assert_int_equal(trial_of(c, sweep, again).point, 0);

	begin_run(s, again, sweep);
	end_run(s, RUN_FINISHED);
	beat_exit(c, &agent, NULL);
}

/* The same of a run that was moved to another project; one that is back is a trial again. */
static void test_a_run_that_moved(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # moved");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);

	begin_run(s, run, sweep);
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_FINISHED);
	scene_sql(s, "update run set moved_to = 1, row_sum = null where run_id = %lld",
		  (long long)s->run_id);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_DELETED);
	assert_int_equal(trial_of(c, sweep, beat_run(c, &agent, NULL)).point, 0);
	scene_sql(s, "update run set moved_to = null, row_sum = null where run_id = %lld",
		  (long long)s->run_id);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_FINISHED);
}

/* A trial whose machine was taken from it waits for another agent, which goes on with its run. */
static void test_a_preempted_run(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # preempted");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_target other = new_agent(c, sweep, "host2");
	const char *run = beat_run(c, &agent, NULL);
	struct sweep_commands commands;

	begin_run(s, run, sweep);
	beat_nothing(c, &agent, run);
	end_run(s, RUN_PREEMPTED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_PREEMPTED);
	commands = beat(c, &other, NULL);
	assert_int_equal(commands.count, 1);
	assert_int_equal(commands.at[0].kind, SWEEP_COMMAND_RESUME);
	assert_str(commands.at[0].run_name, run);
	sweep_job_pass(s);
	assert_string_not_equal(beat_run(c, &agent, NULL), run); /* it is the other's now */
	assert_string_equal(beat_run(c, &other, NULL), run);
	scene_join(s, "again", WRITER_PRIMARY);
	beat_nothing(c, &other, run);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_RUNNING);
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_FINISHED);
}

/* Runs that agents did not start are not resumed by agents. */
static void test_preempted_runs_of_others(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = {
		.config = STR(GRID " # of others"),
		.prior_runs = STR("{\"$or\":[{\"name\":\"preempted1\"}]}"),
	};
	const struct sweep none = { .name = STR("") };
	struct sweep_target agent;
	struct sweep_made made;

	begin_run(s, "preempted1", &none);
	end_run(s, RUN_PREEMPTED);
	ok(sweep_make(&c->q, &asked, &made));
	begin_run(s, "joined3", made.sweep);
	end_run(s, RUN_PREEMPTED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, made.sweep, "preempted1").state, SWEEP_TRIAL_PREEMPTED);
	assert_int_equal(trial_of(c, made.sweep, "joined3").state, SWEEP_TRIAL_PREEMPTED);
	agent = new_agent(c, made.sweep, "host1");
	assert_int_equal(beat(c, &agent, NULL).at[0].kind, SWEEP_COMMAND_RUN);
}

/* The job had nothing to look at when the trial was given on; it sees that this agent is lost, too. */
static void test_an_agent_that_resumes_is_lost(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # resumes and is lost");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);

	begin_run(s, run, sweep);
	end_run(s, RUN_PREEMPTED);
	sweep_job_pass(s);
	scene_shift_clock(s, 400);
	sweep_job_pass(s);
	assert_false(sweep_now(c, sweep)->look_at.us);
	for (int i = 0; i < 2; i++) {
		agent = new_agent(c, sweep, "host1");
		assert_string_equal(beat_run(c, &agent, NULL), run);
		assert_true(sweep_now(c, sweep)->look_at.us);
		scene_shift_clock(s, 400);
		sweep_job_pass(s);
		assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_PREEMPTED);
	}
}

/* The answer that gave it on was lost twice; the next agent has it alone. */
static void test_a_lost_resume(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # lost resume");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_target other = new_agent(c, sweep, "host2");
	const char *run = beat_run(c, &agent, NULL);

	begin_run(s, run, sweep);
	end_run(s, RUN_PREEMPTED);
	sweep_job_pass(s);
	scene_shift_clock(s, 10);
	assert_string_equal(beat_run(c, &agent, NULL), run);
	assert_string_equal(beat_run(c, &agent, NULL), run);
	change_state(c, sweep, SWEEP_EVENT_STOP); /* it is not given to the same agent at once */
	beat(c, &agent, NULL);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_PREEMPTED);
	change_state(c, sweep, SWEEP_EVENT_RESUME);
	assert_string_equal(beat_run(c, &other, NULL), run);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_HANDED_OUT);
}

/* A run that crashed goes on; a failed one is given to another host, if there is one. */
static void test_again_on_another_host(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # another host");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_target other = new_agent(c, sweep, "host2");
	const char *run = beat_run(c, &agent, NULL);
	struct sweep_trial again;

	begin_run(s, run, sweep);
	end_run(s, RUN_CRASHED);
	assert_int_equal(trial_of(c, sweep, beat_run(c, &agent, NULL)).point, 1);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_CRASHED);
	again = trial_of(c, sweep, beat_run(c, &other, NULL));
	assert_int_equal(again.point, 0);
	assert_int_equal(again.tries, 2);
	end_run(s, RUN_RUNNING);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, run).state, SWEEP_TRIAL_RUNNING);
}

/* Values of private runs are not in figures for those who may not see such runs. */
static void test_a_private_run(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # private");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);
	struct sweep_trials_ask ask = { .order = SWEEP_TRIALS_BEST,
					.goal = SWEEP_MINIMIZE,
					.limit = 10 };
	struct sweep_trial *trials, t;
	struct sweep_shown *shown;
	size_t count;

	begin_run(s, run, sweep);
	log_losses(s, (double[]){ 3 }, 1);
	end_run(s, RUN_FINISHED);
	scene_sql(s, "update run set visibility = 1, row_sum = null where run_id = %lld",
		  (long long)s->run_id);
	sweep_job_pass(s);
	t = trial_of(c, sweep, run);
	c->target.visibility = VISIBILITY_PUBLIC;
	ok(sweep_show(&c->q, sweep, 1, &shown));
	assert_true(shown->best == 3 && sweep_sees_trial(&c->q, &t));
	assert_int_equal(shown->expected, 4);
	assert_int_equal(shown->sums.finished, 1);
	c->target.sees_private = false;
	ok(sweep_show(&c->q, sweep, 1, &shown));
	assert_true(isnan(shown->best) && !sweep_sees_trial(&c->q, &t));
	ok(sweep_store_list_trials(c->db, sweep, &ask, &trials, &count));
	assert_int_equal(count, 0);
	ask.sees_private = true;
	ok(sweep_store_list_trials(c->db, sweep, &ask, &trials, &count));
	assert_int_equal(count, 1);
	delete_run(s); /* the row of its name says so for ever */
	t = trial_of(c, sweep, run);
	assert_false(sweep_sees_trial(&c->q, &t));
}

/* Runs that name the sweep and have no agent are trials of it. */
static void test_a_run_that_joined(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # joined");
	struct sweep_trial t;
	struct sweep_target agent;

	begin_run(s, "joined1", sweep);
	scene_send(s, "joined1", "\"config\":{\"a\":1,\"b\":\"x\",\"other\":2}");
	sweep_job_pass(s);
	t = trial_of(c, sweep, "joined1");
	assert_int_equal(t.source, SWEEP_SOURCE_JOINED);
	assert_int_equal(t.state, SWEEP_TRIAL_RUNNING);
	assert_str(t.params, "{\"a\":1,\"b\":\"x\"}");
	assert_int_equal(t.point, 0);
	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_RUNNING);
	agent = new_agent(c, sweep, "host1");
	assert_int_equal(trial_of(c, sweep, beat_run(c, &agent, NULL)).point, 1);
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, "joined1").state, SWEEP_TRIAL_FINISHED);

	/* its config comes after it */
	begin_run(s, "late1", sweep);
	sweep_job_pass(s);
	assert_str(trial_of(c, sweep, "late1").params, "{}");
	scene_send(s, "late1", "\"config\":{\"a\":2,\"b\":\"y\"}");
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	assert_str(trial_of(c, sweep, "late1").params, "{\"a\":2,\"b\":\"y\"}");
	assert_int_equal(trial_of(c, sweep, "late1").point, 3);
}

static void assert_sweep_of(struct scene *s, const char *run, const char *sweep)
{
	struct run_info *info;

	ok(run_store_find_info(s->db, s->project_id, str_of(run), &info));
	assert_str(info->sweep, sweep);
}

/* A program that makes the run of its trial need not name the sweep. One that names another is of that. */
static void test_runs_of_trials_have_the_sweep(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # runs without its name");
	struct sweep_target agent = new_agent(c, sweep, "host1"), hand = { .sweep = sweep };
	struct sweep_target second = new_agent(c, sweep, "host1");
	const struct sweep_hand_asked asked = { .host = STR("") };
	const struct sweep none = { .name = STR("") }, other = { .name = STR("elsewhere") };
	const struct sweep_make_asked prior = {
		.config = STR(GRID " # its prior run"),
		.prior_runs = STR("{\"$or\":[{\"name\":\"not_given\"}]}"),
	};
	const char *run = beat_run(c, &agent, NULL), *named = beat_run(c, &second, NULL);
	struct sweep_trial *by_hand;
	struct sweep_made made;

	ok(sweep_suggest_by_hand(&c->q, &hand, &asked, &by_hand));
	begin_run(s, run, &none);
	begin_run(s, str_copy(c->a, by_hand->run_name), &none);
	begin_run(s, named, &other);
	begin_run(s, "not_given", &none);
	assert_sweep_of(s, run, str_copy(c->a, sweep->name));
	assert_sweep_of(s, str_copy(c->a, by_hand->run_name), str_copy(c->a, sweep->name));
	assert_sweep_of(s, named, "elsewhere");
	ok(sweep_make(&c->q, &prior, &made));
	assert_sweep_of(s, "not_given", "");
}

static void test_prior_runs(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep_make_asked asked = {
		.config = STR(GRID " # prior"),
		.prior_runs = STR("{\"$or\":[{\"name\":\"prior1\"}]}"),
		.is_of_wandb = true,
	};
	const struct sweep none = { .name = STR("") };
	struct sweep_target agent;
	struct sweep_made made, again;

	assert_error(sweep_make(&c->q, &asked, &made), ERR_INVALID, NULL);
	begin_run(s, "prior1", &none);
	scene_send(s, "prior1", "\"config\":{\"a\":1,\"b\":\"y\"},\"history\":[{\"loss\":4}]");
	end_run(s, RUN_FINISHED);
	ok(sweep_make(&c->q, &asked, &made));
	assert_int_equal(trial_of(c, made.sweep, "prior1").state, SWEEP_TRIAL_HANDED_OUT);
	scene_shift_clock(s, 0);
	assert_true(made.sweep->look_at.us <= s->clock.now.us);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, made.sweep, "prior1").state, SWEEP_TRIAL_FINISHED);
	assert_true(trial_of(c, made.sweep, "prior1").lowest == 4);
	asked.prior_runs.at = NULL; /* older forms of the SDK's request do not have them */
	asked.prior_runs.len = 0;
	ok(sweep_make(&c->q, &asked, &again));
	assert_true(again.sweep->sweep_id == made.sweep->sweep_id);
	agent = new_agent(c, made.sweep, "host1");
	assert_int_equal(trial_of(c, made.sweep, beat_run(c, &agent, NULL)).point, 0);
	beat_run(c, &agent, NULL); /* given again */
	agent = new_agent(c, made.sweep, "host1");
	assert_int_equal(trial_of(c, made.sweep, beat_run(c, &agent, NULL)).point, 2);
}

enum { PRIOR_RUNS = 2 * SWEEP_PRIOR_AT_ONCE + 20 };

static struct sweep *make_with_prior(struct caller *c, const char *config)
{
	struct str *names = arena_new_array(c->a, struct str, PRIOR_RUNS);
	const struct sweep_make_asked asked = { .config = str_of(config),
						.prior_names = names,
						.prior_count = PRIOR_RUNS };
	struct sweep_made made;

	for (int i = 0; i < PRIOR_RUNS; i++)
		names[i] = str_of(arena_printf(c->a, "many%d", i));
	ok(sweep_make(&c->q, &asked, &made));
	return made.sweep;
}

static int64_t count_unread(struct scene *s, const struct sweep *sweep)
{
	return scene_number(s,
			    "select count(*) as number from sweep_trial"
			    " where sweep_id = %lld and source = 5 and state = 1",
			    (long long)sweep->sweep_id);
}

/* The request does not read them. The search waits until all were read: by the job, or by requests for trials, in portions. */
static void test_many_prior_runs(void **state)
{
	static const char config[] = "{method: bayes, metric: {name: loss}, seed: 1, parameters: "
				     "{a: {min: 0.0, max: 1.0}}}";
	struct scene *s = *state;
	struct caller *c = caller(s);
	const struct sweep none = { .name = STR("") };
	const struct sweep_hand_asked asked = { .host = STR("") };
	struct sweep_target agent, hand;
	struct sweep_commands commands;
	struct sweep_trial *trial;
	struct sweep *sweep;

	for (int i = 0; i < PRIOR_RUNS; i++) {
		const char *name = arena_printf(c->a, "many%d", i);

		begin_run(s, name, &none);
		scene_send(s, name,
			   arena_printf(c->a, "\"config\":{\"a\":%g},\"history\":[{\"loss\":%d}]",
					i / 1000.0, i));
		if (i)
			end_run(s, RUN_FINISHED);
	}
	sweep = make_with_prior(c, config);
	assert_int_equal(count_unread(s, sweep), PRIOR_RUNS);
	assert_int_equal(sweep->next_trial, PRIOR_RUNS + 1);
	assert_str(trial_of(c, sweep, "many7").params, "{}");
	agent = new_agent(c, sweep, "host1");
	commands = beat(c, &agent, NULL);
	assert_true(commands.is_busy && !commands.count);
	assert_int_equal(count_unread(s, sweep), PRIOR_RUNS - SWEEP_PRIOR_AT_ONCE);
	hand = (struct sweep_target){ .sweep = sweep };
	assert_error(sweep_suggest_by_hand(&c->q, &hand, &asked, &trial), ERR_BUSY, NULL);
	beat_run(c, &agent, NULL);
	assert_int_equal(count_unread(s, sweep), 0);
	assert_int_equal(trial_of(c, sweep, "many0").state, SWEEP_TRIAL_RUNNING);
	assert_str(trial_of(c, sweep, "many0").params, "{\"a\":0}");
	assert_str(trial_of(c, sweep, "many119").params, "{\"a\":0.119}");
	assert_true(trial_of(c, sweep, "many119").lowest == 119);

	sweep = make_with_prior(c, "{method: bayes, metric: {name: loss}, seed: 2, parameters: "
				   "{a: {min: 0.0, max: 1.0}}}");
	scene_sql(s, "update run set deleted_at = now(), row_sum = null where name = 'many3'");
	sweep_job_pass(s);
	assert_int_equal(count_unread(s, sweep), 0);
	assert_int_equal(trial_of(c, sweep, "many3").state, SWEEP_TRIAL_DELETED);
	assert_int_equal(trial_of(c, sweep, "many4").state, SWEEP_TRIAL_FINISHED);
	assert_error(sweep_make(&c->q,
				&(struct sweep_make_asked){
					.config = STR(GRID " # one bad prior run"),
					.prior_runs = STR("{\"$or\":[{\"name\":\"many4\"},"
							  "{\"name\":\"many3\"}]}") },
				&(struct sweep_made){ .sweep = NULL }),
		     ERR_INVALID, NULL);
	scene_sql(s, "update run set deleted_at = null, row_sum = null where name = 'many3'");
}

/* A search that waited for too long begins without them. */
static void test_prior_runs_that_are_not_read(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	const struct sweep_hand_asked asked = { .host = STR("") };
	struct sweep *sweep;
	struct sweep_target hand;
	struct sweep_trial *trial;

	sweep = make_with_prior(c, GRID " # not read");
	scene_shift_clock(s, 301);
	hand = (struct sweep_target){ .sweep = sweep };
	ok(sweep_suggest_by_hand(&c->q, &hand, &asked, &trial));
	assert_int_equal(trial->point, 0);
	assert_int_equal(count_unread(s, sweep), PRIOR_RUNS);
	sweep_job_pass(s);
	assert_int_equal(count_unread(s, sweep), 0);
}

static void damage(struct scene *s, const char *update)
{
	scene_sql(s, "%s where run_id = %lld", update, (long long)s->run_id);
}

static void log_prior(struct scene *s, const char *name)
{
	const struct sweep none = { .name = STR("") };

	begin_run(s, name, &none);
	scene_send(s, name, "\"config\":{\"a\":1,\"b\":\"y\"},\"history\":[{\"loss\":4}]");
}

/* Runs whose stored data is damaged hold up neither the search nor the job, also those that end later. */
static void test_prior_runs_that_are_damaged(void **state)
{
	static const char flip[] = "update tail set data = set_byte(data, length(data) / 2,"
				   " get_byte(data, length(data) / 2) # 16)";
	struct scene *s = *state;
	struct caller *c = caller(s);
	const struct sweep_make_asked asked = {
		.config = STR(GRID " # damaged prior runs"),
		.prior_runs = STR("{\"$or\":[{\"name\":\"no_rows\"},{\"name\":\"no_config\"},"
				  "{\"name\":\"whole\"},{\"name\":\"damaged_later\"}]}"),
	};
	struct sweep_target agent;
	struct sweep_made made;
	const char *run;

	log_prior(s, "no_rows");
	end_run(s, RUN_FINISHED);
	damage(s, flip);
	log_prior(s, "no_config");
	end_run(s, RUN_FINISHED);
	damage(s, "update run_leaf set value = '{'");
	log_prior(s, "whole");
	end_run(s, RUN_FINISHED);
	log_prior(s, "damaged_later");
	damage(s, flip);

	ok(sweep_make(&c->q, &asked, &made));
	agent = new_agent(c, made.sweep, "host1");
	run = beat_run(c, &agent, NULL);
	assert_int_equal(trial_of(c, made.sweep, "no_rows").state, SWEEP_TRIAL_FINISHED);
	assert_true(isnan(trial_of(c, made.sweep, "no_rows").lowest));
	assert_str(trial_of(c, made.sweep, "no_config").params, "{}");
	assert_true(trial_of(c, made.sweep, "no_config").lowest == 4);
	assert_str(trial_of(c, made.sweep, "whole").params, "{\"a\":1,\"b\":\"y\"}");
	assert_true(trial_of(c, made.sweep, "whole").lowest == 4);
	assert_int_equal(trial_of(c, made.sweep, "damaged_later").state, SWEEP_TRIAL_RUNNING);
	sweep_job_pass(s);
	end_run(s, RUN_FINISHED);
	beat_nothing(c, &agent, run);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, made.sweep, "damaged_later").state, SWEEP_TRIAL_FINISHED);
	assert_true(isnan(trial_of(c, made.sweep, "damaged_later").lowest));
}

/* ---- hosts ---------------------------------------------------------------------------------------- */

static void fail_on(struct scene *s, struct caller *c, struct sweep_target *agent,
		    enum run_state end)
{
	const char *run = beat_run(c, agent, NULL);

	begin_run(s, run, agent->sweep);
	beat_nothing(c, agent, run);
	end_run(s, end);
}

/* It gets no trials for an hour, or until somebody says so; if no other host works, the program is at fault. */
static void test_a_host_that_fails(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep =
		make_sweep(c, "{method: random, metric: {name: loss}, host_failures: 2, "
			      "retry: {times: 0}, parameters: {a: {min: 0.0, max: 1.0}}}");
	struct sweep_target bad = new_agent(c, sweep, "bad"), good = new_agent(c, sweep, "good");

	for (int i = 0; i < 3; i++)
		fail_on(s, c, &bad, RUN_FAILED);
	fail_on(s, c, &good, RUN_FINISHED);
	fail_on(s, c, &bad, RUN_FAILED);
	beat_run(c, &good, NULL);
	beat_nothing(c, &bad, NULL);
	ok(sweep_agent_set_aside(&c->q, &bad, false));
	assert_int_equal(bad.agent->failed_in_row, 0);
	fail_on(s, c, &bad, RUN_FAILED);
	fail_on(s, c, &bad, RUN_CRASHED);
	sweep_job_pass(s);
	beat_nothing(c, &bad, NULL);
	scene_shift_clock(s, 3601);
	beat_run(c, &bad, NULL);
}

/* It is not the other host that a point waits for. */
static void test_a_host_set_aside_is_no_other_host(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c,
					 "{method: grid, metric: {name: loss}, host_failures: 1, "
					 "parameters: {a: {values: [1, 2, 3]}}}");
	struct sweep_target bad = new_agent(c, sweep, "bad"), good = new_agent(c, sweep, "good");
	const char *run;

	fail_on(s, c, &good, RUN_FINISHED);
	fail_on(s, c, &bad, RUN_FAILED);
	run = beat_run(c, &good, NULL); /* the point that failed on the other host */
	assert_int_equal(trial_of(c, sweep, run).point, 1);
	begin_run(s, run, sweep);
	end_run(s, RUN_FINISHED);
	beat_nothing(c, &bad, NULL);

	run = beat_run(c, &good, NULL);
	assert_int_equal(trial_of(c, sweep, run).point, 2);
	begin_run(s, run, sweep);
	end_run(s, RUN_FAILED);
	run = beat_run(c, &good, NULL);
	assert_int_equal(trial_of(c, sweep, run).point, 2);
	assert_int_equal(trial_of(c, sweep, run).tries, 2);
}

/* ---- early termination, target, run_cap ------------------------------------------------------------ */

static void test_early_termination(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: random, metric: {name: loss}, parameters: {a: {min: 0.0, max: 1.0}}, "
		   "early_terminate: {type: hyperband, min_iter: 2, eta: 2}}");
	static const double losses[] = { 1, 2, 3, 4 };
	struct sweep_target agents[4];
	const char *runs[4];
	struct sweep_commands commands;
	int64_t stopped = 0;

	for (int i = 0; i < 4; i++) {
		agents[i] = new_agent(c, sweep, "host1");
		runs[i] = beat_run(c, &agents[i], NULL);
		begin_run(s, runs[i], sweep);
		beat_nothing(c, &agents[i], runs[i]);
		log_losses(s, (double[]){ 10, losses[i] }, 2);
	}
	sweep_job_pass(s); /* the threshold is the third of four */
	for (int i = 0; i < 4; i++)
		stopped += trial_of(c, sweep, runs[i]).stop_at.us != 0;
	assert_int_equal(stopped, 1);
	assert_true(trial_of(c, sweep, runs[3]).stop_at.us);
	assert_true(scene_run(s).stop_asked_at.us); /* the run's own stop, too */
	assert_str(scene_run(s).stop_reason, "stopped by the sweep's early_terminate");
	for (int i = 0; i < 2; i++) {
		commands = beat(c, &agents[3], runs[3]);
		assert_int_equal(commands.count, 1);
		assert_int_equal(commands.at[0].kind, SWEEP_COMMAND_STOP);
		assert_str(commands.at[0].run_name, runs[3]);
	}
	end_run(s, RUN_FAILED);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, runs[3]).state, SWEEP_TRIAL_KILLED);
}

/* Deleted runs are not among those that a trial is compared with: the two that are left are too few to stop one. */
static void test_early_termination_forgets(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: random, metric: {name: loss}, parameters: {forget: {min: 0.0, max: "
		   "1.0}}, early_terminate: {type: hyperband, min_iter: 1, eta: 2}}");
	static const double losses[] = { 1, 1, 3, 4 };
	struct sweep_target agents[4];
	const char *runs[4];

	for (int i = 0; i < 4; i++) {
		agents[i] = new_agent(c, sweep, "host1");
		runs[i] = beat_run(c, &agents[i], NULL);
		begin_run(s, runs[i], sweep);
		log_losses(s, &losses[i], 1);
		if (i > 1)
			continue;
		end_run(s, RUN_FINISHED);
		sweep_job_pass(s);
		delete_run(s);
		sweep_job_pass(s);
		assert_int_equal(trial_of(c, sweep, runs[i]).state, SWEEP_TRIAL_DELETED);
	}
	sweep_job_pass(s);
	assert_false(trial_of(c, sweep, runs[3]).stop_at.us);
}

static void test_target(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, "{method: random, metric: {name: loss, target: 1}, "
					    "parameters: {a: {min: 0.0, max: 1.0}}}");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);

	begin_run(s, run, sweep);
	log_losses(s, (double[]){ 5, 1 }, 2);
	sweep_job_pass(s);
	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_FINISHED);
	assert_str(sweep_now(c, sweep)->why_ended, "target");
	beat_nothing(c, &agent, run); /* it goes on to its end */
	end_run(s, RUN_FINISHED);
	beat_exit(c, &agent, NULL);
}

static void test_run_cap(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: random, run_cap: 1, parameters: {a: {min: 0.0, max: 1.0}}}");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_target other = new_agent(c, sweep, "host1");
	const char *run = beat_run(c, &agent, NULL);

	begin_run(s, run, sweep);
	beat_nothing(c, &other, NULL); /* the run may be preempted */
	end_run(s, RUN_PREEMPTED);
	assert_string_equal(beat_run(c, &other, NULL), run);
	sweep_job_pass(s);
	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_RUNNING);
	scene_join(s, "other", WRITER_PRIMARY);
	end_run(s, RUN_FINISHED);
	beat_exit(c, &agent, NULL);
	assert_str(sweep_now(c, sweep)->why_ended, "run_cap");
}

static void test_a_finished_sweep(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # finished");
	struct sweep_target agent = new_agent(c, sweep, "host1");

	beat_run(c, &agent, NULL);
	change_state(c, sweep, SWEEP_EVENT_STOP);
	c->app.sweep_searches.all = 1000; /* too many wait for trials: it asks again */
	beat_nothing(c, &agent, NULL);
	c->app.sweep_searches.all = 0;
	beat_run(c, &agent, NULL); /* a finished sweep gives again what was lost on the way */
}

/* The job looks at a sweep as long as somebody works at it, and again when a run names it. */
static void test_when_the_job_looks(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # looks");
	struct sweep_target agent;
	const char *run;

	assert_true(sweep_now(c, sweep)->look_at.us);
	sweep_job_pass(s);
	assert_false(sweep_now(c, sweep)->look_at.us);
	agent = new_agent(c, sweep, "host1");
	run = beat_run(c, &agent, NULL);
	begin_run(s, run, sweep);
	sweep_job_pass(s);
	assert_true(sweep_now(c, sweep)->look_at.us);
	scene_shift_clock(s, 400);
	sweep_job_pass(s); /* its agent is lost, but it runs */
	assert_true(sweep_now(c, sweep)->look_at.us);
	end_run(s, RUN_FINISHED);
	sweep_job_pass(s);
	assert_false(sweep_now(c, sweep)->look_at.us);
	begin_run(s, "joined2", sweep);
	assert_true(sweep_now(c, sweep)->look_at.us);
}

/* A run does not wait for a request that works at its sweep, and the job looks after that. */
static void test_a_run_that_joins_a_locked_sweep(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # locked");
	struct sweep_target t = { .sweep = sweep };
	const struct sweep_change change = { .has_description = true, .description = STR("x") };
	struct arena *a = arena_new(1 << 16);
	struct db *other = fixture_connect(a);
	struct sweep *locked;

	sweep_job_pass(s);
	assert_false(sweep_now(c, sweep)->look_at.us);
	ok(db_begin(other, 60000, 0));
	ok(sweep_store_lock(other, sweep->project_id, sweep->sweep_id, 0, &locked));
	begin_run(s, "joined_locked", sweep);
	ok(db_commit(other));
	db_close(other);
	arena_free(a);
	ok(sweep_edit(&c->q, &t, &change));
	assert_true(sweep_now(c, sweep)->look_at.us);
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, "joined_locked").source, SWEEP_SOURCE_JOINED);
}

static void refuse_trial(struct scene *s, const struct sweep *sweep, int trial)
{
	scene_sql(s, "create function refuse() returns trigger language plpgsql as "
		     "'begin raise exception ''refused''; end'");
	scene_sql(s,
		  "create trigger refuse before update on sweep_trial for each row "
		  "when (old.sweep_id = %lld and old.trial = %d) execute function refuse()",
		  (long long)sweep->sweep_id, trial);
}

/* The job reads them in portions: what one of them found is kept, whatever becomes of the next. */
static void test_many_trials(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # many");
	struct sweep_target agents[3];
	const char *runs[3];

	for (int i = 0; i < 3; i++) {
		agents[i] = new_agent(c, sweep, "host1");
		runs[i] = beat_run(c, &agents[i], NULL);
		if (i == 1)
			scene_sql(s,
				  "update sweep set next_trial = 2500, row_sum = null "
				  "where sweep_id = %lld",
				  (long long)sweep->sweep_id);
	}
	for (int i = 0; i < 3; i++) {
		begin_run(s, runs[i], sweep);
		if (i)
			end_run(s, RUN_FINISHED);
	}
	assert_int_equal(trial_of(c, sweep, runs[2]).trial, 2500);
	refuse_trial(s, sweep, 2500);
	sweep_job_pass(s);
	scene_sql(s, "drop function refuse cascade");
	assert_int_equal(trial_of(c, sweep, runs[0]).state, SWEEP_TRIAL_RUNNING);
	assert_int_equal(trial_of(c, sweep, runs[1]).state, SWEEP_TRIAL_FINISHED);
	assert_int_equal(trial_of(c, sweep, runs[2]).state, SWEEP_TRIAL_HANDED_OUT);
	scene_shift_clock(s, 400); /* the agents are lost */
	sweep_job_pass(s);
	assert_int_equal(trial_of(c, sweep, runs[2]).state, SWEEP_TRIAL_FINISHED);
	assert_true(sweep_now(c, sweep)->look_at.us); /* the first goes on */
}

static void set_config(struct scene *s, const struct sweep *sweep, const char *config)
{
	scene_sql(s, "update sweep set config = '%s', row_sum = null where sweep_id = %lld", config,
		  (long long)sweep->sweep_id);
}

static void assert_looks_in(struct scene *s, struct caller *c, const struct sweep *sweep,
			    int64_t more_than_s, int64_t most_s)
{
	int64_t left_us;

	sweep_job_pass(s);
	scene_shift_clock(s, 0);
	left_us = sweep_now(c, sweep)->look_at.us - s->clock.now.us;
	assert_true(left_us > more_than_s * 1000000 && left_us <= most_s * 1000000);
}

static void test_a_sweep_that_fails(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # fails");
	struct sweep_target agent = new_agent(c, sweep, "host1");

	beat_run(c, &agent, NULL);
	set_config(s, sweep, "unreadable");
	assert_looks_in(s, c, sweep, 0, 10);
	assert_looks_in(s, c, sweep, 10, 20);
	assert_looks_in(s, c, sweep, 20, 40);
	set_config(s, sweep, GRID);
	assert_looks_in(s, c, sweep, 0, 10);
	set_config(s, sweep, "unreadable");
	assert_looks_in(s, c, sweep, 0, 10);
	set_config(s, sweep, GRID);
}

/* ---- by hand, and a controller of the client --------------------------------------------------------- */

static void test_by_hand(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # by hand");
	struct sweep_target t = { .sweep = sweep };
	const struct sweep_hand_asked own = { .params = STR("{\"a\": 2, \"b\": \"y\"}") };
	const struct sweep_hand_asked any = { .host = STR("mine") };
	const struct sweep_report done = { .state = SWEEP_TRIAL_FINISHED,
					   .has_value = true,
					   .value = 0.5 };
	const struct sweep_report wrong = { .has_value = true, .value = NAN };
	struct sweep_trial *trial, *again;
	struct sweep_target agent;

	ok(sweep_suggest_by_hand(&c->q, &t, &own, &trial));
	assert_int_equal(trial->point, 3);
	ok(sweep_suggest_by_hand(&c->q, &t, &any, &trial));
	assert_int_equal(trial->point, 0);
	assert_error(sweep_report(&c->q, &t, trial->trial, &wrong, &trial), ERR_INVALID, NULL);
	assert_error(sweep_retry(&c->q, &t, trial->trial, &again), ERR_CONFLICT, NULL);
	ok(sweep_report(&c->q, &t, trial->trial, &done, &trial));
	assert_int_equal(trial->state, SWEEP_TRIAL_FINISHED);
	assert_true(trial_of(c, sweep, str_copy(c->a, trial->run_name)).lowest == 0.5);

	ok(sweep_retry(&c->q, &t, trial->trial, &again));
	agent = new_agent(c, sweep, "host1");
	assert_string_equal(beat_run(c, &agent, NULL), str_copy(c->a, again->run_name));
	change_state(c, sweep, SWEEP_EVENT_STOP);
	assert_error(sweep_suggest_by_hand(&c->q, &t, &any, &trial), ERR_CONFLICT, NULL);
}

/* A trial that has not begun is given again, also by hand. */
static void test_by_hand_after_an_agent_left(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: grid, metric: {name: loss}, parameters: {left: {values: [1]}}}");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_trial *first = by_hand_for(c, &agent);

	ok(sweep_agent_leave(&c->q, &agent));
	assert_int_equal(by_hand(c, sweep)->trial, first->trial);
	assert_int_equal(sweep_now(c, sweep)->next_trial, 2);
}

/* A program that evaluates without a run, and fails each time, uses up the tries of its point. */
static void test_a_trial_without_a_run_that_was_left(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: grid, metric: {name: loss}, parameters: {begun: {values: [1]}}}");
	const struct sweep_report begun = { .state = SWEEP_TRIAL_RUNNING,
					    .has_value = true,
					    .value = 0.5 };
	const struct sweep_report done = { .state = SWEEP_TRIAL_FINISHED };
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct sweep_trial *first = by_hand_for(c, &agent), *again;

	ok(sweep_report(&c->q, &agent, first->trial, &begun, &first));
	ok(sweep_agent_leave(&c->q, &agent));
	again = by_hand(c, sweep);
	assert_int_equal(again->retry_of, first->trial);
	assert_int_equal(again->tries, 2);
	ok(sweep_report(&c->q, &agent, first->trial, &done, &first)); /* late */
	assert_int_equal(first->state, SWEEP_TRIAL_FINISHED);
}

static void test_a_controller_of_the_client(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(
		c, "{method: random, controller: {type: local}, parameters: {a: {min: 0.0, "
		   "max: 1.0}}}");
	struct sweep_target t = { .sweep = sweep }, agent = new_agent(c, sweep, "host1");
	struct sweep_change change = {
		.has_controller = true,
		.controller = STR("{\"schedule\":[{\"id\":\"one\",\"data\":{\"args\":{\"a\":{"
				  "\"value\":0.25}}}}],\"earlystop\":[]}"),
	};
	struct sweep_commands commands;
	struct str scheduled;

	beat_nothing(c, &agent, NULL);
	ok(sweep_edit(&c->q, &t, &change));
	scheduled = sweep_now(c, sweep)->scheduler;
	ok(sweep_edit(&c->q, &t, &change)); /* it is there until its run has begun */
	assert_true(str_equal(sweep_now(c, sweep)->scheduler, scheduled));
	commands = beat(c, &agent, NULL);
	assert_int_equal(commands.count, 1);
	assert_str(commands.at[0].args, "{\"a\":{\"value\":0.25}}");
	assert_str(scheduled,
		   arena_printf(c->a, "{\"scheduled\":[{\"id\":\"one\",\"runid\":\"%.*s\"}]}",
				STR_ARG(commands.at[0].run_name)));
	change.controller = STR("{\"schedule\":[{\"id\":\"two\",\"data\":{\"args\":null}}]}");
	ok(sweep_edit(&c->q, &t, &change));
	assert_int_equal(sweep_now(c, sweep)->state, SWEEP_STATE_FINISHED);
	assert_str(sweep_now(c, sweep)->why_ended, "controller");
}

/* ---- limits ----------------------------------------------------------------------------------------- */

static struct str long_text(struct caller *c, size_t len)
{
	char *text = arena_alloc(c->a, len);

	memset(text, ' ', len);
	return (struct str){ text, len };
}

static void assert_edit(struct caller *c, struct sweep *sweep, const struct sweep_change *fits,
			const struct sweep_change *is_too_long)
{
	struct sweep_target t = { .sweep = sweep };

	ok(sweep_edit(&c->q, &t, fits));
	assert_error(sweep_edit(&c->q, &t, is_too_long), ERR_INVALID, NULL);
}

static void test_lengths(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # lengths");
	struct sweep_target t = { .sweep = sweep };

	assert_edit(c, sweep,
		    &(struct sweep_change){ .has_display_name = true,
					    .display_name = long_text(c, SWEEP_TITLE_MAX) },
		    &(struct sweep_change){ .has_display_name = true,
					    .display_name = long_text(c, SWEEP_TITLE_MAX + 1) });
	assert_edit(
		c, sweep,
		&(struct sweep_change){ .has_description = true,
					.description = long_text(c, SWEEP_DESCRIPTION_MAX) },
		&(struct sweep_change){ .has_description = true,
					.description = long_text(c, SWEEP_DESCRIPTION_MAX + 1) });
	assert_edit(c, sweep,
		    &(struct sweep_change){ .has_scheduler = true,
					    .scheduler = long_text(c, SWEEP_CONTROLLER_MAX) },
		    &(struct sweep_change){ .has_scheduler = true,
					    .scheduler = long_text(c, SWEEP_CONTROLLER_MAX + 1) });
	ok(sweep_agent_make(&c->q, &t, long_text(c, SWEEP_HOST_MAX)));
	assert_error(sweep_agent_make(&c->q, &t, long_text(c, SWEEP_HOST_MAX + 1)), ERR_INVALID,
		     NULL);
	assert_error(sweep_agent_make(&c->q, &t, STR("")), ERR_INVALID, NULL);
}

static void test_parameters_have_a_size(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	static const char form[] =
		"{\"method\":\"random\",\"parameters\":{\"a\":{\"value\":\"%.*s\"}}}";
	struct str fits = long_text(c, SWEEP_PARAMS_MAX - 3); /* "a" and the quotes */
	struct str is_too_long = long_text(c, SWEEP_PARAMS_MAX - 2);
	struct sweep *sweep = make_sweep(c, arena_printf(c->a, form, STR_ARG(fits)));
	const struct sweep_make_asked large = {
		.config = str_of(arena_printf(c->a, form, STR_ARG(is_too_long)))
	};
	struct sweep_target t = { .sweep = make_sweep(c, GRID " # sizes") };
	struct sweep_hand_asked own = {
		.params = str_of(arena_printf(c->a, "{\"a\":\"%.*s\"}",
					      STR_ARG(long_text(c, SWEEP_PARAMS_MAX - 8))))
	};
	struct sweep_trial *trial;
	struct sweep_made made;

	assert_int_equal(sweep->state, SWEEP_STATE_PENDING);
	assert_error(sweep_make(&c->q, &large, &made), ERR_INVALID, NULL);
	ok(sweep_suggest_by_hand(&c->q, &t, &own, &trial));
	own.params = str_of(arena_printf(c->a, "{\"a\":\"%.*s\"}",
					 STR_ARG(long_text(c, SWEEP_PARAMS_MAX - 7))));
	assert_error(sweep_suggest_by_hand(&c->q, &t, &own, &trial), ERR_INVALID, NULL);
}

static void test_heartbeats_have_limits(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # beats");
	struct sweep_target agent = new_agent(c, sweep, "host1");
	struct str *runs = arena_new_array(c->a, struct str, SWEEP_BEAT_RUNS_MAX + 1);
	struct sweep_beat_asked asked = { .run_names = runs, .capacity = SWEEP_CAPACITY_MAX + 1 };
	struct sweep_commands commands;

	for (size_t i = 0; i <= SWEEP_BEAT_RUNS_MAX; i++)
		runs[i] = str_of(arena_printf(c->a, "run%zu", i));
	assert_error(sweep_agent_beat(&c->q, &agent, &asked, &commands), ERR_INVALID, NULL);
	asked.capacity = 0;
	assert_error(sweep_agent_beat(&c->q, &agent, &asked, &commands), ERR_INVALID, NULL);
	asked.capacity = SWEEP_CAPACITY_MAX; /* all of the grid at once */
	ok(sweep_agent_beat(&c->q, &agent, &asked, &commands));
	assert_int_equal(commands.count, 4);
	asked.count = SWEEP_BEAT_RUNS_MAX;
	ok(sweep_agent_beat(&c->q, &agent, &asked, &commands));
	asked.count++;
	assert_error(sweep_agent_beat(&c->q, &agent, &asked, &commands), ERR_INVALID, NULL);
}

/* The last trial is given, then the sweep ends; so with agents. */
static void test_numbers_have_limits(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep =
		make_sweep(c, "{method: random, parameters: {most: {min: 0.0, max: 1.0}}}");
	struct sweep_target t = { .sweep = sweep };
	struct sweep_target first = new_agent(c, sweep, "host1");
	struct sweep_target second = new_agent(c, sweep, "host1");

	scene_sql(s, "update sweep set next_trial = %d, row_sum = null where sweep_id = %lld",
		  SWEEP_TRIALS_MAX, (long long)sweep->sweep_id);
	assert_int_equal(trial_of(c, sweep, beat_run(c, &first, NULL)).trial, SWEEP_TRIALS_MAX);
	beat_exit(c, &second, NULL);
	assert_str(sweep_now(c, sweep)->why_ended, "the sweep has as many trials as are possible");
	scene_sql(
		s,
		"insert into sweep_agent (project_id, sweep_id, agent_id, host, created_at, state, "
		"heard_at) select project_id, sweep_id, i, 'host', now(), 2, now() from sweep, "
		"generate_series(1, %d) i where sweep_id = %lld",
		SWEEP_AGENTS_MAX - 3, (long long)sweep->sweep_id);
	ok(sweep_agent_make(&c->q, &t, STR("host1")));
	assert_error(sweep_agent_make(&c->q, &t, STR("host1")), ERR_UNPROCESSABLE, NULL);
	ok(sweep_delete(&c->q, &t));
	sweep_job_pass(s); /* in portions */
	assert_int_equal(
		scene_number(s, "select count(*) as number from sweep_agent where sweep_id = %lld",
			     (long long)sweep->sweep_id),
		0);
}

static void test_prior_runs_have_limits(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct str *names = arena_new_array(c->a, struct str, SWEEP_PRIOR_MAX + 1);
	struct sweep_make_asked asked = { .config = STR(GRID " # many prior"),
					  .prior_names = names,
					  .prior_count = SWEEP_PRIOR_MAX };
	const struct sweep none = { .name = STR("") };
	struct sweep_made made;

	begin_run(s, "prior2", &none);
	for (size_t i = 0; i <= SWEEP_PRIOR_MAX; i++)
		names[i] = STR("prior2"); /* each once */
	ok(sweep_make(&c->q, &asked, &made));
	assert_int_equal(made.sweep->next_trial, 2);
	asked.prior_count++;
	assert_error(sweep_make(&c->q, &asked, &made), ERR_INVALID, NULL);
}

/* ---- deletion --------------------------------------------------------------------------------------- */

static void test_a_deleted_sweep(void **state)
{
	struct scene *s = *state;
	struct caller *c = caller(s);
	struct sweep *sweep = make_sweep(c, GRID " # deleted");
	struct sweep_target agent = new_agent(c, sweep, "host1"), found;
	const struct sweep_target t = { .sweep = sweep };

	beat_run(c, &agent, NULL);
	c->identity.user_id++;
	assert_error(sweep_delete(&c->q, &t), ERR_FORBIDDEN, NULL);
	c->identity.user_id--;
	ok(sweep_delete(&c->q, &t));
	assert_error(sweep_target_here(&c->q, sweep->name, STR(""), &found), ERR_NOT_FOUND, NULL);
	scene_shift_clock(s, 11);
	sweep_job_pass(s);
	for (size_t i = 0; i < 3; i++) {
		static const char *const tables[] = { "sweep", "sweep_agent", "sweep_trial" };

		assert_int_equal(
			scene_number(s, "select count(*) as number from %s where sweep_id = %lld",
				     tables[i], (long long)sweep->sweep_id),
			0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_same_request_is_one_sweep),
		SCENE_TEST(test_a_request_with_another_text),
		SCENE_TEST(test_the_same_request_of_wandb),
		SCENE_TEST(test_the_same_request_after_a_change),
		SCENE_TEST(test_a_sweep_beside_a_new_run),
		SCENE_TEST(test_a_lost_answer),
		SCENE_TEST(test_states_reach_agents),
		SCENE_TEST(test_resume_after_cancel),
		SCENE_TEST(test_resume_with_many_open_trials),
		SCENE_TEST(test_cancel_reaches_all_runs),
		SCENE_TEST(test_a_grid_to_its_end),
		SCENE_TEST(test_values_of_the_metric),
		SCENE_TEST(test_values_beside_a_gone_run),
		SCENE_TEST(test_another_metric),
		SCENE_TEST(test_a_deleted_run),
		SCENE_TEST(test_a_run_that_moved),
		SCENE_TEST(test_a_preempted_run),
		SCENE_TEST(test_preempted_runs_of_others),
		SCENE_TEST(test_an_agent_that_resumes_is_lost),
		SCENE_TEST(test_a_lost_resume),
		SCENE_TEST(test_again_on_another_host),
		SCENE_TEST(test_a_private_run),
		SCENE_TEST(test_a_run_that_joined),
		SCENE_TEST(test_runs_of_trials_have_the_sweep),
		SCENE_TEST(test_prior_runs),
		SCENE_TEST(test_many_prior_runs),
		SCENE_TEST(test_prior_runs_that_are_not_read),
		SCENE_TEST(test_prior_runs_that_are_damaged),
		SCENE_TEST(test_a_host_that_fails),
		SCENE_TEST(test_a_host_set_aside_is_no_other_host),
		SCENE_TEST(test_early_termination),
		SCENE_TEST(test_early_termination_forgets),
		SCENE_TEST(test_target),
		SCENE_TEST(test_run_cap),
		SCENE_TEST(test_a_finished_sweep),
		SCENE_TEST(test_when_the_job_looks),
		SCENE_TEST(test_a_run_that_joins_a_locked_sweep),
		SCENE_TEST(test_many_trials),
		SCENE_TEST(test_a_sweep_that_fails),
		SCENE_TEST(test_by_hand),
		SCENE_TEST(test_by_hand_after_an_agent_left),
		SCENE_TEST(test_a_trial_without_a_run_that_was_left),
		SCENE_TEST(test_a_controller_of_the_client),
		SCENE_TEST(test_lengths),
		SCENE_TEST(test_parameters_have_a_size),
		SCENE_TEST(test_heartbeats_have_limits),
		SCENE_TEST(test_numbers_have_limits),
		SCENE_TEST(test_prior_runs_have_limits),
		SCENE_TEST(test_a_deleted_sweep),
	};

	return cmocka_run_group_tests_name("sweep", tests, scene_group_setup, sweep_group_teardown);
}
