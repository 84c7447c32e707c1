#ifndef HEALTH_H
#define HEALTH_H

#include "config.h"

struct health {
	const char *url;
	int64_t certificate_until_s; /* expiry of the certificate, seconds since 1970; 0: none */
};

/* Asks the server of these settings whether it is ready, at the address it listens on. */
err_t health_ask(struct arena *a, const struct config *config, struct health *ret_health)
	__attribute__((warn_unused_result));

#endif
