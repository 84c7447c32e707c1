#include "network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

bool network_address_is_v4(const struct network_address *address)
{
	return memcmp(address->bytes, mapped, sizeof(mapped)) == 0;
}

static bool parse_address(struct str text, struct network_address *ret_address, bool *ret_is_v4)
{
	char copy[INET6_ADDRSTRLEN + 1];

	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	memcpy(ret_address->bytes, mapped, sizeof(mapped));
	*ret_is_v4 = inet_pton(AF_INET, copy, ret_address->bytes + sizeof(mapped)) == 1;
	return *ret_is_v4 || inet_pton(AF_INET6, copy, ret_address->bytes) == 1;
}

bool network_address_parse(struct str text, struct network_address *ret_address)
{
	bool is_v4;

	return parse_address(text, ret_address, &is_v4);
}

bool network_address_of(const struct sockaddr *address, struct network_address *ret_address)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		memcpy(ret_address->bytes, mapped, sizeof(mapped));
		memcpy(ret_address->bytes + sizeof(mapped), &v4.sin_addr, sizeof(v4.sin_addr));
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	memcpy(&v6, address, sizeof(v6));
	memcpy(ret_address->bytes, &v6.sin6_addr, sizeof(v6.sin6_addr));
	return true;
}

bool network_parse(struct str text, struct network *ret_network)
{
	struct str address = str_cut(&text, '/');
	bool is_v4;
	int64_t bits;

	if (!parse_address(address, &ret_network->address, &is_v4))
		return false;
	bits = is_v4 ? 32 : 128;
	if (text.len && !str_to_int64(text, 0, bits, &bits))
		return false;
	ret_network->bits = (unsigned)bits + (is_v4 ? 96 : 0);
	return true;
}

bool network_has(const struct network *network, const struct network_address *address)
{
	const unsigned char *own = network->address.bytes;
	size_t bytes = network->bits / 8;
	unsigned char mask = (unsigned char)(0xff00 >> (network->bits % 8));

	if (memcmp(own, address->bytes, bytes) != 0)
		return false;
	return network->bits % 8 == 0 || ((own[bytes] ^ address->bytes[bytes]) & mask) == 0;
}
