#include "secret_value.h"

#include <ctype.h>
#include <string.h>

/* How keys begin, how many letters and digits in a row they have at least, and whether digits are among them: a word of
 * people may begin so, too (sk-learn). */
static const struct {
	const char *prefix;
	size_t row;
	bool has_digit;
} keys[] = {
	{ "sk-", 16, true },          { "ghp_", 30, false },   { "gho_", 30, false },
	{ "ghu_", 30, false },        { "ghs_", 30, false },   { "ghr_", 30, false },
	{ "github_pat_", 20, false }, { "glpat-", 16, false }, { "hf_", 30, false },
	{ "AKIA", 16, false },        { "ASIA", 16, false },
};

static bool has_row(const char *text, size_t length, size_t count)
{
	size_t row = 0;

	for (size_t i = 0; i < length && row < count; i++)
		row = isalnum((unsigned char)text[i]) ? row + 1 : 0;
	return row >= count;
}

static bool has_any(const char *text, size_t length, const char *set)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] && strchr(set, text[i]))
			return true;
	}
	return false;
}

static bool has_only(const char *text, size_t length, const char *set)
{
	return strspn(text, set) >= length;
}

bool secret_value_is_key(const char *value, size_t length)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		size_t begin = strlen(keys[i].prefix);

		if (length > begin && strncmp(value, keys[i].prefix, begin) == 0 &&
		    has_row(value + begin, length - begin, keys[i].row) &&
		    (!keys[i].has_digit || has_any(value + begin, length - begin, "0123456789")))
			return true;
	}
	return false;
}

const char *secret_value_of_login(const char *value, size_t length)
{
	const char *colon = memchr(value, ':', length);
	size_t user = colon ? (size_t)(colon - value) : 0;

	if (!user || user + 1 >= length || colon[1] == ':' || strncmp(colon, "://", 3) == 0 ||
	    has_any(value, user, "/=") || has_only(value, length, "0123456789:"))
		return NULL;
	return colon + 1;
}

enum secret_p secret_p_after(const char *word, size_t length, enum secret_p before)
{
	static const struct {
		const char *word;
		enum secret_p meaning;
	} words[] = {
		{ "sshpass", SECRET_P_PASSWORD }, { "login", SECRET_P_PASSWORD },
		{ "srun", SECRET_P_OTHER },       { "sbatch", SECRET_P_OTHER },
		{ "salloc", SECRET_P_OTHER },     { "pytest", SECRET_P_OTHER },
		{ "mkdir", SECRET_P_OTHER },      { "cp", SECRET_P_OTHER },
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
			return words[i].meaning;
	}
	return before;
}

bool secret_value_of_p(const char *value, size_t length, enum secret_p meaning)
{
	if (meaning != SECRET_P_BY_VALUE || !length)
		return length && meaning == SECRET_P_PASSWORD;
	return value[0] != '-' && !has_any(value, length, "/=") &&
	       !has_only(value, length, "0123456789.:,-") &&
	       !has_only(value, length, "abcdefghijklmnopqrstuvwxyz_.:,-");
}
