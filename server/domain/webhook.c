#include "webhook.h"

#include <sodium.h>

#include "arena.h"

/* ---- the address -------------------------------------------------------------------------------- */

/* The part between "://" and the path. */
static struct str authority(struct str url)
{
	size_t from = str_starts(url, "https://") ? 8 : 7;
	size_t to = from;

	while (to < url.len && url.at[to] != '/' && url.at[to] != '?')
		to++;
	return (struct str){ url.at + from, to - from };
}

struct str webhook_host(struct str url)
{
	struct str rest = authority(url);

	if (rest.len && rest.at[0] == '[') {
		rest = (struct str){ rest.at + 1, rest.len - 1 };
		return str_cut(&rest, ']');
	}
	return str_cut(&rest, ':');
}

/* Two parsers must not find two hosts in a URL: ambiguous ones are refused. */
static bool is_plain(struct str url)
{
	for (size_t i = 0; i < url.len; i++) {
		char c = url.at[i];

		if (c <= ' ' || c > '~' || c == '\\' || c == '#')
			return false;
	}
	return true;
}

static bool has_at(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '@')
			return true;
	}
	return false;
}

err_t webhook_check_url(struct arena *a, struct str url)
{
	if (url.len > WEBHOOK_URL_MAX)
		return err_field(a, ERR_INVALID, "url", "is longer than %d bytes", WEBHOOK_URL_MAX);
	if (!str_starts(url, "http://") && !str_starts(url, "https://"))
		return err_field(a, ERR_INVALID, "url", "must begin with http:// or https://");
	if (!is_plain(url))
		return err_field(a, ERR_INVALID, "url",
				 "must contain only visible ASCII characters, without \"\\\" and "
				 "\"#\"");
	if (has_at(authority(url)))
		return err_field(a, ERR_INVALID, "url", "must not contain a user name or password");
	if (!webhook_host(url).len)
		return err_field(a, ERR_INVALID, "url", "has no host");
	return NULL;
}

/* ---- the secret --------------------------------------------------------------------------------- */

static void make_key(const struct key_secret *secret,
		     unsigned char key[static crypto_secretbox_KEYBYTES])
{
	static const unsigned char purpose[] = "secrets of webhooks";

	crypto_generichash(key, crypto_secretbox_KEYBYTES, purpose, sizeof(purpose) - 1,
			   secret->bytes, sizeof(secret->bytes));
}

struct str webhook_seal(struct arena *a, const struct key_secret *secret, struct str plain)
{
	size_t size = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + plain.len;
	unsigned char key[crypto_secretbox_KEYBYTES];
	unsigned char *sealed = arena_alloc(a, size);

	make_key(secret, key);
	randombytes_buf(sealed, crypto_secretbox_NONCEBYTES);
	crypto_secretbox_easy(sealed + crypto_secretbox_NONCEBYTES, (const unsigned char *)plain.at,
			      plain.len, sealed, key);
	sodium_memzero(key, sizeof(key));
	return (struct str){ (const char *)sealed, size };
}

bool webhook_open(struct arena *a, const struct key_secret *secret, struct str sealed,
		  struct str *ret_plain)
{
	size_t head = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
	const unsigned char *bytes = (const unsigned char *)sealed.at;
	unsigned char key[crypto_secretbox_KEYBYTES];
	unsigned char *plain;
	int refused;

	if (sealed.len < head)
		return false;
	plain = arena_alloc(a, sealed.len);
	make_key(secret, key);
	refused = crypto_secretbox_open_easy(plain, bytes + crypto_secretbox_NONCEBYTES,
					     sealed.len - crypto_secretbox_NONCEBYTES, bytes, key);
	sodium_memzero(key, sizeof(key));
	if (refused)
		return false;
	*ret_plain = (struct str){ (const char *)plain, sealed.len - head };
	return true;
}

void webhook_sign(struct str secret, struct str body, char text[static WEBHOOK_SIGNATURE_SIZE + 1])
{
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_state state;

	crypto_auth_hmacsha256_init(&state, (const unsigned char *)secret.at, secret.len);
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)body.at, body.len);
	crypto_auth_hmacsha256_final(&state, mac);
	sodium_bin2hex(text, WEBHOOK_SIGNATURE_SIZE + 1, mac, sizeof(mac));
}
