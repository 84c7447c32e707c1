#ifndef TLS_FILES_H
#define TLS_FILES_H

#include <stdint.h>

#include "err.h"

/* Certificate chain and key, both PEM, as text; both NULL when none is configured. */
struct tls_files {
	char *cert;
	char *key;
};

/* Errors say which file is wrong, and how, before the server is started with it. */
err_t tls_files_read(struct arena *a, const char *cert_path, const char *key_path,
		     struct tls_files *ret_files) __attribute__((warn_unused_result));

/* When all certificates of the chain are valid, in seconds since 1970. */
struct tls_validity {
	int64_t from_s;
	int64_t until_s;
	int64_t own_until_s; /* of the first, which is the server's */
};
err_t tls_files_validity(struct arena *a, const struct tls_files *files,
			 struct tls_validity *ret_validity) __attribute__((warn_unused_result));

#endif
