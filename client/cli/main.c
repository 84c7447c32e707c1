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
	{ "run", "-- COMMAND [ARGUMENT]...", "Run a command and log it as a run.",
	  "The command's output is passed on unchanged and recorded as the console of the run. "
	  "Its processes are sampled. Its exit status decides whether the run is finished or "
	  "failed, and is the exit status of cairn. If standard output or error is a terminal, "
	  "the command also gets a terminal. With CAIRN_RUN or --run, an existing run is "
	  "joined.\n"
	  "A process that the command leaves in the background keeps writing after cairn run has "
	  "ended: a small process stays behind and copies the output to the same terminal or "
	  "file until all writers have closed it. These late lines are not recorded in the run's "
	  "console. Signals are forwarded to the command; if the command stops on SIGTSTP, cairn "
	  "run stops, too, and SIGCONT resumes both.\n"
	  "A primary records its environment: the command line, directory, host, system, cores, "
	  "memory and GPUs, and from git the commit, branch, remote and whether there are "
	  "changes. Environment variables are never recorded. Secrets in the command line are "
	  "masked if they can be recognized by name (--hf-token ABC, API_KEY=ABC, \"password\": "
	  "\"ABC\"); user names and passwords are removed from URLs. See --metadata.\n"
	  "The command and its children find the run in their environment: programs that use "
	  "libcairn, and cairn log, add to it. If the server is unreachable or rejects the run, "
	  "the command runs anyway, and a message on standard error says so, while it runs and "
	  "at the end. After the command has ended, remaining data is sent for at most "
	  "--finish-timeout; an interrupt (Ctrl-C) stops this.",
	  run_options, NEEDS_SERVER, command_run },
	{ "log", "KEY=VALUE...", "Add a row to the history of a run.",
	  "A value that is valid JSON (a number, true, [1,2], {\"a\":1}) is stored as such, any "
	  "other value as text. A key has up to 2,048 bytes including the names of its parent "
	  "objects, a value up to 10 MiB. The run is that of --run or CAIRN_RUN; it is created "
	  "if it does not exist.\n"
	  "The command returns when the server has stored the row. While the server is "
	  "unreachable, it retries for --timeout seconds, then drops the row and fails. With "
	  "CAIRN_MODE=offline it writes the row to the spool instead. Programs that log often or "
	  "must not wait should use libcairn.",
	  log_options, NEEDS_SERVER, command_log },
	{ "sync", "[PATH]...", "Send runs that were recorded on disk to the server.",
	  "Programs write what they cannot send into a spool: always with CAIRN_MODE=offline, else "
	  "while the server is unreachable. This sends all runs found below the paths, or in the "
	  "folder of one writer, or without a path in CAIRN_SPOOL_DIR, else in .cairn/spool. It "
	  "can be interrupted and repeated at any time, also while a program still writes: what "
	  "the server has is not sent again, and times and order are those of the program.\n"
	  "A program that ended without finishing its run has crashed at its last record. A "
	  "program that is online and runs sends its spool itself and is skipped.\n"
	  "The server is that of --url or CAIRN_URL, else the one that the program had, else that "
	  "of cairn login. With --project, all runs go to that project instead of their own.\n"
	  "Each writer that cannot be sent is reported with the reason, and the others are sent. "
	  "The exit status is 0 if the server has all that is on disk, also of programs that go "
	  "on; 1 if a writer was rejected, is damaged or could not be read; 3 if only the server "
	  "was unreachable.",
	  sync_options, NEEDS_SERVER, command_sync },
	{ "login", "URL", "Store the address of a server and its API key.",
	  "The key is prompted for without echo or read from --key-file, and checked before it "
	  "is stored. The last server that you logged in to is the default.",
	  login_options, NEEDS_NOTHING, command_login },
	{ "ls", "[PROJECT]", "List the runs of a project.",
	  "A filter is a list of conditions that must all match: state:crashed config.lr<0.01 "
	  "tags:good. It may contain or, not and ( ), several values (state:failed,crashed), a "
	  "regular expression (name:/^night-/), and has:KEY. Keys are id, display_name, state "
	  "(running, finished, failed, crashed, killed, pending, preempting, preempted), group, "
	  "job_type, tags, notes, user, created_at, config.NAME and summary.NAME. A word without "
	  "a key is searched in names, labels and notes.\n"
	  "On a terminal, long texts are cut with an ellipsis; in a file or a pipe they are "
	  "complete.",
	  ls_options, NEEDS_SERVER, command_ls },
	{ "projects", "", "List the projects that you can access.", NULL, projects_options,
	  NEEDS_SERVER, command_projects },
	{ "show", "RUN", "Show a run: state, writers, summary, a curve, console, system metrics.",
	  "RUN is an id, \"project/run\" or \"entity/project/run\". If no run has this id, runs "
	  "with this name are listed.",
	  show_options, NEEDS_SERVER, command_show },
	{ "top", "[TARGET]", "Watch runs or this host on the terminal.",
	  "TARGET is PROJECT, ENTITY/PROJECT, PROJECT/RUN or ENTITY/PROJECT/RUN. X/Y is run Y of "
	  "project X of your default entity if there is one, else project Y of entity X. Without "
	  "TARGET, it is the run of CAIRN_RUN, else the project of --project. A TARGET that begins "
	  "with /, ./ or ../ is a spool folder: its runs are read from there, without a server.\n"
	  "Runs with their states and last values, curves of metrics, devices of all hosts, "
	  "writers and the console are shown as they change. Tab changes the pane that takes the "
	  "keys, / filters it, Space pins a metric, Enter shows a pane alone, ? lists all keys. "
	  "If the server is away, the last line says so, and what was shown stays.\n"
	  "With --host, this host is sampled once a second, and no server is needed. Colours are "
	  "used unless NO_COLOR is set; with TERM ending in -direct, or COLORTERM=truecolor and "
	  "such an entry of terminfo, true colour.",
	  top_options, NEEDS_SERVER, command_top },
	{ "finish", "[RUN]", "End a run by hand.", "Without RUN, the run of CAIRN_RUN is used.",
	  finish_options, NEEDS_SERVER, command_finish },
	{ "stop", "[RUN]", "Ask the writers of a run to stop.",
	  "Writers receive the request with their next heartbeat and stop if their program "
	  "checks for it. cairn run forwards it to its command as SIGTERM. Without RUN, the run "
	  "of CAIRN_RUN is used.",
	  stop_options, NEEDS_SERVER, command_stop },
	{ "alert", "[RUN]", "Send an alert about a run.",
	  "The alert is stored with the run and forwarded to the project's webhook. Repeats of a "
	  "title within a minute are counted, not sent. Without RUN, the run of CAIRN_RUN is "
	  "used.",
	  alert_options, NEEDS_SERVER, command_alert },
	{ "artifact", "put|get|ls|show|rm|link|verify|restore [ARGUMENT]...",
	  "Store and fetch versions of files, such as models and datasets.",
	  "put PATH --type TYPE sends a file, or all files below a folder, as a new version. Content "
	  "that the server has is not sent again, so an interrupted put is repeated to go on, also "
	  "within a file of more than 256 MiB, which is sent in parts. If nothing changed, no version "
	  "is made.\n"
	  "get NAME:VERSION [DIR] fetches the files of a version into DIR [NAME], checks them, and "
	  "leaves files that are there unchanged. An interrupted get is repeated to go on. It does "
	  "not write below a link in DIR. VERSION is v3 or an alias [latest].\n"
	  "If the server does not answer, put and get try again for ten minutes.\n"
	  "verify NAME:VERSION DIR compares the files of DIR with a version; the exit status is 1 if "
	  "they differ. verify NAME:VERSION --server lets the server read its files of the version "
	  "again and lists those that are missing or damaged.\n"
	  "ls lists artifacts, ls NAME versions, show NAME:VERSION one version.\n"
	  "rm NAME:VERSION deletes a version, rm NAME --all all versions, and both can be undone for "
	  "ten minutes with restore. link NAME:VERSION PORTFOLIO gives a version a place in another "
	  "collection, of the current project unless PORTFOLIO is ENTITY/PROJECT/NAME.\n"
	  "With CAIRN_RUN or --run, put records that the run made the version, and get that the run "
	  "uses it. An artifact of another project is ENTITY/PROJECT/NAME:VERSION.",
	  artifact_options, NEEDS_SERVER, command_artifact },
	{ "sweep", "FILE|ls|show|trials|best|pause|resume|stop|cancel|rm [ARGUMENT]",
	  "Search for good parameters: make a sweep, show it and control it.",
	  "FILE is a config in YAML or JSON, such as sweep.yaml, or - for standard input. The "
	  "sweep's id, its page and the command that starts an agent are printed. With --dry-run "
	  "nothing is made; errors and warnings are printed with line and column, and the exit status "
	  "is 1 if there are errors.\n"
	  "ls [PROJECT] lists sweeps, show SWEEP shows one, trials SWEEP lists its trials, the newest "
	  "first, and best SWEEP shows the trial with the best value of the metric. "
	  "SWEEP is an id, PROJECT/SWEEP or ENTITY/PROJECT/SWEEP.\n"
	  "pause SWEEP hands out no more trials until resume SWEEP; running trials go on. stop SWEEP "
	  "finishes the sweep: running trials go on to their end, then agents leave. cancel SWEEP "
	  "kills them. resume SWEEP also continues a sweep that was stopped or canceled. rm SWEEP "
	  "deletes it; its runs stay.",
	  sweep_options, NEEDS_SERVER, command_sweep },
	{ "agent", "SWEEP [-- COMMAND [ARGUMENT]...]", "Run trials of a sweep.",
	  "Asks the server for trials and runs the program of the config, or COMMAND, for each, as "
	  "cairn run does: its output and system metrics are recorded in the run of the trial, and "
	  "its exit status decides how the run ends. Start as many agents as you like, on any host.\n"
	  "These words of the command are replaced: ${program}, ${interpreter} (python), ${env} "
	  "(/usr/bin/env), ${args} (--lr=0.1 --layers=3), ${args_no_hyphens} (lr=0.1), "
	  "${args_no_equals} (--lr 0.1), ${args_no_boolean_flags} (--flag, only if it is true), "
	  "${args_json} (one word), ${args_json_file} (a file with it), ${args_append_hydra} (+lr=0.1), "
	  "${args_override_hydra} (++lr=0.1), and ${envvar:NAME}, also within a word. A COMMAND without "
	  "parameters gets ${args} at its end.\n"
	  "The program has CAIRN_PARAMS (the parameters as JSON), CAIRN_SWEEP, CAIRN_RUN and the other "
	  "variables of cairn run, WANDB_SWEEP_ID, WANDB_RUN_ID and those that the wandb SDK needs to log "
	  "to the same run.\n"
	  "A trial that is stopped gets SIGTERM, and SIGKILL 30 seconds later. What it leaves in its "
	  "process group is killed at its end. SIGINT and SIGTERM are forwarded: the agent leaves when "
	  "the trials have ended; a second signal kills them. While the server is away, trials go on and "
	  "the agent repeats its requests. It ends with the sweep, with status 1 if the sweep was deleted "
	  "or too many trials in a row failed, and with --one with the exit status of the trial.",
	  agent_options, NEEDS_SERVER, command_agent },
	{ "doctor", "", "Check the connection to the server, and print how to fix problems.",
	  "Checks the name, connection, encryption, key, project and clock, in this order.",
	  doctor_options, NEEDS_SERVER, command_doctor },
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
		say("unknown command \"%s\"; see cairn --help", name);
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
		say("cannot write to standard output: %s", strerror(errno));
		return EXIT_REFUSED;
	}
	return result;
}
