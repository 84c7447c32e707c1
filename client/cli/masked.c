#include "masked.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MASK "***"

/* How the names of secrets end, behind a word's beginning. */
static const char *const secret_names[] = {
	"password",   "passwd",     "passphrase",  "secret",      "token",
	"apikey",     "api-key",    "api_key",     "access-key",  "access_key",
	"secret-key", "secret_key", "private-key", "private_key", "credentials",
};

static bool is_secret_name(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof secret_names / sizeof secret_names[0]; i++) {
		size_t ending = strlen(secret_names[i]);

		if (length >= ending &&
		    strncasecmp(name + length - ending, secret_names[i], ending) == 0 &&
		    (length == ending || !isalnum((unsigned char)name[length - ending - 1])))
			return true;
	}
	return false;
}

/* Where a host begins, behind its user and password. */
static const char *host_of(const char *authority)
{
	const char *end = authority + strcspn(authority, "/?# ");
	const char *host = authority;

	for (const char *p = authority; p < end; p++)
		host = *p == '@' ? p + 1 : host;
	return host;
}

/* Appends text whose addresses have neither. */
static void add_addresses(struct text *text, const char *from)
{
	for (const char *next; (next = strstr(from, "://")); from = host_of(next + 3))
		text_add(text, from, (size_t)(next + 3 - from));
	text_str(text, from);
}

void masked_remote(struct text *text, const char *remote)
{
	const char *at = strchr(remote, '@');
	const char *colon = strchr(remote, ':');
	bool is_address = strstr(remote, "://") != NULL;

	if (!is_address && at && colon && colon < at)
		text_str(text, at + 1);
	else
		add_addresses(text, remote);
}

/* "--token ABC" */
static bool is_after_secret(char *const *argv, size_t at)
{
	const char *before = at ? argv[at - 1] : "";

	return before[0] == '-' && !strchr(before, '=') && argv[at][0] != '-' &&
	       is_secret_name(before, strlen(before));
}

void masked_argument(struct text *text, char *const *argv, size_t at)
{
	const char *word = argv[at];
	size_t name = strcspn(word, "=");

	if (is_after_secret(argv, at)) {
		text_str(text, MASK);
	} else if (word[name] && is_secret_name(word, name)) {
		text_add(text, word, name + 1);
		text_str(text, MASK);
	} else {
		add_addresses(text, word);
	}
}
