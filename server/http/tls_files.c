/*
 * Certificate and key are looked at before libmicrohttpd gets them. It would only say that it cannot
 * start; and GnuTLS loses memory when a certificate that it was told to use is broken.
 */
#include "tls_files.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"

enum { MAX_BYTES = 1 << 20, KEY_ID_BYTES = 64 };

/* What says whether a certificate and a key belong together. */
struct key_id {
	unsigned char bytes[KEY_ID_BYTES];
	size_t len;
};

/* `what` is the word that a PEM header of the right kind has in it. */
static err_t read_pem(struct arena *a, const char *field, const char *path, const char *what,
		      char **ret_text)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t len;

	if (!f)
		return err_field(a, ERR_INVALID, field, "cannot read \"%s\": %s", path,
				 strerror(errno));
	text = arena_alloc(a, MAX_BYTES + 1);
	len = fread(text, 1, MAX_BYTES, f);
	fclose(f);
	text[len] = '\0';
	if (!strstr(text, "-----BEGIN ") || !strstr(text, what))
		return err_field(a, ERR_INVALID, field, "\"%s\" holds no PEM %s", path, what);
	*ret_text = text;
	return NULL;
}

static gnutls_datum_t datum(char *text)
{
	return (gnutls_datum_t){ (unsigned char *)text, (unsigned)strlen(text) };
}

/* The whole chain must be readable; the key belongs to the first of it. */
static int id_of_chain(char *text, struct key_id *ret_id)
{
	gnutls_datum_t pem = datum(text);
	gnutls_x509_crt_t *chain = NULL;
	unsigned count = 0;
	int failure = gnutls_x509_crt_list_import2(&chain, &count, &pem, GNUTLS_X509_FMT_PEM, 0);

	if (failure < 0)
		return failure;
	ret_id->len = sizeof(ret_id->bytes);
	failure = gnutls_x509_crt_get_key_id(chain[0], 0, ret_id->bytes, &ret_id->len);
	while (count)
		gnutls_x509_crt_deinit(chain[--count]);
	gnutls_free(chain);
	return failure;
}

static int id_of_key(char *text, struct key_id *ret_id)
{
	gnutls_datum_t pem = datum(text);
	gnutls_x509_privkey_t key;
	int failure = gnutls_x509_privkey_init(&key);

	if (failure < 0)
		return failure;
	ret_id->len = sizeof(ret_id->bytes);
	failure = gnutls_x509_privkey_import2(key, &pem, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (failure >= 0)
		failure = gnutls_x509_privkey_get_key_id(key, 0, ret_id->bytes, &ret_id->len);
	gnutls_x509_privkey_deinit(key);
	return failure;
}

static err_t unreadable(struct arena *a, const char *field, const char *path, int failure)
{
	return err_field(a, ERR_INVALID, field, "\"%s\" cannot be used: %s", path,
			 gnutls_strerror(failure));
}

static err_t check(struct arena *a, const char *cert_path, const char *key_path,
		   const struct tls_files *files)
{
	struct key_id of_cert, of_key;
	int failure = id_of_chain(files->cert, &of_cert);

	if (failure < 0)
		return unreadable(a, "tls_cert_file", cert_path, failure);
	failure = id_of_key(files->key, &of_key);
	if (failure < 0)
		return unreadable(a, "tls_key_file", key_path, failure);
	if (of_cert.len != of_key.len || memcmp(of_cert.bytes, of_key.bytes, of_key.len) != 0)
		return err_field(a, ERR_INVALID, "tls_key_file",
				 "the key in \"%s\" does not belong to the certificate in \"%s\"",
				 key_path, cert_path);
	return NULL;
}

err_t tls_files_read(struct arena *a, const char *cert_path, const char *key_path,
		     struct tls_files *ret_files)
{
	struct tls_files files = { 0 };
	err_t e;

	*ret_files = files;
	if (!cert_path && !key_path)
		return NULL;
	if (!cert_path || !key_path)
		return err_new(a, ERR_INVALID,
			       "TLS needs a certificate file and a key file, not one of them");
	e = read_pem(a, "tls_cert_file", cert_path, "CERTIFICATE", &files.cert);
	if (!e)
		e = read_pem(a, "tls_key_file", key_path, "PRIVATE KEY", &files.key);
	if (!e)
		e = check(a, cert_path, key_path, &files);
	if (e)
		return e;
	*ret_files = files;
	return NULL;
}

err_t tls_files_validity(struct arena *a, const struct tls_files *files,
			 struct tls_validity *ret_validity)
{
	struct tls_validity v = { INT64_MIN, INT64_MAX, 0 };
	gnutls_datum_t pem = datum(files->cert);
	gnutls_x509_crt_t *chain = NULL;
	unsigned count = 0;
	int failure = gnutls_x509_crt_list_import2(&chain, &count, &pem, GNUTLS_X509_FMT_PEM, 0);

	if (failure < 0)
		return err_new(a, ERR_INVALID, "the certificate cannot be read: %s",
			       gnutls_strerror(failure));
	for (unsigned i = 0; i < count; i++) {
		int64_t from_s = gnutls_x509_crt_get_activation_time(chain[i]);
		int64_t until_s = gnutls_x509_crt_get_expiration_time(chain[i]);

		v.from_s = from_s > v.from_s ? from_s : v.from_s;
		v.until_s = until_s < v.until_s ? until_s : v.until_s;
		v.own_until_s = i == 0 ? until_s : v.own_until_s;
		gnutls_x509_crt_deinit(chain[i]);
	}
	gnutls_free(chain);
	*ret_validity = v;
	return NULL;
}
