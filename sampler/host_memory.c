/* host_memory.c - see host_memory.h. */
#include "host_memory.h"

#include <string.h>

#include "settings.h"

#define BYTES_PER_KIB 1024

void host_memory_open(struct host_memory *memory, const struct settings *settings)
{
	*memory = (struct host_memory){ .settings = settings, .file = PROC_FILE_NONE };
	host_memory_read(memory);
}

/* Tried again while the program has no file descriptor to spare. */
static void open_file(struct host_memory *memory)
{
	char path[SETTINGS_ROOT_MAX + 16];

	if (memory->file.fd < 0 &&
	    proc_path(path, sizeof path, memory->settings->proc_root, "meminfo"))
		proc_file_open(&memory->file, path);
}

/* The number after "name:" at the start of a line, in bytes. */
static bool find_bytes(const char *text, const char *name, uint64_t *ret_bytes)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) != 0 || line[length] != ':')
			continue;
		const char *at = line + length + 1;
		uint64_t kib;
		if (!proc_number(&at, &kib))
			return false;
		*ret_bytes = kib * BYTES_PER_KIB;
		return true;
	}
	return false;
}

/* Counts of pages stand in the file without a unit. */
static void read_huge_pages(struct host_memory *memory, const char *text)
{
	memory->huge_pages = 0;
	if (!find_bytes(text, "HugePages_Total", &memory->huge_pages) ||
	    !find_bytes(text, "HugePages_Free", &memory->huge_pages_free) ||
	    !find_bytes(text, "Hugepagesize", &memory->huge_page_bytes))
		memory->huge_pages = 0;
	memory->huge_pages /= BYTES_PER_KIB;
	memory->huge_pages_free /= BYTES_PER_KIB;
}

/* Kernels before 3.14 have no MemAvailable. */
static uint64_t estimate_available(const char *text)
{
	static const char *const parts[] = { "MemFree", "Buffers", "Cached" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		uint64_t bytes;
		if (find_bytes(text, parts[i], &bytes))
			sum += bytes;
	}
	return sum;
}

void host_memory_read(struct host_memory *memory)
{
	char text[8192];

	open_file(memory);
	memory->total_bytes = 0;
	memory->available_bytes = 0;
	memory->huge_pages = 0;
	if (proc_file_read(&memory->file, text, sizeof text) <= 0)
		return;
	if (!find_bytes(text, "MemTotal", &memory->total_bytes))
		return;
	if (!find_bytes(text, "MemAvailable", &memory->available_bytes))
		memory->available_bytes = estimate_available(text);
	if (memory->available_bytes > memory->total_bytes)
		memory->available_bytes = memory->total_bytes;
	read_huge_pages(memory, text);
}

void host_memory_close(struct host_memory *memory)
{
	proc_file_close(&memory->file);
}
