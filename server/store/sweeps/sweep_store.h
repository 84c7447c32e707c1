#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include "db.h"
#include "db_row.h"
#include "sweep_next.h"
#include "sweep_state.h"

/*
 * Sweeps with their agents, hosts and trials (sweep.sql). Each statement but those of the job has the project, and so one shard.
 *
 * Functions that need the lock of the sweep say so. It is taken before the lock of a run, never after it. Read in a later
 * statement than the locking one, which may have read old rows.
 */
struct sweep {
	int64_t project_id;
	int64_t sweep_id;
	struct str name;       /* as in URLs */
	struct str prior_runs; /* as sent; .at == NULL: none */
	int64_t created_by;    /* 0: not known */
	struct str user;
	timestamp_us created_at;
	int16_t state; /* enum sweep_state */
	struct str why_ended;
	timestamp_us state_at;
	struct str config; /* as sent */
	int16_t method;    /* enum sweep_method */
	int64_t seed;
	struct str display_name; /* .at == NULL: none, as the next */
	struct str description;
	timestamp_us changed_at;
	struct str controller; /* JSON; .at == NULL: none, as the next */
	struct str scheduler;
	int64_t next_trial;
	timestamp_us look_at;    /* 0: never */
	timestamp_us deleted_at; /* 0: it exists */
};

enum { SWEEP_NAME_LEN = 8 };
enum {
	SWEEP_TRIALS_MAX = 100000, /* of a sweep */
	SWEEP_AGENTS_MAX = 100000,
	SWEEP_HOST_MAX = 256,  /* bytes of the name of a host */
	SWEEP_TITLE_MAX = 512, /* bytes of a display name */
	SWEEP_DESCRIPTION_MAX = 65536,
	SWEEP_CONTROLLER_MAX = 1 << 20, /* bytes of the texts of a controller */
	SWEEP_PARAMS_MAX = 64 << 10,    /* bytes of the parameters of a trial */
	SWEEP_READ_MAX = 64 << 20,      /* of those that a search reads: the newest */
	SWEEP_PRIOR_MAX = 1000,         /* prior runs of a sweep */
	SWEEP_PRIOR_AT_ONCE = 50,       /* of them are read in a transaction */
	SWEEP_READ_AGAIN_MAX = 1000,    /* trials of a sweep whose metric changes */
	SWEEP_LIST_BYTES = 4 << 20,     /* of the texts of a page of sweeps, or one more sweep */
};

/* A new one, as the struct has it; DB_UNIQUE_VIOLATION if the number or the name is taken. */
err_t sweep_store_insert(struct db *db, const struct sweep *sweep)
	__attribute__((warn_unused_result));
/* NULL: there is none, or it was deleted. */
err_t sweep_store_find(struct db *db, int64_t project_id, struct str name, struct sweep **ret_sweep)
	__attribute__((warn_unused_result));
err_t sweep_store_get(struct db *db, int64_t project_id, int64_t sweep_id, struct sweep **ret_sweep)
	__attribute__((warn_unused_result));
/* Waits for transactions that make a sweep of this config in the project. */
err_t sweep_store_lock_same(struct db *db, int64_t project_id, struct str config)
	__attribute__((warn_unused_result));
enum sweep_likeness {
	SWEEP_LIKE_ALL,
	SWEEP_LIKE_WHAT_IS_GIVEN, /* prior_runs, display_name and description that are not given may be any */
};
/* One like this that the same user made since then, which is as it was made and has no agent; NULL: none. */
err_t sweep_store_find_same(struct db *db, const struct sweep *like, timestamp_us since,
			    enum sweep_likeness likeness, struct sweep **ret_sweep)
	__attribute__((warn_unused_result));
/* Locks it until the transaction ends; NULL: as above. DB_LOCK_NOT_AVAILABLE: others have it for longer than that. */
err_t sweep_store_lock(struct db *db, int64_t project_id, int64_t sweep_id, int timeout_ms,
		       struct sweep **ret_sweep) __attribute__((warn_unused_result));
