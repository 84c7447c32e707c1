/* MD5 is GnuTLS's, as in files/content.c: libsodium has none. */
#include "artifact_digest.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>
#include <string.h>

#include "artifact_path.h"

struct artifact_digest {
	gnutls_hash_hd_t md5;
	bool has_ended;
	struct artifact_path_order order;
	size_t folder_len; /* see artifact_digest_folder(); 0: none */
	char folder[ARTIFACT_PATH_MAX];
};

static void release(void *p)
{
	struct artifact_digest *d = p;

	if (!d->has_ended)
		gnutls_hash_deinit(d->md5, NULL);
}

struct artifact_digest *artifact_digest_begin(struct arena *a)
{
	struct artifact_digest *d = arena_new_of(a, struct artifact_digest);
	int result;

	gnutls_fips140_set_mode(GNUTLS_FIPS140_LAX, GNUTLS_FIPS140_SET_MODE_THREAD);
	result = gnutls_hash_init(&d->md5, GNUTLS_DIG_MD5);
	gnutls_fips140_set_mode(GNUTLS_FIPS140_STRICT, GNUTLS_FIPS140_SET_MODE_THREAD);
	assert(result >= 0);
	arena_defer(a, release, d);
	gnutls_hash(d->md5, "wandb-artifact-manifest-v1\n", 27);
	return d;
}

void artifact_digest_add(struct artifact_digest *d, struct str path, struct str digest)
{
	struct str folder;

	if (artifact_path_order_add(&d->order, path, &folder) && !d->folder_len) {
		memcpy(d->folder, folder.at, folder.len);
		d->folder_len = folder.len;
	}
	gnutls_hash(d->md5, path.at, path.len);
	gnutls_hash(d->md5, ":", 1);
	gnutls_hash(d->md5, digest.at, digest.len);
	gnutls_hash(d->md5, "\n", 1);
}

struct str artifact_digest_folder(const struct artifact_digest *d)
{
	return (struct str){ d->folder_len ? d->folder : NULL, d->folder_len };
}

void artifact_digest_end(struct artifact_digest *d, char text[static ARTIFACT_DIGEST_TEXT_SIZE + 1])
{
	unsigned char md5[ARTIFACT_MD5_SIZE];

	gnutls_hash_deinit(d->md5, md5);
	d->has_ended = true;
	sodium_bin2hex(text, ARTIFACT_DIGEST_TEXT_SIZE + 1, md5, sizeof(md5));
}

bool artifact_md5_read(struct str base64, unsigned char md5[static ARTIFACT_MD5_SIZE])
{
	size_t len;

	return base64.len == 24 &&
	       !sodium_base642bin(md5, ARTIFACT_MD5_SIZE, base64.at, base64.len, NULL, &len, NULL,
				  sodium_base64_VARIANT_ORIGINAL) &&
	       len == ARTIFACT_MD5_SIZE;
}

bool artifact_md5_read_hex(struct str hex, unsigned char md5[static ARTIFACT_MD5_SIZE])
{
	size_t len;

	return hex.len == 2 * (size_t)ARTIFACT_MD5_SIZE &&
	       !sodium_hex2bin(md5, ARTIFACT_MD5_SIZE, hex.at, hex.len, NULL, &len, NULL) &&
	       len == ARTIFACT_MD5_SIZE;
}

struct str artifact_md5_write(struct arena *a, struct str md5)
{
	size_t size = sodium_base64_ENCODED_LEN(md5.len, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, size);

	sodium_bin2base64(text, size, (const unsigned char *)md5.at, md5.len,
			  sodium_base64_VARIANT_ORIGINAL);
	return str_of(text);
}

struct str artifact_md5_write_hex(struct arena *a, struct str md5)
{
	size_t size = 2 * md5.len + 1;
	char *text = arena_alloc(a, size);

	sodium_bin2hex(text, size, (const unsigned char *)md5.at, md5.len);
	return str_of(text);
}
