/*
 * Certificate and key are checked before a handshake needs them: GnuTLS would only report that it
 * failed, and it leaks memory if the certificate it is given is broken.
 */
#include "tls_pair.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"

enum { MAX_BYTES = 1 << 20, KEY_ID_BYTES = 64, SUBJECT_BYTES = 256 };

/* Identifies a public key, to check that a certificate and a key belong together. */
struct key_id {
	unsigned char bytes[KEY_ID_BYTES];
	size_t len;
};

/* `what` is the word that a PEM header of the right kind contains. */
static err_t read_pem(struct arena *a, const char *field, const char *path, const char *what,
		      char **ret_text)
{
	FILE *f = fopen(path, "re");
	char *text;
	size_t len;

	if (!f)
		return err_field(a, ERR_PRECONDITION, field, "cannot read \"%s\": %s", path,
				 strerror(errno));
	text = arena_alloc(a, MAX_BYTES + 1);
	len = fread(text, 1, MAX_BYTES, f);
	fclose(f);
	text[len] = '\0';
	if (!strstr(text, "-----BEGIN ") || !strstr(text, what))
		return err_field(a, ERR_PRECONDITION, field, "\"%s\" does not contain a PEM %s",
				 path, what);
	*ret_text = text;
	return NULL;
}

static gnutls_datum_t datum(char *text)
{
	return (gnutls_datum_t){ (unsigned char *)text, (unsigned)strlen(text) };
}

static void read_facts(struct tls_pair *pair, gnutls_x509_crt_t certificate)
{
	char subject[SUBJECT_BYTES];
	size_t size = sizeof(subject);

	if (gnutls_x509_crt_get_dn(certificate, subject, &size) < 0)
		subject[0] = '\0';
	pair->subject = arena_strdup(pair->arena, subject);
	pair->begins = gnutls_x509_crt_get_activation_time(certificate);
	pair->ends = gnutls_x509_crt_get_expiration_time(certificate);
}

static void read_validity(struct tls_pair *pair, gnutls_x509_crt_t *list, unsigned count)
{
	pair->chain_begins = pair->begins;
	pair->chain_ends = pair->ends;
	for (unsigned i = 1; i < count; i++) {
		time_t begins = gnutls_x509_crt_get_activation_time(list[i]);
		time_t ends = gnutls_x509_crt_get_expiration_time(list[i]);

		if (begins > pair->chain_begins)
			pair->chain_begins = begins;
		if (ends < pair->chain_ends)
			pair->chain_ends = ends;
	}
}

static int take_chain(struct tls_pair *pair, gnutls_x509_crt_t *list, unsigned count,
		      struct key_id *ret_id)
{
	int failure;

	ret_id->len = sizeof(ret_id->bytes);
	failure = gnutls_x509_crt_get_key_id(list[0], 0, ret_id->bytes, &ret_id->len);
	if (failure < 0)
		return failure;
	read_facts(pair, list[0]);
	read_validity(pair, list, count);
	pair->chain = arena_zalloc(pair->arena, count, sizeof(*pair->chain));
	failure =
		gnutls_pcert_import_x509_list(pair->chain, list, &count, GNUTLS_X509_CRT_LIST_SORT);
	if (failure >= 0)
		pair->count = count;
	return failure;
}

/* The whole chain must be readable; the key belongs to the first of it. */
static int import_chain(struct tls_pair *pair, char *text, struct key_id *ret_id)
{
	gnutls_datum_t pem = datum(text);
	gnutls_x509_crt_t *list = NULL;
	unsigned count = 0;
	int failure = gnutls_x509_crt_list_import2(&list, &count, &pem, GNUTLS_X509_FMT_PEM, 0);

	if (failure < 0)
		return failure;
	failure = take_chain(pair, list, count, ret_id);
	while (count)
		gnutls_x509_crt_deinit(list[--count]);
	gnutls_free(list);
	if (failure >= 0)
		failure = gnutls_hash_fast(GNUTLS_DIG_SHA256, pem.data, pem.size, pair->sum);
	return failure;
}

static int import_key(struct tls_pair *pair, char *text, struct key_id *ret_id)
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
	if (failure >= 0)
		failure = gnutls_privkey_init(&pair->key);
	if (failure >= 0)
		failure = gnutls_privkey_import_x509(pair->key, key, GNUTLS_PRIVKEY_IMPORT_COPY);
	gnutls_x509_privkey_deinit(key);
	return failure;
}

static err_t unusable(struct arena *a, const char *field, const char *path, int failure)
{
	return err_field(a, ERR_PRECONDITION, field, "cannot use \"%s\": %s", path,
			 gnutls_strerror(failure));
}

/* The paths, and the contents of the files. */
struct tls_files {
	const char *cert_path, *key_path;
	char *cert, *key;
};

static err_t import(struct arena *a, const struct tls_files *files, struct tls_pair *pair)
{
	struct key_id of_cert, of_key;
	int failure = import_chain(pair, files->cert, &of_cert);

	if (failure < 0)
		return unusable(a, "tls_cert_file", files->cert_path, failure);
	failure = import_key(pair, files->key, &of_key);
	if (failure < 0)
		return unusable(a, "tls_key_file", files->key_path, failure);
	if (of_cert.len != of_key.len || memcmp(of_cert.bytes, of_key.bytes, of_key.len) != 0)
		return err_field(a, ERR_PRECONDITION, "tls_key_file",
				 "the key in \"%s\" does not belong to the certificate in \"%s\"",
				 files->key_path, files->cert_path);
	return NULL;
}

static struct tls_pair *pair_new(void)
{
	struct arena *a = arena_new(1024);
	struct tls_pair *pair = arena_new_of(a, struct tls_pair);

	pair->arena = a;
	return pair;
}

err_t tls_pair_read(struct arena *a, const char *cert_path, const char *key_path,
		    struct tls_pair **ret_pair)
{
	struct tls_files files = { .cert_path = cert_path, .key_path = key_path };
	struct tls_pair *pair;
	err_t e = read_pem(a, "tls_cert_file", cert_path, "CERTIFICATE", &files.cert);

	if (!e)
		e = read_pem(a, "tls_key_file", key_path, "PRIVATE KEY", &files.key);
	if (e)
		return e;
	pair = pair_new();
	e = import(a, &files, pair);
	gnutls_memset(files.key, 0, strlen(files.key));
	if (e)
		tls_pair_free(pair);
	else
		*ret_pair = pair;
	return e;
}

void tls_pair_free(struct tls_pair *pair)
{
	if (!pair)
		return;
	while (pair->count)
		gnutls_pcert_deinit(&pair->chain[--pair->count]);
	gnutls_privkey_deinit(pair->key);
	arena_free(pair->arena);
}
