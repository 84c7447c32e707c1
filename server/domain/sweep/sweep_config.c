/* The config of a sweep: its top level, metric, early_terminate and our additions. Parameters are in the files next to it. */
#include "sweep_config.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "arena.h"
#include "sweep_config_reader.h"
#include "sweep_hyperband.h"
#include "sweep_space.h"
#include "sweep_value.h"
#include "sweep_yaml.h"

enum { HOST_FAILURES_MAX = 1000, ETA_DEFAULT = 3, BANDS_S_MAX = 1000 };

/* ---- faults and members ----------------------------------------------------------------------------------- */

static void note(struct sweep_reader *r, const struct sweep_value *v, struct str path,
		 bool is_error, const char *text)
{
	sweep_fault_add(r->arena, r->faults,
			(struct sweep_fault){ .line = v ? v->line : 0,
					      .column = v ? v->column : 0,
					      .is_error = is_error,
					      .path = path,
					      .text = str_of(text) });
}

void sweep_reader_error(struct sweep_reader *r, const struct sweep_value *v, struct str path,
			const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(r, v, path, true, arena_vprintf(r->arena, fmt, ap));
	va_end(ap);
}

void sweep_reader_warn(struct sweep_reader *r, const struct sweep_value *v, struct str path,
		       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(r, v, path, false, arena_vprintf(r->arena, fmt, ap));
	va_end(ap);
}

struct str sweep_reader_path(struct sweep_reader *r, struct str outer, struct str name)
{
	name = str_head(name, SWEEP_NAME_MAX);
	if (!outer.len)
		return name;
	return str_of(arena_printf(r->arena, "%.*s.%.*s", STR_ARG(outer), STR_ARG(name)));
}

/* The hint for a text that was to be a number. */
static const char *number_hint(const struct sweep_value *v)
{
	if (v->kind == SWEEP_TEXT && v->text.len && strchr("+-.0123456789", v->text.at[0]))
		return ": a float in YAML has a point and a signed exponent, as 1.0e-3";
	return "";
}

static const char *shown(struct sweep_reader *r, const struct sweep_value *v)
{
	if (v->kind == SWEEP_LIST || v->kind == SWEEP_OBJECT)
		return sweep_kind_name(v->kind);
	return arena_printf(r->arena, "%.*s",
			    STR_ARG(str_head(sweep_value_dump(r->arena, v), 100)));
}

bool sweep_reader_number(struct sweep_reader *r, const struct sweep_value *object, const char *name,
			 struct str outer, double *ret_number)
{
	const struct sweep_value *v = sweep_value_get_named(object, name);
	double number;

	if (!v)
		return false;
	if (!sweep_value_number(v, &number)) {
		sweep_reader_error(r, v, sweep_reader_path(r, outer, str_of(name)),
				   "expected a number, not %s%s", shown(r, v), number_hint(v));
		return false;
	}
	if (!isfinite(number)) {
		sweep_reader_error(r, v, sweep_reader_path(r, outer, str_of(name)),
				   "expected a finite number");
		return false;
	}
	*ret_number = number;
	return true;
}

/* An integer, also when it is written as a float. */
static bool is_whole(const struct sweep_value *v, int64_t *ret_whole)
{
	if (v->kind == SWEEP_INT) {
		*ret_whole = v->whole;
		return true;
	}
	if (v->kind != SWEEP_REAL || v->real != rint(v->real) ||
	    !(fabs(v->real) <= (double)SWEEP_INT_MAX))
		return false;
	*ret_whole = (int64_t)v->real;
	return true;
}

bool sweep_reader_whole(struct sweep_reader *r, const struct sweep_value *object, const char *name,
			struct str outer, int64_t min, int64_t max, int64_t *ret_whole)
{
	const struct sweep_value *v = sweep_value_get_named(object, name);
	int64_t whole;

	if (!v)
		return false;
	if (!is_whole(v, &whole) || whole < min || whole > max) {
		sweep_reader_error(r, v, sweep_reader_path(r, outer, str_of(name)),
				   "expected an integer from %lld to %lld, not %s", (long long)min,
				   (long long)max, shown(r, v));
		return false;
	}
	*ret_whole = whole;
	return true;
}

bool sweep_reader_bool(struct sweep_reader *r, const struct sweep_value *object, const char *name,
		       struct str outer, bool *ret_truth)
{
	const struct sweep_value *v = sweep_value_get_named(object, name);

