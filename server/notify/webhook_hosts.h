#ifndef WEBHOOK_HOSTS_H
#define WEBHOOK_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct sockaddr;

/*
 * Where webhooks may lead to: "external, chat.example.org, *.lab.example, 10.1.0.0/16". Whoever has a project
 * names an address, and it is the server that goes there: so unless the site says otherwise it goes to
 * addresses that everybody can reach, and never to its own machine or its neighbours.
 *
 * A name is believed whatever address it has; without one it is the address that counts, when it is
 * connected to: a name may have another one by then.
 */
struct webhook_hosts;

err_t webhook_hosts_parse(struct arena *a, const char *text, const struct webhook_hosts **ret_hosts)
	__attribute__((warn_unused_result));

/* By its name; an address in a text is none. */
bool webhook_hosts_has_name(const struct webhook_hosts *hosts, struct str name);
bool webhook_hosts_has_address(const struct webhook_hosts *hosts, const struct sockaddr *address);
/* No address is allowed by itself. */
bool webhook_hosts_is_only_names(const struct webhook_hosts *hosts);

#endif
