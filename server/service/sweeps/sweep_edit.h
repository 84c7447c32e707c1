#ifndef SWEEP_EDIT_H
#define SWEEP_EDIT_H

#include "sweep_target.h"

/* Changes of a sweep. Outside a transaction: each runs in one of its own, under the lock of the sweep. */
struct sweep_change {
	bool has_config; /* new suggestions follow it; trials stay as they are */
	struct str config;
	bool has_display_name;
	struct str display_name; /* .at == NULL: removed, as the next */
	bool has_description;
	struct str description;
	bool has_controller;
	struct str
		controller; /* JSON of a local controller: its schedule makes trials, its earlystop stops them */
	bool has_scheduler;
	struct str scheduler;
	enum sweep_event event; /* 0: the state stays; sweep_event_read() */
};
/* target->sweep is the sweep as it is afterwards. ERR_CONFLICT: the state does not allow it. ERR_INVALID: the config. */
err_t sweep_edit(struct request *q, struct sweep_target *target, const struct sweep_change *change)
	__attribute__((warn_unused_result));

/*
 * Agents get a 404 from then on; the runs stay. ERR_FORBIDDEN unless the caller made it, or administers the project. The sweep
 * job removes the trials.
 */
err_t sweep_delete(struct request *q, const struct sweep_target *target)
	__attribute__((warn_unused_result));

#endif
