#ifndef TLS_FILES_H
#define TLS_FILES_H

#include "err.h"

/* Certificate chain and key, both PEM, as text; both NULL when none is configured. */
struct tls_files {
	char *cert;
	char *key;
};

/* Errors say which file is wrong, and how, before the server is started with it. */
err_t tls_files_read(struct arena *a, const char *cert_path, const char *key_path,
		     struct tls_files *ret_files) __attribute__((warn_unused_result));

#endif
