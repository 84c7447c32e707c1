/*
 * trainium.c - "trn.*" for AWS's Trainium and Inferentia.
 *
 * neuron-monitor runs as a child as long as the sampler does and prints a line each period; the last
 * line that is whole counts. Where it is missing, or ends again and again, the driver's files below
 * /sys/devices/virtual/neuron_device give the memory of the cores.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_source.h"
#include "info_text.h"
#include "monotonic.h"
#include "neuron_report.h"
#include "proc_file.h"
#include "tool.h"

#define TOOL_NAME "neuron-monitor"
#define TOOL_FOLDER "/opt/aws/neuron/bin"
#define LINE_MAX_BYTES (8 * 1024 * 1024)
#define LINE_FIRST_BYTES 65536
#define RESTART_FIRST_NS NS_PER_S
#define RESTART_MAX_NS (300 * NS_PER_S)
#define PIECE_WAIT_MS 50
#define FRESH_INTERVALS 2 /* for so many periods a line counts as the present */
#define DEVICES_MAX 64
#define CORES_MAX 16

struct trainium {
	struct settings settings;
	char tool[TOOL_PATH_MAX]; /* "": none */
	char config[64];          /* its file; "": none could be written */
	struct tool_child child;
	uint64_t restart_ns; /* when to start it again */
	uint64_t pause_ns;
	char *buffer;
	size_t length, size;
	bool is_skipping; /* within a line that is too long */
	char *line;       /* the last whole one; NULL: none yet */
	size_t line_length;
	uint64_t line_ns;
	uint64_t read_ns; /* when the pipe was read last */
	struct neuron_hardware hardware;
};

static bool sysfs_folder(const struct settings *settings, char *ret_path, size_t size)
{
	return proc_path(ret_path, size, settings->sys_root, "devices/virtual/neuron_device") &&
	       access(ret_path, R_OK) == 0;
}

static bool trainium_find(const struct settings *settings, struct source_reason *ret_reason)
{
	char path[SETTINGS_ROOT_MAX + 64];

	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	bool has_folder = sysfs_folder(settings, path, sizeof path);
	bool has_device = proc_path(path, sizeof path, settings->dev_root, "neuron0") &&
			  access(path, F_OK) == 0;
	if (!has_folder && !has_device) {
		source_reason_set(ret_reason,
				  "no %s/neuron0 and no %s/devices/virtual/neuron_device",
				  settings->dev_root, settings->sys_root);
		return false;
	}
	return true;
}

static unsigned period_s(const struct settings *settings)
{
	return settings->interval_ms < 1000 ? 1 : settings->interval_ms / 1000;
}

static uint64_t fresh_ns(const struct trainium *trainium)
{
	return FRESH_INTERVALS * (period_s(&trainium->settings) + 1) * NS_PER_S;
}

/* The tool prints only what its configuration lists. The file is removed when the sampler ends. */
static void write_config(struct trainium *trainium)
{
	snprintf(trainium->config, sizeof trainium->config, "/tmp/cairn-neuron-XXXXXX");
	int fd = mkostemp(trainium->config, O_CLOEXEC);
	if (fd < 0) {
		trainium->config[0] = '\0';
		return;
	}
	dprintf(fd,
		"{\"period\":\"%us\",\"neuron_runtimes\":[{\"tag_filter\":\".*\",\"metrics\":["
		"{\"type\":\"neuroncore_counters\"},{\"type\":\"memory_used\"}]}],"
		"\"system_metrics\":[]}\n",
		period_s(&trainium->settings));
	close(fd);
}

static void *trainium_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct trainium *trainium = calloc(1, sizeof *trainium);
	char path[SETTINGS_ROOT_MAX + 64];

	if (!trainium)
		return NULL;
	trainium->settings = *settings;
	trainium->pause_ns = RESTART_FIRST_NS;
	if (tool_find(settings, TOOL_NAME, TOOL_FOLDER, trainium->tool)) {
		source_reason_set(ret_reason, "by %s", trainium->tool);
		write_config(trainium);
		return trainium;
	}
	trainium->tool[0] = '\0';
	ret_reason->is_found = sysfs_folder(settings, path, sizeof path);
	if (ret_reason->is_found)
		source_reason_set(ret_reason, "by %s: no " TOOL_NAME, path);
	else
		source_reason_set(ret_reason, "the device is there, but no " TOOL_NAME);
	return trainium;
}

static void trainium_close(void *devices)
{
	struct trainium *trainium = devices;

	tool_stop(&trainium->child);
	if (trainium->config[0])
		unlink(trainium->config);
	free(trainium->buffer);
	free(trainium->line);
	free(trainium);
}

/* A child that lived for a while is started again at once; one that ends again and again later and
 * later. */
static void start(struct trainium *trainium, uint64_t now_ns)
{
	const char *const arguments[] = { trainium->tool, "-c", trainium->config, NULL };

	if (!trainium->config[0] || now_ns < trainium->restart_ns)
		return;
	trainium->restart_ns = now_ns + trainium->pause_ns;
	trainium->pause_ns *= 2;
	if (trainium->pause_ns > RESTART_MAX_NS)
		trainium->pause_ns = RESTART_MAX_NS;
	trainium->length = 0;
	trainium->is_skipping = false;
	tool_start(&trainium->child, arguments);
}

static bool make_room(struct trainium *trainium)
{
	if (trainium->length < trainium->size)
		return true;
	if (trainium->size >= LINE_MAX_BYTES) {
		trainium->is_skipping = true;
		trainium->length = 0;
		return true;
	}
	size_t size = trainium->size ? trainium->size * 2 : LINE_FIRST_BYTES;
	char *buffer = realloc(trainium->buffer, size);
	if (!buffer)
		return false;
	trainium->buffer = buffer;
	trainium->size = size;
	return true;
}

