#include "shell_word.h"

#include <string.h>

static bool is_plain(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,";

	return *word && word[strspn(word, plain)] == '\0';
}

void shell_word(struct text *text, const char *word)
{
	if (is_plain(word)) {
		text_str(text, word);
		return;
	}
	text_str(text, "'");
	for (; *word; word++)
		text_str(text, *word == '\'' ? "'\\''" : (const char[]){ *word, '\0' });
	text_str(text, "'");
}
