#ifndef TLS_CERTIFICATE_H
#define TLS_CERTIFICATE_H

#include <stdint.h>

#include "err.h"

/*
 * The certificate of the HTTPS server. New connections get the one in use;
 * open connections keep theirs.
 */
struct tls_certificate;

/*
 * Reads both files, and logs until when the certificate is valid. NULL without a path: no TLS. A process has one
 * HTTPS server at a time.
 */
err_t tls_certificate_open(struct arena *a, const char *cert_path, const char *key_path,
			   struct tls_certificate **ret_certificate)
	__attribute__((warn_unused_result));
/* After the last handshake. */
void tls_certificate_close(struct tls_certificate *certificate);

/*
 * Reads the files again. Files that cannot be used are logged, and the certificate in use stays. Logs once a day that
 * the certificate expires soon, or has expired.
 */
enum tls_refresh { TLS_REFRESH_NOW, TLS_REFRESH_IF_CHANGED };
void tls_certificate_refresh(struct tls_certificate *certificate, enum tls_refresh when);

/* Seconds since 1970. */
int64_t tls_certificate_ends_s(const struct tls_certificate *certificate);

/* When all certificates of the chain are valid, in seconds since 1970. */
struct tls_validity {
	int64_t from_s;
	int64_t until_s;
	int64_t own_until_s; /* of the first, which is the server's */
};
/* Reads both files as a server does at its start, for checks only. */
err_t tls_certificate_check(struct arena *a, const char *cert_path, const char *key_path,
			    struct tls_validity *ret_validity) __attribute__((warn_unused_result));

/* The function that GnuTLS calls in each handshake (gnutls_certificate_retrieve_function3), for libmicrohttpd. */
void *tls_certificate_callback(void);

#endif
