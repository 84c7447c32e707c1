#ifndef WEBHOOK_H
#define WEBHOOK_H

#include <stdbool.h>

#include "err.h"
#include "key.h"
#include "str.h"

/*
 * Webhooks: the address that a project has its alerts sent to, and the secret by which the receiver
 * knows that they are ours. The secret is used but never returned: so it is kept sealed, under a
 * key made of the servers' secret for this purpose. A stolen database cannot sign.
 */
enum {
	WEBHOOK_URL_MAX = 2048,
	WEBHOOK_SECRET_MIN = 16,
	WEBHOOK_SECRET_MAX = 256,
	WEBHOOK_SIGNATURE_SIZE = 64, /* hex characters */
};

/* ERR_INVALID unless it is http or https, of visible ASCII, with a host and without a name or password. */
err_t webhook_check_url(struct arena *a, struct str url) __attribute__((warn_unused_result));
/* The host of such an address; of IPv6 without its brackets. */
struct str webhook_host(struct str url);

/* Different bytes each time. */
struct str webhook_seal(struct arena *a, const struct key_secret *secret, struct str plain);
/* False: it was sealed under another secret. */
bool webhook_open(struct arena *a, const struct key_secret *secret, struct str sealed,
		  struct str *ret_plain);

/* HMAC-SHA256 of the body, as hex. */
void webhook_sign(struct str secret, struct str body, char text[static WEBHOOK_SIGNATURE_SIZE + 1]);

#endif
