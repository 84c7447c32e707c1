/* apple_values.c - see apple_values.h. */
#include "apple_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_walk.h"
#include "monotonic.h"

#define GPU_POWER_MAX_WATTS 16.5 /* of the first M1; what the SDK divides by */
#define PATH_MAX_BYTES 64
#define DEPTH_MAX 3
#define ITEMS_MAX 4

static const char *const metric_names[APPLE_METRIC_COUNT] = {
	[APPLE_GPU] = "gpu.0.gpu",
	[APPLE_GPU_FREQ] = "gpu.0.freq",
	[APPLE_GPU_TEMP] = "gpu.0.temp",
	[APPLE_GPU_WATTS] = "gpu.0.powerWatts",
	[APPLE_GPU_POWER_PERCENT] = "gpu.0.powerPercent",
	[APPLE_GPU_MEMORY] = "gpu.0.memoryAllocated",
	[APPLE_CPU_TEMP] = "cpu.avg_temp",
	[APPLE_CPU_WATTS] = "cpu.powerWatts",
	[APPLE_ECPU_FREQ] = "cpu.ecpu_freq",
	[APPLE_ECPU_PERCENT] = "cpu.ecpu_percent",
	[APPLE_PCPU_FREQ] = "cpu.pcpu_freq",
	[APPLE_PCPU_PERCENT] = "cpu.pcpu_percent",
	[APPLE_ANE_WATTS] = "ane.power",
	[APPLE_SYSTEM_WATTS] = "system.powerWatts",
	[APPLE_MEMORY_USED] = "memory.used",
	[APPLE_MEMORY_PERCENT] = "memory.used_percent",
	[APPLE_SWAP_USED] = "swap.used",
	[APPLE_SWAP_PERCENT] = "swap.used_percent",
};

void apple_values_clear(double values[APPLE_METRIC_COUNT])
{
	for (int i = 0; i < APPLE_METRIC_COUNT; i++)
		values[i] = NAN;
}

static void add_percent_of_power(double *values)
{
	values[APPLE_GPU_POWER_PERCENT] = 100 * values[APPLE_GPU_WATTS] / GPU_POWER_MAX_WATTS;
}

/* ---- counters --------------------------------------------------------------------------------------- */

/* NaN for a unit that is not known. */
static double joules_in(const char *unit)
{
	static const struct {
		const char *name;
		double joules;
	} units[] = { { "mJ", 1e-3 }, { "uJ", 1e-6 }, { "nJ", 1e-9 } };

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(units[i].name, unit) == 0)
			return units[i].joules;
	}
	return NAN;
}

static double watts(const struct apple_joules *before, const struct apple_joules *now,
		    double passed_s)
{
	double used = (double)now->amount - (double)before->amount;

	if (used < 0 || strcmp(before->unit, now->unit) != 0)
		return NAN;
	return used * joules_in(now->unit) / passed_s;
}

static bool is_rest(const char *state)
{
	return strcmp(state, "OFF") == 0 || strcmp(state, "IDLE") == 0 ||
	       strcmp(state, "DOWN") == 0;
}

static bool is_same_table(const struct apple_counters *before, const struct apple_counters *now)
{
	bool is_same = before->state_count == now->state_count;

	for (size_t i = 0; is_same && i < now->state_count; i++)
		is_same = strcmp(before->states[i].name, now->states[i].name) == 0;
	return is_same;
}

/* The time in states of work, and their mean clock, which is NaN when the table of clocks has not as
 * many as there are states. */
