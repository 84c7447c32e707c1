/*
 * Configs of sweeps, as anybody may send them: YAML or JSON. What is refused says where; what is taken is the same value again
 * when it is written as JSON and read, and gives trials that are points of its space.
 */
#include <math.h>
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "sweep_hyperband.h"
#include "sweep_next.h"
#include "sweep_value.h"
#include "sweep_yaml.h"

enum { TRIALS = 4, SEARCHED_MAX = 12 };

static void check_faults(const struct sweep_faults *faults, struct str text)
{
	unsigned lines = 1;

	for (size_t i = 0; i < text.len; i++)
		lines += text.at[i] == '\n' || text.at[i] == '\r' || text.at[i] == '\xe2' ||
			 text.at[i] == '\xc2';
	FUZZ_CHECK(faults->count <= SWEEP_FAULTS_MAX);
	for (size_t i = 0; i < faults->count; i++) {
		FUZZ_CHECK(faults->items[i].line <= lines + 1);
		FUZZ_CHECK(faults->items[i].text.len && str_is_utf8(faults->items[i].text));
		FUZZ_CHECK(str_is_utf8(faults->items[i].path));
	}
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static size_t check_value(const struct sweep_value *v, unsigned depth)
{
	size_t count = 1;

	FUZZ_CHECK(depth <= SWEEP_DEPTH_MAX);
	FUZZ_CHECK(v->kind > SWEEP_ABSENT && v->kind <= SWEEP_OBJECT);
	if (v->kind == SWEEP_TEXT)
		FUZZ_CHECK(str_is_utf8(v->text) && strlen(v->text.at) == v->text.len);
	for (size_t i = 0; v->kind == SWEEP_LIST && i < v->list.count; i++)
		count += check_value(&v->list.items[i], depth + 1);
	for (size_t i = 0; v->kind == SWEEP_OBJECT && i < v->object.count; i++) {
		FUZZ_CHECK(sweep_value_get(v, v->object.members[i].name) ==
			   &v->object.members[i].value);
		count += check_value(&v->object.members[i].value, depth + 1);
	}
	return count;
}

static void check_round_trip(struct arena *a, const struct sweep_value *v)
{
	struct str json = sweep_value_dump(a, v);
	const struct sweep_value *again;
	err_t e;

	if (json.len > SWEEP_TEXT_MAX) /* aliases */
		return;
	e = sweep_value_read_json(a, json, &again);
	FUZZ_CHECK(!e);
	FUZZ_CHECK(sweep_value_equal(v, again));
	FUZZ_CHECK(str_equal(sweep_value_dump(a, again), json));
}

static void check_yaml(struct arena *a, struct str text)
{
	struct sweep_faults faults = { 0 };
	const struct sweep_value *v;
	err_t e = sweep_yaml_read(a, text, &v, &faults);

	check_faults(&faults, text);
	FUZZ_CHECK(!e == !faults.has_error);
	if (e) {
		FUZZ_CHECK(e->kind == ERR_INVALID && e->message && *e->message);
		return;
	}
	FUZZ_CHECK(check_value(v, 0) <= SWEEP_VALUES_MAX);
	check_round_trip(a, v);
}

/* ---- trials -------------------------------------------------------------------------------------------------------------- */

/* The same for the same text. */
static void end_trial(struct sweep_trial_fact *t, uint64_t hash)
{
	double result = (double)(hash >> 40);

	t->state = (enum sweep_trial_state)(1 + hash % 9);
	t->min = hash & 1024 ? result : NAN;
	t->max = hash & 1024 ? result + 1 : NAN;
	t->latest = t->min;
	t->summary = hash & 2048 ? result : NAN;
}

static void check_suggestion(struct arena *a, const struct sweep_config *c,
			     const struct sweep_suggestion *s, struct sweep_trial_fact *t)
{
	const struct sweep_space *space = sweep_space_new(a, c);
	err_t e = sweep_value_read_json(a, s->params, &t->params);

	FUZZ_CHECK(!e && t->params->kind == SWEEP_OBJECT);
	if (sweep_space_has_points(space)) {
		FUZZ_CHECK(s->point >= 0 && s->point < sweep_space_end(space));
		FUZZ_CHECK(sweep_space_point_of(space, t->params) == s->point);
		FUZZ_CHECK(sweep_space_from(space, s->point) == s->point);
	} else {
		FUZZ_CHECK(s->point == SWEEP_POINT_NONE);
	}
}

static void check_trials(struct arena *a, const struct sweep_config *c, uint64_t hash)
{
	struct sweep_trial_fact trials[TRIALS] = { 0 };

	for (size_t i = 0; i < TRIALS; i++) {
		struct sweep_asked asked = { .seed = (int64_t)hash,
					     .trial = (int64_t)i + 1,
					     .is_only_host = hash & 512 };
		struct sweep_suggestion s;
		err_t e = sweep_next(a, c, trials, i, &asked, &s);

		FUZZ_CHECK(!e);
		FUZZ_CHECK((s.kind == SWEEP_NEXT_TRIAL) != (s.why != NULL));
		if (s.kind != SWEEP_NEXT_TRIAL)
			return;
		trials[i] = (struct sweep_trial_fact){ .trial = asked.trial,
						       .point = i & 1 ? s.point : SWEEP_POINT_NONE,
						       .source = SWEEP_SOURCE_SEARCH,
						       .retry_of = s.retry_of,
						       .tries = s.tries };
		check_suggestion(a, c, &s, &trials[i]);
		end_trial(&trials[i],
			  hash = hash * UINT64_C(6364136223846793005) + 1442695040888963407);
	}
}

static void check_config(struct arena *a, struct str text)
{
	const struct sweep_config *c;
	struct sweep_faults faults;
	err_t e = sweep_config_read(a, text, &c, &faults);
	size_t searched = 0;

	check_faults(&faults, text);
	FUZZ_CHECK(!e == !faults.has_error);
	if (e)
		return;
	for (size_t i = 0; i < c->parameter_count; i++) {
		FUZZ_CHECK(i == 0 || !str_equal(c->parameters[i - 1].key, c->parameters[i].key));
		searched += sweep_parameter_is_searched(&c->parameters[i]);
	}
	if (c->has_hyperband) {
		struct sweep_bands bands;

		sweep_hyperband_bands(&c->hyperband, &bands);
		FUZZ_CHECK(bands.count && bands.at[0] >= 1);
	}
	if (searched <= SEARCHED_MAX)
		check_trials(a, c, str_hash(STR_HASH_START, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(1 << 16);
	struct str text = { size ? (const char *)data : "", size };

	check_yaml(a, text);
	check_config(a, text);
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"method: bayes\nmetric: {name: loss, goal: minimize, target: 0.1}\nparameters:\n  lr:\n    distribution: log_uniform_values\n"
		"    min: 1.0e-05\n    max: 0.1\n  opt:\n    parameters:\n      name: {values: [sgd, adam]}\n"
		"      momentum: {min: 0.0, max: 1.0, when: {name: sgd}}\n",
		"{\"method\": \"grid\", \"parameters\": {\"a\": {\"values\": [1, 1.0, true, \"1\", null, [1], {\"b\": NaN}]},"
		" \"b\": {\"min\": -3, \"max\": 3}, \"c\": {\"distribution\": \"q_uniform\", \"min\": 0, \"max\": 1, \"q\": 0.25}}}",
		"method: random\nparameters:\n  a: {distribution: normal, mu: 3, sigma: 2}\n  b: {distribution: q_log_normal, q: 2}\n"
		"  c: {distribution: beta, a: 2, b: 5}\n  d: {distribution: q_beta, q: 0.1}\n  e: {distribution: log_uniform, min: -2, max: 3}\n"
		"  f: {values: [x, y], probabilities: [0.3, 0.7]}\n  g: {distribution: inv_log_uniform_values, min: 1, max: 100}\n",
		"method: tpe\nmetric: {name: x, impute: best, impute_while_running: latest}\nseed: 7\nretry: {times: 2}\nparameters:\n"
		"  a: {min: 1, max: 8}\n  b: {values: [p, q], when: {a: [1, 2]}}\n  c: {min: 0.0, max: 1.0, when: {b: p, a: 2}}\n",
		"method: grid\nrun_cap: 3\nearly_terminate: {type: hyperband, max_iter: 27, s: 2, eta: 3}\nmetric: {name: y}\n"
		"parameters: {a: {value: 1}, b: {distribution: q_log_uniform_values, min: 1, max: 10, q: 3}}\n",
		"a: &x [1, 0x1f, 010, 1:30, 1_000, .inf, -.inf, .nan, ~, yes, 2001-01-01]\nb: *x\nc: {<<: &y {d: 1}, e: 2}\n"
		"f: {<<: [*y]}\ng: |\n  text\nh: \"\\u00e4\\n\"\n? i\n: !!str 1\n",
		"{\"method\": \"custom\", \"controller\": {\"type\": \"local\"}, \"command\": [\"${env}\", \"${args}\"]}",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
