#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The command line as tables: each subcommand is one row in main.c with its options, and the parser,
 * --help and the manual page read the same rows.
 */
struct cli_option {
	const char *name;  /* "run" for --run; NULL ends a table */
	char letter;       /* 0: none */
	const char *value; /* "RUN": takes a value of this name; NULL: a switch */
	const char *help;
};

enum command_needs {
	NEEDS_NOTHING,
	NEEDS_SERVER /* --url, --key-file, --ca-file and --project are options, too */
};

struct cli;

struct command {
	const char *name;
	const char *arguments; /* as shown behind the name: "RUN" */
	const char *summary;   /* one line */
	const char *text;      /* paragraphs, separated by an empty line; NULL: none */
	const struct cli_option *options;
	enum command_needs needs;
	int (*call)(struct cli *cli);
};

#define CLI_OPTIONS_MAX 24

/* A parsed command line. All text belongs to argv. */
struct cli {
	const struct command *command;
	const char *values[CLI_OPTIONS_MAX]; /* beside the options; "" for a switch that is set */
	int argc;                            /* what is left: the arguments */
	char **argv;
	const struct command *commands; /* all of them, for help */
};

/* How the program ends; the manual page lists them. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_REFUSED = 1,  /* the server said no, or something local failed */
	EXIT_USAGE = 2,    /* the command line is wrong */
	EXIT_NO_ANSWER = 3 /* the server cannot be reached */
};

extern const struct cli_option server_options[];

/* Reads the options of cli->command from argv. False after saying what is wrong. */
bool cli_parse(struct cli *cli, int argc, char **argv) __attribute__((nonnull));

/* The value of an option; NULL when it was not given. */
const char *cli_value(const struct cli *cli, const char *name) __attribute__((nonnull));

bool cli_has(const struct cli *cli, const char *name) __attribute__((nonnull));

/* A whole number within limits, or `otherwise`; false after saying what is wrong. */
bool cli_int(const struct cli *cli, const char *name, long least, long most, long *number)
	__attribute__((nonnull));

int command_run(struct cli *cli);
int command_log(struct cli *cli);
int command_sync(struct cli *cli);
int command_login(struct cli *cli);
int command_ls(struct cli *cli);
int command_projects(struct cli *cli);
int command_show(struct cli *cli);
int command_top(struct cli *cli);
int command_finish(struct cli *cli);
int command_stop(struct cli *cli);
int command_alert(struct cli *cli);
int command_artifact(struct cli *cli);
int command_sweep(struct cli *cli);
int command_agent(struct cli *cli);
int command_doctor(struct cli *cli);

extern const struct cli_option run_options[], log_options[], login_options[], ls_options[],
	projects_options[], show_options[], top_options[], finish_options[], stop_options[],
	alert_options[], artifact_options[], sweep_options[], agent_options[], doctor_options[],
	sync_options[];

#endif
