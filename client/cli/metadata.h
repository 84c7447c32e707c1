#ifndef METADATA_H
#define METADATA_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cairn.h"
#include "inquiry.h"

enum metadata_what { METADATA_ALL, METADATA_NO_COMMAND, METADATA_NONE };

/*
 * Metadata of the command, its folder and its Slurm job; the library adds that of the machine. Git and scontrol run at
 * the same time as the command, which waits for nothing. When they have answered, or were given enough time, the run gets
 * all of it at once.
 */
struct metadata {
	enum metadata_what what; /* METADATA_NONE: also once the run has it */
	char *const *argv;
	int64_t begun_us;      /* of the clock on the wall */
	int64_t late_us;       /* all of it is handed over then */
	int64_t slurm_late_us; /* Slurm is not waited for then */
	struct inquiry git, slurm;
};

enum { METADATA_FDS = 2 };

/* By name: "all", "no-command", "none". */
bool metadata_find(const char *name, enum metadata_what *ret_what) __attribute__((nonnull));

/* Tools get these signals blocked. */
void metadata_begin(struct metadata *metadata, char *const *argv, const sigset_t *mask)
	__attribute__((nonnull));

/* Writes what to poll for; an fd is -1 if there is nothing. */
void metadata_wish(const struct metadata *metadata, struct pollfd fds[METADATA_FDS])
	__attribute__((nonnull));

/* Acts on what poll() found (NULL: nothing); is to be called now and then without that, too, and when a child has ended.
 * `run` may be NULL. */
void metadata_step(struct metadata *metadata, const struct pollfd *fds, struct cairn_run *run)
	__attribute__((nonnull(1)));

/* Behind the command, which may have been quicker than the tools: waits a little. */
void metadata_end(struct metadata *metadata, int wait_ms, struct cairn_run *run)
	__attribute__((nonnull(1)));

#endif
