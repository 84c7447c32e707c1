#ifndef SDK_PROCESSES_H
#define SDK_PROCESSES_H

#include "line_ranges.h"
#include "run.h"

struct buf;

/*
 * The processes of the wandb SDK that write as one writer: outside of shared mode no request names
 * its process. The server learns when a process begins, and when one ends, but not which. Requests
 * are assigned by the numbers of their lines: a process counts its lines of history and events from
 * where the run was when it began. Two processes at the same numbers may be taken for each other.
 * The results of the list are the same then: how many there are, and when they were heard from.
 */
enum {
	SDK_PROCESSES_MAX = 16,
	SDK_PROCESS_SAID_LEN = 8, /* of the digest of the request by which one began or ended */
	SDK_PROCESSES_MAX_BYTES = (2 + SDK_PROCESSES_MAX * (1 + LINE_FILES)) * 10 +
				  2 * SDK_PROCESS_SAID_LEN + CONSOLE_PIECES_MAX_BYTES,
};

struct sdk_process {
	timestamp_us heard_at;
	int64_t next[LINE_FILES]; /* the number of its next line; -1: not known */
};

struct sdk_processes {
	unsigned count;
	struct sdk_process at[SDK_PROCESSES_MAX]; /* in the order in which they began */
	bool has_blank; /* one of them began next to others and did not resume: it has none of their documents */
	unsigned char
		last_begin[SDK_PROCESS_SAID_LEN]; /* of the request by which the last one began */
	unsigned char last_end[SDK_PROCESS_SAID_LEN]; /* of the request that ended the last one */
	struct console_pieces console; /* the stored console lines of all of them, ended ones too */
};

/* If there are no processes, there are no bytes. False if they are damaged. */
bool sdk_processes_read(struct str bytes, struct sdk_processes *ret_processes)
	__attribute__((nonnull, warn_unused_result));
void sdk_processes_write(struct buf *out, const struct sdk_processes *p) __attribute__((nonnull));

struct sdk_beginning {
	struct sdk_process process;
	bool is_blank;
	unsigned char said[SDK_PROCESS_SAID_LEN]; /* the first bytes of the request's digest */
};
/*
 * A process begins. Lost ones are forgotten; of more than SDK_PROCESSES_MAX the one that has been
 * silent longest is. Nothing begins when the same request came before and a process is there: the
 * SDK sends it again if the answer did not come.
 */
void sdk_processes_begin(struct sdk_processes *p, const struct sdk_beginning *beginning,
			 struct run_clock clock) __attribute__((nonnull));

/* Notes a request of one of them; an empty range has no lines. */
void sdk_processes_hear(struct sdk_processes *p, const struct line_range lines[static LINE_FILES],
			timestamp_us now) __attribute__((nonnull));

/*
 * The process with the last request ends. False when the request came before, and nothing ends:
 * `end` are the first bytes of its digest.
 */
bool sdk_processes_end(struct sdk_processes *p,
		       const unsigned char end[static SDK_PROCESS_SAID_LEN])
	__attribute__((nonnull, warn_unused_result));

/* How many are not lost. */
unsigned sdk_processes_alive(const struct sdk_processes *p, struct run_clock clock)
	__attribute__((nonnull));
/* The time of their last request; 0: there is none. */
timestamp_us sdk_processes_heard_at(const struct sdk_processes *p) __attribute__((nonnull));

#endif
