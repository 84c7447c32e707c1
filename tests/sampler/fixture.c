/* fixture.c - see fixture.h. */
#include "fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monotonic.h"

static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

void fixture_begin(struct fixture *fixture, const char *name)
{
	const char *folder = getenv("TMPDIR");
	char command[1024];

	snprintf(fixture->root, sizeof fixture->root, "%s/cairn-sampler-XXXXXX",
		 folder ? folder : "/tmp");
	assert_non_null(mkdtemp(fixture->root));
	if (name[0]) {
		snprintf(command, sizeof command, "cp -R '%s/%s/.' '%s'", FIXTURES, name,
			 fixture->root);
		assert_int_equal(system(command), 0);
	}
	snprintf(fixture->proc, sizeof fixture->proc, "%s/proc", fixture->root);
	snprintf(fixture->sys, sizeof fixture->sys, "%s/sys", fixture->root);
	snprintf(fixture->dev, sizeof fixture->dev, "%s/dev", fixture->root);
	mkdir(fixture->proc, 0755);
	mkdir(fixture->sys, 0755);
	mkdir(fixture->dev, 0755);
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
	(void)stat;
	(void)type;
	(void)walk;
	return remove(path);
}

void fixture_end(struct fixture *fixture)
{
	nftw(fixture->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void fixture_write(const struct fixture *fixture, const char *path, const char *format, ...)
{
	char full[1024];
	va_list arguments;

	snprintf(full, sizeof full, "%s/%s", fixture->root, path);
	make_folders(full);
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
	assert_int_equal(fclose(file), 0);
}

void fixture_remove(const struct fixture *fixture, const char *path)
{
	char full[1024];

	snprintf(full, sizeof full, "%s/%s", fixture->root, path);
	nftw(full, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void fixture_process(const struct fixture *fixture, const struct fixture_process *process)
{
	char path[64];

	snprintf(path, sizeof path, "proc/%d/stat", process->pid);
	fixture_write(fixture, path,
		      "%d (%s) %c %d 1 1 0 -1 4194560 0 0 0 0 %" PRIu64 " 0 %" PRIu64
		      " 0 20 0 %" PRIu64 " 0 %" PRIu64 " 1000000 %" PRIu64
		      " 18446744073709551615 1\n",
		      process->pid, process->name ? process->name : "train",
		      process->state ? process->state : 'S', process->parent, process->self_ticks,
		      process->children_ticks, process->threads, process->start_ticks,
		      process->rss_pages);
}

void fixture_process_remove(const struct fixture *fixture, int pid)
{
	char path[64];

	snprintf(path, sizeof path, "proc/%d", pid);
	fixture_remove(fixture, path);
}

struct sampler_options fixture_options(const struct fixture *fixture, int pid)
{
	return (struct sampler_options){
		.pid = pid,
		.proc_root = fixture->proc,
		.sys_root = fixture->sys,
		.dev_root = fixture->dev,
	};
}

double row_value(const struct sampler_row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++) {
		if (strcmp(row->values[i].name, name) == 0)
			return row->values[i].value;
	}
	return NAN;
}

bool row_has(const struct sampler_row *row, const char *name)
{
	return !isnan(row_value(row, name));
}

double now_s(void)
{
	return (double)monotonic_ns() / (double)NS_PER_S;
}
