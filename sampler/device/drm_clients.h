/*
 * drm_clients.h - what the process tree uses of graphics cards, from /proc/PID/fdinfo of files
 * opened under /dev/dri.
 *
 * The kernel's documentation "DRM client usage stats" has the format. A client that several files
 * share (a fork, dup) counts once. Which files of which processes are clients is looked for again
 * every 30 s, or when the tree has changed, in processes that have run since; in between only those
 * are read, since a tree may have tens of thousands of files.
 */
#ifndef CAIRN_SAMPLER_DRM_CLIENTS_H
#define CAIRN_SAMPLER_DRM_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_source.h"
#include "drm_card.h"

#define DRM_CLIENTS_MAX 512
#define DRM_ENGINES_MAX 8
#define DRM_FILES_SEEN_MAX 65536 /* of all processes in one search */

/* Work on the engines of one class. Drivers count its time, or (xe) its cycles of those that passed. */
struct drm_engine {
	char name[24];
	uint64_t busy_ns;
	uint64_t busy_cycles, passed_cycles; /* 0: time is counted */
	uint64_t capacity;                   /* engines of the class; 0: one */
};

/* Use of one card by all clients of the tree. */
struct drm_use {
	char address[PCI_ADDRESS_MAX];
	uint64_t memory_bytes; /* of the card */
	uint64_t system_bytes; /* of the host, which i915 and xe tell */
	size_t engine_count;
	struct drm_engine engines[DRM_ENGINES_MAX];
};

struct drm_client {
	pid_t pid;
	int fd;
};

struct drm_clients {
	uint64_t search_ns;   /* of the next search */
	uint64_t searched_ns; /* the scan of the last search; 0: it was not a whole one */
	size_t pid_count;     /* at the last search */
	size_t count;
	struct drm_client clients[DRM_CLIENTS_MAX];
};

/* Adds up what the tree's clients use of each card; the count of cards. At most `max`. */
size_t drm_clients_read(struct drm_clients *clients, const struct settings *settings,
			const struct device_input *input, struct drm_use *ret_uses, size_t max);

#endif
