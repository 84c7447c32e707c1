#ifndef SWEEP_CONTROLLER_H
#define SWEEP_CONTROLLER_H

#include "sweep_work.h"

/*
 * A controller that is a process of the client (controller.type "local"). It writes
 *
 *	{"schedule": [{"id": "ID", "data": {"args": {"lr": {"value": 0.1}}}}], "earlystop": ["RUN"]}
 *
 * and the server answers in the scheduler {"scheduled": [{"id": "ID", "runid": "RUN"}]}. Each new entry becomes a trial, which the
 * next agent gets. "args": null: the search is over. One entry is there at a time; it goes when its run has begun.
 */

/* Does what w->sweep->controller says; saves controller and scheduler. Nothing without a controller. */
err_t sweep_controller_apply(struct sweep_work *w) __attribute__((warn_unused_result));

#endif
