#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "writer.h"

/*
 * A run as it is under its lock, and the rules that change its state: pure functions on structs,
 * each called with the run locked and the database's clock given.
 *
 *	            join, resume                 primaries ended
 *	   ┌──────────────────────── finished ◄──────────┐
 *	   │  ┌───────────────────── failed   ◄──────────┤
 *	   ▼  ▼                      killed   ◄──────────┤
 *	  running ────────────────────────────────────────┘
 *	   ▲  │ no writer heard for the limit
 *	   │  ▼
 *	  crashed        any writer's data, or a join
 *
 * Each arrow into running begins an attempt, but for a primary's that is known late (run_promote). Only
 * writers of the attempt decide its end; a worker's end never does.
 *
 * A running run may report that its machine is about to be taken from it. It is preempting then,
 * which is running in all but its name; and what would be its crash or its failure makes it
 * preempted, which is crashed but for its name: a client is to begin it again. One that is pending
 * has not begun, or is to begin again: a join does that, and nothing else that its writers send.
 *
 * A primary may say that the run crashed or was preempted, as one does that sends what a dead process
 * left. That is an end like the others: late data does not change it.
 */
enum run_state {
	RUN_RUNNING = 1,
	RUN_FINISHED = 2,
	RUN_FAILED = 3,
	RUN_CRASHED = 4,
	RUN_KILLED = 5,
	RUN_PENDING = 6,
	RUN_PREEMPTING = 7,
	RUN_PREEMPTED = 8,
};

enum { RUN_END_REASON_MAX = 256 /* bytes, of a writer */ };
#define RUN_AHEAD_MAX_US (INT64_C(86400) * 1000000) /* so far a client's clock may be ahead */
enum { RUN_UNREAD_MAX = 1000, RUN_UNREAD_MAX_BYTES = 16 << 10 /* of a line, else cut */ };

enum run_who { RUN_WHO_WRITER = 1, RUN_WHO_SWEEPER = 2, RUN_WHO_USER = 3, RUN_WHO_SERVER = 4 };

struct run {
	int64_t run_id;
	int64_t project_id;
	int64_t version; /* changes each time that the run, and with it a writer, is saved */
	int64_t next_row;
	int64_t next_event;
	int64_t next_seq;
	int64_t last_step; /* -1: none yet */
	int64_t compact_seq;
	int32_t tail_rows;
	int64_t tail_bytes;
	timestamp_us heard_at;
	timestamp_us look_at;
	int16_t state;
	int32_t attempt;
	int16_t fallback_state; /* how the attempt before ended, when a join began this one; 0: none */
	bool end_pending;       /* a primary ended while others are awaited */
	int32_t next_writer;
	int32_t next_state;
	int64_t document_seq;
	int32_t alerts;       /* how many it has, and the number of the last */
	int64_t unread_lines; /* that came and could not be read; the first RUN_UNREAD_MAX are kept */
	int64_t left_out;     /* members that could not be kept; left_out_store.h saves it */
	timestamp_us started_at; /* of the attempt */
	timestamp_us ended_at;
	bool has_exit_code;
	int32_t exit_code;
	struct str end_reason;      /* why it ended; empty: none was given */
	bool end_told;              /* a writer said that it crashed or was preempted */
	timestamp_us stop_asked_at; /* 0: no stop was requested */
	struct str stop_reason;
	timestamp_us deleted_at; /* 0: it lives */
	timestamp_us purge_at;   /* of a deleted one: when it is purged */
	bool purging;            /* that has begun */
	timestamp_us
		kept_until; /* not purged before: it was moved out of an entity, which may bring it back */
	int64_t size_bytes; /* its measured size, with its files */
	int64_t file_count;
	int64_t file_bytes;
	int32_t branch;        /* that is written into; 0: neither rewound nor forked (branch.h) */
	int32_t branch_writer; /* its first writer; those before are of branches that were left */
	int64_t branch_row;    /* of a fork: the first row that is in the run itself */
	int64_t hidden_rows;   /* of next_row, how many the branch does not have */
};

/* One change of state, or a note that it was deleted, restored or moved in that state; kept for ever. */
struct run_change {
	int32_t number;     /* from 1 */
	int16_t from_state; /* 0: it was just made */
	int16_t to_state;
	int32_t attempt;
	int16_t who;
	int32_t writer;  /* -1: none */
	int64_t user_id; /* 0: none */
	const char *reason;
	timestamp_us at; /* 0: now */
};

