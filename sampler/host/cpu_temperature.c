/*
 * cpu_temperature.c - "cpu.temp": the hottest sensor of the host's processors.
 *
 * Sensors are those of the drivers for processors, below /sys/class/hwmon; others belong to disks,
 * boards and cards. They are looked for once: drivers of processors do not come and go.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define SENSORS_MAX 256
#define MILLIDEGREES 1000.0

struct cpu_temperature {
	size_t count;
	struct proc_file sensors[SENSORS_MAX];
};

static bool is_processor(const char *folder)
{
	static const char *const drivers[] = { "coretemp", "k10temp", "zenpower", "cpu_thermal",
					       "fam15h_power" };
	char path[SETTINGS_ROOT_MAX + 320], name[32];

	if (!proc_path(path, sizeof path, folder, "name") ||
	    proc_read(AT_FDCWD, path, name, sizeof name) <= 0)
		return false;
	name[strcspn(name, "\n")] = '\0';
	for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
		if (strcmp(name, drivers[i]) == 0)
			return true;
	}
	return false;
}

/* temp7_input */
static bool is_input(const char *name)
{
	const char *end = strrchr(name, '_');

	return strncmp(name, "temp", 4) == 0 && end && strcmp(end, "_input") == 0;
}

static void add_sensors(struct cpu_temperature *cpu, const char *folder)
{
	char path[SETTINGS_ROOT_MAX + 640];
	DIR *dir = opendir(folder);

	if (!dir)
		return;
	for (struct dirent *entry; cpu->count < SENSORS_MAX && (entry = readdir(dir)) != NULL;) {
		if (!is_input(entry->d_name) ||
		    !proc_path(path, sizeof path, folder, "%s", entry->d_name))
			continue;
		proc_file_open(&cpu->sensors[cpu->count], path);
		cpu->count += cpu->sensors[cpu->count].fd >= 0;
	}
	closedir(dir);
}

static void find_sensors(struct cpu_temperature *cpu, const struct settings *settings)
{
	char root[SETTINGS_ROOT_MAX + 32], folder[SETTINGS_ROOT_MAX + 300];

	if (!proc_path(root, sizeof root, settings->sys_root, "class/hwmon"))
		return;
	DIR *dir = opendir(root);
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] != '.' &&
		    proc_path(folder, sizeof folder, root, "%s", entry->d_name) &&
		    is_processor(folder))
			add_sensors(cpu, folder);
	}
	closedir(dir);
}

static int temperature_open(const struct settings *settings, void **ret_state)
{
	struct cpu_temperature *cpu = calloc(1, sizeof *cpu);

	*ret_state = NULL;
	if (!cpu)
		return ENOMEM;
	find_sensors(cpu, settings);
	if (cpu->count == 0)
		free(cpu);
	else
		*ret_state = cpu;
	return 0;
}

static void temperature_sample(void *state, const struct sample *sample)
{
	const struct cpu_temperature *cpu = state;
	uint64_t hottest = 0;

	for (size_t i = 0; i < cpu->count; i++) {
		char text[32];
		const char *at = text;
		uint64_t degrees;
		if (proc_file_read(&cpu->sensors[i], text, sizeof text) > 0 &&
		    proc_number(&at, &degrees) && degrees > hottest)
			hottest = degrees;
	}
	if (hottest > 0)
		sample_row_add(sample->row, "cpu.temp", (double)hottest / MILLIDEGREES);
}

static void temperature_explain(void *state, const struct settings *settings,
				struct source_reason *ret_reason)
{
	ret_reason->is_found = state;
	if (!state)
		source_reason_set(ret_reason, "no processor's sensor in %s/class/hwmon",
				  settings->sys_root);
}

static void temperature_close(void *state)
{
	struct cpu_temperature *cpu = state;

	for (size_t i = 0; i < cpu->count; i++)
		proc_file_close(&cpu->sensors[i]);
	free(cpu);
}

const struct source source_cpu_temperature = {
	.name = "cpu_temperature",
	.open = temperature_open,
	.sample = temperature_sample,
	.explain = temperature_explain,
	.close = temperature_close,
};
