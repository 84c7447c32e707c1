/*
 * memory.c - how full memory is: of the control group where one limits us, else of the host.
 *
 * The group's usage counts without page cache that can be dropped: a data loader fills the cache
 * up to the limit, and that is no pressure.
 */
#include "cgroup.h"
#include "host_memory.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define BYTES_PER_MIB 1048576.0

/* Nothing is kept between rows. */
static int memory_open(const struct settings *settings, void **ret_state)
{
	static char state;

	(void)settings;
	*ret_state = &state;
	return 0;
}

/* Pages that are reserved for programs which ask for them; they are in no other number. */
static void add_huge_pages(const struct sample *sample)
{
	const struct host_memory *memory = sample->memory;

	if (memory->huge_pages == 0 || memory->huge_pages_free > memory->huge_pages)
		return;
	double used = (double)(memory->huge_pages - memory->huge_pages_free);
	sample_row_add(sample->row, "memory.hugePagesPercent",
		       100 * used / (double)memory->huge_pages);
	sample_row_add(sample->row, "memory.hugePagesMB",
		       used * (double)memory->huge_page_bytes / BYTES_PER_MIB);
}

static void memory_sample(void *state, const struct sample *sample)
{
	uint64_t total = sample->memory->total_bytes;
	uint64_t available = sample->memory->available_bytes;
	uint64_t limit = sample->cgroup->memory_limit_bytes;
	uint64_t used = host_memory_used_bytes(sample->memory);

	(void)state;
	add_huge_pages(sample);
	if (limit > 0) {
		if (!cgroup_memory_used(sample->cgroup, sample->settings, &used))
			return; /* the host's numbers would pass for the group's */
		total = limit;
		available = total > used ? total - used : 0;
	}
	if (total == 0)
		return;
	sample_row_add(sample->row, "memory_percent", 100.0 * (double)used / (double)total);
	sample_row_add(sample->row, "proc.memory.availableMB", (double)available / BYTES_PER_MIB);
}

static void memory_close(void *state)
{
	(void)state;
}

const struct source source_memory = {
	.name = "memory",
	.open = memory_open,
	.sample = memory_sample,
	.close = memory_close,
};
