/* The next trial of a sweep: grids to their end, finite spaces covered, failed points given again, ends; and the samples of trials. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "sweep_next.h"
#include "sweep_sample.h"
#include "sweep_value.h"

enum { TRIALS_MAX = 5000 };

static struct arena *arena;
static struct sweep_trial_fact trials[TRIALS_MAX];
static size_t count;
static const struct sweep_config *config;
static struct sweep_asked asked;

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	count = 0;
	asked = (struct sweep_asked){
		.seed = 1, .trial = 1, .host = STR("h1"), .is_only_host = true
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static void use(const char *text)
{
	struct sweep_faults faults;
	err_t e = sweep_config_read(arena, str_of(text), &config, &faults);

	if (e)
		fail_msg("%s: %s", text, err_chain(arena, e));
}

static const struct sweep_value *value(const char *json)
{
	const struct sweep_value *v;

	assert_null(sweep_value_read_json(arena, str_of(json), &v));
	return v;
}

static struct sweep_suggestion ask(void)
{
	struct sweep_suggestion s;

	assert_null(sweep_next(arena, config, trials, count, &asked, &s));
	return s;
}

static struct sweep_trial_fact *add(const char *params, enum sweep_trial_state state)
{
	struct sweep_trial_fact *t = &trials[count++];

	assert_in_range(count, 1, TRIALS_MAX);
	*t = (struct sweep_trial_fact){ .trial = asked.trial++,
					.params = params ? value(params) : NULL,
					.point = SWEEP_POINT_NONE,
					.state = state,
					.source = SWEEP_SOURCE_SEARCH,
					.host = asked.host,
					.tries = 1,
					.min = NAN,
					.max = NAN,
					.latest = NAN,
					.summary = NAN };
	return t;
}

/* Asks, and the trial runs. */
static const char *take(void)
{
	struct sweep_suggestion s = ask();
	struct sweep_trial_fact *t;

	if (s.kind != SWEEP_NEXT_TRIAL) {
		assert_non_null(s.why);
		return s.kind == SWEEP_NEXT_WAIT ? "wait" : "ended";
	}
	t = add(str_copy(arena, s.params), SWEEP_TRIAL_RUNNING);
	t->point = s.point;
	t->retry_of = s.retry_of;
	t->tries = s.tries;
	return str_copy(arena, s.params);
}

static void take_and_finish(const char *params)
{
	assert_string_equal(take(), params);
	trials[count - 1].state = SWEEP_TRIAL_FINISHED;
}

static void assert_next(const char *params)
{
	assert_string_equal(take(), params);
}

static void assert_ended(const char *why)
{
	struct sweep_suggestion s = ask();

	assert_int_equal(s.kind, SWEEP_NEXT_ENDED);
	assert_string_equal(s.why, why);
}

/* ---- grids ------------------------------------------------------------------------------------------------------------------- */

static void a_grid_is_given_in_order_and_ends(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {values: [x, y]}, b: {values: [1, 2]}, c: {value: 7}}}");
	take_and_finish("{\"a\":\"x\",\"b\":1,\"c\":7}");
	take_and_finish("{\"a\":\"x\",\"b\":2,\"c\":7}");
	take_and_finish("{\"a\":\"y\",\"b\":1,\"c\":7}");
	take_and_finish("{\"a\":\"y\",\"b\":2,\"c\":7}");
	assert_ended("all points of the grid were tried");
}

static void existing_trials_take_their_points(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {values: [3, 1, 3, 2]}}}");
	add("{\"a\":1}", SWEEP_TRIAL_FINISHED)->source = SWEEP_SOURCE_PRIOR;
	add("{\"b\":3}", SWEEP_TRIAL_FINISHED)->source = SWEEP_SOURCE_JOINED;
	add(NULL, SWEEP_TRIAL_FINISHED)->source = SWEEP_SOURCE_JOINED;
	take_and_finish("{\"a\":3}");
	take_and_finish("{\"a\":2}");
	assert_ended("all points of the grid were tried");
	trials[3].state = SWEEP_TRIAL_DELETED; /* its point is offered again */
	take_and_finish("{\"a\":3}");
	assert_ended("all points of the grid were tried");
}

