/* help.c - --help and the manual page, both from the table of options. */
#include <stdio.h>
#include <string.h>

#include "command.h"

#define HELP_COLUMN 24

static const char summary[] = "print metrics of this machine and a process tree";

static const char output[] =
	"Each sample is one line, a JSON object: \"_timestamp\" in seconds since 1970, then "
	"numbers by name, such as \"cpu\" (percentage of what the process tree may use), "
	"\"memory_percent\", \"proc.memory.rssMB\", \"disk./.usagePercent\", \"network.sent\" "
	"(bytes since the start) and \"gpu.0.gpu\". See METRICS. Values that cannot be read are "
	"omitted, never replaced by 0.\n"
	"The first sample is printed within a second, then one every interval, and the last one "
	"at SIGINT or SIGTERM. A file system or driver that does not respond delays a sample by "
	"a quarter of a second, or by half the interval if that is less; then only its values "
	"are missing.";

struct status {
	const char *code;
	const char *meaning;
};

static const struct status statuses[] = {
	{ "0", "Success, or ended by SIGINT or SIGTERM." },
	{ "1", "The reader of the output has closed it, or out of memory." },
	{ "2", "Invalid command line." },
	{ 0 },
};

static void print_option(const struct command_option *option)
{
	int used = printf("  --%s%s%s", option->name, option->value ? " " : "",
			  option->value ? option->value : "");

	printf("%*s%s\n", used < HELP_COLUMN ? HELP_COLUMN - used : 1, "", option->help);
}

void command_print_help(void)
{
	printf("usage: cairn-sampler [OPTION]...\n"
	       "\n"
	       "Prints metrics of this machine and a process tree, one JSON line per sample.\n"
	       "\n");
	for (const struct command_option *option = command_options; option->name; option++) {
		if (option->help)
			print_option(option);
	}
	printf("\n"
	       "The first sample is printed within a second, the last one at SIGINT or SIGTERM. "
	       "See also man\n"
	       "cairn-sampler.\n");
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
}

static void print_roff_option(const struct command_option *option)
{
	fputs(".TP\n\\fB\\-\\-", stdout);
	print_roff(option->name);
	fputs("\\fR", stdout);
	if (option->value)
		printf(" \\fI%s\\fR", option->value);
	putchar('\n');
	print_roff(option->help);
	putchar('\n');
}

void command_print_manual(void)
{
	printf(".TH CAIRN\\-SAMPLER 1 \"\" \"cairn %s\" \"Cairn\"\n", CAIRN_VERSION);
	printf(".SH NAME\ncairn\\-sampler \\- %s\n", summary);
	printf(".SH SYNOPSIS\n.B cairn\\-sampler\n[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n");
	print_roff(output);
	printf("\n.SH OPTIONS\n");
	for (const struct command_option *option = command_options; option->name; option++) {
		if (option->help)
			print_roff_option(option);
	}
	printf(".SH EXIT STATUS\n");
	for (const struct status *status = statuses; status->code; status++)
		printf(".TP\n\\fB%s\\fR\n%s\n", status->code, status->meaning);
	printf(".SH SEE ALSO\n.BR cairn (1)\n");
}