	if (!v)
		return false;
	if (v->kind != SWEEP_BOOL) {
		sweep_reader_error(r, v, sweep_reader_path(r, outer, str_of(name)),
				   "expected true or false, not %s", shown(r, v));
		return false;
	}
	*ret_truth = v->truth;
	return true;
}

void sweep_reader_check_names(struct sweep_reader *r, const struct sweep_value *object,
			      struct str outer, const char *const names[], const char *of)
{
	for (size_t i = 0; i < object->object.count; i++) {
		const struct sweep_member *m = &object->object.members[i];
		const struct sweep_value at = { .line = m->line, .column = m->column };
		const char *const *name = names;

		while (*name && !str_is(m->name, *name))
			name++;
		if (!*name)
			sweep_reader_warn(r, &at, sweep_reader_path(r, outer, m->name),
					  "%s does not use \"%.*s\"", of,
					  STR_ARG(str_head(m->name, 100)));
	}
}

/* A text; other scalars become one, with a warning. */
static void read_text(struct sweep_reader *r, const struct sweep_value *object, const char *name,
		      struct str outer, struct str *ret_text)
{
	const struct sweep_value *v = sweep_value_get_named(object, name);
	struct str path = sweep_reader_path(r, outer, str_of(name));

	if (!v || v->kind == SWEEP_NULL)
		return;
	if (v->kind == SWEEP_TEXT) {
		*ret_text = v->text;
	} else if (v->kind == SWEEP_LIST || v->kind == SWEEP_OBJECT) {
		sweep_reader_error(r, v, path, "expected a string, not %s",
				   sweep_kind_name(v->kind));
	} else {
		*ret_text = sweep_value_dump(r->arena, v);
		sweep_reader_warn(r, v, path, "expected a string, not %s: quote it", shown(r, v));
	}
}

/* ---- words ------------------------------------------------------------------------------------------------ */

static const char *const methods[] = { [SWEEP_GRID] = "grid",
				       [SWEEP_RANDOM] = "random",
				       [SWEEP_BAYES] = "bayes",
				       [SWEEP_TPE] = "tpe",
				       [SWEEP_CUSTOM] = "custom" };
static const char *const goals[] = { [SWEEP_MINIMIZE] = "minimize", [SWEEP_MAXIMIZE] = "maximize" };
static const char *const imputes[] = { [SWEEP_IMPUTE_NONE] = "false",
				       [SWEEP_IMPUTE_WORST] = "worst",
				       [SWEEP_IMPUTE_BEST] = "best",
				       [SWEEP_IMPUTE_LATEST] = "latest" };

const char *sweep_method_name(enum sweep_method method)
{
	return methods[method];
}

double sweep_cost(enum sweep_goal goal, double value)
{
	return goal == SWEEP_MAXIMIZE ? -value : value;
}

/* The index of the word, -1: none of them. */
static int find_word(const struct sweep_value *v, const char *const words[], int count)
{
	for (int i = 0; i < count; i++)
		if (v->kind == SWEEP_TEXT && words[i] && str_is(v->text, words[i]))
			return i;
	return -1;
}

static void read_method(struct sweep_reader *r, const struct sweep_value *root)
{
	const struct sweep_value *v = sweep_value_get_named(root, "method");
	int method;

	if (!v) {
		sweep_reader_error(r, root, STR("method"),
				   "missing: expected grid, random, bayes or tpe");
		return;
	}
	method = find_word(v, methods, SWEEP_CUSTOM + 1);
	if (method < 0) {
		sweep_reader_error(r, v, STR("method"),
				   "unknown method %s: expected grid, random, bayes or tpe",
				   shown(r, v));
		return;
	}
	r->config->method = (enum sweep_method)method;
	if (method == SWEEP_CUSTOM && !r->config->is_controlled)
		sweep_reader_warn(
			r, v, STR("method"),
			"trials of \"custom\" come from a local controller or by REST only");
}

/* ---- metric ----------------------------------------------------------------------------------------------- */

/* A wrong word gets the default, as with wandb. */
static int read_word(struct sweep_reader *r, const struct sweep_value *object, const char *name,
		     const char *const words[], int count, int normal)
{
	const struct sweep_value *v = sweep_value_get_named(object, name);
	int word;

	if (!v)
		return normal;
	word = find_word(v, words, count);
	if (word >= 0)
		return word;
	sweep_reader_warn(r, v, sweep_reader_path(r, STR("metric"), str_of(name)),
			  "unknown value %s: \"%s\" is used", shown(r, v), words[normal]);
	return normal;
}

