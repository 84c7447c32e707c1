#ifndef GIT_H
#define GIT_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "text.h"

/*
 * Facts from git about the current folder, read from a child process while other work goes on. Without git, or
 * outside of a repository, there are none. It changes nothing there and contacts no other host.
 */
struct git {
	pid_t pid;  /* 0: it is over; until then it may be a zombie */
	int output; /* -1: nothing more comes */
	struct text told;
	bool is_whole;
};

/* With these signals blocked in it. It ends with the calling thread. */
void git_start(struct git *git, const sigset_t *mask) __attribute__((nonnull));

struct pollfd git_wish(const struct git *git) __attribute__((nonnull));

/* Reads what poll() found. One that tells too much is ended. */
void git_step(struct git *git, short found) __attribute__((nonnull));

/* Ends it if more was to come, without waiting for it, and forgets what it told. */
void git_stop(struct git *git) __attribute__((nonnull));

/* Looks whether one that tells no more is over, so that it is no zombie: until pid is 0 it is to be looked again. */
void git_reap(struct git *git) __attribute__((nonnull));

/* The member "git" of an object; nothing where git told nothing. */
void git_write(const struct git *git, struct text *object) __attribute__((nonnull));

#endif
