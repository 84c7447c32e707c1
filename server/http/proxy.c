#include "proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "arena.h"
#include "network.h"

struct proxy_list {
	size_t count;
	struct network *networks;
};

err_t proxy_list_parse(struct arena *a, const char *text, const struct proxy_list **ret_list)
{
	struct proxy_list *list = arena_new_of(a, struct proxy_list);
	struct str rest = str_of(text);

	list->networks = arena_new_array(a, struct network, rest.len / 2 + 1);
	while (rest.len) {
		struct str item = str_trim(str_cut(&rest, ','));

		if (item.len == 0)
			continue;
		if (!network_parse(item, &list->networks[list->count++]))
			return err_field(a, ERR_INVALID, "trusted_proxies",
					 "\"%.*s\" is not a valid address or network",
					 STR_ARG(item));
	}
	*ret_list = list;
	return NULL;
}

bool proxy_list_has_address(const struct proxy_list *list, const struct network_address *address)
{
	for (size_t i = 0; i < list->count; i++) {
		if (network_has(&list->networks[i], address))
			return true;
	}
	return false;
}

bool proxy_list_has(const struct proxy_list *list, struct str text)
{
	struct network_address address;

	return network_address_parse(text, &address) && proxy_list_has_address(list, &address);
}

struct str proxy_address_text(struct arena *a, const struct sockaddr *address)
{
	char text[INET6_ADDRSTRLEN] = "";
	struct network_address own;

	if (address && network_address_of(address, &own)) {
		if (network_address_is_v4(&own))
			inet_ntop(AF_INET, own.bytes + 12, text, sizeof(text));
		else
			inet_ntop(AF_INET6, own.bytes, text, sizeof(text));
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
		struct network_address address;

		if (!network_address_parse(next, &address))
			break;
		client = (struct str){ str_copy(a, next), next.len };
	}
	return client;
}
