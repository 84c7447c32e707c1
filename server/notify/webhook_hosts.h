#ifndef WEBHOOK_HOSTS_H
#define WEBHOOK_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct sockaddr;

/*
 * The hosts that webhooks may use: "external, chat.example.org, *.lab.example, 10.1.0.0/16". A user
 * with a project chooses a URL, and the server connects to it: so unless the site sets otherwise it
 * connects only to public addresses, and never to its own machine or network.
 *
 * An allowed name may have any address; otherwise the address is checked on connecting: a name may
 * have another one by then.
 */
struct webhook_hosts;

err_t webhook_hosts_parse(struct arena *a, const char *text, const struct webhook_hosts **ret_hosts)
	__attribute__((warn_unused_result));

/* By its name; an address in a text does not count as a name. */
bool webhook_hosts_has_name(const struct webhook_hosts *hosts, struct str name);
bool webhook_hosts_has_address(const struct webhook_hosts *hosts, const struct sockaddr *address);
/* Whether no address is allowed by itself. */
bool webhook_hosts_is_only_names(const struct webhook_hosts *hosts);

#endif
