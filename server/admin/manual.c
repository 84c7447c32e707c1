#include "manual.h"

#include <string.h>

#include "arena.h"
#include "str.h"

enum { HELP_COLUMN = 24, HELP_WIDTH = 78 };

static const struct {
	const char *name, *help;
} general[] = {
	{ "--config FILE", "Read settings from this file; also CAIRN_CONFIG." },
	{ "--SETTING VALUE", "Set a setting listed below; _ may be written as -." },
	{ "--print-config", "Print all settings in the form of the configuration file." },
	{ "--print-routes", "Print the routes of the server." },
	{ "--print-fields", "Print the GraphQL schema offered to the wandb SDK." },
	{ "--man, --man-config", "Print the manual pages cairnd(8) and cairnd.conf(5)." },
	{ "--help, --version", "" },
};
enum { GENERAL = sizeof(general) / sizeof(general[0]) };

/* ---- help -------------------------------------------------------------------------------------- */

/* A name at the left, its text in a column of its own, wrapped at blanks. */
static void print_item(FILE *out, const char *name, const char *text)
{
	struct str rest = str_of(text);
	int column = fprintf(out, "  %s", name);

	if (column >= HELP_COLUMN && rest.len) {
		fprintf(out, "\n");
		column = 0;
	}
	while (rest.len) {
		struct str word = str_cut(&rest, ' ');

		if (column > HELP_COLUMN && column + (int)word.len + 1 > HELP_WIDTH) {
			fprintf(out, "\n");
			column = 0;
		}
		if (column < HELP_COLUMN)
			column += fprintf(out, "%*s", HELP_COLUMN - column, "");
		else
			column += fprintf(out, " ");
		column += fprintf(out, "%.*s", STR_ARG(word));
	}
	fprintf(out, "\n");
}

static void print_command(FILE *out, const struct command *c)
{
	char name[160];

	snprintf(name, sizeof(name), "%s%s%s", c->words, *c->arguments ? " " : "", c->arguments);
	print_item(out, name, c->help);
	for (size_t i = 0; i < COMMAND_OPTIONS && c->options[i].name; i++) {
		const struct command_option *o = &c->options[i];

		snprintf(name, sizeof(name), "  --%s%s%s", o->name, o->value ? " " : "",
			 o->value ? o->value : "");
		print_item(out, name, o->help);
	}
}

static void print_setting(FILE *out, const struct config_setting *s)
{
	char name[64];
	char text[512];

	snprintf(name, sizeof(name), "%s", s->name);
	snprintf(text, sizeof(text), "%s%s%s%s%s", s->help, *s->standard ? " [" : "", s->standard,
		 *s->standard ? "]" : "", s->secret ? " Not on the command line." : "");
	print_item(out, name, text);
}

static void print_few(FILE *out, const struct command *commands, const struct command_line *line)
{
	const struct command *one = line->call.command;

	if (one)
		fprintf(out, "usage: cairnd %s%s%s [OPTION...]\n\n", one->words,
			*one->arguments ? " " : "", one->arguments);
	else
		fprintf(out, "usage: cairnd %s COMMAND [ARGUMENT...] [OPTION...]\n\n", line->group);
	for (; commands->words; commands++) {
		if (one ? commands == one : command_is_of(commands, line->group))
			print_command(out, commands);
	}
	fprintf(out,
		"\n"
		"Every setting is also an option, such as --data-dir DIRECTORY, the location of "
		"the database;\n"
		"\"cairnd --help\" lists them.\n");
}

void manual_help(const struct command *commands, const struct command_line *line, FILE *out)
{
	if (line->call.command || line->group) {
		print_few(out, commands, line);
		return;
	}
	fprintf(out, "usage: cairnd COMMAND [ARGUMENT...] [OPTION...]\n"
		     "\n"
		     "The Cairn server tracks machine-learning runs.\n"
		     "\n"
		     "commands:\n");
	for (; commands->words; commands++)
		print_command(out, commands);
	fprintf(out, "\noptions:\n");
	for (size_t i = 0; i < GENERAL; i++)
		print_item(out, general[i].name, general[i].help);
	fprintf(out, "\nsettings, also as CAIRN_<NAME> in the environment:\n");
	for (size_t i = 0; i < config_setting_count; i++)
		print_setting(out, &config_settings[i]);
}

/* ---- roff -------------------------------------------------------------------------------------- */

/* Text of the tables has no roff; characters that need escapes are: backslash, minus, first dot. */
static void roff(FILE *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", out);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			fputc(*text, out);
	}
}