static void constants_only_are_one_trial(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {value: 1}}}");
	take_and_finish("{\"a\":1}");
	assert_ended("all points of the grid were tried");
	count = 0;
	add("{}", SWEEP_TRIAL_FINISHED)->source = SWEEP_SOURCE_JOINED;
	assert_ended("all points of the grid were tried");
}

/* Trials that run may fail, and then their points are needed; agents wait for that. */
static void a_grid_waits_for_its_last_trials(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {values: [1, 2]}}}");
	assert_next("{\"a\":1}");
	assert_next("{\"a\":2}");
	assert_string_equal(take(), "wait");
	trials[0].state = SWEEP_TRIAL_FINISHED;
	assert_string_equal(take(), "wait");
	trials[1].state = SWEEP_TRIAL_CRASHED;
	assert_next("{\"a\":2}");
	assert_int_equal(trials[2].retry_of, 2);
	/* it has no tries left, so nobody waits for it */
	assert_ended("all points of the grid were tried");
	count = 0;
	use("{method: grid, retry: {times: 0}, parameters: {a: {values: [1]}}}");
	assert_next("{\"a\":1}");
	assert_ended("all points of the grid were tried");
}

static void a_large_grid_is_not_enumerated(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {min: 1, max: 1000000}, b: {min: 1, max: 1000000}}}");
	for (int i = 1; i < 100; i++)
		take_and_finish(arena_printf(arena, "{\"a\":1,\"b\":%d}", i));
	trials[41].state = SWEEP_TRIAL_DELETED;
	assert_next("{\"a\":1,\"b\":42}");
	assert_next("{\"a\":1,\"b\":100}");
}

/* ---- points that failed --------------------------------------------------------------------------------------------------------- */

static void a_point_that_failed_is_given_again_first(void **state)
{
	static const enum sweep_trial_state states[] = { SWEEP_TRIAL_FAILED, SWEEP_TRIAL_CRASHED,
							 SWEEP_TRIAL_LOST };

	(void)state;
	use("{method: grid, retry: {times: 2}, parameters: {a: {values: [1, 2]}}}");
	for (size_t i = 0; i < 3; i++) {
		count = 0;
		asked.trial = 1;
		assert_next("{\"a\":1}");
		trials[0].state = states[i];
		assert_next("{\"a\":1}");
		assert_int_equal(trials[1].retry_of, 1);
		assert_int_equal(trials[1].tries, 2);
		trials[1].state = states[i];
		assert_next("{\"a\":1}");
		assert_int_equal(trials[2].retry_of, 2);
		assert_int_equal(trials[2].tries, 3);
		trials[2].state = states[i];
		assert_next("{\"a\":2}");
	}
}

static void other_states_are_not_given_again(void **state)
{
	static const enum sweep_trial_state states[] = { SWEEP_TRIAL_FINISHED, SWEEP_TRIAL_KILLED,
							 SWEEP_TRIAL_PREEMPTED, SWEEP_TRIAL_RUNNING,
							 SWEEP_TRIAL_HANDED_OUT };

	(void)state;
	use("{method: grid, parameters: {a: {values: [1, 2]}}}");
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		count = 0;
		assert_next("{\"a\":1}");
		trials[0].state = states[i];
		assert_next("{\"a\":2}");
	}
	count = 0;
	add("{\"a\":1}", SWEEP_TRIAL_FAILED)->source = SWEEP_SOURCE_PRIOR;
	assert_next("{\"a\":2}");
}

static void a_point_goes_to_another_host_if_there_is_one(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {values: [1, 2]}}}");
	asked.is_only_host = false;
	assert_next("{\"a\":1}");
	trials[0].state = SWEEP_TRIAL_FAILED;
	take_and_finish("{\"a\":2}");
	assert_int_equal(ask().kind, SWEEP_NEXT_WAIT);
	assert_non_null(strstr(ask().why, "for others"));
	asked.is_only_host = true;
	assert_int_equal(ask().retry_of, 1);
	asked.is_only_host = false;
	asked.host = STR("h2");
	assert_int_equal(ask().retry_of, 1);
	asked.host = STR("h1");
	use("{method: grid, retry: {other_host: false}, parameters: {a: {values: [1, 2]}}}");
	assert_int_equal(ask().retry_of, 1);
}

