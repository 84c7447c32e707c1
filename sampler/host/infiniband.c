/*
 * infiniband.c - "infiniband.{device}.{port}.*": bytes of InfiniBand, RoCE and EFA since the start.
 *
 * The kernel's counters port_rcv_data and port_xmit_data are in units of four bytes; EFA counts
 * bytes in hw_counters. Reading them asks the card, which can take long when it is ill, so it is done
 * in a thread of its own. Ports are looked for again once a minute.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"
#include "device_source.h"
#include "monotonic.h"
#include "proc_file.h"

#define FIND_AGAIN_NS (60 * NS_PER_S)
#define PORTS_MAX 64
#define PATH_BYTES_MAX (SETTINGS_ROOT_MAX + 160)

enum { RECEIVED, SENT, ERRORS, LINK_DOWNED, PORT_COUNTERS };

struct port_file {
	const char *name;
	const char *files[2]; /* the first that can be read */
	uint64_t factors[2];
};

static const struct port_file port_files[PORT_COUNTERS] = {
	[RECEIVED] = { "recv", { "counters/port_rcv_data", "hw_counters/rx_bytes" }, { 4, 1 } },
	[SENT] = { "sent", { "counters/port_xmit_data", "hw_counters/tx_bytes" }, { 4, 1 } },
	[ERRORS] = { "recvErrors",
		     { "counters/port_rcv_errors", "hw_counters/rx_drops" },
		     { 1, 1 } },
	[LINK_DOWNED] = { "linkDowned", { "counters/link_downed", NULL }, { 1, 1 } },
};

struct port {
	char folder[PATH_BYTES_MAX];
	bool is_known[PORT_COUNTERS];
	struct counter counters[PORT_COUNTERS];
	char name[64]; /* "infiniband.mlx5_0.1" */
};

struct infiniband {
	struct settings settings;
	uint64_t find_ns;
	size_t port_count;
	struct port ports[PORTS_MAX];
};

static bool read_counter(const struct port *port, int i, uint64_t *ret_number)
{
	const struct port_file *file = &port_files[i];
	char path[PATH_BYTES_MAX + 64];

	for (int f = 0; f < 2 && file->files[f]; f++) {
		if (!proc_path(path, sizeof path, port->folder, "%s", file->files[f]) ||
		    !proc_read_number(path, ret_number))
			continue;
		*ret_number *= file->factors[f];
		return true;
	}
	return false;
}

static void read_port(struct port *port)
{
	for (int i = 0; i < PORT_COUNTERS; i++) {
		uint64_t number;
		bool is_read = read_counter(port, i, &number);
		if (is_read && port->is_known[i])
			counter_update(&port->counters[i], number);
		else if (is_read)
			port->counters[i].last = number;
		port->is_known[i] = is_read;
	}
}

static bool has_port(const struct infiniband *ib, const char *folder)
{
	for (size_t i = 0; i < ib->port_count; i++) {
		if (strcmp(ib->ports[i].folder, folder) == 0)
			return true;
	}
	return false;
}

static void add_port(struct infiniband *ib, const char *folder, const char *device,
		     const char *number)
{
	if (ib->port_count == PORTS_MAX || has_port(ib, folder))
		return;
	struct port *port = &ib->ports[ib->port_count++];
	*port = (struct port){ 0 };
	snprintf(port->folder, sizeof port->folder, "%s", folder);
	snprintf(port->name, sizeof port->name, "infiniband.%.40s.%.8s", device, number);
	read_port(port);
}

static void add_ports(struct infiniband *ib, const char *root, const char *device)
{
	char folder[PATH_BYTES_MAX], path[PATH_BYTES_MAX];

	if (!proc_path(folder, sizeof folder, root, "%s/ports", device))
		return;
	DIR *dir = opendir(folder);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] != '.' &&
		    proc_path(path, sizeof path, folder, "%s", entry->d_name))
			add_port(ib, path, device, entry->d_name);
	}
	closedir(dir);
}

static void find_ports(struct infiniband *ib, uint64_t now_ns)
{
	char root[SETTINGS_ROOT_MAX + 32];

	if (now_ns < ib->find_ns)
		return;
	ib->find_ns = now_ns + FIND_AGAIN_NS;
	if (!proc_path(root, sizeof root, ib->settings.sys_root, "class/infiniband"))
		return;
	DIR *dir = opendir(root);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] != '.')
			add_ports(ib, root, entry->d_name);
	}
	closedir(dir);
}

static bool infiniband_find(const struct settings *settings, struct source_reason *ret_reason)
{
	char root[SETTINGS_ROOT_MAX + 32];

	source_reason_set(ret_reason, "in %s/class/infiniband", settings->sys_root);
	if (proc_path(root, sizeof root, settings->sys_root, "class/infiniband") &&
	    access(root, F_OK) == 0)
		return true;
	source_reason_set(ret_reason, "no %s/class/infiniband", settings->sys_root);
	return false;
}

static void *infiniband_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct infiniband *ib = calloc(1, sizeof *ib);

	if (!ib)
		return NULL;
	ib->settings = *settings;
	find_ports(ib, monotonic_ns());
	ret_reason->is_found = ib->port_count > 0;
	source_reason_set(ret_reason, "%zu ports in %s/class/infiniband", ib->port_count,
			  settings->sys_root);
	return ib;
}

static void infiniband_read(void *devices, const struct device_input *input,
			    struct readings *readings)
{
	struct infiniband *ib = devices;

	find_ports(ib, input->now_ns);
	for (size_t i = 0; i < ib->port_count; i++) {
		struct port *port = &ib->ports[i];
		read_port(port);
		for (int c = 0; c < PORT_COUNTERS; c++) {
			if (port->is_known[c])
				readings_add(readings, (double)port->counters[c].since_start,
					     "%s.%s", port->name, port_files[c].name);
		}
	}
}

static const struct device_kind infiniband_kind = {
	.find = infiniband_find,
	.open = infiniband_open,
	.read = infiniband_read,
	.close = free,
};

DEVICE_SOURCE(source_infiniband, "infiniband", infiniband_kind);
