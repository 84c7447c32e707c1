#ifndef WATCH_H
#define WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cairn.h"
#include "child.h"
#include "metadata.h"
#include "notices.h"
#include "relay.h"

/*
 * SIGTERM with this value, sent by sigqueue() of its parent, is a request to stop the run: passed on like one of the server, and
 * not once more if that was already.
 */
#define WATCH_STOP_VALUE 0x53544f50
/* Any signal with this value: the parent, the agent of a sweep, was sent it. Another agent goes on with the run: it is preempted. */
#define WATCH_LEAVE_VALUE 0x4c454156

/* Cairn run's loop: passes output and signals on until the command has ended. */
struct watch {
	struct child child;
	struct relay relays[2];
	struct notices notices;
	struct metadata metadata;
	struct child_signals before; /* for the command */
	int signals;                 /* a signalfd */
	bool keeps_console;
	bool has_ended;
	bool is_stopped;       /* the command */
	int64_t stop_until_us; /* if it stops until then, SIGTSTP did it */
	bool was_stopped;      /* a stop request was passed on */
	int preempt_signal;    /* announces that the machine will be taken away; 0: none does */
	bool was_signalled;    /* a process sent SIGTERM, or the signal above */
	int left_signal;       /* WATCH_LEAVE_VALUE came with it; 0: it did not */
	bool is_preempting;    /* one of these two came, */
	bool was_announced;    /* and the run knows of it */
	bool has_complained;
	int status; /* of waitpid */
	int64_t ended_us;
};

/* The number of a signal that is passed on, by its name with or without "SIG"; 0: it is not one of them. */
int watch_find_signal(const char *name) __attribute__((nonnull));

/* "SIGUSR1" */
const char *watch_signal_name(int number);

/* Blocks the signals that are passed on; before there are other threads. False after saying why. */
bool watch_prepare(struct watch *watch) __attribute__((nonnull));

/* After the end: an interrupt from now on ends cairn itself, which may be waiting for the server. What
 * came before meant the command. */
void watch_stop(struct watch *watch) __attribute__((nonnull));

/* Returns the exit code that stands for the command's end. `run` may be NULL. */
int watch_until_end(struct watch *watch, struct cairn_run *run) __attribute__((nonnull(1)));

#endif
