#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "say.h"

const struct cli_option server_options[] = {
	{ "url", 'u', "URL", "Address of the server [CAIRN_URL, or the address of cairn login]." },
	{ "key-file", 'k', "FILE",
	  "File with the API key on its first line [CAIRN_API_KEY, CAIRN_API_KEY_FILE, or the "
	  "key of cairn login]." },
	{ "ca-file", 0, "FILE", "PEM certificates to trust instead of the system's." },
	{ "project", 'p', "PROJECT",
	  "\"entity/project\", or \"project\" of your default entity [CAIRN_PROJECT, else "
	  "\"uncategorized\"]." },
	{ 0 },
};

/* The option at a position: the command's own, then the server's. */
static const struct cli_option *option_at(const struct command *command, int index)
{
	const struct cli_option *option = command->options;

	for (; option && option->name; option++) {
		if (index-- == 0)
			return option;
	}
	for (option = server_options; command->needs == NEEDS_SERVER && option->name; option++) {
		if (index-- == 0)
			return option;
	}
	return NULL;
}

static int find_option(const struct command *command, const char *name, size_t length)
{
	const struct cli_option *option;

	for (int i = 0; (option = option_at(command, i)); i++) {
		if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
			return i;
	}
	return -1;
}

static int find_letter(const struct command *command, char letter)
{
	const struct cli_option *option;

	for (int i = 0; (option = option_at(command, i)); i++) {
		if (option->letter == letter)
			return i;
	}
	return -1;
}

/* Takes the value after "=" or after the letter, else the next word. */
static bool take_value(struct cli *cli, int index, const char *joined, char ***words)
{
	const struct cli_option *option = option_at(cli->command, index);

	if (!option->value && joined) {
		say("--%s takes no value", option->name);
		return false;
	}
	if (!option->value) {
		cli->values[index] = "";
	} else if (joined) {
		cli->values[index] = joined;
	} else if ((*words)[1]) {
		cli->values[index] = *++*words;
	} else {
		say("--%s requires a value: %s", option->name, option->value);
		return false;
	}
	return true;
}

static bool parse_word(struct cli *cli, char ***words)
{
	const char *word = **words, *joined = NULL;
	int index;

	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");

		index = find_option(cli->command, word + 2, length);
		joined = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
	} else {
		index = find_letter(cli->command, word[1]);
		joined = word[2] ? word + 2 : NULL;
	}
	if (index < 0) {
		say("unknown option %s; see cairn %s --help", word, cli->command->name);
		return false;
	}
	return take_value(cli, index, joined, words);
}

bool cli_parse(struct cli *cli, int argc, char **argv)
{
	char **words = argv, **end = argv + argc;
	int kept = 0;
	bool rest = false;
	/* "run" begins another program: what stands behind its first word is that program's own */
	bool stop_early = strcmp(cli->command->name, "run") == 0;

	for (; words < end; words++) {
		if (!rest && strcmp(*words, "--") == 0) {
			rest = true;
		} else if (!rest && (*words)[0] == '-' && (*words)[1]) {
			if (!parse_word(cli, &words))
				return false;
		} else {
			rest = rest || stop_early;
			argv[kept++] = *words;
		}
	}
	argv[kept] = NULL;
	cli->argc = kept;
	cli->argv = argv;
	return true;
}

const char *cli_value(const struct cli *cli, const char *name)
{
	int index = find_option(cli->command, name, strlen(name));

	return index < 0 ? NULL : cli->values[index];
}

bool cli_has(const struct cli *cli, const char *name)
{
	return cli_value(cli, name) != NULL;
}

bool cli_int(const struct cli *cli, const char *name, long least, long most, long *number)
{
	const char *text = cli_value(cli, name);
	char *end;
	long value;

	if (!text)
		return true;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most) {
		say("--%s must be an integer from %ld to %ld", name, least, most);
		return false;
	}
	*number = value;
	return true;
}
