/*
 * sampler.c - the table of sources, and a row assembled from them.
 *
 *     sampler_new ---> settings, process tree, sources (counters begin)
 *     row         ---> tree, limits, memory; begin: slow sources start; sample: values come in
 */
#include "sampler.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info_text.h"
#include "monotonic.h"
#include "quiet_thread.h"
#include "sample_row.h"
#include "sampler_state.h"
#include "source.h"

#define CLOSE_WAIT_NS (100 * NS_PER_MS) /* for all threads of the sources together */

static const struct source *const sources[] = {
	&source_cpu,           &source_memory,          &source_process,
	&source_descriptors,   &source_network,         &source_disk,
	&source_nfs,           &source_infiniband,      &source_pressure,
	&source_cgroup_events, &source_cpu_temperature, &source_cpu_cores,
	&source_gpu_nvidia,    &source_gpu_amd,         &source_gpu_intel,
	&source_gaudi,
#ifdef __APPLE__
	&source_gpu_apple,
#endif
	&source_ipu,           &source_trainium,        &source_tpu,
	&source_open_metrics,
};

#define SOURCE_COUNT (sizeof sources / sizeof sources[0])
_Static_assert(SOURCE_COUNT <= SAMPLER_SOURCES_MAX, "room for the states");

void source_reason_set(struct source_reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof reason->text, format, arguments);
	va_end(arguments);
}

static void close_sources(struct sampler *sampler)
{
	uint64_t deadline_ns = monotonic_ns() + CLOSE_WAIT_NS;

	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		if (sampler->states[i] && sources[i]->end)
			sources[i]->end(sampler->states[i], deadline_ns);
	}
	for (size_t i = SOURCE_COUNT; i-- > 0;) {
		if (sampler->states[i])
			sources[i]->close(sampler->states[i]);
		sampler->states[i] = NULL;
	}
}

static int open_sources(struct sampler *sampler)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		int e = sources[i]->open(&sampler->settings, &sampler->states[i]);
		if (e) {
			close_sources(sampler);
			return e;
		}
	}
	return 0;
}

static void close_machine(struct sampler_machine *machine)
{
	host_memory_close(&machine->memory);
	cgroup_deinit(&machine->cgroup);
	process_tree_deinit(&machine->tree);
}

static int open_machine(struct sampler *sampler)
{
	struct sampler_machine *machine = &sampler->machine;

	cgroup_init(&machine->cgroup);
	host_memory_open(&machine->memory, &sampler->settings);
	int e = process_tree_init(&machine->tree, &sampler->settings);
	if (e)
		close_machine(machine);
	return e;
}

static int open_all(struct sampler *sampler)
{
	int e = open_machine(sampler);
	if (e)
		return e;
	e = open_sources(sampler);
	if (!e) {
		e = quiet_condition_init(&sampler->changed);
		if (e)
			close_sources(sampler);
	}
	if (e)
		close_machine(&sampler->machine);
	return e;
}

struct sampler *sampler_new(const struct sampler_options *options)
{
	struct sampler *sampler = calloc(1, sizeof *sampler);

	if (!sampler) {
		errno = ENOMEM;
		return NULL;
	}
	sampler->owner = getpid();
	int e = settings_copy(options, &sampler->settings);
	if (!e)
		e = open_all(sampler);
	if (e) {
		free(sampler);
		errno = e;
		return NULL;
	}
	pthread_mutex_init(&sampler->lock, NULL);
	return sampler;
}

void sampler_destroy(struct sampler *sampler)
{
	close_sources(sampler);
	close_machine(&sampler->machine);
	pthread_cond_destroy(&sampler->changed);
	pthread_mutex_destroy(&sampler->lock);
	free(sampler);
}

/* A forked child has none of the threads; what it would free may be held by one of them. */
void sampler_free(struct sampler *sampler)
{
	if (!sampler || sampler->owner != getpid())
		return;
	sampler_stop(sampler);
	if (!sampler_give_away(sampler))
		sampler_destroy(sampler);
}

static void read_machine(struct sampler *sampler, uint64_t now_ns)
{
	struct sampler_machine *machine = &sampler->machine;

	process_tree_scan(&machine->tree, now_ns);
	host_memory_read(&machine->memory);
	cgroup_refresh(&machine->cgroup, &sampler->settings, machine->memory.total_bytes, now_ns);
}

void sampler_take(struct sampler *sampler, unsigned wait_ms, struct sampler_row *ret_row)
{
	uint64_t now_ns = monotonic_ns();
	struct sample sample = {
		.settings = &sampler->settings,
		.tree = &sampler->machine.tree,
		.cgroup = &sampler->machine.cgroup,
		.memory = &sampler->machine.memory,
		.now_ns = now_ns,
		.deadline_ns = now_ns + wait_ms * NS_PER_MS,
		.row = ret_row,
	};

	sample_row_begin(ret_row);
	read_machine(sampler, now_ns);
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		if (sampler->states[i] && sources[i]->begin)
			sources[i]->begin(sampler->states[i], &sample);
	}
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		if (sampler->states[i])
			sources[i]->sample(sampler->states[i], &sample);
	}
}

int sampler_sample(struct sampler *sampler, struct sampler_row *ret_row)
{
	if (sampler->owner != getpid() || atomic_load(&sampler->is_running))
		return EBUSY;
	sampler_take(sampler, settings_wait_ms(&sampler->settings), ret_row);
	return 0;
}

void sampler_describe(struct sampler *sampler, struct info_text *text, uint64_t deadline_ns)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++) {
		if (!sampler->states[i] || !sources[i]->describe)
			continue;
		struct info_point point = info_point(text);
		sources[i]->describe(sampler->states[i], text, deadline_ns);
		info_settle(text, point);
	}
}

/* "gpu_amd: none: no card of vendor 0x1002 in /sys/class/drm" */
static void explain_source(struct sampler *sampler, size_t i, FILE *stream)
{
	struct source_reason reason = { .is_found = true, .text = "" };

	if (sources[i]->explain)
		sources[i]->explain(sampler->states[i], &sampler->settings, &reason);
	fprintf(stream, "%s: %s%s%s\n", sources[i]->name, reason.is_found ? "found" : "none",
		reason.text[0] ? ": " : "", reason.text);
}

char *sampler_explain(struct sampler *sampler)
{
	char *text = NULL;
	size_t length;

	if (sampler->owner != getpid())
		return NULL;
	FILE *stream = open_memstream(&text, &length);
	if (!stream)
		return NULL;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		explain_source(sampler, i, stream);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}
