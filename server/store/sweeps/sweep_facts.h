#ifndef SWEEP_FACTS_H
#define SWEEP_FACTS_H

#include "sweep_store.h"

/* Reads the facts of all trials, in order, from which searches learn: without parameters that the method does not use. */
err_t sweep_facts_read(struct db *db, const struct sweep *sweep, const struct sweep_config *config,
		       const struct sweep_trial_fact **ret_facts, size_t *ret_count)
	__attribute__((warn_unused_result));

/* The same without any parameters: for sweep_end_reason(). */
err_t sweep_facts_read_values(struct db *db, const struct sweep *sweep,
			      const struct sweep_trial_fact **ret_facts, size_t *ret_count)
	__attribute__((warn_unused_result));

/* The fact of a trial. */
void sweep_fact_set(struct arena *a, const struct sweep_trial *trial, struct sweep_trial_fact *fact)
	__attribute__((nonnull));

#endif
