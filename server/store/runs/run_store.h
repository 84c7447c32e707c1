#ifndef RUN_STORE_H
#define RUN_STORE_H

#include "db.h"
#include "db_row.h"
#include "run.h"

/* The directory's row of a run: its name and the fields that users edit. */
struct run_info {
	struct str name; /* its id within the project */
	int64_t run_id;
	struct str display_name;
	struct str job_type;
	struct str group_name;
	struct str sweep; /* that it is of, by its name there; empty: none */
	struct str notes;
	struct str tags; /* JSON array of texts */
	int16_t visibility;
	struct str color;         /* as of color.h; empty: that of its slot */
	int32_t color_number;     /* which run of its project it is; not read when it is made */
	int32_t expected_writers; /* how many are to write into it; 0: not given */
	bool is_pending;          /* it is made to run later; not read */
	timestamp_us started_at;  /* by the clock of its client; 0: now; not read */
	bool says_visibility;     /* the request says who may see it; not read */
	struct str created_by;    /* user; empty: unknown */
	timestamp_us created_at;
	timestamp_us edited_at;  /* last edit by a user; 0: none */
	struct str edited_by;    /* user; empty: none */
	timestamp_us deleted_at; /* 0: it lives */
	int16_t deleted_who;     /* enum run_who; 0: it lives */
	struct str deleted_by;   /* user; empty: none */
	struct str delete_reason;
	struct str forked_from; /* a run of the project; empty: none */
	int64_t forked_step;
	int16_t source_visibility; /* of that run, as it is now */
};

extern const struct db_row_table run_hot_table;
extern const struct db_row_table run_info_table;
extern const struct db_row_table run_id_table;

struct run_sent_row {
	struct str sent;
};
extern const struct db_row_table run_sent_table;

struct run_id_row {
	int64_t run_id;
};

/*
 * Makes a run with the info's name unless it is there: *ret_run_id is 0 then. Its lock row and first
 * state are written too. To be called in a transaction.
 */
err_t run_store_make(struct db *db, int64_t project_id, const struct run_info *info,
		     int64_t user_id, struct run_clock clock, int64_t *ret_run_id);

/* *ret_info is NULL when there is none. */
err_t run_store_find_info(struct db *db, int64_t project_id, struct str name,
			  struct run_info **ret_info);
err_t run_store_list_info(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
			  struct run_info **ret_infos, size_t *ret_count);
/* The next by run_id that is not deleted; *ret_info is NULL when there is none. */
err_t run_store_next_info(struct db *db, int64_t project_id, int64_t after,
			  struct run_info **ret_info);
/* The runs with these names, in any order. */
err_t run_store_list_named(struct db *db, int64_t project_id, const struct str *names, size_t count,
			   struct run_info **ret_infos, size_t *ret_count);
/* The fields that users edit have changed; the user is 0 if unknown. */
err_t run_store_update_info(struct db *db, int64_t project_id, const struct run_info *info,
			    int64_t user_id, timestamp_us now);

/*
 * The last values that processes of the wandb SDK sent for fields that users edit, as an object;
 * .at is NULL: nothing. It is saved under the run's lock.
 */
err_t run_store_find_sent(struct db *db, int64_t project_id, struct str name, struct str *ret_sent);
err_t run_store_save_sent(struct db *db, int64_t project_id, struct str name, struct str sent);

/* The number of runs ever made in a project, except those that were purged with it. */
err_t run_store_count(struct db *db, int64_t project_id, int64_t *ret_count);

/* Without a lock, for reading. */
err_t run_store_list(struct db *db, const int64_t *run_ids, size_t count, struct run **ret_runs,
		     size_t *ret_count);
/* The same without the columns that no list shows: those members are 0. */
err_t run_store_list_shown(struct db *db, const int64_t *run_ids, size_t count,
			   struct run **ret_runs, size_t *ret_count);
/* ERR_NOT_FOUND, ERR_GONE when it was deleted. */
err_t run_store_get(struct db *db, int64_t run_id, struct run **ret_run);

