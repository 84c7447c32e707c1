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
	e = err_new(a, ERR_INVALID, "that is no key");
	e->hint = "40 to 128 characters of A-Z a-z 0-9 _ -";
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
