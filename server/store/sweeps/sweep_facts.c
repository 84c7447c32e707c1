#include "sweep_facts.h"

#include "arena.h"
#include "sweep_space.h"

void sweep_fact_set(struct arena *a, const struct sweep_trial *t, struct sweep_trial_fact *fact)
{
	*fact = (struct sweep_trial_fact){
		.trial = t->trial,
		.point = t->point,
		.state = (enum sweep_trial_state)t->state,
		.source = (enum sweep_trial_source)t->source,
		.host = t->host,
		.retry_of = t->retry_of,
		.tries = t->tries,
		.min = t->lowest,
		.max = t->highest,
		.latest = t->latest,
		.summary = t->summary,
	};
	/* Parameters that cannot be read are those of no point. */
	if (!str_is(t->params, "{}") && sweep_value_read_json(a, t->params, &fact->params))
		fact->params = NULL;
}

/* Grid and random count points, and in a space without them random needs nothing. */
static enum sweep_params_read params_for(struct arena *a, const struct sweep_config *config)
{
	if (config->method == SWEEP_BAYES || config->method == SWEEP_TPE)
		return SWEEP_PARAMS_ALL;
	return sweep_space_has_points(sweep_space_new(a, config)) ? SWEEP_PARAMS_UNKNOWN
								  : SWEEP_PARAMS_AGAIN;
}

static err_t read_facts(struct db *db, const struct sweep *sweep, enum sweep_params_read params,
			const struct sweep_trial_fact **ret_facts, size_t *ret_count)
{
	struct sweep_trial_fact *facts;
	struct sweep_trial *trials;
	size_t count;
	err_t e = sweep_store_all_trials(db, sweep, params, &trials, &count);

	if (e)
		return e;
	facts = arena_new_array(db_arena(db), struct sweep_trial_fact, count + 1);
	for (size_t i = 0; i < count; i++)
		sweep_fact_set(db_arena(db), &trials[i], &facts[i]);
	*ret_facts = facts;
	*ret_count = count;
	return NULL;
}

err_t sweep_facts_read(struct db *db, const struct sweep *sweep, const struct sweep_config *config,
		       const struct sweep_trial_fact **ret_facts, size_t *ret_count)
{
	return read_facts(db, sweep, params_for(db_arena(db), config), ret_facts, ret_count);
}

err_t sweep_facts_read_values(struct db *db, const struct sweep *sweep,
			      const struct sweep_trial_fact **ret_facts, size_t *ret_count)
{
	return read_facts(db, sweep, SWEEP_PARAMS_NONE, ret_facts, ret_count);
}