/* The same, but never waits: NULL also if another transaction has it. A deleted one is locked, too. */
err_t sweep_store_lock_free(struct db *db, int64_t project_id, int64_t sweep_id,
			    struct sweep **ret_sweep) __attribute__((warn_unused_result));

struct sweeps_ask {
	int64_t project_id;
	int16_t state; /* 0: any */
	int64_t after; /* sweep_id; 0: from the newest */
	int64_t limit;
	bool has_controllers; /* also the texts of their controllers */
};
/*
 * The newest first, without prior_runs: fewer than the limit if their texts have more than SWEEP_LIST_BYTES. *ret_more: others follow.
 */
err_t sweep_store_list(struct db *db, const struct sweeps_ask *ask, struct sweep **ret_sweeps,
		       size_t *ret_count, bool *ret_more) __attribute__((warn_unused_result));
/* The page does not count. */
err_t sweep_store_count(struct db *db, const struct sweeps_ask *ask, int64_t *ret_count)
	__attribute__((warn_unused_result));

/* Each under the lock of the sweep. */
err_t sweep_store_save_state(struct db *db, const struct sweep *sweep)
	__attribute__((warn_unused_result));
/* config, method, seed, display_name, description, changed_at */
err_t sweep_store_save_config(struct db *db, const struct sweep *sweep)
	__attribute__((warn_unused_result));
err_t sweep_store_save_controller(struct db *db, const struct sweep *sweep)
	__attribute__((warn_unused_result));
/* 0: never */
err_t sweep_store_look(struct db *db, const struct sweep *sweep, timestamp_us look_at)
	__attribute__((warn_unused_result));
err_t sweep_store_delete(struct db *db, const struct sweep *sweep, timestamp_us now)
	__attribute__((warn_unused_result));
/* A run came that names a sweep: the job looks at that, if there is one. Without its lock. */
err_t sweep_store_look_named(struct db *db, int64_t project_id, struct str name, timestamp_us now)
	__attribute__((warn_unused_result));

/* Figures of sweeps for a page, in no order; one without trials has no row. Prior runs count only in `prior`. */
struct sweep_sums {
	int64_t sweep_id;
	int64_t trials;
	int64_t waiting; /* handed out, and not seen yet */
	int64_t running;
	int64_t finished;
	int64_t failed; /* or crashed */
	int64_t killed; /* or preempted */
	int64_t lost;   /* or deleted */
	int64_t prior;
	int64_t points; /* different ones of a finite space that were or are tried */
	double lowest;  /* of the values of trials; NaN: none, as the next */
	double highest;
	timestamp_us ended_at; /* the last trial; 0: none has */
};
struct sweep_sums_ask {
	int64_t project_id;
	const int64_t *sweep_ids;
	size_t count;
	bool sees_private; /* values of private runs, too */
};
err_t sweep_store_sums(struct db *db, const struct sweep_sums_ask *ask,
		       struct sweep_sums **ret_sums, size_t *ret_count)
	__attribute__((warn_unused_result));

/* ---- agents and hosts ------------------------------------------------------------------------------ */

enum sweep_agent_state {
	SWEEP_AGENT_RUNNING = 1,
	SWEEP_AGENT_FINISHED = 2, /* it left, or was told to */
	SWEEP_AGENT_LOST = 3,     /* not heard for long */
};
struct sweep_agent {
	int64_t project_id;
	int64_t sweep_id;
	int64_t agent_id;
	struct str host;
	int64_t user_id; /* 0: not known */
	struct str user;
	timestamp_us created_at;
	int16_t state;         /* enum sweep_agent_state */
	timestamp_us heard_at; /* at most SWEEP_HEARD_US older than its last heartbeat */
	/* Its host: */
	int32_t failed_in_row;
	int64_t finished;
	timestamp_us set_aside_at; /* 0: it is not */
};
#define SWEEP_HEARD_US (INT64_C(15) * 1000000)
#define SWEEP_SET_ASIDE_US (INT64_C(3600) * 1000000)

err_t sweep_store_insert_agent(struct db *db, const struct sweep_agent *agent)
	__attribute__((warn_unused_result));
/* NULL: there is none. */
err_t sweep_store_find_agent(struct db *db, int64_t project_id, int64_t sweep_id, int64_t agent_id,
			     struct sweep_agent **ret_agent) __attribute__((warn_unused_result));