static void add_states(const struct apple_counters *before, const struct apple_counters *now,
		       double *values)
{
	double all = 0, worked = 0, cycles = 0;
	size_t clock = 0;

	if (!is_same_table(before, now))
		return;
	for (size_t i = 0; i < now->state_count; i++) {
		double ticks = (double)now->states[i].residency -
			       (double)before->states[i].residency;
		if (ticks < 0)
			return;
		all += ticks;
		if (is_rest(now->states[i].name))
			continue;
		worked += ticks;
		cycles += clock < now->clock_count ? ticks * now->clocks_mhz[clock] : NAN;
		clock++;
	}
	if (all > 0 && isnan(values[APPLE_GPU]))
		values[APPLE_GPU] = 100 * worked / all;
	if (worked > 0 && clock == now->clock_count)
		values[APPLE_GPU_FREQ] = cycles / worked;
}

void apple_values_between(const struct apple_counters *before, const struct apple_counters *now,
			  double values[APPLE_METRIC_COUNT])
{
	static const enum apple_metric of_energy[APPLE_ENERGY_COUNT] = {
		[APPLE_ENERGY_GPU] = APPLE_GPU_WATTS,
		[APPLE_ENERGY_CPU] = APPLE_CPU_WATTS,
		[APPLE_ENERGY_ANE] = APPLE_ANE_WATTS,
	};
	double passed_s = (double)(now->now_ns - before->now_ns) / NS_PER_S;

	values[APPLE_GPU] = now->utilization;
	if (now->machine_bytes > 0)
		values[APPLE_GPU_MEMORY] = 100 * now->gpu_bytes / now->machine_bytes;
	if (before->now_ns == 0 || now->now_ns <= before->now_ns)
		return;
	for (int i = 0; i < APPLE_ENERGY_COUNT; i++)
		values[of_energy[i]] = watts(&before->energies[i], &now->energies[i], passed_s);
	add_percent_of_power(values);
	add_states(before, now, values);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

enum { RAM_TOTAL = APPLE_METRIC_COUNT, SWAP_TOTAL, SLOT_COUNT };

/* If several members give a value, the first of this table counts. */
static const struct member {
	const char *path;
	int slot;
	double times;
} members[] = {
	{ "gpu_active_ratio", APPLE_GPU, 100 },
	{ "gpu_scaled_ratio", APPLE_GPU, 100 },
	{ "gpu_usage.1", APPLE_GPU, 100 },
	{ "utilization", APPLE_GPU, 1 },
	{ "gpu_freq_mhz", APPLE_GPU_FREQ, 1 },
	{ "gpu_usage.0", APPLE_GPU_FREQ, 1 },
	{ "temp.gpu_temp_avg", APPLE_GPU_TEMP, 1 },
	{ "temperature", APPLE_GPU_TEMP, 1 },
	{ "gpu_power", APPLE_GPU_WATTS, 1 },
	{ "power", APPLE_GPU_WATTS, 1 },
	{ "mem_used", APPLE_GPU_MEMORY, 1 },
	{ "temp.cpu_temp_avg", APPLE_CPU_TEMP, 1 },
	{ "cpu_power", APPLE_CPU_WATTS, 1 },
	{ "ecpu_freq_mhz", APPLE_ECPU_FREQ, 1 },
	{ "ecpu_usage.0", APPLE_ECPU_FREQ, 1 },
	{ "ecpu_active_ratio", APPLE_ECPU_PERCENT, 100 },
	{ "ecpu_usage.1", APPLE_ECPU_PERCENT, 100 },
	{ "pcpu_freq_mhz", APPLE_PCPU_FREQ, 1 },
	{ "pcpu_usage.0", APPLE_PCPU_FREQ, 1 },
	{ "pcpu_active_ratio", APPLE_PCPU_PERCENT, 100 },
	{ "pcpu_usage.1", APPLE_PCPU_PERCENT, 100 },
	{ "ane_power", APPLE_ANE_WATTS, 1 },
	{ "sys_power", APPLE_SYSTEM_WATTS, 1 },
	{ "memory.ram_usage", APPLE_MEMORY_USED, 1 },
	{ "memory.ram_total", RAM_TOTAL, 1 },
	{ "memory.swap_usage", APPLE_SWAP_USED, 1 },
	{ "memory.swap_total", SWAP_TOTAL, 1 },
};
#define MEMBER_COUNT (sizeof members / sizeof members[0])

struct reading {
	double numbers[MEMBER_COUNT]; /* NaN: not there */
	size_t found;
};

static void keep(struct reading *reading, const char *path, double number)
{
	for (size_t i = 0; i < MEMBER_COUNT; i++) {
		if (strcmp(members[i].path, path) != 0 || !isnan(reading->numbers[i]) ||
		    !(number >= 0))
			continue;
		reading->numbers[i] = number * members[i].times;
		reading->found++;
	}
}

/* The path of a member or element of what is at `path`; false when it is none of the table. */
static bool step(char ret[PATH_MAX_BYTES], const char *path, const char *name)
{
	return snprintf(ret, PATH_MAX_BYTES, "%s%s%s", path, path[0] ? "." : "", name) <
	       PATH_MAX_BYTES;
}

static void read_value(struct json_walk *walk, const char *path, unsigned depth,
		       struct reading *reading);

static void read_members(struct json_walk *walk, const char *path, unsigned depth,
			 struct reading *reading)
{
	char name[PATH_MAX_BYTES], inner[PATH_MAX_BYTES];

	while (json_walk_member(walk, name, sizeof name)) {
		if (step(inner, path, name))
			read_value(walk, inner, depth + 1, reading);
		else
			json_walk_skip(walk);
	}
}

static void read_elements(struct json_walk *walk, const char *path, unsigned depth,
			  struct reading *reading)
{
	char name[16], inner[PATH_MAX_BYTES];

	for (unsigned i = 0; json_walk_element(walk); i++) {
		snprintf(name, sizeof name, "%u", i);
		if (i < ITEMS_MAX && step(inner, path, name))
			read_value(walk, inner, depth + 1, reading);
		else
			json_walk_skip(walk);
	}
}

static void read_value(struct json_walk *walk, const char *path, unsigned depth,
		       struct reading *reading)
{
	double number;

	if (json_walk_number(walk, &number))
		keep(reading, path, number);
	else if (depth < DEPTH_MAX && json_walk_object(walk))
		read_members(walk, path, depth, reading);
	else if (depth < DEPTH_MAX && json_walk_array(walk))
		read_elements(walk, path, depth, reading);
	else
		json_walk_skip(walk);
}

static void add_share(double used, double total, double *ret_percent)
{
	if (total > 0)
		*ret_percent = 100 * used / total;
}

bool apple_values_parse(const char *text, size_t length, double values[APPLE_METRIC_COUNT])
{
	struct reading reading = { .found = 0 };
	double slots[SLOT_COUNT];
	struct json_walk walk;

	for (size_t i = 0; i < MEMBER_COUNT; i++)
		reading.numbers[i] = NAN;
	for (int i = 0; i < SLOT_COUNT; i++)
		slots[i] = NAN;
	json_walk_begin(&walk, text, length);
	read_value(&walk, "", 0, &reading);
	for (size_t i = 0; i < MEMBER_COUNT; i++) {
		if (isnan(slots[members[i].slot]))
			slots[members[i].slot] = reading.numbers[i];
	}
	add_percent_of_power(slots);
	add_share(slots[APPLE_MEMORY_USED], slots[RAM_TOTAL], &slots[APPLE_MEMORY_PERCENT]);
	add_share(slots[APPLE_SWAP_USED], slots[SWAP_TOTAL], &slots[APPLE_SWAP_PERCENT]);
	for (int i = 0; i < APPLE_METRIC_COUNT; i++) {
		if (!isnan(slots[i]))
			values[i] = slots[i];
	}
	return reading.found > 0;
}

void apple_values_add(const double values[APPLE_METRIC_COUNT], struct readings *readings)
{
	for (int i = 0; i < APPLE_METRIC_COUNT; i++)
		readings_add(readings, values[i], "%s", metric_names[i]);
}
