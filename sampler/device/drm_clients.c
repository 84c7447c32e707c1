/* drm_clients.c - see drm_clients.h. */
#include "drm_clients.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc_file.h"

#define SEARCH_AGAIN_NS (30 * NS_PER_S)
#define FDINFO_MAX 4096

struct client_use {
	char address[PCI_ADDRESS_MAX];
	uint64_t id;
	uint64_t vram_bytes, resident_bytes, total_bytes;
	uint64_t system_bytes, system_resident_bytes;
	size_t engine_count;
	struct drm_engine engines[DRM_ENGINES_MAX];
};

static bool is_card_file(const char *target)
{
	return strstr(target, "/dri/renderD") || strstr(target, "/dri/card");
}

static bool search_process(struct drm_clients *clients, const struct settings *settings, pid_t pid,
			   size_t *seen)
{
	char folder[SETTINGS_ROOT_MAX + 32], target[64];

	if (!proc_path(folder, sizeof folder, settings->proc_root, "%d/fd", (int)pid))
		return true;
	DIR *dir = opendir(folder);
	if (!dir)
		return true;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		if (++*seen > DRM_FILES_SEEN_MAX || clients->count == DRM_CLIENTS_MAX)
			break;
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (is_card_file(target))
			clients->clients[clients->count++] =
				(struct drm_client){ .pid = pid,
						     .fd = (int)strtol(entry->d_name, NULL, 10) };
	}
	closedir(dir);
	return *seen <= DRM_FILES_SEEN_MAX && clients->count < DRM_CLIENTS_MAX;
}

static void keep_clients(struct drm_clients *clients, const struct drm_clients *before, pid_t pid)
{
	for (size_t i = 0; i < before->count && clients->count < DRM_CLIENTS_MAX; i++) {
		if (before->clients[i].pid == pid)
			clients->clients[clients->count++] = before->clients[i];
	}
}

static void search(struct drm_clients *clients, const struct settings *settings,
		   const struct device_input *input)
{
	const struct drm_clients before = *clients;
	size_t seen = 0;

	*clients = (struct drm_clients){ .search_ns = input->now_ns + SEARCH_AGAIN_NS,
					 .pid_count = input->pid_count };
	for (size_t i = 0; i < input->pid_count; i++) {
		if (input->ran_ns[i] <= before.searched_ns)
			keep_clients(clients, &before, input->pids[i]);
		else if (!search_process(clients, settings, input->pids[i], &seen))
			return;
	}
	clients->searched_ns = input->now_ns;
}

static bool must_search(const struct drm_clients *clients, const struct device_input *input)
{
	return input->now_ns >= clients->search_ns || clients->pid_count != input->pid_count;
}

/* "3512 KiB"; without a unit it is bytes. */
static uint64_t bytes_of(const char *text)
{
	uint64_t number;

	if (!proc_number(&text, &number))
		return 0;
	while (*text == ' ')
		text++;
	return number << (*text == 'K' ? 10 : *text == 'M' ? 20 : *text == 'G' ? 30 : 0);
}

/* NULL: there are too many. */
static struct drm_engine *engine_of(struct drm_engine *engines, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(engines[i].name, name) == 0)
			return &engines[i];
	}
	if (*count == DRM_ENGINES_MAX)
		return NULL;
	struct drm_engine *engine = &engines[(*count)++];
	*engine = (struct drm_engine){ 0 };
	snprintf(engine->name, sizeof engine->name, "%s", name);
	return engine;
}

/* The cycles that passed, and the engines, are the same for all clients. */
static void add_engine(struct drm_use *use, const struct drm_engine *more)
{
	struct drm_engine *engine = engine_of(use->engines, &use->engine_count, more->name);

	if (!engine)
		return;
	engine->busy_ns += more->busy_ns;
	engine->busy_cycles += more->busy_cycles;
	if (more->passed_cycles > engine->passed_cycles)
		engine->passed_cycles = more->passed_cycles;
	if (more->capacity > engine->capacity)
		engine->capacity = more->capacity;
}

/* Local memory is called "vram" by amdgpu, "vram0" by xe, "local0" by i915. */
static bool is_local(const char *region)
{
	return strncmp(region, "vram", 4) == 0 || strncmp(region, "local", 5) == 0;
}

/* The host's is called "system" and "gtt" by xe, "system0" by i915. */
static bool is_system(const char *region)
{
	return strncmp(region, "system", 6) == 0 || strcmp(region, "gtt") == 0;
}

static bool begins(const char *key, const char *start, const char **ret_rest)
{
	size_t length = strlen(start);

	*ret_rest = key + length;
	return strncmp(key, start, length) == 0;
}

