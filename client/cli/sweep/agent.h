#ifndef AGENT_H
#define AGENT_H

#include "agent_trial.h"
#include "sweep.h"

/* An agent: registered at the server, it runs trials in slots until the sweep ends. */
struct agent {
	struct api api;
	char sweep[SWEEP_WORD_SIZE];
	char name[32]; /* that the server gave it */
	struct agent_program program;
	struct agent_words command; /* with macros */
	char *program_word;
	char **gpus;                /* of each slot; NULL: as in the environment */
	struct agent_trial *trials; /* of each slot */
	size_t slots;

	long count;    /* trials to run; 0: no limit */
	long failures; /* in a row after which it ends; 0: no limit */
	bool is_one;

	long started, failed_in_row;
	int beats_without_trial;
	int signals; /* a signalfd */
	sigset_t mask;
	int64_t every_us; /* time between heartbeats */
	int64_t beat_us;  /* when the next one is due */
	bool is_away;     /* the server */
	bool is_leaving;  /* starts no more trials */
	bool has_left;    /* the server does not have the agent any more */
	int signal;       /* that it was asked to end by; 0: none */
	bool is_hurried;  /* by a second one */
	int result;
};

/* Asks for "…/sweeps/{name}" + tail, and asks a busy server again for a minute. 0, or an exit code after saying why. */
int agent_ask(struct agent *agent, const char *method, const char *tail, const struct text *body)
	__attribute__((nonnull(1, 2, 3)));

/* Runs it to its end; the exit code. */
int agent_run(struct agent *agent) __attribute__((nonnull));

#endif