/*
 * Locks the run and reads it in a later statement; in a transaction. ERR_GONE when it was deleted.
 * The transaction saves its changes of the run with run_store_save() and run_store_save_changes().
 */
err_t run_store_lock(struct db *db, int64_t run_id, struct run **ret_run);
/* The same of a run that may be deleted, for callers that keep or end what it has. */
err_t run_store_lock_any(struct db *db, int64_t run_id, struct run **ret_run);
/* The same, but never waits: NULL if another transaction has the lock, or the run is gone. */
err_t run_store_lock_free(struct db *db, int64_t run_id, struct run **ret_run);
err_t run_store_save(struct db *db, const struct run *run);
err_t run_store_save_changes(struct db *db, const struct run *run, timestamp_us now,
			     const struct run_changes *changes);

/* Notes that the run's searched document is old. */
err_t run_store_note_change(struct db *db, const struct run *run, timestamp_us now);

/*
 * The run_hot.version of a run that is saved: random, not counted, for a database that went back to
 * an earlier state (a replica took over, a backup was restored) would count the same again.
 */
int64_t run_store_version(void);
/* The parameters of run_hot_save for many runs, for the flusher's pipeline. */
struct db_args run_store_save_args(struct arena *a, int64_t version, const struct run *runs,
				   size_t count);
struct db_args run_store_state_args(struct arena *a, int64_t run_id,
				    const struct run_change *change, timestamp_us now);

struct run_state_row {
	int32_t number;
	int16_t from_state; /* 0: it was made */
	int16_t to_state;
	int32_t attempt;
	timestamp_us changed_at;
	int16_t who;
	int32_t writer; /* -1: none */
	struct str label;
	struct str user_name;
	struct str reason;
};
/* Oldest first, those with a number above `after`. */
err_t run_store_list_states(struct db *db, int64_t run_id, int32_t after, int64_t limit,
			    struct run_state_row **ret_rows, size_t *ret_count);

/* ---- the sweeper ----------------------------------------------------------------------------- */

struct run_due {
	int64_t run_id;
	int64_t project_id;
	int32_t crash_after_s;
	timestamp_us look_at;
};
struct run_due_ask {
	timestamp_us now;
	timestamp_us after_look; /* only those after this place of the order; 0: all */
	int64_t after_run;
	int64_t limit;
};
/* By look_at and run_id. */
err_t run_store_list_due(struct db *db, const struct run_due_ask *ask, struct run_due **ret_due,
			 size_t *ret_count);
/* When the next run is due; 0: no run is running. */
err_t run_store_next_due(struct db *db, timestamp_us *ret_time);
/* The seconds of silence after which writers of the project are lost. */
err_t run_store_crash_after(struct db *db, int64_t project_id, int64_t *ret_seconds);
err_t run_store_look_again(struct db *db, int64_t project_id, timestamp_us now);

/* ---- runs whose searched document is old -------------------------------------------------------- */

struct run_note {
	int64_t run_id;
	int64_t project_id;
	int64_t seq;
};
struct run_note_ask {
	timestamp_us now; /* runs that are not put off until later */
	int64_t after;    /* run_id */
	int64_t limit;
};
/* By run_id. */
err_t run_store_list_notes(struct db *db, const struct run_note_ask *ask,
			   struct run_note **ret_notes, size_t *ret_count);
err_t run_store_note_done(struct db *db, const struct run_note *note);
/* Notes the run if it is not noted; it is listed again from then on. */
err_t run_store_put_off_note(struct db *db, const struct run_note *note, timestamp_us until,
			     timestamp_us now);

/* ---- bare rows with an Idempotency-Key ----------------------------------------------------------- */

struct run_answer {
	struct str digest;
	int64_t row_first;
	int64_t row_count;
};
/* At most `limit` of those given before then. */
err_t run_store_forget_answers(struct db *db, timestamp_us before, int64_t limit,
			       int64_t *ret_count);

#endif
