#ifndef INQUIRY_H
#define INQUIRY_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "text.h"

/*
 * A program that is asked something while other things go on, such as git. It may hang, fail or print garbage: its output
 * is bounded, and it is ended with all that it started once the caller has waited for long enough.
 */
struct inquiry {
	pid_t pid;  /* 0: not running */
	int output; /* -1: no more comes */
	struct text told;
	bool is_whole; /* the output is read to its end */
};

#define INQUIRY_TOLD_MAX_BYTES (64 * 1024) /* what comes beyond is not read */

/* Starts a script of sh, with nothing to read, and these signals blocked. What cannot start has no output. */
void inquiry_start(struct inquiry *inquiry, const char *script, const sigset_t *mask)
	__attribute__((nonnull));

/* Returns what to poll for; an fd of -1 if there is nothing. */
struct pollfd inquiry_wish(const struct inquiry *inquiry) __attribute__((nonnull));

/* Reads what is there; `found` is what poll() said. */
void inquiry_step(struct inquiry *inquiry, short found) __attribute__((nonnull));

/* Collects the process once it has ended; until pid is 0 it is to be called again. */
void inquiry_reap(struct inquiry *inquiry) __attribute__((nonnull));

/* Waits for the end of the output, at most until this moment of the monotonic clock. */
void inquiry_wait(struct inquiry *inquiry, int64_t until_us) __attribute__((nonnull));

/* Ends it if more was to come, without waiting for it, and forgets what it told. */
void inquiry_stop(struct inquiry *inquiry) __attribute__((nonnull));

#endif