static void a_point_that_an_edit_took_away_is_not_given_again(void **state)
{
	(void)state;
	use("{method: grid, parameters: {a: {values: [1, 2]}}}");
	assert_next("{\"a\":1}");
	trials[0].state = SWEEP_TRIAL_FAILED;
	trials[0].point = SWEEP_POINT_NONE;
	use("{method: grid, parameters: {a: {values: [2, 3]}}}");
	assert_next("{\"a\":2}");
	/* a number that is no point of the new config is not believed */
	trials[1].point = 77;
	assert_next("{\"a\":3}");
}

/* ---- random ------------------------------------------------------------------------------------------------------------------------ */

static void a_seed_gives_the_same_trials(void **state)
{
	static const char *const first[] = { "{\"a\":0.25980214542417135,\"b\":\"y\"}" };
	const char *taken[20];

	(void)state;
	use("{method: random, parameters: {a: {min: 0.0, max: 1.0}, b: {values: [x, y, z]}}}");
	for (int i = 0; i < 20; i++)
		taken[i] = take();
	/* of this release and all later ones */
	assert_string_equal(taken[0], first[0]);
	count = 0;
	asked.trial = 1;
	for (int i = 0; i < 20; i++)
		assert_string_equal(take(), taken[i]);
	count = 0;
	asked.trial = 1;
	asked.seed = 2;
	assert_string_not_equal(take(), taken[0]);
}

/* All points, then all of them once more, whatever order they come in. */
static void check_rounds(const char *text, int points, int rounds)
{
	int seen[100] = { 0 };

	use(text);
	count = 0;
	for (int i = 0; i < points * rounds; i++) {
		const char *params = take();

		assert_string_not_equal(params, "wait");
		assert_in_range(trials[count - 1].point, 0, 99);
		seen[trials[count - 1].point]++;
		trials[count - 1].state = SWEEP_TRIAL_FINISHED;
		trials[count - 1].min = trials[count - 1].max =
			fabs((double)trials[count - 1].point - 5);
		if ((i + 1) % points)
			continue;
		for (int k = 0; k < 100; k++)
			assert_true(seen[k] == 0 || seen[k] == (i + 1) / points);
	}
}

static void finite_spaces_are_covered_before_points_repeat(void **state)
{
	(void)state;
	check_rounds("{method: random, parameters: {a: {min: 0, max: 9}, b: {values: [1, 2, 3]}}}",
		     30, 3);
	check_rounds(
		"{method: random, parameters: {a: {values: [x, y], probabilities: [0.999999, 0.000001]}}}",
		2, 3);
	check_rounds(
		"{method: random, parameters: {a: {values: [1, 2]}, b: {min: 1, max: 5, when: {a: 2}}}}",
		6, 3);
	check_rounds("{method: bayes, metric: {name: x}, parameters: {a: {min: 0, max: 19}}}", 20,
		     2);
	check_rounds(
		"{method: tpe, metric: {name: x}, parameters: {a: {min: 0, max: 19}, b: {value: 1}}}",
		20, 2);
	check_rounds(
		"{method: tpe, metric: {name: x}, parameters: {a: {values: [1, 2]}, b: {min: 1, max: 5, when: {a: 2}}}}",
		6, 2);
	check_rounds("{method: random, parameters: {a: {value: 1}}}", 1, 3);
}

/* Too many conditions to count the points: these are all taken after the first 700 trials, and repeat then. */
static void a_space_that_cannot_be_counted_repeats(void **state)
{
	static const char *const methods[] = { "random", "bayes", "tpe" };
	enum { POINTS = 700 };
	struct buf *values = buf_new(arena);
	struct buf *others = buf_new(arena);

	(void)state;
	for (int i = 1; i <= POINTS; i++) {
		buf_printf(values, "%s%d", i > 1 ? ", " : "", i);
		buf_printf(others, ", p%d: {value: 1, when: {a: [%d]}}", i, i);
	}
	for (int i = 1; i <= POINTS; i++) {
		const char *params = arena_printf(arena, "{\"a\":%d,\"p%d\":1}", i, i);

		add(params, SWEEP_TRIAL_FINISHED)->point = i - 1;
		trials[i - 1].min = trials[i - 1].max = i;
	}
	for (size_t m = 0; m < 3; m++) {
		struct sweep_suggestion s;

		use(arena_printf(
			arena,
			"{method: %s, metric: {name: x}, parameters: {a: {values: [%.*s]}%.*s}}",
			methods[m], STR_ARG(buf_str(values)), STR_ARG(buf_str(others))));
		s = ask();
		assert_int_equal(s.kind, SWEEP_NEXT_TRIAL);
		assert_in_range(s.point, 0, POINTS - 1);
	}
}

