/*
 * cpu_cores.c - "cpu.{i}.cpu_percent": how busy each CPU of the host was since the last row.
 *
 * Off by default: a host of 256 CPUs would have 256 more values in each row.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define CORES_MAX 1024
#define STAT_FIELDS 8 /* user nice system idle iowait irq softirq steal; guest is within user */
#define IDLE_FIELD 3
#define IOWAIT_FIELD 4

struct core {
	bool is_known;
	uint64_t busy, total; /* ticks */
	char name[32];
};

struct cpu_cores {
	struct proc_lines lines;
	struct core cores[CORES_MAX];
};

static bool read_core(char *line, uint64_t *ret_number, uint64_t *ret_busy, uint64_t *ret_total)
{
	const char *at = line + 3;
	uint64_t ticks;

	if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9' ||
	    !proc_number(&at, ret_number) || *ret_number >= CORES_MAX)
		return false;
	*ret_busy = 0;
	*ret_total = 0;
	for (int field = 0; field < STAT_FIELDS && proc_number(&at, &ticks); field++) {
		*ret_total += ticks;
		if (field != IDLE_FIELD && field != IOWAIT_FIELD)
			*ret_busy += ticks;
	}
	return true;
}

/* Idle time can go back by a tick, which is no reason for a value below 0. */
static void read_cores(struct cpu_cores *cores, struct sampler_row *row)
{
	uint64_t number, busy, total;
	char *line;

	proc_lines_rewind(&cores->lines);
	while ((line = proc_lines_next(&cores->lines)) != NULL) {
		if (!read_core(line, &number, &busy, &total))
			continue;
		struct core *core = &cores->cores[number];
		if (row && core->is_known && total > core->total && busy >= core->busy)
			sample_row_add(row, core->name,
				       100 * (double)(busy - core->busy) /
					       (double)(total - core->total));
		if (!core->is_known)
			snprintf(core->name, sizeof core->name, "cpu.%u.cpu_percent",
				 (unsigned)number);
		core->is_known = true;
		core->busy = busy;
		core->total = total;
	}
}

static int cores_open(const struct settings *settings, void **ret_state)
{
	char path[SETTINGS_ROOT_MAX + 16];

	*ret_state = NULL;
	if (!settings_has(settings, SAMPLER_PER_CORE))
		return 0;
	struct cpu_cores *cores = calloc(1, sizeof *cores);
	if (!cores)
		return ENOMEM;
	if (!proc_path(path, sizeof path, settings->proc_root, "stat") ||
	    !proc_lines_open(&cores->lines, path)) {
		free(cores);
		return 0;
	}
	read_cores(cores, NULL);
	*ret_state = cores;
	return 0;
}

static void cores_sample(void *state, const struct sample *sample)
{
	read_cores(state, sample->row);
}

static void cores_explain(void *state, const struct settings *settings,
			  struct source_reason *ret_reason)
{
	ret_reason->is_found = state;
	if (!settings_has(settings, SAMPLER_PER_CORE))
		source_reason_set(ret_reason, "off unless --per-core is given");
	else if (!state)
		source_reason_set(ret_reason, "%s/stat cannot be read", settings->proc_root);
}

static void cores_close(void *state)
{
	struct cpu_cores *cores = state;

	proc_lines_close(&cores->lines);
	free(cores);
}

const struct source source_cpu_cores = {
	.name = "cpu_cores",
	.open = cores_open,
	.sample = cores_sample,
	.explain = cores_explain,
	.close = cores_close,
};
