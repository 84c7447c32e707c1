/* --help and the manual page, both from the tables of options. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26
#define HELP_WIDTH 92

struct fact {
	const char *name;
	const char *text;
};

static const struct fact variables[] = {
	{ "CAIRN_URL", "Address of the server, with its path prefix, if any." },
	{ "CAIRN_API_KEY", "API key." },
	{ "CAIRN_API_KEY_FILE", "File with the API key on its first line." },
	{ "CAIRN_CA_FILE", "PEM certificates to trust instead of the system's." },
	{ "CAIRN_PROJECT", "\"entity/project\", or \"project\" of the default entity." },
	{ "CAIRN_RUN", "Run to join, or to create with this id." },
	{ "CAIRN_LABEL", "Display name of this process." },
	{ "CAIRN_CLIENT", "Id of this process in the run [random]." },
	{ "CAIRN_ROLE",
	  "\"primary\" or \"worker\" [by the rank]. Only a primary decides how a run ends." },
	{ "CAIRN_PARENT", "Client id of the writer at whose end this one ends, too." },
	{ "CAIRN_PARENT_LABEL",
	  "Label from which a process without a label derives its own; set by cairn run." },
	{ "CAIRN_PARENT_LAUNCHER",
	  "Launcher whose rank is that of cairn run, not of the command's own writers; set by "
	  "cairn run." },
	{ "CAIRN_NAME, CAIRN_GROUP, CAIRN_JOB_TYPE, CAIRN_TAGS, CAIRN_NOTES",
	  "Properties of a run, set when it is created." },
	{ "CAIRN_METADATA",
	  "Metadata that cairn run records about the command and the machine: all, no-command "
	  "or none." },
	{ "CAIRN_SWEEP, CAIRN_PARAMS",
	  "Sweep of the trial that a program runs, and its parameters as JSON; set by cairn "
	  "agent." },
	{ "CAIRN_SAMPLE_INTERVAL", "Seconds between samples of system metrics, 0 for off [15]." },
	{ "CAIRN_SAMPLE_DISKS", "File systems to monitor, separated by commas [/]." },
	{ "CAIRN_SAMPLE_GPUS",
	  "GPUs to monitor, as indices or UUIDs, or \"none\" [CUDA_VISIBLE_DEVICES, else all]." },
	{ "CAIRN_SAMPLE_DEVICES",
	  "Devices of any kind to monitor, such as gpu:0,2,tpu:1-3 [all]." },
	{ "CAIRN_OPEN_METRICS",
	  "Endpoints of metrics to monitor, as NAME=URL with spaces between." },
	{ "CAIRN_OPEN_METRICS_FILTERS, CAIRN_OPEN_METRICS_HEADERS",
	  "Which of their series to monitor, and headers to send to them; see man cairn-sampler." },
	{ "CAIRN_BUFFER_MIB", "MiB of memory for unsent data [64]." },
	{ "CAIRN_MODE", "online, offline (or dryrun): write to the spool and use no network, or "
			"disabled: record nothing [online]." },
	{ "CAIRN_SPOOL_DIR", "Folder for data that is not sent yet; cairn sync sends it "
			     "[.cairn/spool in the working directory]." },
	{ "CAIRN_SPOOL", "on, or off: keep unsent data in memory only [on]." },
	{ "CAIRN_SPOOL_AFTER_MS",
	  "Milliseconds after which unsent data goes to the spool [5000]." },
	{ "CAIRN_SPOOL_AFTER_MIB", "MiB of unsent data above which it goes to the spool [16]." },
	{ "CAIRN_SPOOL_MAX_GIB", "GiB that the spool of a process has at most [10]." },
	{ "CAIRN_SPOOL_RESERVE", "Space that stays free on the disk of the spool: GiB, or a "
				 "percentage such as 5% [5% or 1 GiB, whichever is less]." },
	{ "CAIRN_FLUSH_MS", "Milliseconds that logged data waits at most before it is sent "
			    "[1000]." },
	{ "CAIRN_REQUEST_TIMEOUT_MS", "Timeout of a request in milliseconds [30000]." },
	{ "CAIRN_RETRY_MAX_MS", "Longest delay between two attempts, in milliseconds [30000]." },
	{ "CAIRN_EXIT_TIMEOUT_MS",
	  "Milliseconds by which the exit of a program that did not finish its run may be "
	  "delayed [2000]." },
	{ 0 },
};

static const struct fact exits[] = {
	{ "0", "Done." },
	{ "1", "The server rejected the request, or an error occurred on this machine." },
	{ "2", "Invalid command line." },
	{ "3", "The server is unreachable." },
	{ "cairn run", "Exit status of the command; 128 plus the signal number if a signal "
		       "ended it; 126 if it cannot be executed, 127 if it is not found." },
	{ 0 },
};

static const struct fact examples[] = {
	{ "cairn login http://127.0.0.1:8080",
	  "Prompt for the API key, and store it with the address." },
	{ "cairn run -- python3 train.py --lr 0.01",
	  "Log a training run: its console, its system metrics, and how it ended." },
	{ "cairn run --run night-1 --worker -- python3 eval.py",
	  "Join the run night-1 as a worker." },
	{ "cairn log --run night-1 --step 10 loss=0.5 accuracy=0.9", "Add a row by hand." },
	{ "cairn ls --filter 'state:crashed config.lr<0.01' --order -summary.loss",
	  "Find runs by state and config." },
	{ "cairn show night-1 --metric accuracy", "Show one run." },
	{ "cairn sweep sweep.yaml", "Make a sweep of the parameters in sweep.yaml." },
	{ "cairn agent k3x9a0bq --gpus 0,1,2,3",
	  "Run trials of a sweep, one for each GPU at the same time." },
	{ "cairn top digits", "Watch the runs of the project digits." },
	{ 0 },
};

void help_overview(const struct command *commands)
{
	printf("usage: cairn COMMAND [OPTION]... [ARGUMENT]...\n\n");
	for (; commands->name; commands++)
		printf("  %-10s %s\n", commands->name, commands->summary);
	printf("\n"
	       "First run: cairn login http://127.0.0.1:8080, then cairn run -- python3 "
	       "train.py\n"
	       "See also cairn COMMAND --help, cairn --version and man cairn.\n");
}

/* Text from a column on, broken between words. */
static void print_wrapped(const char *text, int column, int used)
{
	int at = used;

	while (*text) {
		int word = (int)strcspn(text, " ");

		if (at > column && at + 1 + word > HELP_WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		}
		if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", word, text);
		at += word;
		text += word + (text[word] == ' ');
	}
	putchar('\n');
}

