#ifndef SWEEP_MAKE_H
#define SWEEP_MAKE_H

#include "sweep_config.h"
#include "sweep_target.h"

/* Validates configs and makes sweeps. */

/* A config that was read, with its errors and warnings. */
struct sweep_checked {
	const struct sweep_config *config; /* NULL: it has errors */
	struct sweep_faults faults;
	int64_t count; /* of points: SWEEP_COUNT_INFINITE, SWEEP_COUNT_MAX and more; 0: the config has errors */
};
/* Warns of an entity and a project of the config that are not those of the request, q->target. */
void sweep_check_place(struct request *q, const struct sweep_config *config,
		       struct sweep_faults *faults);
/* Makes nothing. An invalid config is no error here. */
void sweep_check(struct arena *a, struct str config, struct sweep_checked *ret_checked);

struct sweep_make_asked {
	struct str config;       /* YAML or JSON */
	struct str display_name; /* .at == NULL: none, as the next; else the config's `name` */
	struct str description;
	struct str controller; /* JSON of a local controller; .at == NULL: none, as the next */
	struct str scheduler;
	struct str prior_runs;         /* {"$or":[{"name":"RUN"}, ...]}; .at == NULL: none */
	const struct str *prior_names; /* the same as names of runs, if there is no filter */
	size_t prior_count;
	int16_t state; /* SWEEP_STATE_PENDING (0 is the same), _RUNNING or _PAUSED */
	bool is_of_wandb;
	bool names_entity; /* the request of wandb */
};
struct sweep_made {
	struct sweep *sweep;
	struct sweep_faults faults; /* warnings */
	bool was_made;              /* now; false: by a request like this one a moment ago */
};
/*
 * Outside a transaction. q->target: the project, which is made if project_id is 0. ERR_INVALID with the first error of the config,
 * before anything is stored.
 *
 * Clients repeat the request if they get no answer: the same one by the same user is the same sweep for a while, as long as no agent came
 * to it. Ours repeat it after at most a minute (_http.py), the wandb SDK after 20 seconds, then with pauses that grow from one second
 * to five minutes: nine of them take at most eleven minutes. Some of its forms of the request leave texts out.
 */
#define SWEEP_SAME_US (INT64_C(120) * 1000000)
#define SWEEP_SAME_WANDB_US (INT64_C(900) * 1000000)
err_t sweep_make(struct request *q, const struct sweep_make_asked *asked,
		 struct sweep_made *ret_made) __attribute__((warn_unused_result));

/* The config of a sweep, which was valid when it was stored. */
err_t sweep_read_config(struct request *q, const struct sweep *sweep,
			const struct sweep_config **ret_config) __attribute__((warn_unused_result));

#endif
