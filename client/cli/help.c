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
	{ "CAIRN_URL", "The server's address, with any path prefix." },
	{ "CAIRN_API_KEY", "The API key." },
	{ "CAIRN_API_KEY_FILE", "A file whose first line is the API key." },
	{ "CAIRN_CA_FILE", "PEM certificates to trust instead of the system's." },
	{ "CAIRN_PROJECT", "\"entity/project\", or \"project\" of the default entity." },
	{ "CAIRN_RUN", "The run to join, or to make under this id." },
	{ "CAIRN_LABEL", "This process' name for people." },
	{ "CAIRN_CLIENT", "What identifies this process in the run; random." },
	{ "CAIRN_ROLE", "\"primary\" or \"worker\". Only a primary decides how a run ends." },
	{ "CAIRN_PARENT", "The client id of the writer whose end is this one's, too." },
	{ "CAIRN_PARENT_LABEL",
	  "What a process without a label is called after: that of its cairn run." },
	{ "CAIRN_NAME, CAIRN_GROUP, CAIRN_JOB_TYPE, CAIRN_TAGS, CAIRN_NOTES",
	  "What a run is given when it is made." },
	{ "CAIRN_METADATA",
	  "What cairn run tells of the command and the machine: all, no-command or none." },
	{ "CAIRN_SAMPLE_INTERVAL", "Seconds between two samples of system metrics; 15; 0 is off." },
	{ "CAIRN_SAMPLE_DISKS", "File systems to watch, separated by commas; \"/\"." },
	{ "CAIRN_SAMPLE_GPUS", "Numbers of the GPUs to watch; all; \"none\"." },
	{ "CAIRN_BUFFER_MIB", "What may wait to be sent; 64." },
	{ "CAIRN_FLUSH_MS", "What is logged waits at most this long; 1000." },
	{ "CAIRN_REQUEST_TIMEOUT_MS", "Time-out of one request; 30000." },
	{ "CAIRN_RETRY_MAX_MS", "The longest wait between two tries; 30000." },
	{ "CAIRN_EXIT_TIMEOUT_MS",
	  "How long the exit of a program that did not finish its run may take; 2000." },
	{ 0 },
};

static const struct fact exits[] = {
	{ "0", "Done." },
	{ "1", "The server refused, or something on this machine failed." },
	{ "2", "The command line is wrong." },
	{ "3", "The server cannot be reached." },
	{ "cairn run", "The exit status of the command; 128 and the signal's number when a signal "
		       "ended it; 126 when it cannot be executed, 127 when it is not found." },
	{ 0 },
};

static const struct fact examples[] = {
	{ "cairn login http://127.0.0.1:8080", "Asks for the key, and remembers both." },
	{ "cairn run -- python3 train.py --lr 0.01",
	  "Logs a training: its console, its system metrics, how it ended." },
	{ "cairn run --run night-1 --worker -- python3 eval.py",
	  "Joins the run night-1, and leaves its end to others." },
	{ "cairn log --run night-1 --step 10 loss=0.5 accuracy=0.9", "Adds a row by hand." },
	{ "cairn ls --filter 'state:crashed config.lr<0.01' --order -summary.loss",
	  "Finds runs by what they are." },
	{ "cairn show night-1 --metric accuracy", "Looks at one." },
	{ 0 },
};

void help_overview(const struct command *commands)
{
	printf("usage: cairn COMMAND [OPTION]... [ARGUMENT]...\n\n");
	for (; commands->name; commands++)
		printf("  %-10s %s\n", commands->name, commands->summary);
	printf("\nA first run: cairn login http://127.0.0.1:8080, then cairn run -- python3 train.py\n"
	       "cairn COMMAND --help tells more, cairn --version the version; man cairn has it all.\n");
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
	printf(".SH NAME\ncairn \\- log runs of programs to a Cairn server, and look at them\n");
	printf(".SH SYNOPSIS\n.B cairn\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n");
	printf(".SH DESCRIPTION\nRuns are kept by a server, cairnd; these commands write into them and read "
	       "from them. They need its address and an API key: see \\fBcairn login\\fR. A program "
	       "written in C can log by itself, with the library libcairn and its header cairn.h.\n");
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
	printf(".SH OPTIONS OF ALL COMMANDS THAT ASK THE SERVER\n");
	print_roff_options(server_options);
	printf(".SH ENVIRONMENT\n");
	print_roff_facts(variables);
	printf(".SH FILES\n.TP\n~/.config/cairn/credentials\nWritten by cairn login; only its owner "
	       "may read it.\n");
	printf(".SH EXIT STATUS\n");
	print_roff_facts(exits);
	printf(".SH EXAMPLES\n");
	print_roff_facts(examples);
	printf(".SH SEE ALSO\n.BR cairnd (8),\n.BR cairn-sampler (1)\n");
}
