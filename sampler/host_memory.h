/* host_memory.h - /proc/meminfo: how much there is and how much could be had. */
#ifndef CAIRN_SAMPLER_HOST_MEMORY_H
#define CAIRN_SAMPLER_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "proc_file.h"

struct settings;

struct host_memory {
	const struct settings *settings;
	struct proc_file file;
	uint64_t total_bytes; /* 0: unknown */
	uint64_t available_bytes;
	uint64_t huge_pages; /* 0: none are reserved */
	uint64_t huge_pages_free;
	uint64_t huge_page_bytes;
};

void host_memory_open(struct host_memory *memory, const struct settings *settings);
void host_memory_read(struct host_memory *memory);
void host_memory_close(struct host_memory *memory);

static inline uint64_t host_memory_used_bytes(const struct host_memory *memory)
{
	return memory->total_bytes - memory->available_bytes;
}

#endif