/* In order of their numbers, after one. */
err_t sweep_store_list_agents(struct db *db, const struct sweep *sweep, int64_t after,
			      int64_t limit, struct sweep_agent **ret_agents, size_t *ret_count)
	__attribute__((warn_unused_result));
err_t sweep_store_count_agents(struct db *db, const struct sweep *sweep, int64_t *ret_count)
	__attribute__((warn_unused_result));
/* How many trials each was given, in no order; an agent without any has no row. */
struct sweep_agent_trials {
	int64_t agent_id;
	int64_t trials;
};
err_t sweep_store_agent_trials(struct db *db, const struct sweep *sweep, const int64_t *agent_ids,
			       size_t count, struct sweep_agent_trials **ret_trials,
			       size_t *ret_count) __attribute__((warn_unused_result));
/* state and heard_at */
err_t sweep_store_save_agent(struct db *db, const struct sweep_agent *agent)
	__attribute__((warn_unused_result));
/* Agents that run and were not heard since then are lost; *ret_count is how many. */
err_t sweep_store_lose_agents(struct db *db, const struct sweep *sweep, timestamp_us since,
			      int64_t *ret_count) __attribute__((warn_unused_result));

/* Whether an agent of another host, which was not set aside after that time, was heard since then and did not leave. */
err_t sweep_store_has_other_host(struct db *db, const struct sweep *sweep, struct str host,
				 timestamp_us heard_since, timestamp_us set_aside_after,
				 bool *ret_has) __attribute__((warn_unused_result));

