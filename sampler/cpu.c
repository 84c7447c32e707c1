/*
 * cpu.c - "cpu": CPU time of the process tree since the last row, in percent of what it may use.
 *
 * A rate, not the average over the life of the process. The first value comes with the first row
 * that lies far enough from the start to mean something; a false zero is worse than no value.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cgroup.h"
#include "cpu_count.h"
#include "monotonic.h"
#include "process_tree.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define ELAPSED_MIN_NS (80 * NS_PER_MS) /* the kernel counts in steps of 10 ms */
#define COUNT_NS (60 * NS_PER_S)

struct cpu {
	double ticks_per_s;
	uint64_t last_ticks;
	uint64_t last_ns;
	uint64_t counted_ns;
	unsigned online;
	unsigned allowed;
};

static void count_cpus(struct cpu *cpu, const struct settings *settings, uint64_t now_ns)
{
	cpu->online = cpu_count_online(settings);
	cpu->allowed = cpu_count_allowed(settings);
	cpu->counted_ns = now_ns;
}

static int cpu_open(const struct settings *settings, void **ret_state)
{
	struct cpu *cpu = calloc(1, sizeof *cpu);

	if (!cpu)
		return ENOMEM;
	long hz = sysconf(_SC_CLK_TCK);
	cpu->ticks_per_s = hz > 0 ? (double)hz : 100;
	cpu->last_ns = monotonic_ns();
	count_cpus(cpu, settings, cpu->last_ns);
	*ret_state = cpu;
	return 0;
}

/* How many CPUs the tree may use, as a number that can be 1.5. */
static double capacity(const struct cpu *cpu, const struct cgroup *cgroup)
{
	double allowed = cpu->allowed;

	return cgroup->cpu_limit > 0 && cgroup->cpu_limit < allowed ? cgroup->cpu_limit : allowed;
}

static void cpu_sample(void *state, const struct sample *sample)
{
	struct cpu *cpu = state;

	if (sample->now_ns - cpu->counted_ns >= COUNT_NS)
		count_cpus(cpu, sample->settings, sample->now_ns);
	if (!sample->tree->alive)
		return;
	uint64_t elapsed_ns = sample->now_ns - cpu->last_ns;
	if (sample->tree->counted && elapsed_ns < ELAPSED_MIN_NS)
		return;
	double elapsed_s = (double)elapsed_ns / (double)NS_PER_S;
	double used_s = (double)(sample->tree->cpu_ticks - cpu->last_ticks) / cpu->ticks_per_s;
	double most_s = elapsed_s * cpu->online; /* a process that joined late brings its past */
	cpu->last_ns = sample->now_ns;
	cpu->last_ticks = sample->tree->cpu_ticks;
	if (!sample->tree->counted)
		return; /* what was used meanwhile is not known: counting begins anew */
	if (used_s > most_s)
		used_s = most_s;
	sample_row_add(sample->row, "cpu",
		       100 * used_s / elapsed_s / capacity(cpu, sample->cgroup));
}

const struct source source_cpu = {
	.name = "cpu",
	.open = cpu_open,
	.sample = cpu_sample,
	.close = free,
};
