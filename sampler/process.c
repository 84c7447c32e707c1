/*
 * process.c - threads and resident memory, summed over the process tree.
 *
 * Pages shared after a fork count once per process; the exact share (PSS) costs the kernel a walk
 * over all page tables and was rejected.
 */
#include <unistd.h>

#include "cgroup.h"
#include "host_memory.h"
#include "process_tree.h"
#include "sample_row.h"
#include "source.h"

#define BYTES_PER_MIB 1048576.0

static int process_open(const struct settings *settings, void **ret_state)
{
	static char state;

	(void)settings;
	*ret_state = &state;
	return 0;
}

static void process_sample(void *state, const struct sample *sample)
{
	const struct process_tree *tree = sample->tree;
	long page_bytes = sysconf(_SC_PAGESIZE);

	(void)state;
	if (!tree->alive || tree->threads == 0) /* all are dead, and only not waited for */
		return;
	double rss_bytes = (double)tree->rss_pages * (double)page_bytes;
	uint64_t limit = sample->cgroup->memory_limit_bytes;
	uint64_t total = limit ? limit : sample->memory->total_bytes;
	sample_row_add(sample->row, "proc.cpu.threads", (double)tree->threads);
	sample_row_add(sample->row, "proc.memory.rssMB", rss_bytes / BYTES_PER_MIB);
	if (total > 0)
		sample_row_add(sample->row, "proc.memory.percent", 100 * rss_bytes / (double)total);
}

static void process_close(void *state)
{
	(void)state;
}

const struct source source_process = {
	.name = "process",
	.open = process_open,
	.sample = process_sample,
	.close = process_close,
};
