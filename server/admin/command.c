/*
 * The command line: words choose a row of the table, the rest are its arguments and options.
 * Options may appear anywhere; "--" ends them. getopt_long was rejected, for its table would have
 * to be made of two others, and its messages are not ours.
 */
#include "command.h"

#include <assert.h>
#include <string.h>

#include "str.h"

struct reader {
	struct arena *arena;
	int argc;
	char **argv;
	int at;
	struct command_line *line;
};

static const struct {
	const char *name;
	enum command_action action;
} actions[] = {
	{ "help", COMMAND_HELP },
	{ "version", COMMAND_VERSION },
	{ "print-config", COMMAND_PRINT_CONFIG },
	{ "print-routes", COMMAND_PRINT_ROUTES },
	{ "print-fields", COMMAND_PRINT_FIELDS },
	{ "man", COMMAND_MANUAL },
	{ "man-config", COMMAND_MANUAL_CONFIG },
};

static err_t usage(struct reader *r, const char *message, const char *word)
{
	struct err *e = err_new(r->arena, ERR_INVALID, "%s \"%s\"", message, word);

	e->hint = "see cairnd --help";
	return e;
}

/* The error for wrong arguments of a known command. */
static err_t usage_of(struct reader *r, const char *message, const char *word)
{
	const struct command *command = r->line->call.command;
	struct err *e =
		err_new(r->arena, ERR_INVALID, "\"%s\": %s %s", command->words, word, message);

	e->hint = arena_printf(r->arena, "usage: cairnd %s %s", command->words, command->arguments);
	return e;
}

/* "--name=VALUE" or "--name VALUE"; *ret_value is NULL when there is none. */
static err_t take_value(struct reader *r, const char *equals, const char **ret_value)
{
	if (equals) {
		*ret_value = equals + 1;
		return NULL;
	}
	if (r->at + 1 >= r->argc)
		return usage(r, "missing value after", r->argv[r->at]);
	*ret_value = r->argv[++r->at];
	return NULL;
}

static err_t take_setting(struct reader *r, const struct config_setting *setting,
			  const char *equals)
{
	struct command_line *line = r->line;
	struct err *e;

	if (setting->secret) {
		e = err_new(r->arena, ERR_INVALID,
			    "\"%s\" is a secret, and command lines are visible to other users",
			    setting->name);
		e->hint = "set it in the environment or in the configuration file";
		return e;
	}
	if (line->override_count == COMMAND_OVERRIDES)
		return err_new(r->arena, ERR_INVALID, "more than %d settings on the command line",
			       COMMAND_OVERRIDES);
	line->overrides[line->override_count].setting = setting;
	return take_value(r, equals, &line->overrides[line->override_count++].value);
}

/* False if it is not one of the actions. */
static bool take_action(struct reader *r, const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, name) == 0) {
			r->line->action = actions[i].action;
			return true;
		}
	}
	return false;
}

/* The command's own option of this name, or -1. */
static int find_option(const struct command *command, const char *name)
{
	for (int i = 0; command && i < COMMAND_OPTIONS && command->options[i].name; i++) {
		if (strcmp(command->options[i].name, name) == 0)
			return i;
	}
	return -1;
}

static err_t take_option(struct reader *r)
{
	const char *word = r->argv[r->at];
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = str_copy(r->arena, (struct str){ word + 2, len - 2 });
	const struct config_setting *setting = config_find(name);
	struct command_call *call = &r->line->call;
	int own = find_option(call->command, name);

	if (own >= 0 && call->command->options[own].value)
		return take_value(r, equals, &call->option[own]);
	if (own >= 0 && !equals) {
		call->option[own] = "";
		return NULL;
	}
	if (strcmp(name, "config") == 0)
		return take_value(r, equals, &r->line->config_file);
	if (setting && strlen(name) > 1)
		return take_setting(r, setting, equals);
	if (!equals && take_action(r, name))
		return NULL;
	/* Without its value, which may have been meant as a secret. */
	return usage(r, "unknown option", arena_printf(r->arena, "--%s", name));
}

/* How many words of the command are at the beginning of these; 0 unless all are. */
static int match(const char *words, char **given, int count)
{
	struct str rest = str_of(words);
	int matched = 0;

	while (rest.len) {
		struct str word = str_cut(&rest, ' ');

		if (matched >= count || !str_is(word, given[matched]))
			return 0;
		matched++;
	}
	return matched;
}

bool command_is_of(const struct command *command, const char *group)
{
	struct str rest = str_of(command->words);

	return str_is(str_cut(&rest, ' '), group);
}

static bool asks_for_help(const struct reader *r)
{
	for (int i = 1; i < r->argc; i++) {
		if (strcmp(r->argv[i], "-h") == 0 || strcmp(r->argv[i], "--help") == 0)
			return true;
	}
	return r->line->action == COMMAND_HELP;
}

