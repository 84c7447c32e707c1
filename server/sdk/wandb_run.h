#ifndef WANDB_RUN_H
#define WANDB_RUN_H

#include "auth.h"
#include "gql_run.h"
#include "run_store.h"
#include "wandb.h"

struct keys_row;
struct wandb_labels;

/* A stream's keys if a list has read them; otherwise they are read when asked for. */
struct wandb_key_rows {
	const struct keys_row *rows;
	size_t count;
};

/* A run; the SDK's wire calls it a bucket. */
struct wandb_run {
	struct str cursor;
	struct target *target;
	const struct run_info *info;
	const struct run *run;
	struct str
		config; /* as JSON text, where a list has read it; .at NULL: read when asked for */
	struct str summary; /* likewise, as it is searched (searched_summary.h) */
	struct str whole;   /* what restores it; .at NULL: it is the run's own */
	struct str commit;  /* where a list has read it; .at NULL: none is known */
	bool has_commit;    /* it was looked for */
	struct wandb_key_rows history_keys;
	struct wandb_key_rows event_keys;
	const struct wandb_labels *event_labels; /* of the writers of event_keys */
};

extern const struct gql_type wandb_run_type;

/* Reads q->target; ERR_GONE when it was deleted in the meantime. */
err_t wandb_run_read(struct wandb *w, struct wandb_run **ret_run)
	__attribute__((nonnull, warn_unused_result));

/* The answer of a field that names a run that must be there. */
err_t wandb_run_get(struct gql_call *call, const struct auth_ask *ask)
	__attribute__((nonnull, warn_unused_result));

/* The answer of a field that names a run: null when it is not there. */
err_t wandb_run_give(struct gql_call *call, const struct auth_ask *ask)
	__attribute__((nonnull, warn_unused_result));

#endif
