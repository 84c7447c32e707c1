/* help.c - --help and the manual page, both from the table of options. */
#include <stdio.h>
#include <string.h>

#include "command.h"

#define HELP_COLUMN 24

static const char summary[] = "print numbers about this machine and a process tree";

static const char output[] =
	"Each sample is one line, a JSON object: \"_timestamp\" in seconds since 1970, then numbers by "
	"name, such as \"cpu\" (percent of what the process tree may use), \"memory_percent\", "
	"\"proc.memory.rssMB\", \"disk./.usagePercent\", \"network.sent\" (bytes since the start) and "
	"\"gpu.0.gpu\". METRICS tells of each. "
	"What cannot be read is left out, never replaced by 0.\n"
	"The first sample comes within a second, then one comes each interval, the last one at SIGINT "
	"or SIGTERM. A file system or a driver that does not answer holds up a sample by a quarter of "
	"a second, or half the interval if that is less; then its numbers are missing and nothing "
	"else is.";

struct status {
	const char *code;
	const char *meaning;
};

static const struct status statuses[] = {
	{ "0", "Done, or ended by SIGINT or SIGTERM." },
	{ "1", "Nobody reads the output any more, or there is no memory." },
	{ "2", "The command line is wrong." },
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
	printf("usage: cairn-sampler [OPTION]...\n\nPrints numbers about this machine and a process "
	       "tree, one JSON line per sample.\n\n");
	for (const struct command_option *option = command_options; option->name; option++) {
		if (option->help)
			print_option(option);
	}
	printf("\nThe first sample comes within a second, the last one at SIGINT or SIGTERM; man "
	       "cairn-sampler has\nit all.\n");
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
