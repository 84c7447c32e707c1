/* One parameter of a config: its kind, by its keys or its "distribution", and the numbers of that. */
#include <math.h>
#include <string.h>

#include "arena.h"
#include "sweep_config_reader.h"

#define BETA_MAX 1e6
/* Draws are within 9 standard deviations: the inverse at 2^-53 is -8.2. */
#define DEVIATIONS 9
#define EXPONENT_MAX 709

/* Keys that a kind has. */
enum {
	HAS_BOUNDS = 1,
	HAS_Q = 2,
	HAS_NORMAL = 4, /* mu, sigma */
	HAS_BETA = 8,   /* a, b */
	IS_LOG = 16,    /* bounds are exponents of e */
	ARE_LIMITS = 32 /* of a logarithmic kind: the bounds are above 0 */
};
static const struct {
	const char *name;
	unsigned has;
} kinds[] = {
	[SWEEP_Q_BETA] = { "q_beta", HAS_BETA | HAS_Q },
	[SWEEP_BETA] = { "beta", HAS_BETA },
	[SWEEP_CATEGORICAL] = { "categorical", 0 },
	[SWEEP_INT_UNIFORM] = { "int_uniform", HAS_BOUNDS },
	[SWEEP_UNIFORM] = { "uniform", HAS_BOUNDS },
	[SWEEP_LOG_NORMAL] = { "log_normal", HAS_NORMAL },
	[SWEEP_LOG_UNIFORM] = { "log_uniform", HAS_BOUNDS | IS_LOG },
	[SWEEP_INV_LOG_UNIFORM] = { "inv_log_uniform", HAS_BOUNDS | IS_LOG },
	[SWEEP_NORMAL] = { "normal", HAS_NORMAL },
	[SWEEP_Q_LOG_NORMAL] = { "q_log_normal", HAS_NORMAL | HAS_Q },
	[SWEEP_Q_LOG_UNIFORM] = { "q_log_uniform", HAS_BOUNDS | HAS_Q | IS_LOG },
	[SWEEP_Q_NORMAL] = { "q_normal", HAS_NORMAL | HAS_Q },
	[SWEEP_Q_UNIFORM] = { "q_uniform", HAS_BOUNDS | HAS_Q },
	[SWEEP_CONSTANT] = { "constant", 0 },
	[SWEEP_INV_LOG_UNIFORM_VALUES] = { "inv_log_uniform_values", HAS_BOUNDS | ARE_LIMITS },
	[SWEEP_LOG_UNIFORM_VALUES] = { "log_uniform_values", HAS_BOUNDS | ARE_LIMITS },
	[SWEEP_Q_LOG_UNIFORM_VALUES] = { "q_log_uniform_values", HAS_BOUNDS | HAS_Q | ARE_LIMITS },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* A parameter that is being read. */
struct source {
	struct sweep_reader *r;
	const struct sweep_value *object;
	struct str path;
};

const char *sweep_distribution_name(enum sweep_distribution kind)
{
	return kinds[kind].name;
}

bool sweep_parameter_is_searched(const struct sweep_parameter *p)
{
	return p->kind != SWEEP_CONSTANT;
}

static const struct sweep_value *get(const struct source *s, const char *name)
{
	return sweep_value_get_named(s->object, name);
}

static struct str path_of(const struct source *s, const char *name)
{
	return sweep_reader_path(s->r, s->path, str_of(name));
}

/* ---- the kind ----------------------------------------------------------------------------------------------- */

static enum sweep_distribution kind_of_keys(const struct source *s)
{
	const struct sweep_value *min = get(s, "min");
	const struct sweep_value *max = get(s, "max");

	if (get(s, "values"))
		return SWEEP_CATEGORICAL;
	if (get(s, "value"))
		return SWEEP_CONSTANT;
	if (min && max)
		return min->kind == SWEEP_INT && max->kind == SWEEP_INT ? SWEEP_INT_UNIFORM
									: SWEEP_UNIFORM;
	sweep_reader_error(
		s->r, s->object, s->path,
		"expected \"value\", \"values\", \"min\" and \"max\", \"distribution\" or \"parameters\"");
	return 0;
}

/* 0: a fault was noted. */
static enum sweep_distribution kind_of(const struct source *s)
{
	const struct sweep_value *v = get(s, "distribution");

	if (!v)
		return kind_of_keys(s);
	if (v->kind == SWEEP_TEXT) {
		if (str_is(v->text, "categorical_w_probabilities"))
			return SWEEP_CATEGORICAL;
		for (unsigned i = 1; i < KINDS; i++)
			if (str_is(v->text, kinds[i].name))
				return (enum sweep_distribution)i;
		sweep_reader_error(s->r, v, path_of(s, "distribution"),
				   "unknown distribution \"%.*s\"",
				   STR_ARG(str_head(v->text, 100)));
	} else {
		sweep_reader_error(s->r, v, path_of(s, "distribution"),
				   "expected the name of a distribution, not %s",
				   sweep_kind_name(v->kind));
	}
	return 0;
}

/* Keys that the kind does not have. */
static void check_keys(const struct source *s, const struct sweep_parameter *p)
{
	const char *names[8];
	unsigned has = kinds[p->kind].has;
	size_t n = 0;

	names[n++] = "distribution";
	names[n++] = "when";
	if (p->kind == SWEEP_CONSTANT)
		names[n++] = "value";
	if (p->kind == SWEEP_CATEGORICAL) {
		names[n++] = "values";
		names[n++] = "probabilities";
	}
	if (has & HAS_BOUNDS) {
		names[n++] = "min";
		names[n++] = "max";
	}
	if (has & (HAS_NORMAL | HAS_BETA)) {
		names[n++] = has & HAS_NORMAL ? "mu" : "a";
		names[n++] = has & HAS_NORMAL ? "sigma" : "b";
	}
	if (has & HAS_Q)
		names[n++] = "q";
	names[n] = NULL;
	sweep_reader_check_names(s->r, s->object, s->path, names, kinds[p->kind].name);
}

/* ---- lists of values ------------------------------------------------------------------------------------------ */

static bool read_probability(const struct source *s, const struct sweep_value *v,
			     double *ret_probability)
{
	if (sweep_value_number(v, ret_probability) && *ret_probability >= 0 &&
	    isfinite(*ret_probability))
		return true;
	sweep_reader_error(s->r, v, path_of(s, "probabilities"),
			   "expected numbers that are not negative");
	return false;
}

static void read_probabilities(const struct source *s, const struct sweep_value *v,
			       struct sweep_parameter *p)
{
	struct str path = path_of(s, "probabilities");
	double *probabilities;
	double sum = 0;

	if (v->kind != SWEEP_LIST || v->list.count != p->value_count) {
		sweep_reader_error(s->r, v, path,
				   "expected a list of %zu numbers, one for each value",
				   p->value_count);
		return;
	}
	probabilities = arena_new_array(s->r->arena, double, p->value_count);
	for (size_t i = 0; i < p->value_count; i++) {
		if (!read_probability(s, &v->list.items[i], &probabilities[i]))
			return;
		sum += probabilities[i];
	}
	if (!(fabs(sum - 1) <= 1e-5)) {
		sweep_reader_error(s->r, v, path, "the sum is %g, not 1", sum);
		return;
	}
	for (size_t i = 0; i < p->value_count; i++)
		probabilities[i] /= sum;
	p->probabilities = probabilities;
}

static void read_values(const struct source *s, struct sweep_parameter *p)
{
	const struct sweep_value *v = get(s, "values");
	const struct sweep_value *probabilities = get(s, "probabilities");

	if (!v || v->kind != SWEEP_LIST || !v->list.count) {
		sweep_reader_error(s->r, v ? v : s->object, path_of(s, "values"),
				   "expected a list of at least one value");
		return;
	}
	if (v->list.count > SWEEP_PARAMETER_VALUES_MAX) {
		sweep_reader_error(s->r, v, path_of(s, "values"), "more than %d values",
				   SWEEP_PARAMETER_VALUES_MAX);
		return;
	}
	p->values = v->list.items;
	p->value_count = v->list.count;
	if (probabilities)
		read_probabilities(s, probabilities, p);
}

static void read_constant(const struct source *s, struct sweep_parameter *p)
{
	p->values = get(s, "value");
	p->value_count = 1;
	if (!p->values)
		sweep_reader_error(s->r, s->object, path_of(s, "value"), "missing");
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool is_int(const struct source *s, const char *name)
{
	const struct sweep_value *v = get(s, name);

	return !v || v->kind == SWEEP_INT;
}

/* For int_uniform: integers that are exact in a double. */
static void check_whole_bounds(const struct source *s, struct sweep_parameter *p)
{
	if (!p->is_int)
		sweep_reader_error(s->r, s->object, s->path,
				   "int_uniform needs integers for \"min\" and \"max\"");
	else if (p->whole_min < -SWEEP_INT_MAX || p->whole_max > SWEEP_INT_MAX)
		sweep_reader_error(s->r, s->object, s->path,
				   "integers beyond 2^53: use values or uniform");
}

static void check_log_bounds(const struct source *s, const struct sweep_parameter *p)
{
	unsigned has = kinds[p->kind].has;

	if (has & IS_LOG) {
		sweep_reader_warn(
			s->r, s->object, s->path,
			"min and max of %s are exponents of e: use %s_values to give the limits themselves",
			kinds[p->kind].name, kinds[p->kind].name);
		if (p->min < -EXPONENT_MAX || p->max > EXPONENT_MAX)
			sweep_reader_error(s->r, s->object, s->path,
					   "exponents of e must be from -%d to %d", EXPONENT_MAX,
					   EXPONENT_MAX);
	}
	if (has & ARE_LIMITS && !(p->min > 0))
		sweep_reader_error(s->r, get(s, "min"), path_of(s, "min"),
				   "must be greater than 0");
}

static void read_bounds(const struct source *s, struct sweep_parameter *p)
{
	static const char *const names[] = { "min", "max" };
	double bounds[2];

	for (int i = 0; i < 2; i++) {
		if (!get(s, names[i]))
			sweep_reader_error(s->r, s->object, path_of(s, names[i]), "missing");
		if (!sweep_reader_number(s->r, s->object, names[i], s->path, &bounds[i]))
			return;
	}
	p->min = bounds[0];
	p->max = bounds[1];
	p->is_int = is_int(s, "min") && is_int(s, "max");
	if (p->is_int) {
		p->whole_min = get(s, "min")->whole;
		p->whole_max = get(s, "max")->whole;
	}
	if (!(p->min < p->max))
		sweep_reader_error(s->r, get(s, "min"), s->path, "min must be less than max");
	else if (p->kind == SWEEP_INT_UNIFORM)
		check_whole_bounds(s, p);
	else
		check_log_bounds(s, p);
}

static void read_q(const struct source *s, struct sweep_parameter *p)
{
	p->q = 1;
	sweep_reader_number(s->r, s->object, "q", s->path, &p->q);
	/* the default is 1.0 */
	p->q_is_int = get(s, "q") && is_int(s, "q");
	p->is_int = p->is_int && p->q_is_int;
	if (!(p->q > 0))
		sweep_reader_error(s->r, get(s, "q"), path_of(s, "q"), "must be greater than 0");
}

static void read_normal(const struct source *s, struct sweep_parameter *p)
{
	bool is_log = p->kind == SWEEP_LOG_NORMAL || p->kind == SWEEP_Q_LOG_NORMAL;
	double end;

	p->sigma = 1;
	sweep_reader_number(s->r, s->object, "mu", s->path, &p->mu);
	sweep_reader_number(s->r, s->object, "sigma", s->path, &p->sigma);
	end = fabs(p->mu) + DEVIATIONS * p->sigma;
	if (p->sigma < 0)
		sweep_reader_error(s->r, get(s, "sigma"), path_of(s, "sigma"),
				   "must not be negative");
	else if (!isfinite(end) || (is_log && end > EXPONENT_MAX))
		sweep_reader_error(s->r, s->object, s->path,
				   "mu and sigma give numbers that are too large");
}

static void read_beta(const struct source *s, struct sweep_parameter *p)
{
	static const char *const names[] = { "a", "b" };
	double *members[] = { &p->a, &p->b };

	for (int i = 0; i < 2; i++) {
		*members[i] = 1;
		sweep_reader_number(s->r, s->object, names[i], s->path, members[i]);
		if (!(*members[i] > 0 && *members[i] <= BETA_MAX))
			sweep_reader_error(s->r, get(s, names[i]), path_of(s, names[i]),
					   "must be greater than 0, and at most %g", BETA_MAX);
	}
}

void sweep_reader_parameter(struct sweep_reader *r, const struct sweep_value *object,
			    struct str path, struct sweep_parameter *p)
{
	const struct source s = { r, object, path };
	unsigned has;

	p->kind = kind_of(&s);
	if (!p->kind)
		return;
	has = kinds[p->kind].has;
	check_keys(&s, p);
	if (p->kind == SWEEP_CONSTANT)
		read_constant(&s, p);
	if (p->kind == SWEEP_CATEGORICAL)
		read_values(&s, p);
	if (has & HAS_BOUNDS)
		read_bounds(&s, p);
	if (has & HAS_NORMAL)
		read_normal(&s, p);
	if (has & HAS_BETA)
		read_beta(&s, p);
	if (has & HAS_Q)
		read_q(&s, p);
}
