#include "key.h"

#include <sodium.h>
#include <string.h>

#include "id.h"

_Static_assert(KEY_SECRET_SIZE >= crypto_generichash_KEYBYTES_MIN &&
		       KEY_SECRET_SIZE <= crypto_generichash_KEYBYTES_MAX,
	       "size of a secret");
_Static_assert(KEY_HASH_SIZE <= crypto_generichash_BYTES_MAX, "size of a hash");

void key_make(char text[static KEY_TEXT_SIZE + 1])
{
	unsigned char bytes[KEY_TEXT_SIZE / 2];

	id_random(bytes, sizeof(bytes));
	sodium_bin2hex(text, KEY_TEXT_SIZE + 1, bytes, sizeof(bytes));
	sodium_memzero(bytes, sizeof(bytes));
}

static bool is_key_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

err_t key_check(struct arena *a, struct str text)
{
	struct err *e;
	bool valid = text.len >= KEY_IMPORT_MIN && text.len <= KEY_IMPORT_MAX;

	for (size_t i = 0; i < text.len && valid; i++)
		valid = is_key_character(text.at[i]);
	if (valid)
		return NULL;
	e = err_new(a, ERR_INVALID, "invalid key");
	e->hint = "expected 40 to 128 characters of A-Z a-z 0-9 _ -";
	return e;
}

static size_t count_distinct(struct str text)
{
	bool seen[256] = { false };
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		count += !seen[c];
		seen[c] = true;
	}
	return count;
}

/* "abcabcab" repeats "abc". */
static bool is_repeated(struct str text)
{
	for (size_t part = 1; part <= text.len / 2; part++) {
		if (memcmp(text.at, text.at + part, text.len - part) == 0)
			return true;
	}
	return false;
}

/* Whether most characters follow the one before them by this step, as in "0123456789abcdef". */
static bool is_counted(struct str text, int step)
{
	size_t count = 0;

	for (size_t i = 1; i < text.len; i++)
		count += text.at[i] - text.at[i - 1] == step;
	return count > text.len / 2;
}

err_t key_check_strength(struct arena *a, struct str text)
{
	struct err *e;

	if (count_distinct(text) >= KEY_DISTINCT_MIN && !is_repeated(text) &&
	    !is_counted(text, 1) && !is_counted(text, -1) && !is_counted(text, 0))
		return NULL;
	e = err_new(a, ERR_INVALID, "this key is too easy to guess");
	e->hint = "use a random key, for example from: openssl rand -hex 20";
	return e;
}

void key_hash(const struct key_secret *secret, struct str text,
	      unsigned char hash[static KEY_HASH_SIZE])
{
	crypto_generichash(hash, KEY_HASH_SIZE, (const unsigned char *)text.at, text.len,
			   secret->bytes, sizeof(secret->bytes));
}

struct str key_head(struct str text)
{
	return (struct str){ text.at, text.len > KEY_HEAD_SIZE ? KEY_HEAD_SIZE : text.len };
}

struct str key_hint(struct str text)
{
	size_t skip = text.len > KEY_HINT_SIZE ? text.len - KEY_HINT_SIZE : 0;

	return (struct str){ text.at + skip, text.len - skip };
}

void key_secret_fingerprint(const struct key_secret *secret,
			    char text[static KEY_FINGERPRINT_SIZE + 1])
{
	static const unsigned char purpose[] = "fingerprint";
	unsigned char hash[KEY_FINGERPRINT_SIZE / 2];

	crypto_generichash(hash, sizeof(hash), purpose, sizeof(purpose) - 1, secret->bytes,
			   sizeof(secret->bytes));
	sodium_bin2hex(text, KEY_FINGERPRINT_SIZE + 1, hash, sizeof(hash));
}
