#include "secret_name.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 128 /* of a longer name the end */

/* How they end, without "-", "_" and "."; few other words do. */
static const char *const endings[] = {
	"password",   "passwd",          "passphrase",    "secret",        "token",
	"credential", "credentials",     "authorization", "sshpass",       "apikey",
	"apikeys",    "accesskey",       "secretkey",     "privatekey",    "authkey",
	"accountkey", "masterkey",       "storagekey",    "encryptionkey", "signingkey",
	"servicekey", "subscriptionkey", "sharedkey",     "licensekey",    "wandbkey",
	"hfkey",      "openaikey",       "awskey",        "azurekey",      "cometkey",
	"neptunekey", "sshkey",          "userkey",       "deploykey",
};

/* Many others end so: these stand alone, behind one of "-_.", or as "dbPass" does. */
static const char *const last_words[] = { "pass", "auth", "bearer", "cookie", "cookies" };

static bool ends_with(const char *name, size_t length, const char *ending)
{
	size_t count = strlen(ending);

	return length >= count && strncasecmp(name + length - count, ending, count) == 0;
}

static bool has_ending(const char *name, size_t length)
{
	char letters[NAME_MAX_BYTES];
	size_t count = 0;

	for (size_t i = length > sizeof letters ? length - sizeof letters : 0; i < length; i++) {
		if (!strchr("-_.", name[i]))
			letters[count++] = name[i];
	}
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		if (ends_with(letters, count, endings[i]))
			return true;
	}
	return false;
}

static bool has_last_word(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof last_words / sizeof last_words[0]; i++) {
		size_t at = length - strlen(last_words[i]);

		if (!ends_with(name, length, last_words[i]))
			continue;
		if (at == 0 || strchr("-_.", name[at - 1]) ||
		    (isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1])))
			return true;
	}
	return false;
}

/* ANY_KEY: what else is called so is no variable of the environment. */
static bool is_key_of_environment(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (islower((unsigned char)name[i]) || name[i] == '-' || name[i] == '.')
			return false;
	}
	return ends_with(name, length, "_KEY");
}

static bool is_flag(const char *name, size_t length)
{
	return length > 3 && (strncasecmp(name, "no-", 3) == 0 || strncasecmp(name, "no_", 3) == 0);
}

bool secret_name_signs(const char *name, size_t length)
{
	return ends_with(name, length, "signature") ||
	       (length == 3 && ends_with(name, length, "sig"));
}

bool secret_name_is(const char *name, size_t length)
{
	while (length && *name == '-') {
		name++;
		length--;
	}
	if (is_flag(name, length))
		return false;
	return has_ending(name, length) || has_last_word(name, length) ||
	       is_key_of_environment(name, length);
}
