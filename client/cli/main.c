/* cairn: the client command. Finds the subcommand; each of them is one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "help.h"
#include "say.h"

static const struct command commands[] = {
	{ "run", "-- COMMAND [ARGUMENT]...", "Runs a command and logs it as a run.",
	  "The command's output is passed on unchanged and kept as the run's console; its processes "
	  "are sampled; its exit status decides whether the run is finished or failed, and is the "
	  "exit status of cairn. Where standard output or error is a terminal, the command gets a "
	  "terminal, too. With CAIRN_RUN or --run the run is joined if it is there.\n"
	  "A process that the command leaves in the background writes on as it would without cairn run, "
	  "which ends with the command: a small process stays behind and copies to the same terminal or "
	  "file until nobody has the output open any more. These late lines are not in the run's console. "
	  "Signals reach the command; when it stops on SIGTSTP, cairn run stops, too, and SIGCONT lets both "
	  "go on.\n"
	  "A primary tells what it runs in: the command line, the folder, host, system, cores, memory, "
	  "GPUs, and of git commit, branch, remote and whether there are changes. Variables of the "
	  "environment are never told. Secrets of the command line are masked as far as names tell "
	  "(--hf-token ABC, API_KEY=ABC, \"password\": \"ABC\"); addresses are told without user and "
	  "password. See --metadata.\n"
	  "The command and its children find the run in their environment: a program that uses "
	  "libcairn, and cairn log, add to it. Signals are passed on. When the server is away, or "
	  "refuses, the command runs all the same, and a line on standard error says so, while it runs "
	  "and at the end. After the command what is left is sent, for at most --finish-timeout; an "
	  "interrupt (Ctrl-C) then ends that.",
	  run_options, NEEDS_SERVER, command_run },
	{ "log", "KEY=VALUE...", "Adds one row to a run's history.",
	  "A value that is JSON (a number, true, [1,2], {\"a\":1}) is kept as such, anything else as "
	  "text. A key has up to 2,048 bytes with those of the objects around it, a value up to 10 MiB. "
	  "The run is that of --run or CAIRN_RUN; it is made if it is not there.\n"
	  "It returns when the server has the row. While the server is away it tries for --timeout "
	  "seconds, then gives the row up and fails; a program that logs much, or must not wait, is "
	  "better served by libcairn.",
	  log_options, NEEDS_SERVER, command_log },
	{ "login", "URL", "Remembers a server and the key for it.",
	  "The key is asked for without being shown, or read from --key-file, and tried before it is "
	  "written. The last server that was logged in to is the default.",
	  login_options, NEEDS_NOTHING, command_login },
	{ "ls", "[PROJECT]", "Lists the runs of a project.",
	  "A filter is written as conditions that must all hold: state:crashed config.lr<0.01 "
	  "tags:good. It may have or, not and ( ), several values (state:failed,crashed), an expression "
	  "(name:/^night-/), and has:KEY. What can be asked for: id, display_name, state (running, "
	  "finished, failed, crashed, killed, pending, preempting, preempted), group, job_type, tags, notes, user, created_at, "
	  "config.NAME and summary.NAME. A word alone is looked for in names, labels and notes.\n"
	  "On a terminal what is wider than it ends with an ellipsis; a file or a pipe has it whole.",
	  ls_options, NEEDS_SERVER, command_ls },
	{ "projects", "", "Lists the projects that you may see.", NULL, projects_options,
	  NEEDS_SERVER, command_projects },
	{ "show", "RUN", "Shows a run: state, writers, summary, a curve, console, system metrics.",
	  "RUN is an id, \"project/run\" or \"entity/project/run\". Where no run has this id, those that "
	  "have it as their name are said.",
	  show_options, NEEDS_SERVER, command_show },
	{ "finish", "[RUN]", "Ends a run by hand.", "Without RUN it is the one of CAIRN_RUN.",
	  finish_options, NEEDS_SERVER, command_finish },
	{ "stop", "[RUN]", "Asks the writers of a run to stop.",
	  "The request reaches them with their next heartbeat; they stop if their program looks at "
	  "it. cairn run passes it on to its command as SIGTERM. Without RUN it is the one of CAIRN_RUN.",
	  stop_options, NEEDS_SERVER, command_stop },
	{ "alert", "[RUN]", "Tells others of something in a run.",
	  "It is kept with the run, and sent on to where its project has alerts sent to. Of one title nothing "
	  "more is told for a minute, only counted. Without RUN it is the one of CAIRN_RUN.",
	  alert_options, NEEDS_SERVER, command_alert },
	{ "doctor", "", "Looks at the way to the server, and says what to do.",
	  "Name, connection, encryption, key, project and clock, in this order.", doctor_options,
	  NEEDS_SERVER, command_doctor },
	{ 0 },
};

static const struct command *find_command(const char *name)
{
	for (const struct command *command = commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}

static bool is_one_of(const char *word, const char *first, const char *second)
{
	return strcmp(word, first) == 0 || strcmp(word, second) == 0;
}

/* Whether the options before the first argument ask for help. */
static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		if (is_one_of(argv[i], "--help", "-h"))
			return true;
	}
	return false;
}

static int call_command(const char *name, int argc, char **argv)
{
	struct cli cli = { .command = find_command(name), .commands = commands };

	if (!cli.command) {
		say("there is no command \"%s\"; see cairn --help", name);
		return EXIT_USAGE;
	}
	if (wants_help(argc, argv)) {
		help_command(cli.command);
		return EXIT_DONE;
	}
	return cli_parse(&cli, argc, argv) ? cli.command->call(&cli) : EXIT_USAGE;
}

static int call(int argc, char **argv)
{
	char word[] = "--help", *help[] = { word, NULL };

	if (argc < 2) {
		help_overview(commands);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 && argc > 2)
		return call_command(argv[2], 1, help);
	if (is_one_of(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
		help_overview(commands);
	else if (is_one_of(argv[1], "--version", "-V"))
		printf("cairn %s\n", CAIRN_VERSION);
	else if (strcmp(argv[1], "--man") == 0)
		help_manual(commands);
	else
		return call_command(argv[1], argc - 2, argv + 2);
	return EXIT_DONE;
}

/* If one of the three standard streams is closed, the next file to be opened, perhaps a socket,
 * would take its place. */
static bool fill_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	int result = fill_streams() ? call(argc, argv) : EXIT_REFUSED;

	if ((fflush(stdout) != 0 || ferror(stdout)) && result == EXIT_DONE) {
		say("standard output cannot be written: %s", strerror(errno));
		return EXIT_REFUSED;
	}
	return result;
}