static void parallel_agents_do_not_repeat_each_other(void **state)
{
	static const char *const methods[] = { "random", "bayes", "tpe" };

	(void)state;
	for (size_t m = 0; m < 3; m++) {
		count = 0;
		use(arena_printf(
			arena,
			"{method: %s, metric: {name: x}, parameters: {a: {min: 1, max: 12}}}",
			methods[m]));
		for (int i = 0; i < 12; i++)
			take(); /* all run */
		for (int i = 0; i < 12; i++)
			for (int k = 0; k < i; k++)
				assert_int_not_equal(trials[i].point, trials[k].point);
	}
}

static void repeats_can_be_allowed(void **state)
{
	bool has_repeat = false;

	(void)state;
	use("{method: random, repeat: true, parameters: {a: {values: [1, 2, 3]}}}");
	take();
	for (int i = 0; i < 30; i++) {
		take();
		has_repeat |= trials[count - 1].point == trials[count - 2].point;
	}
	assert_true(has_repeat);
}

/* ---- ends and other methods -------------------------------------------------------------------------------------------------------- */

static void a_sweep_ends_at_its_target_or_cap(void **state)
{
	(void)state;
	use("{method: random, run_cap: 3, metric: {name: x, goal: maximize, target: 0.9}, parameters: {a: {min: 0.0, max: 1.0}}}");
	add("{\"a\":0.5}", SWEEP_TRIAL_RUNNING)->max = 0.89;
	add("{\"a\":0.5}", SWEEP_TRIAL_FINISHED)->source = SWEEP_SOURCE_PRIOR;
	trials[1].max = 0.95; /* prior runs are not of the sweep */
	add("{\"a\":0.5}", SWEEP_TRIAL_DELETED)->max = 0.95;
	add("{\"a\":0.5}", SWEEP_TRIAL_LOST);
	add("{\"a\":0.5}", SWEEP_TRIAL_FAILED)->tries = 9;
	assert_null(sweep_end_reason(arena, config, trials, count));
	assert_int_equal(ask().kind, SWEEP_NEXT_TRIAL);
	trials[0].max = 0.9;
	assert_ended("target");
	trials[0].max = 0.1;
	trials[0].summary = 0.91;
	assert_ended("target");
	trials[0].summary = NAN;
	trials[0].state = SWEEP_TRIAL_FINISHED;
	add("{\"a\":0.5}", SWEEP_TRIAL_FINISHED);
	assert_ended("run_cap");
	use("{method: random, metric: {name: x, target: 0.1}, parameters: {a: {min: 0.0, max: 1.0}}}");
	assert_null(sweep_end_reason(arena, config, trials, count));
	trials[0].min = 0.1;
	assert_ended("target");
}

/* The last trials of run_cap may be lost or preempted; joined runs are not for agents. */
static void a_cap_waits_for_its_last_trials(void **state)
{
	static const enum sweep_trial_state open[] = { SWEEP_TRIAL_HANDED_OUT, SWEEP_TRIAL_RUNNING,
						       SWEEP_TRIAL_PREEMPTED };

	(void)state;
	use("{method: random, run_cap: 1, parameters: {a: {min: 0.0, max: 1.0}}}");
	add("{\"a\":0.5}", SWEEP_TRIAL_FINISHED);
	for (size_t i = 0; i < 3; i++) {
		trials[0].state = open[i];
		trials[0].source = SWEEP_SOURCE_SEARCH;
		assert_null(sweep_end_reason(arena, config, trials, count));
		assert_string_equal(take(), "wait");
		trials[0].source = SWEEP_SOURCE_JOINED;
		assert_string_equal(sweep_end_reason(arena, config, trials, count), "run_cap");
		assert_ended("run_cap");
	}
	trials[0].source = SWEEP_SOURCE_SEARCH;
	trials[0].state = SWEEP_TRIAL_LOST;
	assert_int_equal(ask().kind, SWEEP_NEXT_TRIAL);
}