static bool read_memory(struct client_use *use, const char *key, const char *value)
{
	const char *region;

	if (begins(key, "drm-memory-", &region)) {
		use->vram_bytes += is_local(region) ? bytes_of(value) : 0;
	} else if (begins(key, "drm-resident-", &region)) {
		use->resident_bytes += is_local(region) ? bytes_of(value) : 0;
		use->system_resident_bytes += is_system(region) ? bytes_of(value) : 0;
	} else if (begins(key, "drm-total-", &region) && strncmp(region, "cycles-", 7) != 0) {
		use->total_bytes += is_local(region) ? bytes_of(value) : 0;
		use->system_bytes += is_system(region) ? bytes_of(value) : 0;
	} else {
		return false;
	}
	return true;
}

static void read_engine(struct client_use *use, const char *key, uint64_t number)
{
	static const struct {
		const char *start;
		size_t member;
	} counters[] = {
		{ "drm-engine-capacity-", offsetof(struct drm_engine, capacity) },
		{ "drm-engine-", offsetof(struct drm_engine, busy_ns) },
		{ "drm-cycles-", offsetof(struct drm_engine, busy_cycles) },
		{ "drm-total-cycles-", offsetof(struct drm_engine, passed_cycles) },
	};
	const char *name;

	for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
		if (!begins(key, counters[i].start, &name))
			continue;
		struct drm_engine *engine = engine_of(use->engines, &use->engine_count, name);
		if (engine)
			memcpy((char *)engine + counters[i].member, &number, sizeof number);
		return;
	}
}

static void read_line(struct client_use *use, const char *key, const char *value)
{
	uint64_t number;
	const char *at = value;

	if (strcmp(key, "drm-pdev") == 0)
		snprintf(use->address, sizeof use->address, "%s", value);
	else if (!read_memory(use, key, value) && proc_number(&at, &number)) {
		if (strcmp(key, "drm-client-id") == 0)
			use->id = number;
		else
			read_engine(use, key, number);
	}
}

static bool read_client(const struct drm_client *client, const struct settings *settings,
			struct client_use *ret)
{
	char path[SETTINGS_ROOT_MAX + 64], text[FDINFO_MAX], *rest = text;

	*ret = (struct client_use){ 0 };
	if (!proc_path(path, sizeof path, settings->proc_root, "%d/fdinfo/%d", (int)client->pid,
		       client->fd) ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0)
		return false;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char *value = strchr(line, ':');
		if (!value)
			continue;
		*value++ = '\0';
		read_line(ret, line, value + strspn(value, " \t"));
	}
	return ret->address[0] && ret->id > 0;
}

static struct drm_use *use_of(struct drm_use *uses, size_t *count, size_t max, const char *address)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(uses[i].address, address) == 0)
			return &uses[i];
	}
	if (*count == max)
		return NULL;
	struct drm_use *use = &uses[(*count)++];
	*use = (struct drm_use){ 0 };
	snprintf(use->address, sizeof use->address, "%s", address);
	return use;
}

/* Prefers the memory that is resident, where the driver tells that. */
static void add_memory(struct drm_use *use, const struct client_use *client)
{
	if (client->resident_bytes)
		use->memory_bytes += client->resident_bytes;
	else
		use->memory_bytes += client->vram_bytes ? client->vram_bytes : client->total_bytes;
	use->system_bytes += client->system_resident_bytes ? client->system_resident_bytes
							   : client->system_bytes;
}

struct client_name {
	uint64_t id;
	uint64_t order;
};

static bool is_new(struct client_name *names, size_t *count, const struct client_use *use)
{
	uint64_t order = drm_address_order(use->address);

	for (size_t i = 0; i < *count; i++) {
		if (names[i].id == use->id && names[i].order == order)
			return false;
	}
	names[(*count)++] = (struct client_name){ .id = use->id, .order = order };
	return true;
}

size_t drm_clients_read(struct drm_clients *clients, const struct settings *settings,
			const struct device_input *input, struct drm_use *ret_uses, size_t max)
{
	struct client_name names[DRM_CLIENTS_MAX];
	struct client_use client;
	size_t count = 0, name_count = 0;

	if (must_search(clients, input))
		search(clients, settings, input);
	for (size_t i = 0; i < clients->count; i++) {
		if (!read_client(&clients->clients[i], settings, &client) ||
		    !is_new(names, &name_count, &client))
			continue;
		struct drm_use *use = use_of(ret_uses, &count, max, client.address);
		if (!use)
			continue;
		add_memory(use, &client);
		for (size_t e = 0; e < client.engine_count; e++)
			add_engine(use, &client.engines[e]);
	}
	return count;
}
