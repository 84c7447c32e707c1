#include "webhook_hosts.h"

#include <strings.h>

#include "arena.h"
#include "network.h"

struct webhook_hosts {
	bool all;
	bool external;
	size_t name_count, network_count;
	struct str *names;
	struct network *networks;
};

/*
 * Addresses that are not public: this machine, its link, private networks,
 * multicast, reserved ones.
 */
static const char *const not_external[] = {
	"0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",    "::/96",
	"64:ff9b::/96",  "64:ff9b:1::/48",  "100::/64",       "2001::/23",      "2001:db8::/32",
	"2002::/16",     "3fff::/20",       "5f00::/16",      "fc00::/7",       "fe80::/10",
	"fec0::/10",     "ff00::/8",
};

/* "chat.example.org" or "*.example.org": letters, digits, '-', '_' and '.'. */
static bool is_name(struct str text)
{
	size_t from = str_starts(text, "*.") ? 2 : 0;

	for (size_t i = from; i < text.len; i++) {
		char c = text.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_' && c != '.')
			return false;
	}
	return text.len > from;
}

static bool add(struct webhook_hosts *hosts, struct str item)
{
	if (str_is(item, "*"))
		hosts->all = true;
	else if (str_is(item, "external"))
		hosts->external = true;
	else if (network_parse(item, &hosts->networks[hosts->network_count]))
		hosts->network_count++;
	else if (is_name(item))
		hosts->names[hosts->name_count++] = item;
	else
		return false;
	return true;
}

err_t webhook_hosts_parse(struct arena *a, const char *text, const struct webhook_hosts **ret_hosts)
{
	struct webhook_hosts *hosts = arena_new_of(a, struct webhook_hosts);
	struct str rest = str_of(arena_strdup(a, text));

	hosts->names = arena_new_array(a, struct str, rest.len / 2 + 1);
	hosts->networks = arena_new_array(a, struct network, rest.len / 2 + 1);
	while (rest.len) {
		struct str item = str_trim(str_cut(&rest, ','));

		if (item.len && !add(hosts, item))
			return err_field(a, ERR_INVALID, "webhook_hosts",
					 "\"%.*s\" is not a valid host, address or network",
					 STR_ARG(item));
	}
	*ret_hosts = hosts;
	return NULL;
}

bool webhook_hosts_is_only_names(const struct webhook_hosts *hosts)
{
	return !hosts->all && !hosts->external && !hosts->network_count;
}

static bool matches(struct str pattern, struct str name)
{
	size_t tail;

	if (!str_starts(pattern, "*."))
		return pattern.len == name.len && strncasecmp(pattern.at, name.at, name.len) == 0;
	tail = pattern.len - 1; /* with its dot */
	return name.len > tail && strncasecmp(pattern.at + 1, name.at + name.len - tail, tail) == 0;
}

bool webhook_hosts_has_name(const struct webhook_hosts *hosts, struct str name)
{
	for (size_t i = 0; i < hosts->name_count; i++) {
		if (matches(hosts->names[i], name))
			return true;
	}
	return hosts->all;
}

static bool is_external(const struct network_address *address)
{
	for (size_t i = 0; i < sizeof(not_external) / sizeof(not_external[0]); i++) {
		struct network n;

		if (network_parse(str_of(not_external[i]), &n) && network_has(&n, address))
			return false;
	}
	return true;
}

bool webhook_hosts_has_address(const struct webhook_hosts *hosts, const struct sockaddr *address)
{
	struct network_address own;

	if (!network_address_of(address, &own))
		return false;
	for (size_t i = 0; i < hosts->network_count; i++) {
		if (network_has(&hosts->networks[i], &own))
			return true;
	}
	return hosts->all || (hosts->external && is_external(&own));
}
