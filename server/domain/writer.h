#ifndef WRITER_H
#define WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

struct sdk_processes;

/* A writer is one process that writes into a run, for as long as it lives. */

enum writer_role { WRITER_PRIMARY = 1, WRITER_WORKER = 2, WRITER_HAND = 3 };

enum writer_state {
	WRITER_ALIVE = 1, /* joined and not ended; heard_at decides whether it is lost */
	WRITER_ENDED = 2,
	WRITER_REPLACED = 3, /* a primary with its label joined when it was lost */
	WRITER_ORPHANED = 4, /* ended by the finish of its parent */
	WRITER_GIVEN_UP = 5, /* lost, and ended by a user; alive again when it sends */
};

/* The run that it writes into. */
struct writer_run {
	bool has_ended;
	timestamp_us
		decided_at; /* when a client decided its end; 0: none did, as when it crashed */
};

enum {
	WRITER_MAX = 16384,        /* of one run; rows of further ones share one lane */
	WRITER_OVERFLOW = 16384,   /* the number of that lane, which no writer has */
	WRITER_LIST_MAX = 1 << 20, /* more than any run has */
	WRITER_VERSION_MAX = 64,   /* characters of its client's name and version */
	WRITER_HEARTBEAT_S = 10,   /* how often a native client sends at least */
	WRITER_HEARTBEATS = 3,     /* that fit into the limit, when that is short */
};

struct writer {
	int64_t run_id;
	int32_t writer; /* its number within the run, from 0 */
	struct str client;
	struct str label;
	int16_t role;
	int16_t state;
	struct str parent; /* client id of the process that started it; empty: none */
	int32_t attempt;   /* the latest attempt in which it sent */
	int32_t session;
	int64_t batch; /* the last one stored in this session */
	int64_t history_rows;
	int64_t event_rows;
	int64_t console_lines;
	int64_t dropped_rows; /* lines that the client gave up, by its own count */
	int64_t last_step;    /* -1: none yet */
	int64_t last_event;   /* its events' greatest `_timestamp`, in microseconds; -1: none yet */
	int64_t lag_us; /* of its last rows: from the newest one's `_timestamp` until they were stored */
	int64_t repeats;    /* batches that it sent again though they were stored */
	struct str streams; /* how many records of each process are stored, see record_streams.h */
	/*
	 * For the SDK without client ids, where every process counts console lines from 0 or, when
	 * it resumes, from their end: the shift added to the numbers of this session's process. Not
	 * known before the session writes the last piece: -1 - the number of lines that were
	 * stored.
	 */
	int64_t console_shift;
	struct str
		lines; /* of the SDK: in shared mode what was stored (line_ranges.h), else its processes (sdk_processes.h) */
	bool has_exit_code;
	int32_t exit_code;
	int16_t end_state;     /* the state it asked for when it ended; 0: none */
	struct str end_reason; /* why it ended, in its words; empty: none was given */
	struct str recent;     /* the last batches, see batch.h */
	struct str sessions;   /* the last batch of earlier sessions, see batch.h */
	struct str info;       /* JSON object: host, pid, client_version and what else it sent */
	bool late; /* it is of an attempt that had ended when it joined, and changes nothing */
	timestamp_us joined_at;
	timestamp_us heard_at;
	timestamp_us data_at; /* last rows or lines; 0: none yet */
	timestamp_us ended_at;
};

/* A process's description of itself when it joins. */
struct writer_join {
	struct str client;
	struct str label;
	enum writer_role role;
	struct str parent;
	struct str stream;       /* of the records that it logs; empty: it named none */
	struct str info;         /* JSON object: host, pid */
	timestamp_us started_at; /* of a process whose data is sent later: when it began; 0: now */
	bool is_blank; /* of the SDK: it does not resume the run, and has none of its documents */
	bool knows_name; /* of the SDK: it knows the run's name for people, so it may have begun before */
	const unsigned char *said; /* of the SDK: the digest of the request */
};

/*
 * The shift for the numbers of a session's console lines, of which one batch begins with `first`.
 * True: the session's first ones may be lines that are stored, sent again, and then *ret_shift is
 * for new ones.
 */
bool writer_console_shift(const struct writer *w, int64_t first, int64_t *ret_shift);

/*
 * Decodes `lines` of a writer outside of shared mode. Console lines stored before pieces were noted
 * count as one piece. False: the bytes are damaged.
 */
bool writer_processes(const struct writer *w, struct sdk_processes *ret_processes)
	__attribute__((nonnull, warn_unused_result));

/* The lane of its rows: its own number, or WRITER_OVERFLOW. */
int32_t writer_lane(const struct writer *w);

const char *writer_role_name(int role); /* "primary", "worker", "hand" */
/* False for any other text, "hand" too: no client joins by hand. */
bool writer_role_parse(struct str text, enum writer_role *ret_role);

/* Seconds between heartbeats for this limit of silence: one or two may be late. */
int64_t writer_heartbeat_s(int64_t limit_us);

/*
 * The lag of rows that are stored now, the newest of which was made at `newest_s`; rows without a
 * time (0) have that of their arrival, and no lag. Less than 0 where the writer's clock is ahead.
 */
int64_t writer_lag_us(timestamp_us now, double newest_s);

/* Whether it ended, was ended or was replaced. */
bool writer_has_ended(const struct writer *w);
bool writer_is_lost(const struct writer *w, timestamp_us now, int64_t limit_us);
/*
 * The state shown to users: "alive", "lost", "ended", "replaced". Rows by hand have no process that
 * sends or ends: their writer has ended when its run has. A primary that was not silent when
 * another client finished or killed its run is never lost: it ended with the run, or goes on. If
 * the run failed, its loss may be the reason; a worker reports its own end.
 */
const char *writer_state_shown(const struct writer *w, struct writer_run run, timestamp_us now,
			       int64_t limit_us);

#endif