static void keep_line(struct trainium *trainium, const char *line, size_t length, uint64_t now_ns)
{
	char *copy = realloc(trainium->line, length + 1);

	if (!copy)
		return;
	memcpy(copy, line, length);
	copy[length] = '\0';
	trainium->line = copy;
	trainium->line_length = length;
	trainium->line_ns = now_ns;
	trainium->pause_ns = RESTART_FIRST_NS;
}

/* Keeps the last whole line of the buffer, and what follows it. */
static void take_lines(struct trainium *trainium, uint64_t now_ns)
{
	char *end = memrchr(trainium->buffer, '\n', trainium->length);

	if (!end)
		return;
	char *before = memrchr(trainium->buffer, '\n', (size_t)(end - trainium->buffer));
	char *line = before ? before + 1 : trainium->buffer;
	if (before || !trainium->is_skipping)
		keep_line(trainium, line, (size_t)(end - line), now_ns);
	trainium->is_skipping = false;
	trainium->length -= (size_t)(end + 1 - trainium->buffer);
	memmove(trainium->buffer, end + 1, trainium->length);
}

/* Within a line it waits for more: a long one comes in pieces of what a pipe holds. */
static void read_child(struct trainium *trainium, const struct device_input *input, uint64_t now_ns)
{
	while (trainium->child.pid != 0 && !atomic_load(input->stop) && make_room(trainium)) {
		bool is_within = trainium->length > 0 || trainium->is_skipping;
		ssize_t n = tool_read(&trainium->child, is_within ? PIECE_WAIT_MS : 0,
				      trainium->buffer + trainium->length,
				      trainium->size - trainium->length);
		if (n == 0)
			return;
		if (n < 0) {
			tool_stop(&trainium->child);
			return;
		}
		trainium->length += (size_t)n;
		take_lines(trainium, now_ns);
	}
}

/* When nothing was read for long, what waits in the pipe is old: it is thrown away, and the next line
 * is the present. */
static void drop_old_lines(struct trainium *trainium, const struct device_input *input,
			   uint64_t now_ns)
{
	if (trainium->read_ns == 0 || now_ns - trainium->read_ns < fresh_ns(trainium))
		return;
	read_child(trainium, input, now_ns);
	free(trainium->line);
	trainium->line = NULL;
}

static bool is_fresh(const struct trainium *trainium, uint64_t now_ns)
{
	return trainium->line && now_ns - trainium->line_ns < fresh_ns(trainium);
}

static void read_core(const char *root, unsigned device, unsigned core, unsigned index,
		      struct readings *readings)
{
	static const char *const parts[] = { "constants", "model_code", "model_shared_scratchpad",
					     "runtime_memory", "tensors" };
	char path[SETTINGS_ROOT_MAX + 256];
	uint64_t bytes;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (proc_path(path, sizeof path, root,
			      "neuron%u/neuron_core%u/stats/memory_usage/device_mem/%s/present",
			      device, core, parts[i]) &&
		    proc_read_number(path, &bytes))
			readings_add(readings, (double)bytes, "trn.%u.neuroncore_memory_usage.%s",
				     index, parts[i]);
	}
}

/* Cores are counted on through all devices, as neuron-monitor does. */
static void read_sysfs(const struct trainium *trainium, struct readings *readings)
{
	char root[SETTINGS_ROOT_MAX + 64], path[SETTINGS_ROOT_MAX + 128];
	unsigned index = 0;

	if (!sysfs_folder(&trainium->settings, root, sizeof root))
		return;
	for (unsigned device = 0; device < DEVICES_MAX; device++) {
		for (unsigned core = 0; core < CORES_MAX; core++) {
			if (!proc_path(path, sizeof path, root, "neuron%u/neuron_core%u", device,
				       core) ||
			    access(path, F_OK) != 0)
				break;
			read_core(root, device, core, index++, readings);
		}
	}
}

static void trainium_read(void *devices, const struct device_input *input,
			  struct readings *readings)
{
	struct trainium *trainium = devices;
	uint64_t now_ns = monotonic_ns();

	if (trainium->tool[0] && trainium->child.pid == 0)
		start(trainium, now_ns);
	drop_old_lines(trainium, input, now_ns);
	trainium->read_ns = now_ns;
	read_child(trainium, input, now_ns);
	if (is_fresh(trainium, now_ns) && neuron_report_read(trainium->line, trainium->line_length,
							     input, readings, &trainium->hardware))
		return;
	read_sysfs(trainium, readings);
}

static void trainium_describe(const void *devices, struct info_text *text)
{
	const struct trainium *trainium = devices;
	const struct neuron_hardware *hardware = &trainium->hardware;

	if (hardware->device_count == 0)
		return;
	info_object_begin(text, "trainium");
	info_string(text, "name", hardware->device_type[0] ? hardware->device_type : "Trainium");
	info_string(text, "vendor", "AWS");
	info_number(text, "neuron_device_count", hardware->device_count);
	info_number(text, "neuroncore_per_device_count", hardware->cores_per_device);
	info_object_end(text);
}

static const struct device_kind trainium_kind = {
	.prefix = "trn",
	.find = trainium_find,
	.open = trainium_open,
	.read = trainium_read,
	.describe = trainium_describe,
	.close = trainium_close,
};

DEVICE_SOURCE(source_trainium, "trainium", trainium_kind);
