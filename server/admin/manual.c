#include "manual.h"

#include <string.h>

#include "arena.h"
#include "str.h"

enum { HELP_COLUMN = 24, HELP_WIDTH = 78 };

static const struct {
	const char *name, *help;
} general[] = {
	{ "--config FILE", "Read settings from the file; also CAIRN_CONFIG." },
	{ "--SETTING VALUE", "Set a setting, see below; _ may be written -." },
	{ "--print-config", "Print all settings in the form of the file." },
	{ "--print-routes", "Print the paths that the server answers." },
	{ "--print-fields", "Print what the wandb SDK may ask for by GraphQL." },
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
		"\nEvery setting is an option too, such as --data-dir DIRECTORY, which says where the\n"
		"database is; \"cairnd --help\" lists them.\n");
}

void manual_help(const struct command *commands, const struct command_line *line, FILE *out)
{
	if (line->call.command || line->group) {
		print_few(out, commands, line);
		return;
	}
	fprintf(out, "usage: cairnd COMMAND [ARGUMENT...] [OPTION...]\n\n"
		     "The server of Cairn: it tracks machine-learning runs.\n\ncommands:\n");
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
	fputs(".SH NAME\ncairnd \\- server that tracks machine\\-learning runs\n"
	      ".SH SYNOPSIS\n.B cairnd\n.I COMMAND\n[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n"
	      ".SH DESCRIPTION\nMany processes write into one run; the server merges what they send "
	      "and answers questions about it. Runs are kept in PostgreSQL: a database of the site, "
	      "or an embedded one under the data directory.\n.SH COMMANDS\n",
	      out);
	for (; commands->words; commands++) {
		roff_item(out, commands->words, commands->arguments, commands->help);
		roff_options(out, commands);
	}
	fputs(".SH OPTIONS\nEvery setting of \\fBcairnd.conf\\fR(5) that is no secret is an option "
	      "of every command.\n",
	      out);
	for (size_t i = 0; i < GENERAL; i++)
		roff_item(out, general[i].name, NULL, general[i].help);
	fputs(".SH SIGNALS\nSIGTERM and SIGINT stop the server once the requests under way are "
	      "answered; a second one does not wait for them.\n"
	      ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nFailed, or \\fBverify\\fR found faults.\n.TP\n2\n"
	      "\\fBupgrade \\-\\-dry\\-run\\fR found something to do, or \\fBdoctor\\fR has warnings.\n.TP\n64\nThe command line is wrong.\n"
	      ".TP\n78\nThe configuration is wrong, or the database or data directory does not fit "
	      "it.\n.SH EXAMPLES\n.TP\n.B cairnd serve \\-\\-data\\-dir /srv/cairn \\-\\-listen "
	      "127.0.0.1:8080\nA server with a PostgreSQL of its own.\n"
	      ".TP\n.B cairnd user add ann \\-\\-admin \\-\\-data\\-dir /srv/cairn \\-\\-key\\-file ann.key\n"
	      "Its first user, with a key.\n"
	      ".TP\n.B cairnd backup /backup/cairn.tar \\-\\-data\\-dir /srv/cairn\n"
	      "A backup, while the server runs.\n"
	      ".TP\n.B cairnd \\-\\-print\\-config\nThe settings in force, in the form of the file.\n"
	      ".SH SEE ALSO\n.BR cairnd.conf (5),\n.BR cairn (1)\n",
	      out);
}

static void roff_setting(FILE *out, const struct config_setting *s, struct arena *a)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s%s", s->help, *s->standard ? " Default: " : "",
		 s->standard, *s->standard ? "." : "");
	roff_item(out, s->name, config_allowed(a, s), text);
	if (s->secret)
		fprintf(out, "A secret: not on the command line, never printed, never logged.\n");
}

void manual_config_page(FILE *out)
{
	struct arena *a = arena_new(4096);

	fprintf(out, ".TH CAIRND.CONF 5 \"\" \"Cairn %s\" \"File formats\"\n", CAIRN_VERSION);
	fputs(".SH NAME\ncairnd.conf \\- settings of the server cairnd\n.SH DESCRIPTION\n"
	      "The file that \\fBcairnd \\-\\-config\\fR or \\fBCAIRN_CONFIG\\fR names has lines of the "
	      "form \\fIname\\fR = \\fIvalue\\fR; lines that begin with # are comments. Every setting "
	      "may also stand in the environment, as \\fBCAIRN_\\fINAME\\fR in capitals, and on the "
	      "command line, as \\fB\\-\\-\\fIname value\\fR. Later wins: default, file, environment, "
	      "command line. For a secret, \\fBCAIRN_\\fINAME\\fB_FILE\\fR names a file that holds it.\n"
	      ".SH SETTINGS\n",
	      out);
	for (size_t i = 0; i < config_setting_count; i++)
		roff_setting(out, &config_settings[i], a);
	fputs(".SH SEE ALSO\n.BR cairnd (8)\n", out);
	arena_free(a);
}
