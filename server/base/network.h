#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>

#include "str.h"

struct sockaddr;

/* All addresses are compared as IPv6; IPv4 lives in ::ffff:0:0/96 (RFC 4291, 2.5.5.2). */
struct network_address {
	unsigned char bytes[16];
};

struct network {
	struct network_address address;
	unsigned bits;
};

/* "192.0.2.1" or "2001:db8::1". */
bool network_address_parse(struct str text, struct network_address *ret_address);
/* False when it is of another family than IPv4 and IPv6. */
bool network_address_of(const struct sockaddr *address, struct network_address *ret_address);
bool network_address_is_v4(const struct network_address *address);

/* "192.0.2.0/24", "2001:db8::/32", or one address. */
bool network_parse(struct str text, struct network *ret_network);
bool network_has(const struct network *network, const struct network_address *address);

#endif
