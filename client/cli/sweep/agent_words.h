#ifndef AGENT_WORDS_H
#define AGENT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"

/*
 * The command of a trial: words in which macros such as ${args} are replaced. The macros are those of wandb's agent. A list
 * or object among the values is written as JSON.
 */
struct agent_words {
	char **at; /* ends with NULL */
	size_t count, capacity;
	bool failed; /* no memory */
};

struct agent_facts {
	const char *program; /* NULL: none */
	struct json params;
	const char *params_file;
};

/* False after saying what is wrong with a word: an unknown macro, or a variable that is not set. */
bool agent_words_check(const char *word, bool has_program) __attribute__((nonnull));

/* Whether the word is one of the macros for parameters. */
bool agent_words_is_args(const char *word) __attribute__((nonnull));

void agent_words_add(struct agent_words *words, const char *word) __attribute__((nonnull));

/* Appends what the word stands for. */
void agent_words_expand(struct agent_words *words, const char *word,
			const struct agent_facts *facts) __attribute__((nonnull));

/* "lr=0.1 layers=3", for people */
void agent_words_describe(struct json params, struct text *text) __attribute__((nonnull));

void agent_words_deinit(struct agent_words *words) __attribute__((nonnull));

#endif