/* If there are several words: the first may be right, and its commands may be what was meant. */
static err_t unknown_command(struct reader *r, const struct command *commands, char **words)
{
	const char *known = NULL;
	struct err *e;

	for (; commands->words; commands++) {
		if (command_is_of(commands, words[0]))
			known = known ? arena_printf(r->arena, "%s, %s", known, commands->words)
				      : commands->words;
	}
	if (!known)
		return usage(r, "unknown command", words[0]);
	r->line->group = words[0];
	if (asks_for_help(r))
		return NULL;
	e = err_new(r->arena, ERR_INVALID, "\"%s\" is an incomplete command", words[0]);
	e->hint = arena_printf(r->arena, "commands: %s", known);
	return e;
}

static err_t find_command(struct reader *r, const struct command *commands, char **words, int count,
			  int *ret_used)
{
	const struct command *first = commands;

	*ret_used = 0;
	if (count == 0 || (count == 1 && strcmp(words[0], "help") == 0))
		return NULL;
	for (; commands->words; commands++) {
		int used = match(commands->words, words, count);

		if (used > *ret_used) {
			*ret_used = used;
			r->line->call.command = commands;
		}
	}
	return *ret_used ? NULL : unknown_command(r, first, words);
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] == '-' && word[2];
}

/* Words of the line that are certainly not options, up to the first option after them. */
static int leading_words(struct reader *r, char **words, int max)
{
	int count = 0;

	for (int i = 1; i < r->argc && count < max; i++) {
		if (strcmp(r->argv[i], "-h") == 0)
			continue;
		if (is_option(r->argv[i])) {
			if (count)
				break;
			if (!strchr(r->argv[i], '=') &&
			    (config_find(r->argv[i] + 2) || strcmp(r->argv[i], "--config") == 0))
				i++; /* its value */
			continue;
		}
		words[count++] = r->argv[i];
	}
	return count;
}

static err_t check_arguments(struct reader *r, char **words, int count)
{
	struct command_call *call = &r->line->call;
	struct str names = str_of(call->command->arguments);
	int i = 0;

	for (; names.len; i++) {
		struct str name = str_cut(&names, ' ');

		assert(i < COMMAND_ARGUMENTS);
		if (i >= count && *name.at == '[')
			break;
		if (i >= count)
			return usage_of(r, "is missing", str_copy(r->arena, name));
		call->argument[i] = words[i];
	}
	/* The word itself is not repeated: it may have been meant as a secret. */
	if (i < count)
		return usage(r, "unexpected argument after",
			     i ? words[i - 1] : call->command->words);
	return NULL;
}

err_t command_parse(struct arena *a, const struct command *commands, int argc, char **argv,
		    struct command_line *ret_line)
{
	struct command_line line = { .action = COMMAND_RUN, .call.arena = a };
	struct reader r = { .arena = a, .argc = argc, .argv = argv, .line = &line };
	char **words = arena_new_array(a, char *, (size_t)argc + 1);
	int count = leading_words(&r, words, argc), used, helps = 0;
	err_t e;

	if (count > 1 && strcmp(words[0], "help") == 0) {
		line.action = COMMAND_HELP;
		helps = 1;
	}
	e = find_command(&r, commands, words + helps, count - helps, &used);
	count = 0;
	for (r.at = 1; r.at < argc && !e; r.at++) {
		if (strcmp(argv[r.at], "--") == 0) {
			while (++r.at < argc)
				words[count++] = argv[r.at];
		} else if (is_option(argv[r.at])) {
			e = take_option(&r);
		} else if (strcmp(argv[r.at], "-h") == 0) {
			line.action = COMMAND_HELP;
		} else if (argv[r.at][0] == '-' && argv[r.at][1]) {
			e = usage(&r, "unknown option", argv[r.at]);
		} else {
			words[count++] = argv[r.at];
		}
	}
	if (!e && line.action == COMMAND_RUN && !line.call.command)
		line.action = COMMAND_HELP;
	if (!e && line.action == COMMAND_RUN)
		e = check_arguments(&r, words + used, count - used);
	if (e)
		return e;
	*ret_line = line;
	return NULL;
}

const char *command_option(const struct command_call *call, const char *name)
{
	int at = find_option(call->command, name);

	assert(at >= 0);
	return call->option[at];
}

err_t command_require(const struct command_call *call, const char *name, const char **ret_value)
{
	const char *value = command_option(call, name);

	if (!value || !*value)
		return err_new(call->arena, ERR_INVALID, "\"%s\" needs --%s", call->command->words,
			       name);
	*ret_value = value;
	return NULL;
}
