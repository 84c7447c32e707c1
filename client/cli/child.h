#ifndef CHILD_H
#define CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * The command of cairn run. Each of its two output streams goes through a pseudo-terminal where
 * ours is a terminal, else through a pipe, so that the command sees what it would see without us.
 * Its standard input, its process group and its controlling terminal stay ours: job control and
 * what is typed work as ever.
 */
struct child {
	pid_t pid;
	int output[2]; /* where we read its stdout and stderr */
	bool is_terminal[2];
};

struct child_environment {
	const char *name;
	const char *value; /* NULL: take it away */
};

/* Signals as we were given them. */
struct child_signals {
	sigset_t mask;
	struct sigaction on_child; /* of SIGCHLD */
};

/* Starts the command with these changes to its environment, and these signals. 0, or the exit code
 * (126, 127, or 1) after saying why. */
int child_start(struct child *child, char **argv, const struct child_environment *environment,
		const struct child_signals *signals) __attribute__((nonnull));

/* Gives the command's terminals the size of ours. */
void child_resize(const struct child *child) __attribute__((nonnull));

#endif
