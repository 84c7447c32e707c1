#include "sweep_next.h"

#include <stdlib.h>

#include "arena.h"
#include "sweep_bayes.h"
#include "sweep_draw.h"
#include "sweep_grid.h"
#include "sweep_sample.h"
#include "sweep_tpe.h"
#include "sweep_value.h"

/* Draws in a finite space until one is free; then the nearest free point is taken. */
enum { DRAWS_MAX = 64 };

struct asking {
	struct arena *arena;
	const struct sweep_config *config;
	const struct sweep_space *space;
	const struct sweep_trial_fact *trials;
	size_t count;
	const struct sweep_asked *asked;
	const int64_t *retried;
	size_t retried_count;
	bool is_withheld; /* a point waits for another host */
	/* Points that are not to be given, ascending, each once. */
	int64_t *taken;
	size_t taken_count;
	struct sweep_value *values; /* of the suggestion */
	struct sweep_suggestion *ret;
};

static void answer(struct sweep_suggestion *ret, enum sweep_next_kind kind, const char *why)
{
	*ret = (struct sweep_suggestion){
		.kind = kind, .why = why, .point = SWEEP_POINT_NONE, .tries = 1
	};
}

/* ---- ends ---------------------------------------------------------------------------------------------------------- */

static bool has_reached(const struct sweep_metric *m, const struct sweep_trial_fact *t)
{
	double best = m->goal == SWEEP_MAXIMIZE ? t->max : t->min;
	double target = sweep_cost(m->goal, m->target);

	return sweep_cost(m->goal, best) <= target || sweep_cost(m->goal, t->summary) <= target;
}

/* Agents can be given such a trial again: it may be lost or preempted, or it was preempted. */
static bool may_come_back(const struct sweep_trial_fact *t)
{
	return (t->state == SWEEP_TRIAL_HANDED_OUT || t->state == SWEEP_TRIAL_RUNNING ||
		t->state == SWEEP_TRIAL_PREEMPTED) &&
	       t->source != SWEEP_SOURCE_JOINED && t->source != SWEEP_SOURCE_PRIOR;
}

struct ending {
	const char *why; /* NULL: it does not end */
	bool is_at_cap;  /* and waits for trials that may come back */
};

/* A canceled trial that is tried again does not count. */
static bool is_counted(const struct sweep_trial_fact *t, const int64_t *retried,
		       size_t retried_count)
{
	return t->state != SWEEP_TRIAL_LOST &&
	       !(t->state == SWEEP_TRIAL_KILLED &&
		 sweep_is_retried(retried, retried_count, t->trial));
}

static struct ending ending_of(struct arena *a, const struct sweep_config *c,
			       const struct sweep_trial_fact *trials, size_t count)
{
	size_t retried_count;
	const int64_t *retried = sweep_retried(a, trials, count, &retried_count);
	bool has_open = false;
	int64_t runs = 0;

	for (size_t i = 0; i < count; i++) {
		if (trials[i].state == SWEEP_TRIAL_DELETED ||
		    trials[i].source == SWEEP_SOURCE_PRIOR)
			continue;
		if (c->metric.has_target && has_reached(&c->metric, &trials[i]))
			return (struct ending){ .why = "target" };
		runs += is_counted(&trials[i], retried, retried_count);
		has_open |= may_come_back(&trials[i]);
	}
	if (!c->run_cap || runs < c->run_cap)
		return (struct ending){ .why = NULL };
	return (struct ending){ has_open ? NULL : "run_cap", has_open };
}

const char *sweep_end_reason(struct arena *a, const struct sweep_config *c,
			     const struct sweep_trial_fact *trials, size_t count)
{
	return ending_of(a, c, trials, count).why;
}

/* ---- points that failed ------------------------------------------------------------------------------------------------ */

static int64_t point_of(const struct asking *q, const struct sweep_trial_fact *t)
{
	if (t->point != SWEEP_POINT_NONE && sweep_space_from(q->space, t->point) == t->point)
		return t->point;
	return t->params ? sweep_space_point_of(q->space, t->params) : SWEEP_POINT_NONE;
}

/* A trial whose point may be given again if it fails. */
static bool has_tries_left(const struct asking *q, const struct sweep_trial_fact *t)
{
	return (t->source == SWEEP_SOURCE_SEARCH || t->source == SWEEP_SOURCE_HAND) &&
	       t->tries <= q->config->retry_times && t->params;
}

