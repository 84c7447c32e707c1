/* command.h - what the command line of cairn-sampler asks for. */
#ifndef CAIRN_SAMPLER_COMMAND_H
#define CAIRN_SAMPLER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler.h"

enum { EXIT_USAGE = 2 };

enum command_task { TASK_ROWS, TASK_METADATA, TASK_EXPLAIN, TASK_HELP, TASK_MANUAL, TASK_VERSION };

struct command {
	enum command_task task;
	uint64_t count; /* rows; 0: until a signal */
	struct sampler_options options;
	const char *disk_paths[SAMPLER_DISK_PATHS_MAX];
	char devices[4096];
	char open_metrics[4096];
	char open_metrics_headers[4096];
};

/* One option; the parser, --help and the manual page are made of the same rows. */
struct command_option {
	const char *name;
	const char *value; /* NULL: takes none */
	const char *help;  /* NULL: not told of */
	/* One of these: what it sets, or what reads its value. False: not a value for it. */
	enum sampler_flag flag;
	bool (*apply)(struct command *command, char *value);
};

/* Ends with a row of zeros. */
extern const struct command_option command_options[];

/* 0, or the exit status after a message. The command points into `argv`. */
int command_parse(struct command *command, int argc, char **argv);

void command_print_help(void);
/* As roff. */
void command_print_manual(void);

#endif
