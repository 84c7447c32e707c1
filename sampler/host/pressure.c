/*
 * pressure.c - "pressure.{cpu,memory,io}.{some,full}": stall time of the host since the last row.
 *
 * The kernel counts the microseconds in which some, or all, of its tasks waited for CPU, memory or
 * disks (PSI, the kernel's documentation "Pressure Stall Information"). Its own averages over 10
 * seconds and more are not used: they lag behind the rows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "monotonic.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define NS_PER_US 1000.0
#define PASSED_MIN_NS (80 * NS_PER_MS)

struct stall {
	const char *file;
	const char *word; /* that begins the line */
	const char *name;
};

/* "full" of the CPU is 0 for a whole host. */
static const struct stall stalls[] = {
	{ "cpu", "some", "pressure.cpu.some" },       { "memory", "some", "pressure.memory.some" },
	{ "memory", "full", "pressure.memory.full" }, { "io", "some", "pressure.io.some" },
	{ "io", "full", "pressure.io.full" },
};

#define STALL_COUNT (sizeof stalls / sizeof stalls[0])

struct pressure {
	struct proc_file files[STALL_COUNT];
	uint64_t last_ns[STALL_COUNT];
	struct counter us[STALL_COUNT];
};

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12" */
static bool read_total(const struct proc_file *file, const char *word, uint64_t *ret_us)
{
	char text[256];

	if (proc_file_read(file, text, sizeof text) <= 0)
		return false;
	const char *line = strstr(text, word);
	const char *total = line ? strstr(line, "total=") : NULL;
	if (!total)
		return false;
	total += strlen("total=");
	return proc_number(&total, ret_us);
}

static void pressure_close(void *state)
{
	struct pressure *pressure = state;

	for (size_t i = 0; i < STALL_COUNT; i++)
		proc_file_close(&pressure->files[i]);
	free(pressure);
}

/* A kernel without PSI, or one where it is switched off, has no such files or does not let them be
 * read. */
static int pressure_open(const struct settings *settings, void **ret_state)
{
	struct pressure *pressure = calloc(1, sizeof *pressure);
	char path[SETTINGS_ROOT_MAX + 32];
	size_t readable = 0;

	if (!pressure)
		return ENOMEM;
	for (size_t i = 0; i < STALL_COUNT; i++) {
		uint64_t us;
		pressure->files[i] = PROC_FILE_NONE;
		if (!proc_path(path, sizeof path, settings->proc_root, "pressure/%s",
			       stalls[i].file))
			continue;
		proc_file_open(&pressure->files[i], path);
		if (!read_total(&pressure->files[i], stalls[i].word, &us))
			continue;
		pressure->last_ns[i] = monotonic_ns();
		counter_begin(&pressure->us[i], us);
		readable++;
	}
	if (readable == 0) {
		pressure_close(pressure);
		pressure = NULL;
	}
	*ret_state = pressure;
	return 0;
}

/* The clock is read beside the counter: a row may be held up between its start and this. */
static void pressure_sample(void *state, const struct sample *sample)
{
	struct pressure *pressure = state;

	for (size_t i = 0; i < STALL_COUNT; i++) {
		uint64_t us;
		uint64_t now_ns = monotonic_ns();
		uint64_t passed_ns = now_ns - pressure->last_ns[i];
		if (passed_ns < PASSED_MIN_NS ||
		    !read_total(&pressure->files[i], stalls[i].word, &us))
			continue;
		pressure->last_ns[i] = now_ns;
		double stalled_ns = (double)counter_update(&pressure->us[i], us) * NS_PER_US;
		sample_row_add(sample->row, stalls[i].name,
			       fmin(100, 100 * stalled_ns / (double)passed_ns));
	}
}

static void pressure_explain(void *state, const struct settings *settings,
			     struct source_reason *ret_reason)
{
	ret_reason->is_found = state;
	if (!state)
		source_reason_set(ret_reason, "no readable files in %s/pressure",
				  settings->proc_root);
}

const struct source source_pressure = {
	.name = "pressure",
	.open = pressure_open,
	.sample = pressure_sample,
	.explain = pressure_explain,
	.close = pressure_close,
};
