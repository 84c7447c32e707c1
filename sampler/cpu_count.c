/* cpu_count.c - see cpu_count.h. The files are read rather than sysconf asked, so that another
 * process's mask and a recorded machine work alike. */
#include "cpu_count.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "proc_file.h"
#include "settings.h"

#define LIST_TEXT_MAX 8192 /* thousands of CPUs, every other one */
#define CPUS_MAX 65536

/* The next part of "0-3,8,10-11"; false at the end, and at what is no such list. */
static bool next_range(const char **text, uint64_t *ret_first, uint64_t *ret_last)
{
	*text += **text == ',';
	if (!proc_number(text, ret_first))
		return false;
	*ret_last = *ret_first;
	if (**text == '-') {
		++*text;
		if (!proc_number(text, ret_last))
			return false;
	}
	return *ret_last >= *ret_first && *ret_last < CPUS_MAX;
}

static unsigned count_list(const char *text)
{
	uint64_t first, last;
	unsigned count = 0;

	while (next_range(&text, &first, &last))
		count += (unsigned)(last - first + 1);
	return count;
}

static bool read_online(const struct settings *settings, char *ret_text, size_t size)
{
	char path[SETTINGS_ROOT_MAX + 64];

	return proc_path(path, sizeof path, settings->sys_root, "devices/system/cpu/online") &&
	       proc_read(AT_FDCWD, path, ret_text, size) > 0;
}

unsigned cpu_count_online(const struct settings *settings)
{
	char text[LIST_TEXT_MAX];
	unsigned count = 0;

	if (read_online(settings, text, sizeof text))
		count = count_list(text);
	if (count > 0)
		return count;
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

/* The mask stands behind lines that can be long: a user may be in thousands of groups. */
static unsigned count_mask(struct proc_lines *lines)
{
	static const char name[] = "Cpus_allowed_list:";
	char *line;

	while ((line = proc_lines_next(lines)) != NULL) {
		if (strncmp(line, name, sizeof name - 1) == 0)
			return count_list(line + sizeof name - 1);
	}
	return 0;
}

unsigned cpu_count_allowed(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 64];
	struct proc_lines lines;
	unsigned online = cpu_count_online(settings);

	if (!proc_path(path, sizeof path, settings->proc_root, "%d/status", (int)settings->pid) ||
	    !proc_lines_open(&lines, path))
		return online;
	unsigned allowed = count_mask(&lines);
	proc_lines_close(&lines);
	return allowed > 0 && allowed < online ? allowed : online;
}

/* CPUs of one core all have the same list of siblings; the first of them stands for the core. */
static bool is_first_of_core(const struct settings *settings, unsigned cpu)
{
	static const char *const names[] = { "core_cpus_list", "thread_siblings_list" };
	char path[SETTINGS_ROOT_MAX + 96];
	uint64_t first;

	for (int i = 0; i < 2; i++) {
		if (proc_path(path, sizeof path, settings->sys_root,
			      "devices/system/cpu/cpu%u/topology/%s", cpu, names[i]) &&
		    proc_read_number(path, &first))
			return first == cpu;
	}
	return false;
}

unsigned cpu_count_cores(const struct settings *settings)
{
	char text[LIST_TEXT_MAX];
	const char *at = text;
	uint64_t first, last;
	unsigned cores = 0;

	if (!read_online(settings, text, sizeof text))
		return cpu_count_online(settings);
	while (next_range(&at, &first, &last)) {
		for (uint64_t cpu = first; cpu <= last; cpu++)
			cores += is_first_of_core(settings, (unsigned)cpu);
	}
	return cores > 0 ? cores : cpu_count_online(settings);
}
