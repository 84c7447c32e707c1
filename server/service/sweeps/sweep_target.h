#ifndef SWEEP_TARGET_H
#define SWEEP_TARGET_H

#include "access.h"
#include "request.h"
#include "sweep_store.h"

/*
 * The sweep or agent that a request is about, and whether the caller may. The project that it was found in is q->target
 * afterwards. ACCESS_READ shows a sweep, ACCESS_WRITE changes it, hands out trials and sends heartbeats.
 *
 * Everything that does not exist, or that the caller may not know of, is ERR_NOT_FOUND: the SDK's agents stop at a 404.
 */
struct sweep_target {
	struct sweep *sweep;
	struct sweep_agent *agent; /* NULL: the request is about the sweep */
};

struct sweep_name {
	struct str entity;
	struct str project;
	struct str sweep; /* its name, as in URLs, or its id */
};
err_t sweep_target_name(struct request *q, const struct sweep_name *name, enum access access,
			struct sweep_target *ret_target) __attribute__((warn_unused_result));
/* In q->target's project, for which the caller's right is known. `agent`: its number as text; empty: none. */
err_t sweep_target_here(struct request *q, struct str sweep, struct str agent,
			struct sweep_target *ret_target) __attribute__((warn_unused_result));
/* By the ids that the SDK has; q->target becomes their project. */
err_t sweep_target_id(struct request *q, struct str id, enum access access,
		      struct sweep_target *ret_target) __attribute__((warn_unused_result));
err_t sweep_target_agent_id(struct request *q, struct str id, enum access access,
			    struct sweep_target *ret_target) __attribute__((warn_unused_result));

/* Ids for the SDK. */
struct str sweep_id_of(struct arena *a, const struct sweep *sweep);
struct str sweep_agent_id_of(struct arena *a, const struct sweep_agent *agent);
/* The agent's number as text: its name, which also names it in URLs. */
struct str sweep_agent_name(struct arena *a, const struct sweep_agent *agent);

#endif
