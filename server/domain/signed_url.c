#include "signed_url.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { SIGNATURE_SIZE = 32, HEAD_SIZE = 160 };

_Static_assert(sodium_base64_ENCODED_LEN(SIGNATURE_SIZE,
					 sodium_base64_VARIANT_URLSAFE_NO_PADDING) ==
		       SIGNED_URL_TEXT_SIZE + 1,
	       "size of a signature's text");

/* A key for this purpose only, so that no hash made for another can be a signature. */
static void make_key(const struct key_secret *secret, unsigned char key[static KEY_SECRET_SIZE])
{
	static const unsigned char purpose[] = "links to files";

	crypto_generichash(key, KEY_SECRET_SIZE, purpose, sizeof(purpose) - 1, secret->bytes,
			   sizeof(secret->bytes));
}

/* The numbers, then the three texts, the lengths of the first two before them: no two links sign the same bytes. */
static void sign(const struct key_secret *secret, const struct signed_url *url,
		 unsigned char signature[static SIGNATURE_SIZE])
{
	unsigned char key[KEY_SECRET_SIZE];
	crypto_generichash_state state;
	char head[HEAD_SIZE];
	int len = snprintf(head, sizeof(head), "%d %" PRId64 " %" PRId64 " %" PRId64 " %zu %zu ",
			   (int)url->use, url->number, url->expires_s, url->user_id, url->by.len,
			   url->client.len);

	make_key(secret, key);
	crypto_generichash_init(&state, key, sizeof(key), SIGNATURE_SIZE);
	crypto_generichash_update(&state, (const unsigned char *)head, (size_t)len);
	crypto_generichash_update(&state, (const unsigned char *)url->by.at, url->by.len);
	crypto_generichash_update(&state, (const unsigned char *)url->client.at, url->client.len);
	crypto_generichash_update(&state, (const unsigned char *)url->name.at, url->name.len);
	crypto_generichash_final(&state, signature, SIGNATURE_SIZE);
	sodium_memzero(key, sizeof(key));
}

bool signed_use_writes(enum signed_use use)
{
	return use == SIGNED_WRITE || use == SIGNED_ARTIFACT_WRITE ||
	       use == SIGNED_MANIFEST_WRITE || use == SIGNED_PART_WRITE;
}

void signed_url_sign(const struct key_secret *secret, const struct signed_url *url,
		     char text[static SIGNED_URL_TEXT_SIZE + 1])
{
	unsigned char signature[SIGNATURE_SIZE];

	sign(secret, url, signature);
	sodium_bin2base64(text, SIGNED_URL_TEXT_SIZE + 1, signature, sizeof(signature),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static bool is_signature(const struct key_secret *secret, const struct signed_url *url,
			 struct str text)
{
	unsigned char want[SIGNATURE_SIZE];
	unsigned char have[SIGNATURE_SIZE];
	size_t len;

	if (sodium_base642bin(have, sizeof(have), text.at, text.len, NULL, &len, NULL,
			      sodium_base64_VARIANT_URLSAFE_NO_PADDING) ||
	    len != sizeof(have))
		return false;
	sign(secret, url, want);
	return sodium_memcmp(want, have, sizeof(want)) == 0;
}

err_t signed_url_check(struct arena *a, const struct key_secret *secret,
		       const struct signed_url *url, struct str signature, timestamp_us now)
{
	struct err *e;

	if (!is_signature(secret, url, signature)) {
		e = err_new(a, ERR_FORBIDDEN, "invalid signature of the link");
		e->type = "link-forged";
	} else if (now.us / 1000000 >= url->expires_s) {
		e = err_new(a, ERR_FORBIDDEN, "this link has expired");
		e->type = "link-expired";
	} else {
		return NULL;
	}
	e->hint = "request a new link";
	return e;
}
