#ifndef TLS_PAIR_H
#define TLS_PAIR_H

#include <gnutls/abstract.h>
#include <time.h>

#include "err.h"

enum { TLS_SUM_BYTES = 32 };

/* A certificate with its chain, and its private key, as a handshake takes them. */
struct tls_pair {
	struct arena *arena;
	gnutls_pcert_st *chain;
	unsigned count;
	gnutls_privkey_t key;
	const char *subject;
	time_t chain_begins, chain_ends;  /* the time in which all of the chain is */
	time_t begins, ends;              /* the time in which the certificate is valid */
	unsigned char sum[TLS_SUM_BYTES]; /* SHA-256 of the certificate's file */
	struct tls_pair *next;
};

/* Both files are PEM. An error, in `a`, names the wrong file and the fault. */
err_t tls_pair_read(struct arena *a, const char *cert_path, const char *key_path,
		    struct tls_pair **ret_pair) __attribute__((warn_unused_result));
void tls_pair_free(struct tls_pair *pair);

#endif