/* What a cancel ended is tried by the trial that repeats it. */
static void a_cap_does_not_count_a_canceled_trial_twice(void **state)
{
	(void)state;
	use("{method: random, run_cap: 2, parameters: {a: {min: 0.0, max: 1.0}}}");
	add("{\"a\":0.5}", SWEEP_TRIAL_KILLED);
	add("{\"a\":0.5}", SWEEP_TRIAL_FINISHED)->retry_of = trials[0].trial;
	assert_null(sweep_end_reason(arena, config, trials, count));
	assert_int_equal(ask().kind, SWEEP_NEXT_TRIAL);
	trials[1].retry_of = 0; /* a user stopped the first */
	assert_ended("run_cap");
}

static void a_grid_waits_for_a_preempted_trial(void **state)
{
	(void)state;
	use("{method: grid, retry: {times: 0}, parameters: {a: {values: [1]}}}");
	assert_next("{\"a\":1}");
	trials[0].state = SWEEP_TRIAL_PREEMPTED;
	assert_string_equal(take(), "wait");
	trials[0].source = SWEEP_SOURCE_JOINED;
	assert_ended("all points of the grid were tried");
}

static void others_suggest_for_a_local_controller(void **state)
{
	(void)state;
	use("{method: grid, controller: {type: local}, parameters: {a: {values: [1]}}}");
	assert_string_equal(take(), "wait");
	use("{method: custom, parameters: {a: {distribution: normal}}}");
	assert_string_equal(take(), "wait");
	use("{method: grid}");
	assert_ended("the config has no parameters");
}

static void searches_learn(void **state)
{
	static const char *const methods[] = { "bayes", "tpe" };

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		double best = INFINITY;

		count = 0;
		asked.trial = 1;
		use(arena_printf(
			arena,
			"{method: %s, metric: {name: x}, parameters: {a: {min: -5.0, max: 5.0}, b: {values: [0, 1]}}}",
			methods[m]));
		for (int i = 0; i < 40; i++) {
			double a, b, y;

			take();
			assert_true(sweep_value_number(sweep_value_get_named(trials[i].params, "a"),
						       &a));
			assert_true(sweep_value_number(sweep_value_get_named(trials[i].params, "b"),
						       &b));
			y = (a - 1.5) * (a - 1.5) + b;
			trials[i].min = trials[i].max = trials[i].latest = y;
			trials[i].state = SWEEP_TRIAL_FINISHED;
			best = fmin(best, y);
		}
		assert_true(best < 0.05);
	}
}

/* Spaces at the ends of what numbers can be. */
static void searches_bear_extreme_spaces(void **state)
{
	static const char *const methods[] = { "random", "bayes", "tpe" };

	(void)state;
	for (size_t m = 0; m < 3; m++) {
		count = 0;
		use(arena_printf(
			arena,
			"{method: %s, metric: {name: x}, parameters: {a: {distribution: q_uniform, min: 0, max: 1, q: 1.0e-17},"
			" b: {distribution: q_log_uniform, min: 0, max: 100, q: 1}, c: {min: -1.0e+308, max: 1.0e+308},"
			" d: {min: -9007199254740992, max: 9007199254740992}, e: {distribution: normal, sigma: 0},"
			" f: {distribution: log_uniform_values, min: 1.0e-308, max: 1.0e+308},"
			" g: {distribution: beta, a: 0.001, b: 1000000}, h: {values: [1], probabilities: [1]},"
			" i: {values: [1, 2], probabilities: [0, 1]}}}",
			methods[m]));
		for (int i = 0; i < 25; i++) {
			take();
			trials[i].min = trials[i].max = trials[i].latest = i % 2 ? 1e308 : -1e308;
			trials[i].state = SWEEP_TRIAL_FINISHED;
		}
		assert_int_equal(count, 25);
	}
}

/* ---- samples --------------------------------------------------------------------------------------------------------------------------- */