/* One call causes at most two changes: a revival and an end. */
enum { RUN_CHANGES_MAX = 4 };
struct run_changes {
	struct run_change at[RUN_CHANGES_MAX];
	unsigned count;
};

struct run_clock {
	timestamp_us now;
	int64_t limit_us; /* silence after which a writer is lost and a run is crashed */
};

const char *run_state_name(int state);
/* Any state name; false otherwise. */
bool run_state_parse(struct str text, enum run_state *ret_state);
/* "states are running, finished, …", of all of them. */
const char *run_state_hint(struct arena *a);
/* Running or preempting. */
bool run_state_runs(int state);
/* No writer is expected, as far as is known: it has ended, or not begun. */
bool run_has_ended(const struct run *run);
/* The same, for the display of its writers. */
struct writer_run run_of_writers(const struct run *run);
/* Branches of its own were left (branch.h). */
bool run_was_rewound(const struct run *run);
/* Rows of history that it shows. */
int64_t run_rows(const struct run *run);
/*
 * The writer began before the run was rewound: its rows belong to the
 * branch before, and decide nothing.
 */
bool run_is_left_by(const struct run *run, const struct writer *w);

/* Whether it may go on from another run: it does from none yet, and no rows were logged. */
bool run_can_be_forked(const struct run *run);

/* The number of one more writer; WRITER_OVERFLOW is never assigned. */
int32_t run_number_writer(struct run *run);

/* A run that was just made: running, first attempt. */
void run_make(struct run *run, struct run_clock clock, int64_t user_id,
	      struct run_changes *changes);
/* The same, but it had begun before, by the clock of its client. */
void run_make_begun(struct run *run, timestamp_us started_at, struct run_clock clock,
		    int64_t user_id, struct run_changes *changes);
/* Refuses a start that is out of bounds: before 1970, or more than RUN_AHEAD_MAX_US in the future. */
err_t run_check_start(struct arena *a, timestamp_us started_at, timestamp_us now)
	__attribute__((warn_unused_result));
/* The same for one that is to run later: pending, and no attempt. */
void run_make_pending(struct run *run, struct run_clock clock, int64_t user_id,
		      struct run_changes *changes);

/*
 * A client is about to go on with it: an ended run runs again, before a
 * writer joined or sent.
 */
void run_resume(struct run *run, int64_t user_id, struct run_clock clock,
		struct run_changes *changes);

/* A join: the run's other writers, and when the process began. */
struct run_joining {
	struct writer *others;
	size_t count;
	timestamp_us started_at; /* if what it logged is sent later; 0: now */
};

/*
 * A writer joins, with `w` its row (new, or its old one with what it sent before): session and
 * attempt are set, a lost primary of its label is replaced, an ended or crashed run runs again.
 *
 * If started_at is given, the run may have ended while the process ran, or after it. A process that
 * began before that end is late: the run stays as it ended. If the run only fell silent, the same
 * attempt goes on. One that began after the end begins the next attempt, at that time.
 */
void run_join(struct run *run, struct writer *w, const struct run_joining *joining,
	      struct run_clock clock, struct run_changes *changes);

/*
 * A worker turns out to be a primary (a process that could not say so when it joined): the effects
 * of joining as a primary happen now. A lost primary of its label is replaced; when it has ended
 * already, the attempt's end is decided. While it lives, an end that the other primaries of the
 * attempt decided came too soon: the run runs again, in the same attempt. Any other end remains, as
 * it does for late data; and no primary becomes a worker again. `writers` are all of the run's, `w`
 * among them. Call it after run_hear().
 */
void run_promote(struct run *run, struct writer *w, struct writer *writers, size_t count,
		 struct run_clock clock, struct run_changes *changes);

/* A writer's label is learned late: a primary takes the place of a lost one of that label. */
void run_label(struct writer *w, struct str label, struct writer *writers, size_t count,
	       struct run_clock clock);

/*
 * Rows, lines, a heartbeat or a repeat of a writer: a crashed run runs again, the others are not
 * changed. A writer that a user had ended is alive again.
 */
void run_hear(struct run *run, struct writer *w, struct run_clock clock,
	      struct run_changes *changes);

/*
 * A writer reports that it is about to be preempted; if the run does not run, that changes nothing.
 */
void run_preempt(struct run *run, const struct writer *w, struct run_changes *changes);

struct run_finish {
	int32_t exit_code;
	int16_t state;                /* requested, of an ended run; 0: by exit_code */
	bool has_no_exit_code;        /* but a state */
	timestamp_us ended_at;        /* by the writer's clock; 0: now */
	struct str reason;            /* in the writer's words; empty: none */
	timestamp_us others_heard_at; /* last request of the writer's other processes; 0: none */
};

