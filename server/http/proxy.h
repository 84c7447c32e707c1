#ifndef PROXY_H
#define PROXY_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct network_address;
struct sockaddr;

/* Networks whose X-Forwarded-* headers are believed: "127.0.0.1,10.0.0.0/8,::1". */
struct proxy_list;

err_t proxy_list_parse(struct arena *a, const char *text, const struct proxy_list **ret_list)
	__attribute__((warn_unused_result));

/* The address in text ("10.0.0.7", "2001:db8::1"); mapped IPv4 is written as IPv4. */
struct str proxy_address_text(struct arena *a, const struct sockaddr *address);
bool proxy_list_has_address(const struct proxy_list *list, const struct network_address *address);
bool proxy_list_has(const struct proxy_list *list, struct str address);

/*
 * The client behind trusted proxies: from the right of X-Forwarded-For, the first address that is
 * not a proxy of ours. `peer` if there is none or it is not an address.
 */
struct str proxy_client(struct arena *a, const struct proxy_list *list, struct str peer,
			struct str forwarded_for);

#endif