static void roff_item(FILE *out, const char *bold, const char *italic, const char *text)
{
	fputs(".TP\n\\fB", out);
	roff(out, bold);
	fputs("\\fR", out);
	if (italic && *italic) {
		fputs(" \\fI", out);
		roff(out, italic);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	roff(out, text);
	fputc('\n', out);
}

static void roff_options(FILE *out, const struct command *c)
{
	if (!c->options[0].name)
		return;
	fputs(".RS\n", out);
	for (size_t i = 0; i < COMMAND_OPTIONS && c->options[i].name; i++) {
		char name[80];

		snprintf(name, sizeof(name), "--%s", c->options[i].name);
		roff_item(out, name, c->options[i].value, c->options[i].help);
	}
	fputs(".RE\n", out);
}

void manual_page(const struct command *commands, FILE *out)
{
	fprintf(out, ".TH CAIRND 8 \"\" \"Cairn %s\" \"System administration\"\n", CAIRN_VERSION);
	fputs(".SH NAME\n"
	      "cairnd \\- server that tracks machine\\-learning runs\n"
	      ".SH SYNOPSIS\n"
	      ".B cairnd\n"
	      ".I COMMAND\n"
	      "[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
	      ".SH DESCRIPTION\n"
	      "Many processes can write to one run; the server merges their data and answers "
	      "queries about it. Runs are stored in PostgreSQL, either in an external database "
	      "or in an embedded one under the data directory.\n"
	      ".SH COMMANDS\n",
	      out);
	for (; commands->words; commands++) {
		roff_item(out, commands->words, commands->arguments, commands->help);
		roff_options(out, commands);
	}
	fputs(".SH OPTIONS\n"
	      "Every setting of \\fBcairnd.conf\\fR(5) that is not a secret is an option of "
	      "every command.\n",
	      out);
	for (size_t i = 0; i < GENERAL; i++)
		roff_item(out, general[i].name, NULL, general[i].help);
	fputs(".SH SIGNALS\n"
	      "SIGTERM and SIGINT stop the server after the requests in progress are answered; a "
	      "second signal stops it at once.\n"
	      ".SH EXIT STATUS\n"
	      ".TP\n"
	      "0\n"
	      "Success.\n"
	      ".TP\n"
	      "1\n"
	      "Failure, or \\fBverify\\fR found faults.\n"
	      ".TP\n"
	      "2\n"
	      "\\fBupgrade \\-\\-dry\\-run\\fR found something to do, or \\fBdoctor\\fR found "
	      "only warnings.\n"
	      ".TP\n"
	      "64\n"
	      "Invalid command line.\n"
	      ".TP\n"
	      "78\n"
	      "Invalid configuration, or the database or data directory does not match it.\n"
	      ".SH EXAMPLES\n"
	      ".TP\n"
	      ".B cairnd serve \\-\\-data\\-dir /srv/cairn \\-\\-listen 127.0.0.1:8080\n"
	      "Run a server with an embedded PostgreSQL.\n"
	      ".TP\n"
	      ".B cairnd user add ann \\-\\-admin \\-\\-data\\-dir /srv/cairn \\-\\-key\\-file "
	      "ann.key\n"
	      "Add the first user with a key.\n"
	      ".TP\n"
	      ".B cairnd backup /backup/cairn.tar \\-\\-data\\-dir /srv/cairn\n"
	      "Make a backup while the server runs.\n"
	      ".TP\n"
	      ".B cairnd \\-\\-print\\-config\n"
	      "Print the settings in effect in the form of the configuration file.\n"
	      ".SH SEE ALSO\n"
	      ".BR cairnd.conf (5),\n"
	      ".BR cairn (1)\n",
	      out);
}

static void roff_setting(FILE *out, const struct config_setting *s, struct arena *a)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s%s", s->help, *s->standard ? " Default: " : "",
		 s->standard, *s->standard ? "." : "");
	roff_item(out, s->name, config_allowed(a, s), text);
	if (s->secret)
		fprintf(out, "A secret: not allowed on the command line, never printed or "
			     "logged.\n");
}

void manual_config_page(FILE *out)
{
	struct arena *a = arena_new(4096);

	fprintf(out, ".TH CAIRND.CONF 5 \"\" \"Cairn %s\" \"File formats\"\n", CAIRN_VERSION);
	fputs(".SH NAME\n"
	      "cairnd.conf \\- settings of the server cairnd\n"
	      ".SH DESCRIPTION\n"
	      "The file named by \\fBcairnd \\-\\-config\\fR or \\fBCAIRN_CONFIG\\fR has lines "
	      "of the form \\fIname\\fR = \\fIvalue\\fR; lines that begin with # are comments. "
	      "Every setting can also be set in the environment, as \\fBCAIRN_\\fINAME\\fR in "
	      "capitals, and on the command line, as \\fB\\-\\-\\fIname value\\fR. Later sources "
	      "win: default, file, environment, command line. For a secret, "
	      "\\fBCAIRN_\\fINAME\\fB_FILE\\fR names a file that contains it.\n"
	      ".SH SETTINGS\n",
	      out);
	for (size_t i = 0; i < config_setting_count; i++)
		roff_setting(out, &config_settings[i], a);
	fputs(".SH SEE ALSO\n.BR cairnd (8)\n", out);
	arena_free(a);
}
