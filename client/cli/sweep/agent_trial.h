#ifndef AGENT_TRIAL_H
#define AGENT_TRIAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent_words.h"
#include "api.h"

/* A process of cairn run for one trial, in a process group of its own. */
struct agent_trial {
	bool is_used;
	bool is_new; /* its run may not be there yet; there is no process */
	char *run;   /* id of its run */
	struct text params;
	int64_t number;
	pid_t pid;
	int status;
	bool has_ended;
	bool was_stopped;  /* by the server or a signal: its end is no failure */
	bool is_handed_on; /* to another agent, unless it finishes */
	bool was_killed;
	int64_t kill_us; /* of the monotonic clock: then it is killed; 0: not asked to stop */
	int reports;     /* attempts to tell the server of its end */
};

/* The same for all trials of an agent. */
struct agent_program {
	const char *sweep;
	char *const *command; /* with macros; ends with NULL */
	const char *program;  /* NULL: none */
	const sigset_t *mask; /* signals as we were given them */
};

/* Starts it; `gpus` may be NULL. False after saying why. */
bool agent_trial_start(struct agent_trial *trial, const struct agent_program *program,
		       const struct settings *settings, struct json params, const char *gpus)
	__attribute__((nonnull(1, 2, 3)));

/* Asks the program to end, and sets the time at which it is killed. Again: does nothing. */
void agent_trial_stop(struct agent_trial *trial) __attribute__((nonnull));

/* Passes a signal on that we were sent: a trial that ends by it goes to another agent. */
void agent_trial_pass(struct agent_trial *trial, int number) __attribute__((nonnull));

void agent_trial_kill(struct agent_trial *trial) __attribute__((nonnull));

/* Looks whether it has ended; what is left of its group is killed then. */
void agent_trial_reap(struct agent_trial *trial) __attribute__((nonnull));

/* As a shell has it. */
int agent_trial_exit_code(const struct agent_trial *trial) __attribute__((nonnull));

/* Removes the folder of their files, once it is empty. */
void agent_trial_remove_folder(const char *sweep) __attribute__((nonnull));

/* Removes its files and frees it. */
void agent_trial_free(struct agent_trial *trial, const char *sweep) __attribute__((nonnull));

#endif
