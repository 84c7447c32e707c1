/* drm_clients.c - see drm_clients.h. */
#include "drm_clients.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
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
	uint64_t vram_bytes, resident_bytes;
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
	char folder[SETTINGS_ROOT_MAX + 32], path[SETTINGS_ROOT_MAX + 320], target[64];

	if (!proc_path(folder, sizeof folder, settings->proc_root, "%d/fd", (int)pid))
		return true;
	DIR *dir = opendir(folder);
	if (!dir)
		return true;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (++*seen > DRM_FILES_SEEN_MAX || clients->count == DRM_CLIENTS_MAX)
			break;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		ssize_t length = readlink(path, target, sizeof target - 1);
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

static void search(struct drm_clients *clients, const struct settings *settings,
		   const struct device_input *input)
{
	size_t seen = 0;

	if (input->now_ns < clients->search_ns && clients->pid_count == input->pid_count)
		return;
	clients->search_ns = input->now_ns + SEARCH_AGAIN_NS;
	clients->pid_count = input->pid_count;
	clients->count = 0;
	for (size_t i = 0; i < input->pid_count; i++) {
		if (!search_process(clients, settings, input->pids[i], &seen))
			return;
	}
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

static void add_engine(struct drm_engine *engines, size_t *count, const char *name,
		       uint64_t busy_ns)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(engines[i].name, name) == 0) {
			engines[i].busy_ns += busy_ns;
			return;
		}
	}
	if (*count == DRM_ENGINES_MAX)
		return;
	struct drm_engine *engine = &engines[(*count)++];
	snprintf(engine->name, sizeof engine->name, "%s", name);
	engine->busy_ns = busy_ns;
}

/* Local memory is called "vram" by amdgpu, "vram0" by xe, "local0" by i915. */
static bool is_local(const char *region)
{
	return strncmp(region, "vram", 4) == 0 || strncmp(region, "local", 5) == 0;
}

static void read_line(struct client_use *use, char *key, const char *value)
{
	uint64_t number;
	const char *at = value;

	if (strcmp(key, "drm-pdev") == 0)
		snprintf(use->address, sizeof use->address, "%s", value);
	else if (strcmp(key, "drm-client-id") == 0 && proc_number(&at, &number))
		use->id = number;
	else if (strncmp(key, "drm-memory-", 11) == 0 && is_local(key + 11))
		use->vram_bytes += bytes_of(value);
	else if (strncmp(key, "drm-resident-", 13) == 0 && is_local(key + 13))
		use->resident_bytes += bytes_of(value);
	else if (strncmp(key, "drm-engine-", 11) == 0 && strncmp(key + 11, "capacity-", 9) != 0 &&
		 proc_number(&at, &number))
		add_engine(use->engines, &use->engine_count, key + 11, number);
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

	search(clients, settings, input);
	for (size_t i = 0; i < clients->count; i++) {
		if (!read_client(&clients->clients[i], settings, &client) ||
		    !is_new(names, &name_count, &client))
			continue;
		struct drm_use *use = use_of(ret_uses, &count, max, client.address);
		if (!use)
			continue;
		use->memory_bytes += client.resident_bytes ? client.resident_bytes
							   : client.vram_bytes;
		for (size_t e = 0; e < client.engine_count; e++)
			add_engine(use->engines, &use->engine_count, client.engines[e].name,
				   client.engines[e].busy_ns);
	}
	return count;
}
