#include "agent_words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define ENVVAR "${envvar:"

enum macro {
	ENV,
	INTERPRETER,
	PROGRAM,
	ARGS,
	NO_HYPHENS,
	NO_EQUALS,
	NO_BOOLEAN_FLAGS,
	APPEND_HYDRA,
	OVERRIDE_HYDRA,
	JSON,
	JSON_FILE,
	MACROS
};

static const char *const macros[MACROS] = {
	[ENV] = "${env}",
	[INTERPRETER] = "${interpreter}",
	[PROGRAM] = "${program}",
	[ARGS] = "${args}",
	[NO_HYPHENS] = "${args_no_hyphens}",
	[NO_EQUALS] = "${args_no_equals}",
	[NO_BOOLEAN_FLAGS] = "${args_no_boolean_flags}",
	[APPEND_HYDRA] = "${args_append_hydra}",
	[OVERRIDE_HYDRA] = "${args_override_hydra}",
	[JSON] = "${args_json}",
	[JSON_FILE] = "${args_json_file}",
};

static enum macro find_macro(const char *word)
{
	size_t i = 0;

	while (i < MACROS && strcmp(macros[i], word) != 0)
		i++;
	return (enum macro)i;
}

void agent_words_add(struct agent_words *words, const char *word)
{
	if (words->count + 2 > words->capacity) {
		size_t capacity = words->capacity ? words->capacity * 2 : 16;
		char **at = realloc(words->at, capacity * sizeof *at);

		words->failed |= !at;
		if (!at)
			return;
		words->at = at;
		words->capacity = capacity;
	}
	words->at[words->count] = strdup(word);
	words->failed |= !words->at[words->count];
	if (words->at[words->count])
		words->count++;
	words->at[words->count] = NULL;
}

static void add_text(struct agent_words *words, struct text *text)
{
	if (text_c_string(text))
		agent_words_add(words, text->data);
	else
		words->failed = true;
	text_deinit(text);
}

/* ---- variables ------------------------------------------------------------------------------------- */

/* Copies the name of the first variable in the word; what stands before and behind it. False if there is none. */
static bool find_variable(const char *word, struct text *name, const char **ret_start,
			  const char **ret_end)
{
	const char *start = strstr(word, ENVVAR), *close;

	close = start ? strchr(start, '}') : NULL;
	if (!close)
		return false;
	text_clear(name, 256);
	start += strlen(ENVVAR);
	text_add(name, start, (size_t)(close - start));
	*ret_start = start - strlen(ENVVAR);
	*ret_end = close + 1;
	return true;
}

static bool check_variables(const char *word)
{
	struct text name = { 0 };
	const char *start;
	bool is_set = true;

	while (is_set && find_variable(word, &name, &start, &word)) {
		is_set = text_c_string(&name) && getenv(name.data);
		if (!is_set)
			say("the variable %s of the command is not set in the environment",
			    name.data ? name.data : "\"\"");
	}
	text_deinit(&name);
	return is_set;
}

static void add_with_variables(struct agent_words *words, const char *word)
{
	struct text whole = { 0 }, name = { 0 };
	const char *start, *end;

	while (find_variable(word, &name, &start, &end)) {
		const char *value = text_c_string(&name) ? getenv(name.data) : NULL;

		text_add(&whole, word, (size_t)(start - word));
		text_str(&whole, value ? value : "");
		word = end;
	}
	text_str(&whole, word);
	text_deinit(&name);
	add_text(words, &whole);
}

bool agent_words_check(const char *word, bool has_program)
{
	size_t length = strlen(word);
	bool is_macro = length > 3 && strncmp(word, "${", 2) == 0 &&
			strchr(word, '}') == word + length - 1;

	if (strstr(word, ENVVAR))
		return check_variables(word);
	if (is_macro && find_macro(word) == MACROS) {
		say("unknown macro %s in the command; see cairn agent --help", word);
		return false;
	}
	if (is_macro && find_macro(word) == PROGRAM && !has_program) {
		say("the command has ${program}, but the config of the sweep has no program");
		return false;
	}
	return true;
}