static void print_options(const struct cli_option *option)
{
	for (; option && option->name; option++) {
		char letter[] = { '-', option->letter, ',', 0 };
		int used = printf("  %-3s ", option->letter ? letter : "");

		used += printf("--%s%s%s", option->name, option->value ? " " : "",
			       option->value ? option->value : "");
		if (used >= HELP_COLUMN) {
			putchar('\n');
			used = 0;
		}
		printf("%*s", HELP_COLUMN - used, "");
		print_wrapped(option->help, HELP_COLUMN, HELP_COLUMN);
	}
}

void help_command(const struct command *command)
{
	printf("usage: cairn %s [OPTION]...%s%s\n\n%s\n", command->name,
	       command->arguments[0] ? " " : "", command->arguments, command->summary);
	for (const char *text = command->text; text && *text;) {
		size_t length = strcspn(text, "\n");
		char paragraph[2048];

		snprintf(paragraph, sizeof paragraph, "%.*s", (int)length, text);
		putchar('\n');
		print_wrapped(paragraph, 0, 0);
		text += length + (text[length] == '\n');
	}
	putchar('\n');
	print_options(command->options);
	if (command->needs == NEEDS_SERVER)
		print_options(server_options);
}

/* Roff reads backslashes, hyphens and dots at the start of a line in its own way. */
static void print_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\n')
			fputs("\n.PP\n", stdout);
		else
			putchar(*text);
	}
	putchar('\n');
}

static void print_roff_options(const struct cli_option *option)
{
	for (; option && option->name; option++) {
		fputs(".TP\n", stdout);
		if (option->letter)
			printf("\\fB\\-%c\\fR, ", option->letter);
		fputs("\\fB\\-\\-", stdout);
		for (const char *p = option->name; *p; p++) {
			if (*p == '-')
				putchar('\\');
			putchar(*p);
		}
		printf("\\fR%s%s%s\n", option->value ? " \\fI" : "",
		       option->value ? option->value : "", option->value ? "\\fR" : "");
		print_roff(option->help);
	}
}

static void print_roff_facts(const struct fact *fact)
{
	for (; fact->name; fact++) {
		fputs(".TP\n.B ", stdout);
		print_roff(fact->name);
		print_roff(fact->text);
	}
}

void help_manual(const struct command *commands)
{
	printf(".TH CAIRN 1 \"\" \"cairn %s\" \"Cairn\"\n", CAIRN_VERSION);
	printf(".SH NAME\ncairn \\- log runs of programs to a Cairn server and show them\n");
	printf(".SH SYNOPSIS\n.B cairn\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n");
	printf(".SH DESCRIPTION\n"
	       "Runs are stored by a server, cairnd; these commands write to them and read from "
	       "them. They need the server's address and an API key: see \\fBcairn login\\fR. "
	       "Programs written in C can log directly, with the library libcairn and its header "
	       "cairn.h.\n");
	printf(".SH COMMANDS\n");
	for (; commands->name; commands++) {
		printf(".SS cairn %s %s\n", commands->name, commands->arguments);
		print_roff(commands->summary);
		if (commands->text) {
			printf(".PP\n");
			print_roff(commands->text);
		}
		print_roff_options(commands->options);
	}
	printf(".SH OPTIONS OF ALL COMMANDS THAT CONNECT TO THE SERVER\n");
	print_roff_options(server_options);
	printf(".SH ENVIRONMENT\n");
	print_roff_facts(variables);
	printf(".SH FILES\n"
	       ".TP\n"
	       "~/.config/cairn/credentials\n"
	       "Written by cairn login; only its owner can read it.\n"
	       ".TP\n"
	       "\\&.cairn/spool\n"
	       "Data of runs that was not sent yet; only its owner can read it.\n");
	printf(".SH EXIT STATUS\n");
	print_roff_facts(exits);
	printf(".SH EXAMPLES\n");
	print_roff_facts(examples);
	printf(".SH SEE ALSO\n.BR cairnd (8),\n.BR cairn-sampler (1)\n");
}