static enum sweep_impute read_impute_running(struct sweep_reader *r,
					     const struct sweep_value *metric)
{
	const struct sweep_value *v = sweep_value_get_named(metric, "impute_while_running");

	if (v && v->kind == SWEEP_BOOL && !v->truth)
		return SWEEP_IMPUTE_NONE;
	return (enum sweep_impute)read_word(r, metric, "impute_while_running", imputes,
					    SWEEP_IMPUTE_LATEST + 1, SWEEP_IMPUTE_NONE);
}

static void read_metric(struct sweep_reader *r, const struct sweep_value *v)
{
	static const char *const names[] = {
		"name", "goal", "target", "impute", "impute_while_running", NULL
	};
	struct sweep_metric *m = &r->config->metric;

	if (v->kind != SWEEP_OBJECT) {
		sweep_reader_error(r, v, STR("metric"),
				   "expected an object with \"name\" and \"goal\", not %s",
				   shown(r, v));
		return;
	}
	sweep_reader_check_names(r, v, STR("metric"), names, "metric");
	read_text(r, v, "name", STR("metric"), &m->name);
	if (!m->name.len)
		sweep_reader_error(r, v, STR("metric.name"),
				   "missing: the name of the metric that runs log");
	m->goal =
		(enum sweep_goal)read_word(r, v, "goal", goals, SWEEP_MAXIMIZE + 1, SWEEP_MINIMIZE);
	m->has_target = sweep_reader_number(r, v, "target", STR("metric"), &m->target);
	/* "false" is only for running ones */
	m->impute = (enum sweep_impute)read_word(r, v, "impute", imputes, SWEEP_IMPUTE_LATEST + 1,
						 SWEEP_IMPUTE_WORST);
	if (m->impute == SWEEP_IMPUTE_NONE)
		m->impute = SWEEP_IMPUTE_WORST;
	m->impute_running = read_impute_running(r, v);
}

/* ---- early_terminate -------------------------------------------------------------------------------------- */

static void read_bands(struct sweep_reader *r, const struct sweep_value *v)
{
	struct sweep_hyperband *h = &r->config->hyperband;
	struct str outer = STR("early_terminate");
	bool has_max = sweep_reader_whole(r, v, "max_iter", outer, 1, SWEEP_INT_MAX, &h->max_iter);
	bool has_s = sweep_reader_whole(r, v, "s", outer, 1, BANDS_S_MAX, &h->s);
	bool has_min = sweep_reader_whole(r, v, "min_iter", outer, 1, SWEEP_INT_MAX, &h->min_iter);
	struct sweep_bands bands;

	if (has_max && has_s)
		h->min_iter = 0;
	else if (!has_min)
		sweep_reader_error(r, v, outer,
				   "hyperband needs \"min_iter\", or \"max_iter\" and \"s\"");
	if (r->faults->has_error)
		return;
	sweep_hyperband_bands(h, &bands);
	if (!bands.count)
		sweep_reader_error(r, v, outer,
				   "no band is left: max_iter divided by eta is below 1");
}

static void read_early_terminate(struct sweep_reader *r, const struct sweep_value *v)
{
	static const char *const names[] = { "type", "min_iter", "max_iter", "s",
					     "eta",  "strict",   NULL };
	struct sweep_hyperband *h = &r->config->hyperband;
	const struct sweep_value *type = sweep_value_get_named(v, "type");
	struct str outer = STR("early_terminate");

	if (!type || type->kind != SWEEP_TEXT || !str_is(type->text, "hyperband")) {
		sweep_reader_error(r, type ? type : v, STR("early_terminate.type"),
				   "expected \"hyperband\"");
		return;
	}
	sweep_reader_check_names(r, v, outer, names, "hyperband");
	*h = (struct sweep_hyperband){ .eta = ETA_DEFAULT, .is_strict = true };
	sweep_reader_bool(r, v, "strict", outer, &h->is_strict);
	if (sweep_reader_number(r, v, "eta", outer, &h->eta) && !(h->eta > 1))
		sweep_reader_error(r, sweep_value_get_named(v, "eta"), STR("early_terminate.eta"),
				   "must be greater than 1");
	read_bands(r, v);
	r->config->has_hyperband = true;
	if (!r->config->metric.name.len)
		sweep_reader_error(r, v, outer, "early_terminate needs \"metric\"");
}

/* ---- the rest of the top level ------------------------------------------------------------------------------ */

