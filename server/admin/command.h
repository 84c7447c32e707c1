#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "config.h"
#include "err.h"

/*
 * Commands of cairnd as a table (main.c): words, arguments, options, help
 * and a function. The same table makes --help and the manual. Every
 * setting that is not a secret is an option of every command.
 */
enum { COMMAND_ARGUMENTS = 3, COMMAND_OPTIONS = 5, COMMAND_OVERRIDES = 64 };

struct command;

struct command_call {
	struct arena *arena;
	const struct command *command;
	const struct config *config;
	const char *argument[COMMAND_ARGUMENTS];
	const char *option[COMMAND_OPTIONS]; /* NULL: not given; of a flag: "" */
	int status;                          /* the exit status of a command that did not fail */
};

struct command_option {
	const char *name;  /* "key-file" */
	const char *value; /* "FILE"; NULL: a flag */
	const char *help;
};

struct command {
	const char *words; /* "team member add" */
	const char *
		arguments; /* "TEAM USER"; one word each; "[FILE]" may be left out, and those after it */
	const char *help;
	err_t (*run)(struct command_call *call);
	struct command_option options[COMMAND_OPTIONS];
	bool may_be_first; /* before the server's first start: then it makes the embedded database */
};

enum command_action {
	COMMAND_RUN,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_PRINT_CONFIG,
	COMMAND_PRINT_ROUTES,
	COMMAND_PRINT_FIELDS,
	COMMAND_MANUAL,        /* cairnd(8) */
	COMMAND_MANUAL_CONFIG, /* cairnd.conf(5) */
};

struct command_line {
	enum command_action action;
	const char *config_file;
	struct config_override overrides[COMMAND_OVERRIDES];
	size_t override_count;
	struct command_call call; /* its config is not set */
	const char *group;        /* help for all commands that begin so: "retention" */
};

/* The table ends with a row whose words are NULL. ERR_INVALID names the fault of the line. */
err_t command_parse(struct arena *a, const struct command *commands, int argc, char **argv,
		    struct command_line *ret_line) __attribute__((warn_unused_result));

/* Whether the command's first word is this one. */
bool command_is_of(const struct command *command, const char *group) __attribute__((nonnull));

/* The value of an option that the command has; NULL when it was not given. */
const char *command_option(const struct command_call *call, const char *name);
/* The same, which must have been given. */
err_t command_require(const struct command_call *call, const char *name, const char **ret_value)
	__attribute__((warn_unused_result));

#endif
