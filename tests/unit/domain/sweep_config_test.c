/* Configs of sweeps: kinds, defaults, warnings and errors with their places. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "sweep_config.h"
#include "sweep_value.h"

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static const struct sweep_config *read_text(const char *text, struct sweep_faults *faults)
{
	const struct sweep_config *c = NULL;
	err_t e = sweep_config_read(arena, str_of(text), &c, faults);

	if (e)
		fail_msg("%s: %s", text, err_chain(arena, e));
	return c;
}

/* No faults, no warnings. */
static const struct sweep_config *read_good(const char *text)
{
	struct sweep_faults faults;
	const struct sweep_config *c = read_text(text, &faults);

	if (faults.count)
		fail_msg("%s: %.*s", text, STR_ARG(faults.items[0].text));
	return c;
}

/* A config of one parameter. */
static const struct sweep_parameter *parameter(const char *text)
{
	struct sweep_faults faults;

	return read_text(arena_printf(arena, "method: random\nparameters:\n  p: %s\n", text),
			 &faults)
		->parameters;
}

static const struct sweep_fault *find_fault(const struct sweep_faults *faults, const char *path,
					    const char *words)
{
	for (size_t i = 0; i < faults->count; i++)
		if (str_is(faults->items[i].path, path) &&
		    strstr(str_copy(arena, faults->items[i].text), words))
			return &faults->items[i];
	return NULL;
}

static const struct sweep_fault *assert_fault(const char *text, const char *path, const char *words)
{
	struct sweep_faults faults;
	const struct sweep_config *c;
	const struct sweep_fault *f;

	(void)!sweep_config_read(arena, str_of(text), &c, &faults);
	f = find_fault(&faults, path, words);
	if (!f)
		fail_msg("%s: no fault \"%s\" at %s, but %zu others, first %.*s: %.*s", text, words,
			 path, faults.count, faults.count ? (int)faults.items[0].path.len : 0,
			 faults.count ? faults.items[0].path.at : "",
			 faults.count ? (int)faults.items[0].text.len : 0,
			 faults.count ? faults.items[0].text.at : "");
	return f;
}

static void assert_error(const char *text, const char *path, const char *words)
{
	struct sweep_faults faults;
	const struct sweep_config *c;

	assert_true(assert_fault(text, path, words)->is_error);
	assert_non_null(sweep_config_read(arena, str_of(text), &c, &faults));
}

static void assert_warning(const char *text, const char *path, const char *words)
{
	struct sweep_faults faults;

	assert_false(assert_fault(text, path, words)->is_error);
	read_text(text, &faults);
}

static void assert_parameter_error(const char *text, const char *path, const char *words)
{
	assert_error(arena_printf(arena, "method: random\nparameters:\n  p: %s\n", text), path,
		     words);
}

