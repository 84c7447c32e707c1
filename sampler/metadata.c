/*
 * metadata.c - what does not change during a run, as JSON for its page.
 *
 * The process's first environment is read from /proc rather than from the C library, whose
 * environment another thread may be changing. Variables that may be secrets are left out.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "cpu_count.h"
#include "info_text.h"
#include "monotonic.h"
#include "sampler_state.h"

#define ENVIRONMENT_MAX (128 * 1024)
#define VARIABLE_MAX 1024
#define VARIABLE_PREFIX "SLURM_"
#define PATH_TEXT_MAX 4096

typedef void describe_function(struct sampler *sampler, struct info_text *text);

/* "Linux-6.1.0-18-amd64-x86_64-with-glibc2.36" */
static void describe_os(struct sampler *sampler, struct info_text *text)
{
	struct utsname name;
	char os[512];

	(void)sampler;
	if (uname(&name) != 0)
		return;
	snprintf(os, sizeof os, "%s-%s-%s", name.sysname, name.release, name.machine);
#ifdef __GLIBC__
	size_t length = strlen(os);
	snprintf(os + length, sizeof os - length, "-with-glibc%s", gnu_get_libc_version());
#endif
	info_string(text, "os", os);
}

static void describe_host(struct sampler *sampler, struct info_text *text)
{
	char host[256];

	(void)sampler;
	if (gethostname(host, sizeof host - 1) != 0)
		return;
	host[sizeof host - 1] = '\0';
	info_string(text, "host", host);
}

static void describe_executable(struct sampler *sampler, struct info_text *text)
{
	char path[SETTINGS_ROOT_MAX + 32];
	char executable[PATH_TEXT_MAX];
	const struct settings *s = &sampler->settings;

	if (!proc_path(path, sizeof path, s->proc_root, "%d/exe", (int)s->pid))
		return;
	ssize_t length = readlink(path, executable, sizeof executable - 1);
	if (length <= 0)
		return;
	executable[length] = '\0';
	info_string(text, "executable", executable);
}

static void describe_cpus(struct sampler *sampler, struct info_text *text)
{
	info_number(text, "cpu_count", cpu_count_cores(&sampler->settings));
	info_number(text, "cpu_count_logical", cpu_count_online(&sampler->settings));
}

/* Describes the host's memory, also inside a control group. */
static void describe_memory(struct sampler *sampler, struct info_text *text)
{
	struct host_memory memory;

	host_memory_open(&memory, &sampler->settings);
	if (memory.total_bytes > 0) {
		info_object_begin(text, "memory");
		info_bytes(text, "total", memory.total_bytes);
		info_object_end(text);
	}
	host_memory_close(&memory);
}

static bool may_be_secret(const char *name)
{
	static const char *const words[] = { "JWT", "TOKEN", "KEY", "SECRET", "PASSWORD" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strstr(name, words[i]))
			return true;
	}
	return false;
}

/* "SLURM_JOB_ID=7" becomes "job_id": "7". */
static void describe_variable(char *variable, struct info_text *text)
{
	char *value = strchr(variable, '=');

	if (!value || strlen(variable) > VARIABLE_MAX)
		return;
	*value++ = '\0';
	char *name = variable + strlen(VARIABLE_PREFIX);
	if (may_be_secret(name))
		return;
	for (char *at = name; *at; at++)
		*at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
	struct info_point point = info_point(text);
	info_string(text, name, value);
	info_settle(text, point);
}

static void describe_variables(char *environment, size_t length, struct info_text *text)
{
	struct info_point point = info_point(text);
	size_t found = 0;

	info_object_begin(text, "slurm");
	for (size_t at = 0; at < length;) {
		size_t next = at + strlen(environment + at) + 1;
		if (strncmp(environment + at, VARIABLE_PREFIX, strlen(VARIABLE_PREFIX)) == 0) {
			describe_variable(environment + at, text);
			found++;
		}
		at = next;
	}
	info_object_end(text);
	if (found == 0)
		text->overflow = true; /* nothing to tell: taken back */
	info_settle(text, point);
}

/* Without the variable at which a very large environment was cut. */
static size_t whole_length(const char *environment, size_t length)
{
	if (length < ENVIRONMENT_MAX - 1)
		return length;
	while (length > 0 && environment[length - 1] != '\0')
		length--;
	return length;
}

static void describe_slurm(struct sampler *sampler, struct info_text *text)
{
	char path[SETTINGS_ROOT_MAX + 32];
	const struct settings *s = &sampler->settings;
	char *environment = malloc(ENVIRONMENT_MAX);

	if (!environment)
		return;
	if (proc_path(path, sizeof path, s->proc_root, "%d/environ", (int)s->pid)) {
		ssize_t length = proc_read(AT_FDCWD, path, environment, ENVIRONMENT_MAX);
		if (length > 0)
			describe_variables(environment, whole_length(environment, (size_t)length),
					   text);
	}
	free(environment);
}

static describe_function *const members[] = {
	describe_os,   describe_host,   describe_executable,
	describe_cpus, describe_memory, describe_slurm,
};

char *sampler_metadata_json(struct sampler *sampler, unsigned wait_ms)
{
	uint64_t deadline_ns = monotonic_ns() + wait_ms * NS_PER_MS;
	struct info_text text;

	if (sampler->owner != getpid())
		return NULL;
	char *bytes = malloc(SAMPLER_METADATA_MAX);
	if (!bytes)
		return NULL;
	info_text_begin(&text, bytes, SAMPLER_METADATA_MAX);
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		struct info_point point = info_point(&text);
		members[i](sampler, &text);
		info_settle(&text, point);
	}
	sampler_describe(sampler, &text, deadline_ns);
	info_text_end(&text);
	return bytes;
}
