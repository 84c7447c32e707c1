/*
 * network.c - bytes sent and received since the start, over all interfaces but the loopback.
 *
 * Each interface has its own counters, so one that vanishes takes nothing away and one that comes
 * back reset adds only what it carried since. An interface first seen later counts from then on:
 * it may have been moved here with years of traffic on it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define INTERFACES_MAX 1024 /* at a time; the rest of a huge machine is not counted */
#define INTERFACE_NAME_MAX 16
#define RECEIVED_FIELD 1
#define SENT_FIELD 9

struct interface {
	char name[INTERFACE_NAME_MAX];
	unsigned pass; /* in which it was last there */
	bool counts;
	struct counter received;
	struct counter sent;
};

struct network {
	const struct settings *settings;
	struct proc_lines lines;
	unsigned pass;
	uint64_t received_bytes;
	uint64_t sent_bytes;
	size_t next; /* interfaces come in the same order each time */
	size_t interface_count;
	struct interface interfaces[INTERFACES_MAX];
};

static bool is_virtual(const struct settings *settings, const char *name)
{
	char path[SETTINGS_ROOT_MAX + 64];

	return proc_path(path, sizeof path, settings->sys_root, "devices/virtual/net/%s", name) &&
	       access(path, F_OK) == 0;
}

static bool counts(const struct settings *settings, const char *name)
{
	if (strcmp(name, "lo") == 0)
		return false;
	return !settings_has(settings, SAMPLER_PHYSICAL_NETWORK) || !is_virtual(settings, name);
}

static struct interface *find_interface(struct network *network, const char *name)
{
	for (size_t i = 0; i < network->interface_count; i++) {
		size_t at = (network->next + i) % network->interface_count;
		if (strcmp(network->interfaces[at].name, name) != 0)
			continue;
		network->next = at + 1;
		return &network->interfaces[at];
	}
	return NULL;
}

/* A free slot, or that of an interface that is gone: containers come and go, with new names. */
static struct interface *find_slot(struct network *network)
{
	if (network->interface_count < INTERFACES_MAX)
		return &network->interfaces[network->interface_count++];
	for (size_t i = 0; i < INTERFACES_MAX; i++) {
		if (network->interfaces[i].pass + 1 < network->pass)
			return &network->interfaces[i];
	}
	return NULL;
}

static struct interface *add_interface(struct network *network, const char *name)
{
	struct interface *interface = find_slot(network);

	if (!interface)
		return NULL;
	memcpy(interface->name, name, strlen(name) + 1); /* fits: read_line saw to it */
	interface->counts = counts(network->settings, name);
	return interface;
}

/* "  eth0: received packets errs drop fifo frame compressed multicast sent ..." */
static void read_line(struct network *network, const char *line)
{
	char name[INTERFACE_NAME_MAX];
	uint64_t received, sent;

	line += strspn(line, " ");
	const char *colon = strchr(line, ':');
	if (!colon || (size_t)(colon - line) >= sizeof name)
		return;
	memcpy(name, line, (size_t)(colon - line));
	name[colon - line] = '\0';
	const char *at = colon + 1;
	if (!proc_number(&at, &received))
		return;
	for (int i = RECEIVED_FIELD + 1; i < SENT_FIELD; i++)
		at = proc_skip_word(at);
	if (!proc_number(&at, &sent))
		return;
	struct interface *interface = find_interface(network, name);
	if (!interface) {
		interface = add_interface(network, name);
		if (!interface)
			return;
		counter_begin(&interface->received, received);
		counter_begin(&interface->sent, sent);
	} else if (interface->counts) {
		network->received_bytes += counter_update(&interface->received, received);
		network->sent_bytes += counter_update(&interface->sent, sent);
	}
	interface->pass = network->pass;
}

/* The process may live in a network namespace of its own. Tried again while there is no file
 * descriptor to spare. */
static void open_file(struct network *network)
{
	char path[SETTINGS_ROOT_MAX + 64];
	const struct settings *s = network->settings;

	if (network->lines.fd < 0 &&
	    proc_path(path, sizeof path, s->proc_root, "%d/net/dev", (int)s->pid))
		proc_lines_open(&network->lines, path);
	if (network->lines.fd < 0 && proc_path(path, sizeof path, s->proc_root, "net/dev"))
		proc_lines_open(&network->lines, path);
}

static bool read_interfaces(struct network *network)
{
	char *line;

	open_file(network);
	network->pass++;
	network->next = 0;
	proc_lines_rewind(&network->lines);
	while ((line = proc_lines_next(&network->lines)) != NULL)
		read_line(network, line);
	return !network->lines.has_failed;
}

static int network_open(const struct settings *settings, void **ret_state)
{
	struct network *network = calloc(1, sizeof *network);

	if (!network)
		return ENOMEM;
	network->settings = settings;
	network->lines.fd = -1;
	read_interfaces(network);
	*ret_state = network;
	return 0;
}

static void network_sample(void *state, const struct sample *sample)
{
	struct network *network = state;

	if (!read_interfaces(network))
		return;
	sample_row_add(sample->row, "network.sent", (double)network->sent_bytes);
	sample_row_add(sample->row, "network.recv", (double)network->received_bytes);
}

static void network_close(void *state)
{
	struct network *network = state;

	proc_lines_close(&network->lines);
	free(network);
}

const struct source source_network = {
	.name = "network",
	.open = network_open,
	.sample = network_sample,
	.close = network_close,
};