bool agent_words_is_args(const char *word)
{
	enum macro macro = find_macro(word);

	return macro >= ARGS && macro < MACROS;
}

/* ---- parameters ------------------------------------------------------------------------------------ */

static bool is_literal(struct json value, const char *literal)
{
	return value.length == strlen(literal) && memcmp(value.at, literal, value.length) == 0;
}

/* As Python writes the value, where wandb's agent does so. */
static void put_value(struct text *text, struct json value)
{
	if (json_is_string(value))
		json_decode(value, text);
	else if (is_literal(value, "true"))
		text_str(text, "True");
	else if (is_literal(value, "false"))
		text_str(text, "False");
	else if (is_literal(value, "null"))
		text_str(text, "None");
	else
		text_add(text, value.at, value.length);
}

static void add_assignment(struct agent_words *words, const char *prefix, struct json name,
			   struct json value)
{
	struct text word = { 0 };

	text_str(&word, prefix);
	json_decode(name, &word);
	text_str(&word, "=");
	put_value(&word, value);
	add_text(words, &word);
}

static void add_flag(struct agent_words *words, struct json name)
{
	struct text word = { 0 };

	text_str(&word, "--");
	json_decode(name, &word);
	add_text(words, &word);
}

static void add_separate(struct agent_words *words, struct json name, struct json value)
{
	struct text word = { 0 };

	add_flag(words, name);
	put_value(&word, value);
	if (word.length)
		add_text(words, &word);
	else
		agent_words_add(words, "");
}

static void add_parameter(struct agent_words *words, enum macro macro, struct json name,
			  struct json value)
{
	bool is_true = is_literal(value, "true"), is_false = is_literal(value, "false");

	if (macro == NO_EQUALS)
		add_separate(words, name, value);
	else if (macro == NO_BOOLEAN_FLAGS && is_true)
		add_flag(words, name);
	else if (macro == APPEND_HYDRA)
		add_assignment(words, "+", name, value);
	else if (macro == OVERRIDE_HYDRA)
		add_assignment(words, "++", name, value);
	else if (macro == NO_HYPHENS)
		add_assignment(words, "", name, value);
	else if (macro != NO_BOOLEAN_FLAGS || !is_false)
		add_assignment(words, "--", name, value);
}

static bool is_found(const char *program)
{
	const char *at = getenv("PATH");
	struct text path = { 0 };
	bool found = false;

	while (at && *at && !found) {
		size_t length = strcspn(at, ":");

		text_clear(&path, 4096);
		text_add(&path, at, length);
		text_format(&path, "/%s", program);
		found = text_c_string(&path) && access(path.data, X_OK) == 0;
		at += length + (at[length] == ':');
	}
	text_deinit(&path);
	return found;
}

/* Many systems have only python3. */
static const char *interpreter(void)
{
	return !is_found("python") && is_found("python3") ? "python3" : "python";
}

static void add_json(struct agent_words *words, struct json params)
{
	struct text word = { 0 };

	text_add(&word, params.at, params.length);
	add_text(words, &word);
}

void agent_words_expand(struct agent_words *words, const char *word,
			const struct agent_facts *facts)
{
	struct json value = { 0 }, name;
	enum macro macro = find_macro(word);

	switch (macro) {
	case ENV:
		agent_words_add(words, "/usr/bin/env");
		return;
	case INTERPRETER:
		agent_words_add(words, interpreter());
		return;
	case PROGRAM:
		agent_words_add(words, facts->program ? facts->program : "");
		return;
	case JSON:
		add_json(words, facts->params);
		return;
	case JSON_FILE:
		agent_words_add(words, facts->params_file);
		return;
	case MACROS:
		add_with_variables(words, word);
		return;
	default:
		while (json_next(facts->params, &value, &name))
			add_parameter(words, macro, name, value);
	}
}

void agent_words_describe(struct json params, struct text *text)
{
	struct json value = { 0 }, name;

	while (json_next(params, &value, &name)) {
		text_str(text, text->length ? " " : "");
		json_decode(name, text);
		text_str(text, "=");
		put_value(text, value);
	}
}

void agent_words_deinit(struct agent_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->at[i]);
	free(words->at);
	*words = (struct agent_words){ 0 };
}
