#include "proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "arena.h"

/* All addresses are compared as IPv6; IPv4 lives in ::ffff:0:0/96. */
struct address {
	unsigned char bytes[16];
};

struct network {
	struct address address;
	unsigned bits;
};

struct proxy_list {
	size_t count;
	struct network *networks;
};

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static bool parse_address(struct str text, struct address *ret_address, bool *ret_is_v4)
{
	char copy[INET6_ADDRSTRLEN + 1];

	if (text.len == 0 || text.len >= sizeof(copy))
		return false;
	memcpy(copy, text.at, text.len);
	copy[text.len] = '\0';
	memcpy(ret_address->bytes, mapped, sizeof(mapped));
	*ret_is_v4 = inet_pton(AF_INET, copy, ret_address->bytes + 12) == 1;
	return *ret_is_v4 || inet_pton(AF_INET6, copy, ret_address->bytes) == 1;
}

static bool parse_network(struct str text, struct network *ret_network)
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

err_t proxy_list_parse(struct arena *a, const char *text, const struct proxy_list **ret_list)
{
	struct proxy_list *list = arena_new_of(a, struct proxy_list);
	struct str rest = str_of(text);

	list->networks = arena_new_array(a, struct network, rest.len / 2 + 1);
	while (rest.len) {
		struct str item = str_trim(str_cut(&rest, ','));

		if (item.len == 0)
			continue;
		if (!parse_network(item, &list->networks[list->count++]))
			return err_field(a, ERR_INVALID, "trusted_proxies",
					 "\"%.*s\" is no address or network", STR_ARG(item));
	}
	*ret_list = list;
	return NULL;
}

static bool network_has(const struct network *n, const struct address *address)
{
	size_t bytes = n->bits / 8;
	unsigned char mask = (unsigned char)(0xff00 >> (n->bits % 8));

	if (memcmp(n->address.bytes, address->bytes, bytes) != 0)
		return false;
	return n->bits % 8 == 0 || ((n->address.bytes[bytes] ^ address->bytes[bytes]) & mask) == 0;
}

bool proxy_list_has(const struct proxy_list *list, struct str text)
{
	struct address address;
	bool is_v4;

	if (!parse_address(text, &address, &is_v4))
		return false;
	for (size_t i = 0; i < list->count; i++) {
		if (network_has(&list->networks[i], &address))
			return true;
	}
	return false;
}

struct str proxy_address_text(struct arena *a, const struct sockaddr *address)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address && address->sa_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
	} else if (address && address->sa_family == AF_INET6) {
		memcpy(&v6, address, sizeof(v6));
		if (memcmp(v6.sin6_addr.s6_addr, mapped, sizeof(mapped)) == 0)
			inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof(text));
		else
			inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
	}
	return str_of(arena_strdup(a, text));
}

/* "[::1]:80" and "1.2.3.4:80" are written by some proxies. */
static struct str without_port(struct str text)
{
	const char *colon = text.len ? memchr(text.at, ':', text.len) : NULL;

	if (text.len && text.at[0] == '[') {
		text.at++;
		text.len--;
		return str_cut(&text, ']');
	}
	if (colon && !memchr(colon + 1, ':', text.len - (size_t)(colon + 1 - text.at)))
		text.len = (size_t)(colon - text.at);
	return text;
}

/* Cuts the last item off a list. */
static struct str cut_last(struct str *list)
{
	struct str last = *list;
	size_t i = list->len;

	while (i && list->at[i - 1] != ',')
		i--;
	last.at += i;
	last.len -= i;
	list->len = i ? i - 1 : 0;
	return str_trim(last);
}

struct str proxy_client(struct arena *a, const struct proxy_list *list, struct str peer,
			struct str forwarded_for)
{
	struct str client = peer;

	while (forwarded_for.len && proxy_list_has(list, client)) {
		struct str next = without_port(cut_last(&forwarded_for));
		struct address address;
		bool is_v4;

		if (!parse_address(next, &address, &is_v4))
			break;
		client = (struct str){ str_copy(a, next), next.len };
	}
	return client;
}