static void read_command(struct sweep_reader *r, const struct sweep_value *v)
{
	if (v->kind != SWEEP_LIST) {
		sweep_reader_error(r, v, STR("command"), "expected a list of strings, not %s",
				   shown(r, v));
		return;
	}
	for (size_t i = 0; i < v->list.count; i++) {
		if (v->list.items[i].kind == SWEEP_LIST || v->list.items[i].kind == SWEEP_OBJECT)
			sweep_reader_error(r, &v->list.items[i], STR("command"),
					   "expected a string, not %s",
					   sweep_kind_name(v->list.items[i].kind));
	}
	r->config->command = v;
}

static void read_controller(struct sweep_reader *r, const struct sweep_value *v)
{
	const struct sweep_value *type = sweep_value_get_named(v, "type");

	if (type && type->kind == SWEEP_TEXT &&
	    (str_is(type->text, "local") || str_is(type->text, "cloud")))
		r->config->is_controlled = str_is(type->text, "local");
	else
		sweep_reader_error(r, type ? type : v, STR("controller.type"),
				   "expected \"local\" or \"cloud\"");
}

static void read_retry(struct sweep_reader *r, const struct sweep_value *v)
{
	static const char *const names[] = { "times", "other_host", NULL };

	if (v->kind != SWEEP_OBJECT) {
		sweep_reader_error(r, v, STR("retry"),
				   "expected an object with \"times\" and \"other_host\", not %s",
				   shown(r, v));
		return;
	}
	sweep_reader_check_names(r, v, STR("retry"), names, "retry");
	sweep_reader_whole(r, v, "times", STR("retry"), 0, SWEEP_RETRY_MAX,
			   &r->config->retry_times);
	sweep_reader_bool(r, v, "other_host", STR("retry"), &r->config->retry_other_host);
}

static void read_sections(struct sweep_reader *r, const struct sweep_value *root)
{
	static const struct {
		const char *name;
		void (*read)(struct sweep_reader *r, const struct sweep_value *v);
	} sections[] = { { "metric", read_metric },
			 { "controller", read_controller },
			 { "early_terminate", read_early_terminate },
			 { "command", read_command },
			 { "retry", read_retry },
			 { "parameters", sweep_reader_parameters } };

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		const struct sweep_value *v = sweep_value_get_named(root, sections[i].name);

		if (v && v->kind != SWEEP_NULL)
			sections[i].read(r, v);
	}
}

static void read_place(struct sweep_reader *r, const struct sweep_value *root, const char *name,
		       struct sweep_place *place)
{
	const struct sweep_value *v = sweep_value_get_named(root, name);

	read_text(r, root, name, STR(""), &place->name);
	if (v) {
		place->line = v->line;
		place->column = v->column;
	}
}

static void read_root(struct sweep_reader *r, const struct sweep_value *root)
{
	static const char *const names[] = {
		"method",        "parameters", "metric",  "metrics",   "early_terminate",
		"run_cap",       "command",    "program", "name",      "description",
		"entity",        "project",    "job",     "image_uri", "controller",
		"scheduler",     "apiVersion", "kind",    "seed",      "retry",
		"host_failures", "repeat",     NULL
	};
	struct sweep_config *c = r->config;

	sweep_reader_check_names(r, root, STR(""), names, "a sweep");
	read_text(r, root, "name", STR(""), &c->name);
	read_text(r, root, "description", STR(""), &c->description);
	read_text(r, root, "program", STR(""), &c->program);
	read_place(r, root, "entity", &c->entity);
	read_place(r, root, "project", &c->project);
	sweep_reader_whole(r, root, "run_cap", STR(""), 1, SWEEP_INT_MAX, &c->run_cap);
	sweep_reader_whole(r, root, "host_failures", STR(""), 0, HOST_FAILURES_MAX,
			   &c->host_failures);
	c->has_seed = sweep_reader_whole(r, root, "seed", STR(""), -SWEEP_INT_MAX, SWEEP_INT_MAX,
					 &c->seed);
	sweep_reader_bool(r, root, "repeat", STR(""), &c->repeat);
	read_sections(r, root);
	read_method(r, root);
}

/* ---- what the method asks ---------------------------------------------------------------------------------- */

/* One whose kind is wrong has its error already. */
static bool is_of_grid(const struct sweep_parameter *p)
{
	if (!p->kind)
		return true;
	return p->kind == SWEEP_CONSTANT || p->kind == SWEEP_INT_UNIFORM ||
	       p->kind == SWEEP_Q_UNIFORM || (p->kind == SWEEP_CATEGORICAL && !p->probabilities);
}

