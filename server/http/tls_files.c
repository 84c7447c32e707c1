#include "tls_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"

enum { MAX_BYTES = 1 << 20 };

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
	if (e)
		return e;
	e = read_pem(a, "tls_key_file", key_path, "PRIVATE KEY", &files.key);
	if (e)
		return e;
	*ret_files = files;
	return NULL;
}
