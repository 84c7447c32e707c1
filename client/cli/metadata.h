#ifndef METADATA_H
#define METADATA_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cairn.h"
#include "git.h"

enum metadata_what { METADATA_ALL, METADATA_NO_COMMAND, METADATA_NONE };

/*
 * Metadata of the command and its folder; the library adds that of the machine. Git runs at the same time as the
 * command, which waits for nothing. When git has answered, or its time is over, the run gets all of it at once.
 */
struct metadata {
	enum metadata_what what; /* METADATA_NONE: also once the run has it */
	char *const *argv;
	int64_t begun_us; /* of the clock on the wall */
	int64_t late_us;
	struct git git;
};

/* By name: "all", "no-command", "none". */
bool metadata_find(const char *name, enum metadata_what *ret_what) __attribute__((nonnull));

/* Git gets these signals blocked. */
void metadata_begin(struct metadata *metadata, char *const *argv, const sigset_t *mask)
	__attribute__((nonnull));

/* Returns what to poll for; an fd of -1 if there is nothing. */
struct pollfd metadata_wish(const struct metadata *metadata) __attribute__((nonnull));

/* Acts on what poll() found; also without that to be called now and then, and when a child has ended. `run` may be
 * NULL. */
void metadata_step(struct metadata *metadata, short found, struct cairn_run *run)
	__attribute__((nonnull(1)));

/* Behind the command, which may have been quicker than git: waits a little. */
void metadata_end(struct metadata *metadata, int wait_ms, struct cairn_run *run)
	__attribute__((nonnull(1)));

#endif