/* Whether each step is a number of its own. */
static bool has_distinct_steps(const struct sweep_parameter *p)
{
	return fmax(fabs(p->min), fabs(p->max)) / p->q <= SWEEP_STEPS_MAX;
}

static void check_grid(struct sweep_reader *r)
{
	const struct sweep_config *c = r->config;

	for (size_t i = 0; i < c->parameter_count; i++) {
		const struct sweep_parameter *p = &c->parameters[i];
		const struct sweep_value at = { .line = p->line, .column = p->column };

		if (p->kind == SWEEP_Q_UNIFORM && !has_distinct_steps(p))
			sweep_reader_error(r, &at, sweep_reader_path(r, STR("parameters"), p->name),
					   "more than 2^52 steps: q is too small");
		if (!is_of_grid(p))
			sweep_reader_error(
				r, &at, sweep_reader_path(r, STR("parameters"), p->name),
				"a grid cannot have %s%s: use values, int_uniform or q_uniform",
				sweep_distribution_name(p->kind),
				p->probabilities ? " with probabilities" : "");
	}
	if (!r->faults->has_error &&
	    sweep_space_count(sweep_space_new(r->arena, c)) == SWEEP_COUNT_MAX)
		sweep_reader_error(
			r, NULL, STR("parameters"),
			"the grid has more than 2^62 points, or its conditions are too many to count them: use method random");
}

static void check_search(struct sweep_reader *r, const struct sweep_value *root)
{
	const struct sweep_config *c = r->config;
	size_t searched = 0;

	for (size_t i = 0; i < c->parameter_count; i++)
		searched += sweep_parameter_is_searched(&c->parameters[i]);
	if (searched > SWEEP_SEARCHED_MAX)
		sweep_reader_error(r, root, STR("parameters"),
				   "method %s searches at most %d parameters, not %zu",
				   sweep_method_name(c->method), SWEEP_SEARCHED_MAX, searched);
	if (c->parameter_count && !c->metric.name.len)
		sweep_reader_error(r, root, STR("metric"),
				   "method %s needs \"metric\" with the name of what runs log",
				   sweep_method_name(c->method));
}

static void check_method(struct sweep_reader *r, const struct sweep_value *root)
{
	const struct sweep_config *c = r->config;

	if (!c->parameter_count && !c->is_controlled && c->method != SWEEP_CUSTOM &&
	    !r->faults->has_error)
		sweep_reader_warn(r, root, STR("parameters"),
				  "missing: a sweep without parameters has no trials");
	if (c->is_controlled)
		return;
	if (c->method == SWEEP_GRID)
		check_grid(r);
	if (c->method == SWEEP_BAYES || c->method == SWEEP_TPE)
		check_search(r, root);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static err_t read_value(struct arena *a, struct str text, struct sweep_faults *faults,
			const struct sweep_value **ret_value)
{
	if (str_starts(str_trim(text), "{") && !sweep_value_read_json(a, text, ret_value))
		return NULL;
	return sweep_yaml_read(a, text, ret_value, faults);
}

err_t sweep_config_read(struct arena *a, struct str text, const struct sweep_config **ret_config,
			struct sweep_faults *ret_faults)
{
	struct sweep_config *c = arena_new_of(a, struct sweep_config);
	struct sweep_reader r = { .arena = a, .faults = ret_faults, .config = c };
	err_t e;

	*ret_faults = (struct sweep_faults){ 0 };
	e = read_value(a, text, ret_faults, &c->document);
	if (e)
		return e;
	c->metric = (struct sweep_metric){ .goal = SWEEP_MINIMIZE, .impute = SWEEP_IMPUTE_WORST };
	c->retry_times = SWEEP_RETRY_TIMES;
	c->retry_other_host = true;
	c->host_failures = SWEEP_HOST_FAILURES;
	if (c->document->kind != SWEEP_OBJECT) {
		sweep_reader_error(&r, c->document, STR(""),
				   "expected an object with \"method\" and \"parameters\", not %s",
				   sweep_kind_name(c->document->kind));
		return sweep_faults_error(a, ret_faults);
	}
	read_root(&r, c->document);
	check_method(&r, c->document);
	if (ret_faults->has_error)
		return sweep_faults_error(a, ret_faults);
	*ret_config = c;
	return NULL;
}