static void add_result(const char *a, enum sweep_trial_state state, double min, double max,
		       double latest, double summary)
{
	struct sweep_trial_fact *t = add(arena_printf(arena, "{\"a\":%s}", a), state);

	t->min = min;
	t->max = max;
	t->latest = latest;
	t->summary = summary;
}

static void results_are_imputed_as_by_wandb(void **state)
{
	static const struct {
		const char *goal, *impute;
		double y[7];
	} rows[] = {
		{ "minimize", "worst", { 2, 1, 9, 9, 9, 9, 9 } },
		{ "minimize", "best", { 2, 1, 0, .5, 9, 0, 0 } },
		{ "minimize", "latest", { 2, 1, 0, 2, 9, 0, 0 } },
		{ "maximize", "worst", { -5, -1, -.5, -.5, -.5, -.5, -.5 } },
		{ "maximize", "best", { -5, -1, 0, -6, -9, 0, 0 } },
		{ "maximize", "latest", { -5, -1, 0, -2, -9, 0, 0 } },
	};
	static const double x[] = { .1, .2, .3, .4, .5, .6, 1 };
	struct sweep_samples s;

	(void)state;
	add_result("0.1", SWEEP_TRIAL_FINISHED, 2, 5, 3, 4);
	add_result("0.2", SWEEP_TRIAL_FINISHED, NAN, NAN, NAN, 1);
	add_result("0.3", SWEEP_TRIAL_FINISHED, NAN, NAN, NAN, NAN);
	add_result("0.4", SWEEP_TRIAL_FAILED, .5, 6, 2, NAN);
	add_result("0.5", SWEEP_TRIAL_KILLED, 9, 9, 9, NAN);
	add_result("0.6", SWEEP_TRIAL_CRASHED, NAN, NAN, NAN, NAN);
	add_result("0.7", SWEEP_TRIAL_RUNNING, .1, .1, .1, NAN);
	add_result("0.8", SWEEP_TRIAL_HANDED_OUT, NAN, NAN, NAN, NAN);
	add_result("0.9", SWEEP_TRIAL_PREEMPTED, 7, 7, 7, NAN);
	add_result("1.0", SWEEP_TRIAL_FINISHED, NAN, NAN, NAN, NAN);
	add_result("0.05", SWEEP_TRIAL_LOST, NAN, NAN, NAN, NAN);
	add_result("0.05", SWEEP_TRIAL_DELETED, 100, -100, 1, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		use(arena_printf(
			arena,
			"{method: bayes, metric: {name: x, goal: %s, impute: %s}, parameters: {a: {min: 0.0, max: 1.0}}}",
			rows[i].goal, rows[i].impute));
		sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
		assert_int_equal(s.count, 7);
		assert_int_equal(s.pending, 3);
		for (int k = 0; k < 7; k++) {
			assert_true(s.x[k] == x[k]);
			assert_true(s.y[k] == rows[i].y[k]);
		}
		assert_true(s.pending_x[0] == .7 && s.pending_x[1] == .8 && s.pending_x[2] == .9);
	}
	use("{method: bayes, metric: {name: x, impute_while_running: worst}, parameters: {a: {min: 0.0, max: 1.0}}}");
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_int_equal(s.pending, 2);
	assert_true(s.x[6] == .7 && s.y[6] == .1);
}

static void nothing_has_a_worst_value_of_zero(void **state)
{
	struct sweep_samples s;

	(void)state;
	use("{method: bayes, metric: {name: x}, parameters: {a: {min: 0.0, max: 1.0}}}");
	add_result("0.5", SWEEP_TRIAL_FINISHED, NAN, NAN, NAN, NAN);
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_int_equal(s.count, 1);
	assert_true(s.y[0] == 0);
}

