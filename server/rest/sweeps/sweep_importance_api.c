/* Which parameters matter, by the trials whose values the caller can see. */
#include <math.h>
#include <stdlib.h>

#include "arena.h"
#include "auth.h"
#include "reply.h"
#include "sweep_api.h"
#include "sweep_dimension.h"
#include "sweep_importance.h"
#include "sweep_json.h"
#include "sweep_make.h"
#include "sweep_sample.h"

enum {
	SAMPLES_MAX = 5000,    /* trials: the newest */
	BYTES_MAX = 8 << 20,   /* of their parameters as JSON */
	NUMBERS_MAX = 1000000, /* trials times parameters */
	SCRATCH_BYTES = 64 << 10,
};

struct rank {
	struct str name;
	double importance;
	double correlation; /* NaN: none */
};

/* A trial whose parameters cannot be read is left out. */
static struct sweep_trial_fact *facts_of(struct request *q, const struct sweep_config *c,
					 const struct sweep_trial *trials, size_t count,
					 size_t *ret_count)
{
	struct sweep_trial_fact *facts =
		arena_new_array(q->arena, struct sweep_trial_fact, count + 1);
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct sweep_trial *t = &trials[i];
		const struct sweep_value *params;

		if (isnan(sweep_trial_value(t, c->metric.goal)) ||
		    sweep_value_read_json(q->arena, t->params, &params))
			continue;
		facts[used++] = (struct sweep_trial_fact){
			.trial = t->trial,
			.params = params,
			.point = SWEEP_POINT_NONE,
			.state = SWEEP_TRIAL_FINISHED,
			.source = SWEEP_SOURCE_SEARCH,
			.tries = 1,
			.min = t->lowest,
			.max = t->highest,
			.latest = t->latest,
			.summary = t->summary,
		};
	}
	*ret_count = used;
	return facts;
}

/* Values of a list have an order if they are numbers, and another one than in the list. NaN: no order, or no value. */
static double rank_of(const struct sweep_parameter *p, const struct sweep_dimension *d, double x)
{
	double number;

	if (d->kind != SWEEP_DIMENSION_CATEGORICAL || isnan(x))
		return x;
	return sweep_value_number(
		       &p->values[sweep_dimension_index(d, sweep_dimension_inside(d, x))], &number)
		       ? number
		       : NAN;
}

/* With the metric's own sign: a cost is negated for maximize. */
static double correlation_of(struct request *q, const struct sweep_config *c,
			     const struct sweep_parameter *p, const struct sweep_samples *s,
			     size_t dimension)
{
	struct arena *scratch = arena_new_beside(q->arena, SCRATCH_BYTES);
	double *x = arena_new_array(scratch, double, s->count + 1);
	double *y = arena_new_array(scratch, double, s->count + 1);
	double correlation;

	for (size_t i = 0; i < s->count; i++) {
		x[i] = rank_of(p, &s->dimension[dimension], s->x[i * s->dimensions + dimension]);
		y[i] = sweep_cost(c->metric.goal, s->y[i]);
	}
	correlation = sweep_rank_correlation(scratch, x, y, s->count);
	arena_free(scratch);
	return correlation;
}

static int by_importance(const void *a, const void *b)
{
	const struct rank *x = a;
	const struct rank *y = b;

	if (x->importance != y->importance)
		return x->importance > y->importance ? -1 : 1;
	return str_compare(x->name, y->name);
}

static struct rank *rank_all(struct request *q, const struct sweep_config *c,
			     const struct sweep_samples *s)
{
	const struct sweep_space *space = sweep_space_new(q->arena, c);
	struct rank *ranks = arena_new_array(q->arena, struct rank, s->dimensions + 1);
	double *importance = arena_new_array(q->arena, double, s->dimensions + 1);

	sweep_importance(q->arena, s, importance);
	for (size_t d = 0; d < s->dimensions; d++) {
		const struct sweep_parameter *p = &c->parameters[sweep_space_parameter(space, d)];

		ranks[d] = (struct rank){
			.name = p->name,
			.importance = importance[d],
			.correlation = correlation_of(q, c, p, s, d),
		};
	}
	qsort(ranks, s->dimensions, sizeof(*ranks), by_importance);
	return ranks;
}

static void write_ranks(struct request *q, const struct rank *ranks, size_t count, size_t trials)
{
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_put_int(&o, "trials", (int64_t)trials);
	json_out_key(&o, "parameters");
	json_out_array(&o);
	for (size_t i = 0; i < count; i++) {
		json_out_object(&o);
		json_out_put_text(&o, "name", ranks[i].name);
		json_out_put_finite(&o, "importance", ranks[i].importance);
		json_out_put_finite(&o, "correlation", ranks[i].correlation);
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
}

static int64_t samples_max(struct arena *a, const struct sweep_config *c)
{
	size_t dimensions = sweep_space_dimensions(sweep_space_new(a, c));
	int64_t most = dimensions ? (int64_t)(NUMBERS_MAX / dimensions) : SAMPLES_MAX;

	return most < SAMPLES_MAX ? most : SAMPLES_MAX;
}

err_t sweep_api_importance(struct request *q)
{
	struct sweep_samples_ask ask = {
		.sees_private = access_sees(q->target->sees_private, q->target->visibility,
					    VISIBILITY_PRIVATE),
		.bytes = BYTES_MAX,
	};
	const struct sweep_config *c = NULL;
	const struct sweep_trial_fact *facts;
	struct sweep_samples samples;
	struct sweep_target target;
	struct sweep_trial *trials;
	size_t count;
	err_t e = sweep_api_target(q, &target);

	if (!e)
		e = sweep_read_config(q, target.sweep, &c);
	if (!e) {
		ask.limit = samples_max(q->arena, c);
		e = sweep_store_samples(q->db, target.sweep, &ask, &trials, &count);
	}
	if (e)
		return e;
	facts = facts_of(q, c, trials, count, &count);
	sweep_samples_make(q->arena, sweep_space_new(q->arena, c), facts, count, &samples);
	write_ranks(q, rank_all(q, c, &samples), samples.dimensions, samples.count);
	return NULL;
}