static void assert_parameter_warning(const char *text, const char *path, const char *words)
{
	assert_warning(arena_printf(arena, "method: random\nparameters:\n  p: %s\n", text), path,
		       words);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static void a_whole_config_is_read(void **state)
{
	const struct sweep_config *c = read_good(
		"method: bayes\n"
		"name: mine\n"
		"description: what for\n"
		"program: train.py\n"
		"project: p\n"
		"entity: e\n"
		"run_cap: 20\n"
		"seed: -9007199254740992\n"
		"host_failures: 0\n"
		"repeat: true\n"
		"retry: {times: 2, other_host: false}\n"
		"command: ['${env}', python, '${program}', '${args}']\n"
		"metric: {name: val/loss, goal: maximize, target: 0.9, impute: best, impute_while_running: latest}\n"
		"early_terminate: {type: hyperband, min_iter: 3, eta: 2, strict: false}\n"
		"parameters:\n"
		"  lr: {distribution: log_uniform_values, min: 1.0e-5, max: 0.1}\n"
		"  batch: {values: [16, 32]}\n");

	(void)state;
	assert_int_equal(c->method, SWEEP_BAYES);
	assert_true(str_is(c->name, "mine") && str_is(c->description, "what for") &&
		    str_is(c->program, "train.py"));
	assert_true(str_is(c->project.name, "p") && str_is(c->entity.name, "e"));
	assert_true(c->project.line == 5 && c->project.column == 10 && c->entity.line == 6);
	assert_int_equal(c->run_cap, 20);
	assert_true(c->has_seed && c->seed == -SWEEP_INT_MAX);
	assert_int_equal(c->host_failures, 0);
	assert_true(c->repeat);
	assert_int_equal(c->retry_times, 2);
	assert_false(c->retry_other_host);
	assert_int_equal(c->command->list.count, 4);
	assert_true(str_is(c->metric.name, "val/loss") && c->metric.has_target &&
		    c->metric.target == 0.9);
	assert_int_equal(c->metric.goal, SWEEP_MAXIMIZE);
	assert_int_equal(c->metric.impute, SWEEP_IMPUTE_BEST);
	assert_int_equal(c->metric.impute_running, SWEEP_IMPUTE_LATEST);
	assert_true(c->has_hyperband && c->hyperband.min_iter == 3 && c->hyperband.eta == 2 &&
		    !c->hyperband.is_strict);
	assert_int_equal(c->parameter_count, 2);
	assert_true(str_is(c->parameters[0].name, "batch") && str_is(c->parameters[1].name, "lr"));
	assert_int_equal(c->parameters[1].kind, SWEEP_LOG_UNIFORM_VALUES);
	assert_false(c->is_controlled);
}

static void defaults_are_those_of_wandb(void **state)
{
	const struct sweep_config *c = read_good(
		"{\"method\": \"random\", \"metric\": {\"name\": \"loss\"},"
		" \"early_terminate\": {\"type\": \"hyperband\", \"max_iter\": 27, \"s\": 2},"
		" \"parameters\": {\"a\": {\"values\": [1]}}}");

	(void)state;
	assert_int_equal(c->metric.goal, SWEEP_MINIMIZE);
	assert_int_equal(c->metric.impute, SWEEP_IMPUTE_WORST);
	assert_int_equal(c->metric.impute_running, SWEEP_IMPUTE_NONE);
	assert_false(c->metric.has_target);
	assert_true(c->hyperband.eta == 3 && c->hyperband.is_strict &&
		    c->hyperband.max_iter == 27 && c->hyperband.s == 2);
	assert_int_equal(c->run_cap, 0);
	assert_false(c->has_seed);
	assert_int_equal(c->retry_times, SWEEP_RETRY_TIMES);
	assert_true(c->retry_other_host);
	assert_int_equal(c->host_failures, SWEEP_HOST_FAILURES);
	assert_false(c->repeat);
}

/* ---- kinds ------------------------------------------------------------------------------------------------------------------ */

static void kinds_follow_from_keys(void **state)
{
	static const struct {
		const char *text;
		enum sweep_distribution kind;
	} rows[] = {
		{ "{value: 1}", SWEEP_CONSTANT },
		{ "{value: null}", SWEEP_CONSTANT },
		{ "{values: [1, 2]}", SWEEP_CATEGORICAL },
		{ "{values: [a, b], probabilities: [0.5, 0.5]}", SWEEP_CATEGORICAL },
		{ "{values: [a, b], probabilities: [0.5, 0.5], distribution: categorical_w_probabilities}",
		  SWEEP_CATEGORICAL },
		{ "{min: 1, max: 2}", SWEEP_INT_UNIFORM },
		{ "{min: 1, max: 2.0}", SWEEP_UNIFORM },
		{ "{min: 1.0, max: 2}", SWEEP_UNIFORM },
		{ "{min: 1, max: 2, distribution: uniform}", SWEEP_UNIFORM },
		{ "{min: 1, max: 2, distribution: int_uniform}", SWEEP_INT_UNIFORM },
		{ "{min: 1, max: 2, q: 0.5, distribution: q_uniform}", SWEEP_Q_UNIFORM },
		{ "{min: -3, max: 2, distribution: log_uniform}", SWEEP_LOG_UNIFORM },
		{ "{min: -3, max: 2, distribution: inv_log_uniform}", SWEEP_INV_LOG_UNIFORM },
		{ "{min: -3, max: 2, distribution: q_log_uniform}", SWEEP_Q_LOG_UNIFORM },
		{ "{min: 0.1, max: 2, distribution: log_uniform_values}",
		  SWEEP_LOG_UNIFORM_VALUES },
		{ "{min: 0.1, max: 2, distribution: inv_log_uniform_values}",
		  SWEEP_INV_LOG_UNIFORM_VALUES },
		{ "{min: 0.1, max: 2, distribution: q_log_uniform_values}",
		  SWEEP_Q_LOG_UNIFORM_VALUES },
		{ "{distribution: normal}", SWEEP_NORMAL },
		{ "{distribution: q_normal}", SWEEP_Q_NORMAL },
		{ "{distribution: log_normal}", SWEEP_LOG_NORMAL },
		{ "{distribution: q_log_normal}", SWEEP_Q_LOG_NORMAL },
		{ "{distribution: beta}", SWEEP_BETA },
		{ "{distribution: q_beta, q: 0.1}", SWEEP_Q_BETA },
		{ "{distribution: constant, value: x}", SWEEP_CONSTANT },
		{ "{distribution: categorical, values: [x]}", SWEEP_CATEGORICAL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct sweep_parameter *p = parameter(rows[i].text);

		if (p->kind != rows[i].kind)
			fail_msg("%s is %s", rows[i].text, sweep_distribution_name(p->kind));
	}
}

static void numbers_of_parameters_have_defaults(void **state)
{
	const struct sweep_parameter *p = parameter("{distribution: normal}");

	(void)state;
	assert_true(p->mu == 0 && p->sigma == 1);
	p = parameter("{distribution: beta, b: 3}");
	assert_true(p->a == 1 && p->b == 3);
	p = parameter("{distribution: q_uniform, min: 0, max: 9}");
	assert_true(p->q == 1 && !p->q_is_int && !p->is_int); /* the default is 1.0 */
	p = parameter("{distribution: q_uniform, min: 0, max: 9, q: 3}");
	assert_true(p->q_is_int && p->is_int);
	p = parameter("{distribution: q_uniform, min: 0, max: 9.0, q: 3}");
	assert_true(p->q_is_int && !p->is_int);
	p = parameter("{values: [a, b], probabilities: [0.2000001, 0.8]}");
	assert_true(fabs(p->probabilities[0] + p->probabilities[1] - 1) < 1e-15);
	p = parameter("{min: -9007199254740992, max: 9007199254740992}");
	assert_int_equal(p->whole_min, -(INT64_C(1) << 53));
}

/* ---- nested parameters --------------------------------------------------------------------------------------------------------- */

static void nested_parameters_are_flattened_and_sorted(void **state)
{
	const struct sweep_config *c =
		read_good("method: random\n"
			  "parameters:\n"
			  "  b: {value: 1}\n"
			  "  opt:\n"
			  "    parameters:\n"
			  "      name: {values: [sgd, adam]}\n"
			  "      deep: {parameters: {x: {min: 0.0, max: 1.0}}}\n"
			  "  a: {value: 1}\n"
			  "  B: {value: 1}\n"
			  "  opt.z: {value: 1}\n"
			  "  opt-z: {value: 1}\n");
	static const char *const names[] = { "B",        "a",     "b",    "opt.deep.x",
					     "opt.name", "opt-z", "opt.z" };

	(void)state;
	assert_int_equal(c->parameter_count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(str_copy(arena, c->parameters[i].name), names[i]);
	assert_int_equal(c->parameters[3].depth, 3);
	assert_true(str_is(c->parameters[3].path[1], "deep"));
	assert_string_equal(str_copy(arena, c->parameters[4].key), "opt.wbnest[599c28ca25da].name");
}

/* ---- conditions ------------------------------------------------------------------------------------------------------------------- */

static void conditions_find_parameters_near_and_far(void **state)
{
	const struct sweep_config *c =
		read_good("method: random\n"
			  "parameters:\n"
			  "  kind: {values: [a, b]}\n"
			  "  opt:\n"
			  "    when: {kind: a}\n"
			  "    parameters:\n"
			  "      name: {values: [sgd, adam]}\n"
			  "      momentum: {min: 0.0, max: 1.0, when: {name: [sgd]}}\n"
			  "  z: {min: 0.0, max: 1.0, when: {opt.name: [sgd, adam], kind: [a]}}\n");

	(void)state;
	assert_int_equal(c->parameter_count, 4); /* kind, opt.momentum, opt.name, z */
	assert_int_equal(c->parameters[1].condition_count, 2);
	assert_int_equal(c->parameters[1].conditions[0].parameter, 2);
	assert_int_equal(c->parameters[1].conditions[1].parameter, 0);
	assert_int_equal(c->parameters[2].condition_count, 1);
	assert_int_equal(c->parameters[3].condition_count, 2);
	assert_int_equal(c->parameters[3].conditions[0].parameter, 2);
	assert_int_equal(c->parameters[3].conditions[0].value_count, 2);
}

static void wrong_conditions_are_refused(void **state)
{
	(void)state;
	assert_parameter_error("{value: 1, when: {x: [1]}}", "parameters.p.when",
			       "unknown parameter \"x\"");
	assert_parameter_error("{value: 1, when: 3}", "parameters.p.when", "expected an object");
	assert_parameter_error("{values: [1], when: {p: [1]}}", "parameters.p",
			       "depends on itself");
	assert_parameter_error("{value: 1, when: {q: []}}\n  q: {values: [1]}", "parameters.p.when",
			       "at least one value");
	assert_parameter_error("{value: 1, when: {q: [1]}}\n  q: {min: 0.0, max: 1.0}",
			       "parameters.p.when", "must be a parameter with values");
	assert_parameter_error("{values: [1], when: {q: [1]}}\n  q: {values: [1], when: {p: [1]}}",
			       "parameters.p", "depends on itself");
	assert_parameter_warning("{value: 1, when: {q: [sdg, sgd]}}\n  q: {values: [sgd]}",
				 "parameters.p.when", "\"q\" never has this value");
}

/* ---- errors and warnings ------------------------------------------------------------------------------------------------------------ */

static void faults_have_line_and_column(void **state)
{
	const struct sweep_fault *f =
		assert_fault("method: random\nparameters:\n  lr:\n    min: x\n    max: 2.0\n",
			     "parameters.lr.min", "expected a number, not \"x\"");
	struct sweep_faults faults;
	const struct sweep_config *c;
	err_t e = sweep_config_read(
		arena, STR("method: random\nparameters:\n  lr:\n    min: x\n    max: 2.0\n"), &c,
		&faults);

	(void)state;
	assert_int_equal(f->line, 4);
	assert_int_equal(f->column, 10);
	assert_string_equal(e->field, "parameters.lr.min");
	assert_non_null(strstr(e->message, "line 4, column 10: expected a number"));
	f = assert_fault("method: random\nparameters: {a: {value: 1}}\nfoo: 1\n", "foo",
			 "does not use \"foo\"");
	assert_int_equal(f->line, 3);
	assert_int_equal(f->column, 1);
}

static void what_is_no_config_is_refused(void **state)
{
	(void)state;
	assert_error("", "", "expected an object");
	assert_error("[1]", "", "expected an object");
	assert_error("hello", "", "expected an object");
	assert_error("a: [", "", "invalid YAML");
	assert_error("{\"method\": ", "", "invalid YAML");
	assert_error("parameters: {a: {value: 1}}", "method", "missing");
	assert_error("method: magic\nparameters: {a: {value: 1}}", "method",
		     "unknown method \"magic\"");
	assert_error("method: 3\nparameters: {a: {value: 1}}", "method", "unknown method 3");
	assert_error("method: grid\nparameters: [1]", "parameters", "expected an object");
	assert_error("method: grid\nparameters: {a: 3}", "parameters.a",
		     "expected an object such as");
	assert_error("method: grid\nparameters: {'': {value: 1}}", "parameters.", "invalid name");
	assert_error("method: grid\nparameters: {'a.wbnest[599c28ca25da].b': {value: 1}}",
		     "parameters.a.wbnest[599c28ca25da].b", "invalid name");
}

static void a_config_without_parameters_only_warns(void **state)
{
	(void)state;
	assert_warning("method: grid\n", "parameters", "missing");
	assert_warning("method: bayes\n", "parameters", "missing");
	assert_warning("{\"method\": \"random\", \"parameters\": {}}", "parameters", "missing");
}

static void numbers_of_parameters_are_checked(void **state)
{
	(void)state;
	assert_parameter_error("{min: 2.0, max: 1.0}", "parameters.p", "min must be less than max");
	assert_parameter_error("{min: 1, max: 1}", "parameters.p", "min must be less than max");
	assert_parameter_error("{min: .nan, max: 1.0}", "parameters.p.min", "finite");
	assert_parameter_error("{min: 0.0, max: .inf}", "parameters.p.max", "finite");
	assert_parameter_error("{min: true, max: 1.0}", "parameters.p.min",
			       "expected a number, not true");
	assert_parameter_error("{min: 1e-3, max: 1.0}", "parameters.p.min",
			       "a float in YAML has a point");
	assert_parameter_error("{min: 0.5, max: 1.0, distribution: int_uniform}", "parameters.p",
			       "needs integers");
	assert_parameter_error("{min: 0, max: 9007199254740993}", "parameters.p", "beyond 2^53");
	assert_parameter_error("{min: 1, distribution: uniform}", "parameters.p.max", "missing");
	assert_parameter_error("{min: 0.0, max: 1.0, distribution: log_uniform_values}",
			       "parameters.p.min", "greater than 0");
	assert_parameter_error("{min: 0, max: 710, distribution: log_uniform}", "parameters.p",
			       "exponents of e must be");
	assert_parameter_error("{min: 0, max: 1, q: 0, distribution: q_uniform}", "parameters.p.q",
			       "greater than 0");
	assert_parameter_error("{min: 0, max: 1, q: -1, distribution: q_uniform}", "parameters.p.q",
			       "greater than 0");
	assert_parameter_error("{sigma: -1, distribution: normal}", "parameters.p.sigma",
			       "must not be negative");
	assert_parameter_error("{mu: 700, sigma: 2, distribution: log_normal}", "parameters.p",
			       "too large");
	assert_parameter_error("{a: 0, distribution: beta}", "parameters.p.a", "greater than 0");
	assert_parameter_error("{b: 1.0e+9, distribution: beta}", "parameters.p.b",
			       "at most 1e+06");
	assert_parameter_error("{distribution: cauchy}", "parameters.p.distribution",
			       "unknown distribution \"cauchy\"");
	assert_parameter_error("{distribution: 3}", "parameters.p.distribution",
			       "expected the name");
	assert_parameter_error("{}", "parameters.p", "expected \"value\"");
	assert_parameter_error("{min: 1}", "parameters.p", "expected \"value\"");
	assert_parameter_error("{distribution: constant}", "parameters.p.value", "missing");
	assert_parameter_error("{parameters: 3}", "parameters.p",
			       "expected an object of parameters");
}

static void lists_of_values_are_checked(void **state)
{
	(void)state;
	assert_parameter_error("{values: []}", "parameters.p.values", "at least one value");
	assert_parameter_error("{values: 3}", "parameters.p.values", "at least one value");
	assert_parameter_error("{values: [1, 2], probabilities: [1]}", "parameters.p.probabilities",
			       "2 numbers");
	assert_parameter_error("{values: [1, 2], probabilities: [0.5, 0.6]}",
			       "parameters.p.probabilities", "the sum is 1.1");
	assert_parameter_error("{values: [1, 2], probabilities: [-1, 2]}",
			       "parameters.p.probabilities", "not negative");
	assert_parameter_error("{values: [1, 2], probabilities: [.nan, 1]}",
			       "parameters.p.probabilities", "not negative");
}

static void suspicious_parameters_give_warnings(void **state)
{
	(void)state;
	assert_parameter_warning("{min: 0, max: 1, distribution: log_uniform}", "parameters.p",
				 "use log_uniform_values");
	assert_parameter_warning("{min: 0, max: 1, distribution: q_log_uniform}", "parameters.p",
				 "exponents of e");
	assert_parameter_warning("{values: [1], min: 3}", "parameters.p.min",
				 "categorical does not use \"min\"");
	assert_parameter_warning("{value: 1, note: x}", "parameters.p.note",
				 "constant does not use \"note\"");
	assert_parameter_warning("{values: [1e-3, 1.0]}", "", "is a string in YAML 1.1");
	assert_parameter_warning("{value: 1}\n  a b: {value: 1}", "parameters.a b",
				 "wandb accepts names of letters");
}

static void sections_are_checked(void **state)
{
	const char *base = "method: random\nparameters: {a: {value: 1}}\n";
	static const char *const errors[][3] = {
		{ "run_cap: 0", "run_cap", "expected an integer from 1" },
		{ "run_cap: 1.5", "run_cap", "expected an integer from 1" },
		{ "seed: x", "seed", "expected an integer" },
		{ "seed: 9007199254740993", "seed", "expected an integer" },
		{ "seed: 1.0e+300", "seed", "expected an integer" },
		{ "host_failures: -1", "host_failures", "expected an integer from 0" },
		{ "repeat: 1", "repeat", "expected true or false" },
		{ "retry: 3", "retry", "expected an object" },
		{ "retry: {times: 101}", "retry.times", "expected an integer from 0 to 100" },
		{ "command: python", "command", "expected a list" },
		{ "command: [[1]]", "command", "expected a string" },
		{ "name: [1]", "name", "expected a string" },
		{ "metric: loss", "metric", "expected an object" },
		{ "metric: {goal: minimize}", "metric.name", "missing" },
		{ "metric: {name: x, target: y}", "metric.target", "expected a number" },
		{ "metric: {name: x, target: .nan}", "metric.target", "finite" },
		{ "controller: {type: remote}", "controller.type",
		  "expected \"local\" or \"cloud\"" },
		{ "early_terminate: {min_iter: 3}", "early_terminate.type",
		  "expected \"hyperband\"" },
		{ "early_terminate: {type: hyperband, min_iter: 3}", "early_terminate",
		  "needs \"metric\"" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband}", "early_terminate",
		  "needs \"min_iter\"" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband, max_iter: 9}",
		  "early_terminate", "needs \"min_iter\"" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband, min_iter: 0}",
		  "early_terminate.min_iter", "from 1" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband, min_iter: 1, eta: 1}",
		  "early_terminate.eta", "greater than 1" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband, max_iter: 2, s: 1}",
		  "early_terminate", "no band is left" },
	};
	static const char *const warnings[][3] = {
		{ "metric: {name: x, goal: best}", "metric.goal", "\"minimize\" is used" },
		{ "metric: {name: x, impute: mean}", "metric.impute", "\"worst\" is used" },
		{ "metric: {name: x, size: 3}", "metric.size", "metric does not use \"size\"" },
		{ "name: 3", "name", "quote it" },
		{ "retry: {count: 3}", "retry.count", "does not use" },
		{ "metric: {name: x}\nearly_terminate: {type: hyperband, min_iter: 1, foo: 1}",
		  "early_terminate.foo", "does not use" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		assert_error(arena_printf(arena, "%s%s\n", base, errors[i][0]), errors[i][1],
			     errors[i][2]);
	for (size_t i = 0; i < sizeof(warnings) / sizeof(*warnings); i++)
		assert_warning(arena_printf(arena, "%s%s\n", base, warnings[i][0]), warnings[i][1],
			       warnings[i][2]);
}

static void methods_ask_for_what_they_need(void **state)
{
	(void)state;
	assert_error("method: grid\nparameters: {a: {min: 0.0, max: 1.0}}", "parameters.a",
		     "a grid cannot have uniform");
	assert_error("method: grid\nparameters: {a: {values: [1, 2], probabilities: [0.5, 0.5]}}",
		     "parameters.a", "categorical with probabilities");
	assert_error("method: grid\nparameters: {a: {parameters: {b: {distribution: normal}}}}",
		     "parameters.a.b", "a grid cannot have normal");
	assert_error("method: grid\nparameters: {a: {distribution: x}}",
		     "parameters.a.distribution", "unknown distribution");
	assert_error(
		"method: grid\nparameters: {a: {distribution: q_uniform, min: 0, max: 1, q: 1.0e-17}}",
		"parameters.a", "q is too small");
	assert_error(
		"method: grid\nparameters: {a: {distribution: q_uniform, min: 1.0e+17, max: 1.1e+17}}",
		"parameters.a", "q is too small");
	assert_error("method: bayes\nparameters: {a: {values: [1, 2]}}", "metric",
		     "method bayes needs \"metric\"");
	assert_error("method: tpe\nparameters: {a: {values: [1, 2]}}", "metric",
		     "method tpe needs \"metric\"");
	assert_warning("method: custom\nparameters: {a: {values: [1, 2]}}", "method",
		       "local controller");
	read_good(
		"method: custom\ncontroller: {type: local}\nparameters: {a: {distribution: normal}}");
	read_good(
		"method: grid\nparameters: {a: {min: 0, max: 999999}, b: {min: 0, max: 999999}}"); /* 10^12 points */
	assert_error(
		"method: grid\nparameters: {a: {min: 0, max: 9999999999}, b: {min: 0, max: 9999999999}}",
		"parameters", "more than 2^62 points");
}

/* ---- limits ------------------------------------------------------------------------------------------------------------------------------ */

static const char *many_parameters(const char *method, int count)
{
	struct buf *b = buf_new(arena);

	buf_printf(b, "method: %s\nmetric: {name: x}\nparameters:\n", method);
	for (int i = 0; i < count; i++)
		buf_printf(b, "  p%d: {values: [1]}\n", i);
	return str_copy(arena, buf_str(b));
}

static const char *many_conditions(int count)
{
	struct buf *b = buf_new(arena);

	buf_add_text(b, "method: random\nparameters:\n");
	for (int i = 0; i < count; i++)
		buf_printf(b, "  c%d: {values: [1]}\n", i);
	buf_add_text(b, "  p: {value: 1, when: {c0: 1");
	for (int i = 1; i < count; i++)
		buf_printf(b, ", c%d: 1", i);
	buf_add_text(b, "}}\n");
	return str_copy(arena, buf_str(b));
}

static void limits_hold_from_both_sides(void **state)
{
	char name[SWEEP_NAME_MAX + 2];

	(void)state;
	assert_int_equal(
		read_good(many_parameters("random", SWEEP_PARAMETERS_MAX))->parameter_count,
		SWEEP_PARAMETERS_MAX);
	assert_error(many_parameters("random", SWEEP_PARAMETERS_MAX + 1), "parameters",
		     "more than 1000 parameters");
	read_good(many_parameters("tpe", SWEEP_SEARCHED_MAX));
	assert_error(many_parameters("tpe", SWEEP_SEARCHED_MAX + 1), "parameters",
		     "at most 100 parameters, not 101");
	memset(name, 'x', sizeof(name));
	name[SWEEP_NAME_MAX] = 0;
	read_good(arena_printf(arena, "method: random\nparameters: {%s: {value: 1}}", name));
	name[SWEEP_NAME_MAX] = 'x';
	name[SWEEP_NAME_MAX + 1] = 0;
	assert_error(arena_printf(arena, "method: random\nparameters: {? %s : {value: 1}}", name),
		     str_copy(arena, str_head(str_of(arena_printf(arena, "parameters.%s", name)),
					      11 + SWEEP_NAME_MAX)),
		     "more than 512 bytes");
	read_good(many_conditions(SWEEP_CONDITIONS_MAX));
	assert_error(many_conditions(SWEEP_CONDITIONS_MAX + 1), "parameters.p.when",
		     "more than 8 conditions");
}

static void many_faults_are_cut_and_errors_kept(void **state)
{
	struct buf *b = buf_new(arena);
	struct sweep_faults faults;
	const struct sweep_config *c;

	(void)state;
	for (int i = 0; i < 300; i++)
		buf_printf(b, "unknown%d: 1\n", i);
	buf_add_text(b, "method: magic\n");
	assert_non_null(sweep_config_read(arena, buf_str(b), &c, &faults));
	assert_int_equal(faults.count, SWEEP_FAULTS_MAX);
	assert_true(faults.has_error && faults.items[SWEEP_FAULTS_MAX - 1].is_error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_config_is_read),
		cmocka_unit_test(defaults_are_those_of_wandb),
		cmocka_unit_test(kinds_follow_from_keys),
		cmocka_unit_test(numbers_of_parameters_have_defaults),
		cmocka_unit_test(nested_parameters_are_flattened_and_sorted),
		cmocka_unit_test(conditions_find_parameters_near_and_far),
		cmocka_unit_test(wrong_conditions_are_refused),
		cmocka_unit_test(faults_have_line_and_column),
		cmocka_unit_test(what_is_no_config_is_refused),
		cmocka_unit_test(a_config_without_parameters_only_warns),
		cmocka_unit_test(numbers_of_parameters_are_checked),
		cmocka_unit_test(lists_of_values_are_checked),
		cmocka_unit_test(suspicious_parameters_give_warnings),
		cmocka_unit_test(sections_are_checked),
		cmocka_unit_test(methods_ask_for_what_they_need),
		cmocka_unit_test(limits_hold_from_both_sides),
		cmocka_unit_test(many_faults_are_cut_and_errors_kept),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
