/*
 * gpu_apple.c - "gpu.0.*", "cpu.*" and "ane.power" of Apple's processors, in which the GPU is a part.
 *
 * The interfaces of macOS give how busy the GPU is, its memory, clock and power. Temperatures, and
 * all of it where those interfaces are shut, come from macmon, if it is there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apple_values.h"
#include "device_source.h"
#include "tool.h"

#define OUTPUT_MAX (64 * 1024)
#define TOOL_NAME "macmon"
#define TOOL_FOLDER "/opt/homebrew/bin"
#define TOOL_TIMEOUT_MS 5000

struct apple_gpu {
	struct settings settings;
	void *macos; /* NULL: shut */
	struct apple_counters before;
	char tool[TOOL_PATH_MAX]; /* "": none */
	struct tool_turns turns;
	char output[OUTPUT_MAX];
};

static bool apple_find(const struct settings *settings, struct source_reason *ret_reason)
{
	if (!settings_has(settings, SAMPLER_NO_GPU))
		return true;
	source_reason_set(ret_reason, "switched off by --no-gpu");
	return false;
}

static void *apple_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct apple_gpu *gpu = calloc(1, sizeof *gpu);

	if (!gpu)
		return NULL;
	gpu->settings = *settings;
	gpu->macos = apple_macos_open();
	if (!tool_find(settings, TOOL_NAME, TOOL_FOLDER, gpu->tool))
		gpu->tool[0] = '\0';
	ret_reason->is_found = gpu->macos || gpu->tool[0];
	source_reason_set(ret_reason, "%s%s%s",
			  gpu->macos             ? "by IOKit and IOReport"
			  : ret_reason->is_found ? "by "
						 : "no IOAccelerator and no " TOOL_NAME,
			  gpu->macos && gpu->tool[0] ? ", and " : "", gpu->tool);
	return gpu;
}

static void apple_close(void *devices)
{
	struct apple_gpu *gpu = devices;

	if (gpu->macos)
		apple_macos_close(gpu->macos);
	free(gpu);
}

static void read_tool(struct apple_gpu *gpu, const struct device_input *input, double *values)
{
	const char *const arguments[] = { gpu->tool, "pipe", "-s", "1", NULL };

	if (!gpu->tool[0] || !tool_is_due(&gpu->turns, input->now_ns))
		return;
	bool is_good = tool_run(arguments, TOOL_TIMEOUT_MS, input->stop, gpu->output,
				sizeof gpu->output) == TOOL_OK &&
		       apple_values_parse(gpu->output, strlen(gpu->output), values);
	tool_was_run(&gpu->turns, &gpu->settings, input->now_ns, is_good);
}

/* Values of macOS itself replace those of the tool: they cover all of the time. */
static void read_macos(struct apple_gpu *gpu, double *values)
{
	struct apple_counters now;
	double own[APPLE_METRIC_COUNT];

	if (!gpu->macos || !apple_macos_read(gpu->macos, &now))
		return;
	apple_values_clear(own);
	apple_values_between(&gpu->before, &now, own);
	gpu->before = now;
	for (int i = 0; i < APPLE_METRIC_COUNT; i++) {
		if (!isnan(own[i]))
			values[i] = own[i];
	}
}

static void apple_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct apple_gpu *gpu = devices;
	double values[APPLE_METRIC_COUNT];

	apple_values_clear(values);
	read_tool(gpu, input, values);
	read_macos(gpu, values);
	apple_values_add(values, readings);
}

static const struct device_kind apple_kind = {
	.find = apple_find,
	.open = apple_open,
	.read = apple_read,
	.close = apple_close,
};

DEVICE_SOURCE(source_gpu_apple, "gpu_apple", apple_kind);