static bool is_to_retry(const struct asking *q, const struct sweep_trial_fact *t)
{
	if (t->state != SWEEP_TRIAL_FAILED && t->state != SWEEP_TRIAL_CRASHED &&
	    t->state != SWEEP_TRIAL_LOST)
		return false;
	if (!has_tries_left(q, t) || sweep_is_retried(q->retried, q->retried_count, t->trial))
		return false;
	/* not one that an edited config no longer has */
	return !sweep_space_has_points(q->space) || point_of(q, t) != SWEEP_POINT_NONE ||
	       t->source == SWEEP_SOURCE_HAND;
}

static bool is_for_another_host(const struct asking *q, const struct sweep_trial_fact *t)
{
	return q->config->retry_other_host && !q->asked->is_only_host && t->host.len &&
	       str_equal(t->host, q->asked->host);
}

static bool retry(struct asking *q)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct sweep_trial_fact *t = &q->trials[i];

		if (!is_to_retry(q, t))
			continue;
		if (is_for_another_host(q, t)) {
			q->is_withheld = true;
			continue;
		}
		answer(q->ret, SWEEP_NEXT_TRIAL, NULL);
		q->ret->params = sweep_value_dump(q->arena, t->params);
		q->ret->point = sweep_space_has_points(q->space) ? point_of(q, t)
								 : SWEEP_POINT_NONE;
		q->ret->retry_of = t->trial;
		q->ret->tries = t->tries + 1;
		return true;
	}
	return false;
}

/* ---- points that are taken ---------------------------------------------------------------------------------------------- */

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x;
	int64_t b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

/* All points of trials, ascending; a point as often as it has trials, but a trial and those that tried its point again are one. */
static void find_taken(struct asking *q)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct sweep_trial_fact *t = &q->trials[i];
		int64_t point = SWEEP_POINT_NONE;

		if (t->state != SWEEP_TRIAL_DELETED &&
		    !sweep_is_retried(q->retried, q->retried_count, t->trial))
			point = point_of(q, t);
		if (point != SWEEP_POINT_NONE)
			q->taken[q->taken_count++] = point;
	}
	qsort(q->taken, q->taken_count, sizeof(*q->taken), by_number);
}

/* Keeps those that are there more than `round` times, once. */
static void keep_above(struct asking *q, size_t round)
{
	size_t kept = 0;

	for (size_t i = 0, next; i < q->taken_count; i = next) {
		for (next = i + 1; next < q->taken_count && q->taken[next] == q->taken[i];)
			next++;
		if (next - i > round)
			q->taken[kept++] = q->taken[i];
	}
	q->taken_count = kept;
}

/* When all points were given n times, those are taken that were given more often. */
static void keep_round(struct asking *q)
{
	size_t distinct = 0;
	size_t least = SIZE_MAX;

	for (size_t i = 0, next; i < q->taken_count; i = next) {
		for (next = i + 1; next < q->taken_count && q->taken[next] == q->taken[i];)
			next++;
		least = next - i < least ? next - i : least;
		distinct++;
	}
	keep_above(q, (int64_t)distinct >= sweep_space_count(q->space) ? least : 0);
}

static bool is_taken(const struct asking *q, int64_t point)
{
	return bsearch(&point, q->taken, q->taken_count, sizeof(point), by_number) != NULL;
}

/* ---- methods --------------------------------------------------------------------------------------------------------------- */

static void give(struct asking *q, int64_t point, const char *note)
{
	answer(q->ret, SWEEP_NEXT_TRIAL, NULL);
	q->ret->params = sweep_space_params(q->arena, q->space, q->values);
	q->ret->point = point;
	q->ret->note = str_of(note);
}

static void give_point(struct asking *q, int64_t point, const char *note)
{
	sweep_space_values(q->space, point, q->values);
	give(q, point, note);
}

static bool may_be_given_again(const struct asking *q)
{
	for (size_t i = 0; i < q->count; i++) {
		const struct sweep_trial_fact *t = &q->trials[i];
		bool is_open = t->state == SWEEP_TRIAL_HANDED_OUT ||
			       t->state == SWEEP_TRIAL_RUNNING;

		if (is_open && has_tries_left(q, t))
			return true;
		if (t->state == SWEEP_TRIAL_PREEMPTED && may_come_back(t))
			return true;
	}
	return false;
}

