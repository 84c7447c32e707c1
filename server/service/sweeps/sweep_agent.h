#ifndef SWEEP_AGENT_H
#define SWEEP_AGENT_H

#include "sweep_target.h"

/* Agents of a sweep and their heartbeats. Outside a transaction. */

/* A new agent; target->agent is it afterwards. */
err_t sweep_agent_make(struct request *q, struct sweep_target *target, struct str host)
	__attribute__((warn_unused_result));

enum sweep_command_kind {
	SWEEP_COMMAND_RUN = 1,
	SWEEP_COMMAND_RESUME, /* a trial that was preempted */
	SWEEP_COMMAND_STOP,   /* this run; repeated until the agent has it no more */
	SWEEP_COMMAND_EXIT,   /* kill all runs and leave */
};
struct sweep_command {
	enum sweep_command_kind kind;
	struct str run_name;
	/* To run or resume: */
	int64_t trial;
	struct str params; /* {"lr": 0.1}, as JSON */
	struct str args;   /* {"lr": {"value": 0.1}}, as the SDK has it */
};
struct sweep_commands {
	struct sweep_command *at;
	size_t count;
	struct str program; /* of the config; empty: none */
	bool is_busy;       /* other requests search: a trial may come with the next heartbeat */
};
enum {
	SWEEP_CAPACITY_MAX = 1000,
	SWEEP_BEAT_RUNS_MAX = 1000,
	SWEEP_NEW_MAX = 64, /* trials that one heartbeat gives: the agent asks for more at once */
};
struct sweep_beat_asked {
	const struct str *run_names; /* that the agent has; those of other agents are ignored */
	size_t count;
	int64_t capacity; /* runs that it has at once: 1 for the SDK */
};
/*
 * target->agent is heard, and gets its commands. Takes the lock of the sweep only to hand out a trial; if others have it for too
 * long, there are no commands, and the agent asks again.
 */
err_t sweep_agent_beat(struct request *q, struct sweep_target *target,
		       const struct sweep_beat_asked *asked, struct sweep_commands *ret_commands)
	__attribute__((warn_unused_result));
/* "run", "resume", "stop", "exit" */
const char *sweep_command_name(enum sweep_command_kind kind) __attribute__((returns_nonnull));
/* The same list as JSON, in the form of the SDK: [{"type": "run", "run_id": ..., "program": ..., "args": ...}]. */
struct str sweep_commands_json(struct arena *a, const struct sweep_commands *commands);

/* The agent ends: trials of it that have no run are for others. */
err_t sweep_agent_leave(struct request *q, struct sweep_target *target)
	__attribute__((warn_unused_result));
/* Its host was set aside (true: an hour from now; false: it gets trials again). */
err_t sweep_agent_set_aside(struct request *q, struct sweep_target *target, bool is_set_aside)
	__attribute__((warn_unused_result));

#endif
