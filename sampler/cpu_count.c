/* cpu_count.c - see cpu_count.h. The files are read rather than sysconf asked, so that another
 * process's mask and a recorded machine work alike. */
#include "cpu_count.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "proc_file.h"
#include "settings.h"

#define LIST_TEXT_MAX 8192
#define CORES_MAX 1024

/* Numbers in "0-3,8,10-11"; 0 when it is not such a list. */
static unsigned count_list(const char *text)
{
	uint64_t first, last, count = 0;

	while (proc_number(&text, &first)) {
		last = first;
		if (*text == '-') {
			text++;
			if (!proc_number(&text, &last) || last < first)
				return 0;
		}
		count += last - first + 1;
		if (*text != ',')
			break;
		text++;
	}
	return count <= 65536 ? (unsigned)count : 0;
}

unsigned cpu_count_online(const struct settings *settings)
{
	char path[SETTINGS_ROOT_MAX + 64];
	char text[LIST_TEXT_MAX];
	unsigned count = 0;

	if (proc_path(path, sizeof path, settings->sys_root, "devices/system/cpu/online") &&
	    proc_read(AT_FDCWD, path, text, sizeof text) > 0)
		count = count_list(text);
	if (count > 0)
		return count;
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

unsigned cpu_count_allowed(const struct settings *settings)
{
	static const char name[] = "\nCpus_allowed_list:";
	char path[SETTINGS_ROOT_MAX + 64];
	char text[LIST_TEXT_MAX];
	unsigned online = cpu_count_online(settings);

	if (!proc_path(path, sizeof path, settings->proc_root, "%d/status", (int)settings->pid) ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0)
		return online;
	const char *at = strstr(text, name);
	unsigned allowed = at ? count_list(at + sizeof name - 1) : 0;
	return allowed > 0 && allowed < online ? allowed : online;
}

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

/* Which CPUs share the core of this one; they all say the same. */
static bool read_siblings(const struct settings *settings, unsigned cpu, uint64_t *ret_hash)
{
	static const char *const names[] = { "core_cpus_list", "thread_siblings_list" };
	char path[SETTINGS_ROOT_MAX + 96];
	char text[LIST_TEXT_MAX];

	for (int i = 0; i < 2; i++) {
		if (!proc_path(path, sizeof path, settings->sys_root,
			       "devices/system/cpu/cpu%u/topology/%s", cpu, names[i]))
			return false;
		if (proc_read(AT_FDCWD, path, text, sizeof text) > 0) {
			*ret_hash = hash_text(text);
			return true;
		}
	}
	return false;
}

unsigned cpu_count_cores(const struct settings *settings)
{
	uint64_t seen[CORES_MAX];
	unsigned online = cpu_count_online(settings);
	unsigned cores = 0;

	for (unsigned cpu = 0; cpu < online && cores < CORES_MAX; cpu++) {
		unsigned i = 0;
		uint64_t hash;
		if (!read_siblings(settings, cpu, &hash))
			continue;
		while (i < cores && seen[i] != hash)
			i++;
		if (i == cores)
			seen[cores++] = hash;
	}
	return cores > 0 ? cores : online;
}
