#include "sweep_sample.h"

#include <math.h>
#include <stdlib.h>

#include "arena.h"
#include "sweep_dimension.h"
#include "sweep_next.h"
#include "sweep_space.h"

struct making {
	const struct sweep_space *s;
	const struct sweep_config *config;
	const struct sweep_trial_fact *trials;
	size_t count;
	struct sweep_value *values; /* room for the values of a trial, */
	bool *has;                  /* and for whether its point has the parameter */
	double worst;               /* of all trials that ended, as a cost */
	const int64_t *retried;     /* trials that were given again, ascending */
	size_t retried_count;
};

/* ---- results ----------------------------------------------------------------------------------------------------- */

static bool has_ended(const struct sweep_trial_fact *t)
{
	return t->state == SWEEP_TRIAL_FINISHED || t->state == SWEEP_TRIAL_FAILED ||
	       t->state == SWEEP_TRIAL_CRASHED || t->state == SWEEP_TRIAL_KILLED ||
	       t->state == SWEEP_TRIAL_LOST;
}

static bool has_results(const struct sweep_trial_fact *t)
{
	return isfinite(t->min) || isfinite(t->max) || isfinite(t->summary);
}

/* The least or greatest of history and summary, as a cost; NaN: the trial has none. */
static double extreme_cost(const struct making *m, const struct sweep_trial_fact *t, bool is_best)
{
	enum sweep_goal goal = m->config->metric.goal;
	double history = sweep_cost(goal, (goal == SWEEP_MINIMIZE) == is_best ? t->min : t->max);
	double summary = sweep_cost(goal, t->summary);

	if (!isfinite(history))
		return isfinite(summary) ? summary : NAN;
	if (!isfinite(summary))
		return history;
	return is_best ? fmin(history, summary) : fmax(history, summary);
}

static double worst_of_all(const struct making *m)
{
	double worst = -INFINITY;

	for (size_t i = 0; i < m->count; i++) {
		double own = has_ended(&m->trials[i]) ? extreme_cost(m, &m->trials[i], false) : NAN;

		if (own > worst)
			worst = own;
	}
	return isfinite(worst) ? worst : 0;
}

static double imputed(const struct making *m, const struct sweep_trial_fact *t,
		      enum sweep_impute rule)
{
	double own;

	if (rule == SWEEP_IMPUTE_BEST)
		own = extreme_cost(m, t, true);
	else if (rule == SWEEP_IMPUTE_LATEST)
		own = sweep_cost(m->config->metric.goal, t->latest);
	else
		return m->worst;
	return isfinite(own) ? own : 0;
}

/* False: it has no result yet. */
static bool result_of(const struct making *m, const struct sweep_trial_fact *t, double *ret_y)
{
	const struct sweep_metric *metric = &m->config->metric;
	enum sweep_impute rule = t->state == SWEEP_TRIAL_RUNNING ? metric->impute_running
								 : metric->impute;
	bool is_own = t->state == SWEEP_TRIAL_FINISHED || t->state == SWEEP_TRIAL_RUNNING;
	double best = is_own ? extreme_cost(m, t, true) : NAN;

	if (!has_ended(t) && (t->state != SWEEP_TRIAL_RUNNING || rule == SWEEP_IMPUTE_NONE))
		return false;
	*ret_y = isfinite(best) ? best : imputed(m, t, rule);
	return true;
}

/* ---- coordinates -------------------------------------------------------------------------------------------------- */

/* A parameter that the trial should have and does not: wandb takes 0, or the first value. */
static double coordinate_of_missing(const struct sweep_parameter *p)
{
	const struct sweep_value zero = { .kind = SWEEP_INT };
	double x = 0;

	sweep_parameter_cdf(p, p->kind == SWEEP_CATEGORICAL ? &p->values[0] : &zero, &x);
	return x;
}

static bool read_coordinates(const struct making *m, const struct sweep_trial_fact *t, double *x)
{
	const struct sweep_value none = { .kind = SWEEP_OBJECT };

	sweep_space_find(m->s, t->params ? t->params : &none, m->values);
	sweep_space_parts(m->s, m->values, m->has);
	for (size_t i = 0; i < sweep_space_dimensions(m->s); i++) {
		size_t parameter = sweep_space_parameter(m->s, i);
		const struct sweep_parameter *p = &m->config->parameters[parameter];

		if (!m->has[parameter])
			x[i] = NAN;
		else if (m->values[parameter].kind == SWEEP_ABSENT)
			x[i] = coordinate_of_missing(p);
		else if (!sweep_parameter_cdf(p, &m->values[parameter], &x[i]))
			return false;
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x;
	int64_t b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

const int64_t *sweep_retried(struct arena *a, const struct sweep_trial_fact *trials, size_t count,
			     size_t *ret_count)
{
	int64_t *retried = arena_new_array(a, int64_t, count + 1);
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (trials[i].retry_of && trials[i].state != SWEEP_TRIAL_DELETED)
			retried[n++] = trials[i].retry_of;
	qsort(retried, n, sizeof(*retried), by_number);
	*ret_count = n;
	return retried;
}

bool sweep_is_retried(const int64_t *retried, size_t count, int64_t trial)
{
	return bsearch(&trial, retried, count, sizeof(trial), by_number) != NULL;
}

static bool is_used(const struct making *m, const struct sweep_trial_fact *t)
{
	bool is_unread = t->source == SWEEP_SOURCE_PRIOR && t->state == SWEEP_TRIAL_HANDED_OUT;

	if (t->state == SWEEP_TRIAL_DELETED || (t->state == SWEEP_TRIAL_LOST && !has_results(t)))
		return false;
	if (is_unread)
		return false;
	return !sweep_is_retried(m->retried, m->retried_count, t->trial);
}

static void fill(const struct making *m, double *x, double *y, double *pending_x,
		 struct sweep_samples *ret)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct sweep_trial_fact *t = &m->trials[i];
		bool has_result;

		if (!is_used(m, t))
			continue;
		has_result = result_of(m, t, &y[ret->count]);
		if (!read_coordinates(m, t,
				      has_result ? x + ret->count * ret->dimensions
						 : pending_x + ret->pending * ret->dimensions))
			ret->skipped++;
		else if (has_result)
			ret->count++;
		else
			ret->pending++;
	}
}

void sweep_samples_make(struct arena *a, const struct sweep_space *s,
			const struct sweep_trial_fact *trials, size_t count,
			struct sweep_samples *ret_samples)
{
	const struct sweep_config *c = sweep_space_config(s);
	struct making m = { .s = s, .config = c, .trials = trials, .count = count };
	struct sweep_samples samples = { 0 };
	double *x, *y, *pending_x;

	samples.dimension = sweep_dimensions_make(a, c, &samples.dimensions);
	x = arena_alloc(a, (count + 1) * (samples.dimensions + 1) * sizeof(*x));
	pending_x = arena_alloc(a, (count + 1) * (samples.dimensions + 1) * sizeof(*x));
	y = arena_alloc(a, (count + 1) * sizeof(*y));
	samples.x = x;
	samples.pending_x = pending_x;
	samples.y = y;
	m.values = arena_new_array(a, struct sweep_value, c->parameter_count + 1);
	m.has = arena_new_array(a, bool, c->parameter_count + 1);
	m.worst = worst_of_all(&m);
	m.retried = sweep_retried(a, trials, count, &m.retried_count);
	fill(&m, x, y, pending_x, &samples);
	*ret_samples = samples;
}