static void next_of_grid(struct asking *q)
{
	int64_t point;

	find_taken(q);
	point = sweep_grid_next(q->space, q->taken, q->taken_count);
	if (point != SWEEP_POINT_NONE)
		give_point(q, point, NULL);
	else if (q->is_withheld)
		answer(q->ret, SWEEP_NEXT_WAIT,
		       "the points that are left failed on this host, and are for others");
	else if (may_be_given_again(q))
		answer(q->ret, SWEEP_NEXT_WAIT,
		       "all points of the grid were given, and some of them may fail");
	else
		answer(q->ret, SWEEP_NEXT_ENDED, "all points of the grid were tried");
}

/* Coordinates by the method; further calls draw at random. */
static const char *search(struct asking *q, struct sweep_draw *draw, double *u)
{
	struct sweep_samples samples;
	const char *note = NULL;

	if (q->config->method == SWEEP_RANDOM || !sweep_space_dimensions(q->space)) {
		for (size_t i = 0; i < sweep_space_dimensions(q->space); i++)
			u[i] = sweep_draw_unit(draw);
		return NULL;
	}
	sweep_samples_make(q->arena, q->space, q->trials, q->count, &samples);
	if (q->config->method == SWEEP_BAYES)
		sweep_bayes_next(q->arena, &samples, draw, u, &note);
	else
		sweep_tpe_next(q->arena, &samples, draw, u, &note);
	return note;
}

static void next_of_search(struct asking *q)
{
	struct sweep_draw draw = sweep_draw_begin(q->asked->seed, q->asked->trial);
	double *u = arena_new_array(q->arena, double, sweep_space_dimensions(q->space) + 1);
	bool is_random = q->config->method == SWEEP_RANDOM;
	int64_t point = SWEEP_POINT_NONE;
	int64_t nearest;
	const char *note = NULL;

	if (sweep_space_has_points(q->space) && !q->config->repeat) {
		find_taken(q);
		keep_round(q);
	}
	for (int i = 0; i < (is_random ? DRAWS_MAX : 1); i++) {
		note = search(q, &draw, u);
		sweep_space_draw(q->space, u, q->values);
		point = sweep_space_point(q->space, q->values);
		if (point == SWEEP_POINT_NONE || !is_taken(q, point)) {
			give(q, point, note);
			return;
		}
	}
	nearest = sweep_grid_nearest(q->space, q->taken, q->taken_count, point);
	if (nearest == SWEEP_POINT_NONE)
		give(q, point, note); /* all are taken, in a space whose count is not known */
	else
		give_point(q, nearest, note);
}

static const char *why_not(const struct sweep_config *c)
{
	if (c->is_controlled)
		return "trials come from the local controller";
	return c->method == SWEEP_CUSTOM ? "trials of method custom are given by hand" : NULL;
}

err_t sweep_next(struct arena *a, const struct sweep_config *c,
		 const struct sweep_trial_fact *trials, size_t count,
		 const struct sweep_asked *asked, struct sweep_suggestion *ret)
{
	struct asking q = { .arena = a,
			    .config = c,
			    .trials = trials,
			    .count = count,
			    .asked = asked,
			    .ret = ret };
	const struct ending ending = ending_of(a, c, trials, count);

	if (ending.why) {
		answer(ret, SWEEP_NEXT_ENDED, ending.why);
	} else if (ending.is_at_cap) {
		answer(ret, SWEEP_NEXT_WAIT,
		       "run_cap is reached, and some of the trials may be lost");
	} else if (why_not(c)) {
		answer(ret, SWEEP_NEXT_WAIT, why_not(c));
	} else if (!c->parameter_count) {
		answer(ret, SWEEP_NEXT_ENDED, "the config has no parameters");
	} else {
		q.space = sweep_space_new(a, c);
		q.taken = arena_new_array(a, int64_t, count + 1);
		q.values = arena_new_array(a, struct sweep_value, c->parameter_count);
		q.retried = sweep_retried(a, trials, count, &q.retried_count);
		if (retry(&q))
			return NULL;
		if (c->method == SWEEP_GRID)
			next_of_grid(&q);
		else
			next_of_search(&q);
	}
	return NULL;
}