static void coordinates_are_those_of_the_distributions(void **state)
{
	struct sweep_samples s;

	(void)state;
	use("{method: bayes, metric: {name: x}, parameters: {c: {values: [x, 0, false, y]}, d: {min: -5, max: 5}, e: {values: [2, 4, 8]}, "
	    "k: {value: 3}}}");
	add("{\"c\":\"y\",\"d\":0,\"e\":4}", SWEEP_TRIAL_FINISHED);
	add("{}", SWEEP_TRIAL_FINISHED);
	add("{\"c\":0,\"d\":5,\"e\":8.0}", SWEEP_TRIAL_FINISHED);
	add("{\"c\":\"unknown\",\"d\":0,\"e\":4}", SWEEP_TRIAL_FINISHED);
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_int_equal(s.dimensions, 3);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.skipped, 1);
	assert_true(s.x[0] == 1 && fabs(s.x[1] - .545455) < 1e-6 && fabs(s.x[2] - .666667) < 1e-6);
	assert_true(s.x[3] == .25 && fabs(s.x[4] - .545455) < 1e-6 &&
		    fabs(s.x[5] - .333333) < 1e-6);
	assert_true(s.x[6] == .5 && s.x[7] == 1 && s.x[8] == 1);
}

static void parameters_that_are_not_part_have_no_coordinate(void **state)
{
	struct sweep_samples s;

	(void)state;
	use("{method: tpe, metric: {name: x}, parameters: {a: {values: [1, 2]}, b: {min: 0.0, max: 1.0, when: {a: 2}}}}");
	add("{\"a\":1}", SWEEP_TRIAL_FINISHED);
	add("{\"a\":2,\"b\":0.25}", SWEEP_TRIAL_FINISHED);
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_true(s.x[0] == .5 && isnan(s.x[1]));
	assert_true(s.x[2] == 1 && s.x[3] == .25);
}

static void a_trial_that_was_given_again_is_no_sample(void **state)
{
	struct sweep_samples s;

	(void)state;
	use("{method: tpe, metric: {name: x}, parameters: {a: {min: 0.0, max: 1.0}}}");
	add_result("0.5", SWEEP_TRIAL_FAILED, 9, 9, 9, NAN);
	add_result("0.5", SWEEP_TRIAL_FINISHED, 1, 1, 1, NAN);
	trials[1].retry_of = 1;
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_int_equal(s.count, 1);
	assert_true(s.y[0] == 1);
}

/* Its parameters are not known. */
static void a_prior_run_that_was_not_read_is_no_sample(void **state)
{
	struct sweep_samples s;

	(void)state;
	use("{method: bayes, metric: {name: x}, parameters: {a: {min: 0.0, max: 1.0}}}");
	add("{}", SWEEP_TRIAL_HANDED_OUT)->source = SWEEP_SOURCE_PRIOR;
	add("{\"a\":0.5}", SWEEP_TRIAL_RUNNING)->source = SWEEP_SOURCE_PRIOR;
	sweep_samples_make(arena, sweep_space_new(arena, config), trials, count, &s);
	assert_int_equal(s.count, 0);
	assert_int_equal(s.pending, 1);
	assert_true(s.pending_x[0] == .5);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_grid_is_given_in_order_and_ends),
		TEST(existing_trials_take_their_points),
		TEST(constants_only_are_one_trial),
		TEST(a_grid_waits_for_its_last_trials),
		TEST(a_large_grid_is_not_enumerated),
		TEST(a_point_that_failed_is_given_again_first),
		TEST(other_states_are_not_given_again),
		TEST(a_point_goes_to_another_host_if_there_is_one),
		TEST(a_point_that_an_edit_took_away_is_not_given_again),
		TEST(a_seed_gives_the_same_trials),
		TEST(finite_spaces_are_covered_before_points_repeat),
		TEST(a_space_that_cannot_be_counted_repeats),
		TEST(parallel_agents_do_not_repeat_each_other),
		TEST(repeats_can_be_allowed),
		TEST(a_sweep_ends_at_its_target_or_cap),
		TEST(a_cap_waits_for_its_last_trials),
		TEST(a_cap_does_not_count_a_canceled_trial_twice),
		TEST(a_grid_waits_for_a_preempted_trial),
		TEST(others_suggest_for_a_local_controller),
		TEST(searches_learn),
		TEST(searches_bear_extreme_spaces),
		TEST(results_are_imputed_as_by_wandb),
		TEST(nothing_has_a_worst_value_of_zero),
		TEST(coordinates_are_those_of_the_distributions),
		TEST(parameters_that_are_not_part_have_no_coordinate),
		TEST(a_trial_that_was_given_again_is_no_sample),
		TEST(a_prior_run_that_was_not_read_is_no_sample),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
