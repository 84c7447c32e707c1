/*
 * cgroup_events.c - "cgroup.cpu.*" and "memory.oomKills": how the limits of the process's own
 * control group were felt.
 *
 * The group is found once a minute, with its limits. Counters of another group count from its first
 * reading, and all begin with the first row.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cgroup.h"
#include "counter.h"
#include "proc_file.h"
#include "sample_row.h"
#include "settings.h"
#include "source.h"

#define TEXT_MAX 8192
#define US_PER_S 1e6
#define NS_PER_US 1000

enum { PERIODS, THROTTLED, THROTTLED_US, OOM_KILLS, COUNTERS };

struct cgroup_events {
	struct cgroup_directories group;
	bool is_known[COUNTERS];
	struct counter counters[COUNTERS];
};

/* The number after "word " at the start of a line. */
static bool number_of(const char *text, const char *word, uint64_t *ret_number)
{
	size_t length = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, word, length) != 0 || line[length] != ' ')
			continue;
		const char *at = line + length;
		return proc_number(&at, ret_number);
	}
	return false;
}

static bool read_text(const char *directory, const char *file, char *ret_text)
{
	char path[CGROUP_DIRECTORY_MAX + 64];

	return directory[0] && proc_path(path, sizeof path, directory, "%s", file) &&
	       proc_read(AT_FDCWD, path, ret_text, TEXT_MAX) > 0;
}

static void update(struct cgroup_events *events, int i, bool is_read, uint64_t number)
{
	if (is_read && events->is_known[i])
		counter_update(&events->counters[i], number);
	else if (is_read)
		events->counters[i].last = number; /* what was counted before stays */
	events->is_known[i] = is_read;
}

/* Version 1 counts in nanoseconds. */
static void read_cpu(struct cgroup_events *events)
{
	char text[TEXT_MAX];
	uint64_t periods = 0, throttled = 0, time_us = 0;
	bool is_read = read_text(events->group.cpu, "cpu.stat", text) &&
		       number_of(text, "nr_periods", &periods) &&
		       number_of(text, "nr_throttled", &throttled) &&
		       number_of(text,
				 events->group.is_v1_cpu ? "throttled_time" : "throttled_usec",
				 &time_us);

	if (events->group.is_v1_cpu)
		time_us /= NS_PER_US;
	update(events, PERIODS, is_read, periods);
	update(events, THROTTLED, is_read, throttled);
	update(events, THROTTLED_US, is_read, time_us);
}

/* Without a group the host's kills count; not when a group is gone, which would add them to its own. */
static void read_kills(struct cgroup_events *events, const struct settings *settings)
{
	char text[TEXT_MAX];
	uint64_t kills = 0;
	bool is_read =
		read_text(events->group.memory,
			  events->group.is_v1_memory ? "memory.oom_control" : "memory.events",
			  text) &&
		number_of(text, "oom_kill", &kills);

	if (!is_read && !events->group.memory[0])
		is_read = read_text(settings->proc_root, "vmstat", text) &&
			  number_of(text, "oom_kill", &kills);
	update(events, OOM_KILLS, is_read, kills);
}

static void follow_group(struct cgroup_events *events, const struct cgroup_directories *group)
{
	if (strcmp(group->cpu, events->group.cpu) != 0)
		memset(events->is_known, 0, sizeof events->is_known);
	if (strcmp(group->memory, events->group.memory) != 0)
		events->is_known[OOM_KILLS] = false;
	events->group = *group;
}

static int events_open(const struct settings *settings, void **ret_state)
{
	(void)settings;
	*ret_state = calloc(1, sizeof(struct cgroup_events));
	return *ret_state ? 0 : ENOMEM;
}

static void events_sample(void *state, const struct sample *sample)
{
	struct cgroup_events *events = state;
	const struct counter *counters = events->counters;
	uint64_t periods = counters[PERIODS].since_start,
		 throttled = counters[THROTTLED].since_start;

	follow_group(events, &sample->cgroup->directories);
	read_cpu(events);
	read_kills(events, sample->settings);
	periods = counters[PERIODS].since_start - periods;
	throttled = counters[THROTTLED].since_start - throttled;
	if (events->is_known[PERIODS]) {
		sample_row_add(sample->row, "cgroup.cpu.throttledPercent",
			       periods > 0 ? 100 * (double)throttled / (double)periods : 0);
		sample_row_add(sample->row, "cgroup.cpu.throttledSeconds",
			       (double)counters[THROTTLED_US].since_start / US_PER_S);
	}
	if (events->is_known[OOM_KILLS])
		sample_row_add(sample->row, "memory.oomKills",
			       (double)counters[OOM_KILLS].since_start);
}

const struct source source_cgroup_events = {
	.name = "cgroup_events",
	.open = events_open,
	.sample = events_sample,
	.close = free,
};