struct sweep_host {
	struct str host;
	int32_t failed_in_row;
	int64_t finished;
	timestamp_us set_aside_at;
	bool is_changed; /* not read: for its owner */
};
err_t sweep_store_list_hosts(struct db *db, const struct sweep *sweep,
			     struct sweep_host **ret_hosts, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Under the lock of the sweep. */
err_t sweep_store_save_host(struct db *db, const struct sweep *sweep, const struct sweep_host *host)
	__attribute__((warn_unused_result));

/* ---- trials -------------------------------------------------------------------------------------- */

struct sweep_trial {
	int64_t project_id;
	int64_t sweep_id;
	int64_t trial;
	struct str run_name; /* the run's id, that its process uses */
	int16_t source;      /* enum sweep_trial_source */
	int64_t retry_of;    /* 0: none */
	int32_t tries;
	struct str note; /* .at == NULL: none */
	timestamp_us created_at;
	struct str params; /* JSON, as delivered */
	int64_t point;     /* SWEEP_POINT_NONE: none */
	int16_t state;     /* enum sweep_trial_state */
	int64_t agent_id;  /* 0: none */
	struct str host;   /* empty: not known */
	timestamp_us sent_at;
	int32_t sent_count; /* 0: it waits for the next agent */
	int64_t run_id;     /* 0: no run was seen */
	timestamp_us started_at;
	timestamp_us ended_at;
	timestamp_us stop_at; /* it is to stop; 0: no */
	double lowest;        /* of the history; NaN: none, as the next three */
	double highest;
	double latest;
	double summary;
	int64_t steps;
	struct str curve; /* doubles at the bands of early_terminate */
	/* Its run, if that was read with it: */
	int64_t found_id;    /* 0: there is none */
	bool is_deleted;     /* or it was moved to another project */
	int16_t visibility;  /* of the run: enum visibility */
	int16_t agent_state; /* enum sweep_agent_state; 0: no agent */
	struct str display_name;
};

/* Under the lock of the sweep, whose next_trial is the number: it becomes the next one. */
err_t sweep_store_insert_trial(struct db *db, struct sweep *sweep, const struct sweep_trial *trial)
	__attribute__((warn_unused_result));
/* The same lock: trials without a note that no agent has yet, all made at one time, in order of their numbers. */
err_t sweep_store_insert_waiting(struct db *db, struct sweep *sweep,
				 const struct sweep_trial *trials, size_t count)
	__attribute__((warn_unused_result));
/* The same lock: trials of the prior runs of a new sweep, before any other. Each is handed out until its run was read. */
err_t sweep_store_insert_prior(struct db *db, struct sweep *sweep, const struct str *run_names,
			       const int64_t *run_ids, size_t count)
	__attribute__((warn_unused_result));
/* Prior runs that have not been read, in order, as sweep_store_open_trials(). */
err_t sweep_store_unread_prior(struct db *db, const struct sweep *sweep, int64_t limit,
			       struct sweep_trial **ret_trials, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Under the lock of the sweep: all that changes but params, point and stop_at. */
err_t sweep_store_save_trial(struct db *db, const struct sweep_trial *trial)
	__attribute__((warn_unused_result));
/* The same lock: params and point; curve. */
err_t sweep_store_save_params(struct db *db, const struct sweep_trial *trial)
	__attribute__((warn_unused_result));
err_t sweep_store_save_curve(struct db *db, const struct sweep_trial *trial)
	__attribute__((warn_unused_result));
/* It is to stop, unless that is known. */
err_t sweep_store_stop_trial(struct db *db, const struct sweep_trial *trial, timestamp_us now)
	__attribute__((warn_unused_result));
/* All that are not over and were given are to stop, but for prior runs. Under the lock of the sweep. */
err_t sweep_store_stop_trials(struct db *db, const struct sweep *sweep, timestamp_us now)
	__attribute__((warn_unused_result));
/* The agent says that it has these runs; without the lock. */
err_t sweep_store_hear_trials(struct db *db, const struct sweep_agent *agent,
			      const struct str *run_names, size_t count)
	__attribute__((warn_unused_result));
/* Trials of the agent that are not over, in order. */
err_t sweep_store_trials_of_agent(struct db *db, const struct sweep_agent *agent, int64_t limit,
				  struct sweep_trial **ret_trials, size_t *ret_count)
	__attribute__((warn_unused_result));
/* Trials that wait for an agent, in order: never given, or preempted. */
err_t sweep_store_offers(struct db *db, const struct sweep *sweep, int64_t limit,
			 struct sweep_trial **ret_trials, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The first that was never given, or was left before it began; NULL: there is none. */
err_t sweep_store_waiting_trial(struct db *db, const struct sweep *sweep,
				struct sweep_trial **ret_trial) __attribute__((warn_unused_result));
/* Trials of the search and by hand that the cancellation at that time ended, or will end, and that no other one repeats, in order. */
struct sweep_canceled_ask {
	timestamp_us at;
	int64_t after; /* trial; 0: from the first */
	int64_t limit;
};
err_t sweep_store_canceled_trials(struct db *db, const struct sweep *sweep,
				  const struct sweep_canceled_ask *ask,
				  struct sweep_trial **ret_trials, size_t *ret_count)
	__attribute__((warn_unused_result));
/* NULL: there is none. */
err_t sweep_store_find_trial(struct db *db, const struct sweep *sweep, int64_t number,
			     struct sweep_trial **ret_trial) __attribute__((warn_unused_result));
err_t sweep_store_find_trial_of_run(struct db *db, const struct sweep *sweep, struct str run_name,
				    struct sweep_trial **ret_trial)
	__attribute__((warn_unused_result));
/* The name of the sweep that gave a trial with this run; empty: none did. */
err_t sweep_store_name_of_trial(struct db *db, int64_t project_id, struct str run_name,
				struct str *ret_sweep) __attribute__((warn_unused_result));
/* Each also as those before it. */
enum sweep_params_read {
	SWEEP_PARAMS_NONE,
	SWEEP_PARAMS_AGAIN,   /* of trials that may be given again */
	SWEEP_PARAMS_UNKNOWN, /* of trials whose point is not known */
	SWEEP_PARAMS_ALL,
};
/* All of the sweep in order, for the search: without what it does not use; params "{}" where they were not read. */
err_t sweep_store_all_trials(struct db *db, const struct sweep *sweep,
			     enum sweep_params_read params, struct sweep_trial **ret_trials,
			     size_t *ret_count) __attribute__((warn_unused_result));
/*
 * Some of the trials that are not over, those of the agent first, with their runs and without their parameters. Prior runs that have
 * not been read are not among them.
 */
struct sweep_open_ask {
	int64_t agent_id; /* 0: none, all in the order of their numbers */
	int64_t after;    /* trial; 0: from the first */
	int64_t limit;
};
err_t sweep_store_open_trials(struct db *db, const struct sweep *sweep,
			      const struct sweep_open_ask *ask, struct sweep_trial **ret_trials,
			      size_t *ret_count) __attribute__((warn_unused_result));
/* All of them in a range, and those whose run may be another than it was: gone, back, or running again since then. */
struct sweep_changed_ask {
	timestamp_us since;
	int64_t after; /* the trial before the range; 0: from the first */
	int64_t until; /* the last trial of it */
};
err_t sweep_store_changed_trials(struct db *db, const struct sweep *sweep,
				 const struct sweep_changed_ask *ask,
				 struct sweep_trial **ret_trials, size_t *ret_count)
	__attribute__((warn_unused_result));

/* All of the sweep in order, for early termination: state, run, stop_at, lowest, highest, steps and curve. */
err_t sweep_store_curves(struct db *db, const struct sweep *sweep, struct sweep_trial **ret_trials,
			 size_t *ret_count) __attribute__((warn_unused_result));

/* Finished trials with a value, the newest first: trial, params and values. */
struct sweep_samples_ask {
	bool sees_private; /* also of private runs */
	int64_t limit;
	int64_t bytes; /* of parameters together */
};
err_t sweep_store_samples(struct db *db, const struct sweep *sweep,
			  const struct sweep_samples_ask *ask, struct sweep_trial **ret_trials,
			  size_t *ret_count) __attribute__((warn_unused_result));

enum sweep_trial_order { SWEEP_TRIALS_OLDEST, SWEEP_TRIALS_NEWEST, SWEEP_TRIALS_BEST };
struct sweep_trials_ask {
	int16_t state;    /* enum sweep_trial_state; 0: any */
	int64_t agent_id; /* 0: any; not with SWEEP_TRIALS_BEST */
	enum sweep_trial_order order;
	/* With SWEEP_TRIALS_BEST: */
	enum sweep_goal goal;
	bool sees_private; /* else trials of private runs are left out */
	bool has_after;    /* after this value (see sweep_trial_order_value()) and trial */
	double after_value;
	int64_t after; /* trial; 0: from the first */
	int64_t limit;
};
/* With their runs. */
err_t sweep_store_list_trials(struct db *db, const struct sweep *sweep,
			      const struct sweep_trials_ask *ask, struct sweep_trial **ret_trials,
			      size_t *ret_count) __attribute__((warn_unused_result));
/* The better of history and summary, by the goal; NaN: none. */
double sweep_trial_value(const struct sweep_trial *trial, enum sweep_goal goal)
	__attribute__((nonnull));
/* By which SWEEP_TRIALS_BEST orders: less is better, NaN last. */
double sweep_trial_order_value(const struct sweep_trial *trial, enum sweep_goal goal)
	__attribute__((nonnull));

/* Runs that have the name of the sweep and are no trial of it, in order of their numbers. */
struct sweep_joined {
	struct str name;
	int64_t run_id;
};
err_t sweep_store_list_joined(struct db *db, const struct sweep *sweep, int64_t limit,
			      struct sweep_joined **ret_runs, size_t *ret_count)
	__attribute__((warn_unused_result));
/* The config changed: points have other numbers, and bands of early_terminate are others. Under the lock. */
err_t sweep_store_clear_points(struct db *db, const struct sweep *sweep)
	__attribute__((warn_unused_result));

/* ---- the sweep job ------------------------------------------------------------------------------- */

struct sweep_due {
	int64_t project_id;
	int64_t sweep_id;
};
err_t sweep_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			   struct sweep_due **ret_due, size_t *ret_count)
	__attribute__((warn_unused_result));
/* A portion of what a deleted sweep has, at last its row; *ret_more: there is another. */
err_t sweep_store_purge(struct db *db, const struct sweep *sweep, int64_t limit, bool *ret_more)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check sweep_store_checks[];
extern const size_t sweep_store_check_count;

#endif
