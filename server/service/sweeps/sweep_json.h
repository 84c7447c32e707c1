#ifndef SWEEP_JSON_H
#define SWEEP_JSON_H

#include "json_out.h"
#include "sweep_agent.h"
#include "sweep_make.h"

/* Sweeps as answers have them (api/schemas/sweep.yaml). */

/* A sweep with its figures, as the caller may see them. */
struct sweep_shown {
	const struct sweep *sweep;
	/* Read from its config, not set if a newer server stored it, and this one cannot read it. */
	struct sweep_metric metric;
	int64_t run_cap;
	bool is_controlled;
	struct sweep_sums sums;
	double best;             /* value of the metric; NaN: none */
	int64_t expected;        /* trials of a grid, or run_cap; -1: not limited */
	struct str display_name; /* its own, else the config's, else its name */
	struct str description;  /* its own, else the config's; .at == NULL: none */
};
err_t sweep_show(struct request *q, const struct sweep *sweeps, size_t count,
		 struct sweep_shown **ret_shown) __attribute__((warn_unused_result));

/* Objects of a list. */
err_t sweep_json_sweeps(struct request *q, struct json_out *o, const struct sweep *sweeps,
			size_t count) __attribute__((warn_unused_result));
/* One with its config, as the answer of the request. `faults`: warnings of a config that was sent; NULL: none. */
err_t sweep_json_reply(struct request *q, int status, const struct sweep *sweep,
		       const struct sweep_faults *faults) __attribute__((warn_unused_result));

/* Trials whose runs are private show neither parameters nor values to those who may not see the run. */
err_t sweep_json_trials(struct request *q, struct json_out *o, const struct sweep_shown *sweep,
			const struct sweep_trial *trials, size_t count)
	__attribute__((warn_unused_result));
err_t sweep_json_trial_reply(struct request *q, int status, const struct sweep *sweep,
			     const struct sweep_trial *trial) __attribute__((warn_unused_result));
/* Whether the caller may see the values of the trial. */
bool sweep_sees_trial(const struct request *q, const struct sweep_trial *trial);

err_t sweep_json_agents(struct request *q, struct json_out *o, const struct sweep *sweep,
			const struct sweep_agent *agents, size_t count)
	__attribute__((warn_unused_result));
err_t sweep_json_agent_reply(struct request *q, int status, const struct sweep_target *target)
	__attribute__((warn_unused_result));

/* "faults": [...] */
void sweep_json_put_faults(struct json_out *o, const struct sweep_faults *faults);
/* {"faults": [...], "count": ..., "parameters": [...]}, the answer of a dry run. */
err_t sweep_json_reply_checked(struct request *q, const struct sweep_checked *checked)
	__attribute__((warn_unused_result));
/* {"commands": [...]} */
err_t sweep_json_reply_commands(struct request *q, const struct sweep_commands *commands)
	__attribute__((warn_unused_result));

/* "handed_out", "running", "finished", ... ; -1: no such state. */
const char *sweep_trial_state_name(int state);
int sweep_trial_state_read(struct str name);

#endif