/*
 * When a writer ended that said when: not before the attempt's start, and not in the future unless
 * the start is, too, because the server's clock is behind; then at most RUN_AHEAD_MAX_US.
 */
timestamp_us run_end_time(const struct run *run, timestamp_us told, timestamp_us now);

/*
 * A writer ends, and with it the writers it started; the attempt's end is decided. A worker that
 * asks for a state is refused. A writer that has ended already changes nothing. writers[which] is
 * the one that ends. If other processes go on as that writer, it lives, and ends with their worst
 * exit code.
 */
err_t run_finish(struct arena *a, struct run *run, struct writer *writers, size_t count,
		 size_t which, const struct run_finish *finish, struct run_clock clock,
		 struct run_changes *changes) __attribute__((warn_unused_result));

/* A user's decision about the end: a state, or only the exit code. */
struct run_hand {
	struct run_finish finish;
	bool has_exit_code;
	int64_t user_id;
	const char *reason;
};

/*
 * A user ends a lost writer from which nothing more is expected. It is noted among the changes of
 * state, and the attempt's end is decided: a primary counts as if it had ended so, failed unless
 * the user gives another state. A writer that is not silent is refused, and so is a state for a
 * worker; one that has ended changes nothing. Any later request of the writer makes it alive again
 * (run_hear); a run that it ended stays ended, as it does for late data.
 */
err_t run_give_up(struct arena *a, struct run *run, struct writer *writers, size_t count,
		  size_t which, const struct run_hand *hand, struct run_clock clock,
		  struct run_changes *changes) __attribute__((warn_unused_result));

/* Called by the sweeper: the attempt's end is decided, and look_at is set to the next check. */
void run_sweep(struct run *run, const struct writer *writers, size_t count, struct run_clock clock,
	       struct run_changes *changes);

/* A user ends the run; one that is in that state already is not changed. */
void run_finish_by_hand(struct run *run, const struct run_hand *hand, struct run_clock clock,
			struct run_changes *changes);

/* Writers are asked to stop; the first request is kept. Refused if the run has ended. */
err_t run_ask_stop(struct arena *a, struct run *run, struct str reason, timestamp_us now)
	__attribute__((warn_unused_result));

/* Deletes a run, by a user or by a rule; the record of that. */
struct run_deletion {
	enum run_who who;
	int64_t user_id; /* 0: none */
	const char *reason;
	timestamp_us purge_at;
};
void run_delete(struct run *run, const struct run_deletion *deletion, timestamp_us now,
		struct run_changes *changes);

/* Undoes it. ERR_GONE if the run's grace period is over; one that is not deleted is not changed. */
err_t run_restore(struct arena *a, struct run *run, int64_t user_id, timestamp_us now,
		  struct run_changes *changes) __attribute__((warn_unused_result));

/*
 * A user moves it to another project, which is another address. Refused while it may be written to
 * under its present one, and if others go on from it.
 */
err_t run_may_be_moved(struct arena *a, const struct run *run, bool is_forked)
	__attribute__((warn_unused_result));
void run_move(struct run *run, int64_t project_id, int64_t user_id, struct run_changes *changes);
/* ERR_GONE if the run, which is locked, is in another project than it was found in. */
err_t run_check_project(struct arena *a, const struct run *run, int64_t project_id)
	__attribute__((warn_unused_result));

/* Whether it may be purged, after which it cannot be restored. */
bool run_may_be_purged(const struct run *run, timestamp_us now);

/*
 * The run goes on from an earlier step. A running run begins an attempt, so that writers of the
 * branch before do not decide its end; one that has ended waits for a writer as it is.
 */
void run_rewind(struct run *run, int64_t user_id, const char *reason, struct run_clock clock,
		struct run_changes *changes);

/*
 * Whether the client that keeps a queue of runs may set the state: to begin again, or never to run.
 */
bool run_may_be_put(const struct run *run, enum run_state state);

/*
 * A user sets the state. Running begins a new attempt; an ended run keeps its exit code, but for
 * one that is pending again.
 */
void run_override(struct run *run, enum run_state state, int64_t user_id, const char *reason,
		  struct run_clock clock, struct run_changes *changes);

/* Sorts runs by id. */
void run_list_sort(struct run *runs, size_t count);
/* Returns the run with the id, of an array that is sorted by id, or NULL. */
const struct run *run_list_find(const struct run *runs, size_t count, int64_t run_id);

#endif
