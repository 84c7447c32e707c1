/*
 * gpu_intel.c - "gpu.{i}.*" and "gpu.process.{i}.*" for Intel's GPUs.
 *
 * Intel's GPUs are left out where NVIDIA's driver is loaded or a card of AMD is there, since all
 * count from 0: such a machine has Intel's in its processor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_source.h"
#include "drm_busy.h"
#include "info_text.h"
#include "intel_sysfs.h"
#include "nvidia_driver.h"

#define CARDS_MAX SAMPLER_GPUS_MAX

static const char *const metric_names[INTEL_METRIC_COUNT] = {
	[INTEL_GPU] = "gpu",
	[INTEL_TEMP] = "temp",
	[INTEL_MEMORY_TEMP] = "memoryTemp",
	[INTEL_POWER_WATTS] = "powerWatts",
	[INTEL_POWER_LIMIT_WATTS] = "enforcedPowerLimitWatts",
	[INTEL_POWER_PERCENT] = "powerPercent",
	[INTEL_CLOCK] = "smClock",
};

/* Metrics of the GPU that are repeated while the process tree uses it. */
static const enum intel_metric process_metrics[] = {
	INTEL_GPU, INTEL_TEMP, INTEL_POWER_WATTS, INTEL_POWER_LIMIT_WATTS, INTEL_POWER_PERCENT,
};

/* Texts of a card that do not change; "": unknown. */
struct intel_facts {
	char model[16]; /* "0x56c0" */
	char driver[32];
	uint64_t memory_bytes;
};

struct intel_gpus {
	struct settings settings;
	size_t card_count;
	struct intel_card cards[CARDS_MAX];
	struct intel_facts facts[CARDS_MAX];
	bool is_hidden; /* another vendor's GPUs came later */
	struct drm_clients clients;
	size_t use_count;
	struct drm_use uses[CARDS_MAX];
	struct drm_busy busy[CARDS_MAX];
};

/* NULL: there are none. */
static const char *others(const struct settings *settings)
{
	struct drm_card card;

	if (nvidia_driver_exists(settings))
		return "NVIDIA's driver is loaded, and both number GPUs from 0";
	if (drm_cards(settings, DRM_VENDOR_AMD, &card, 1) > 0)
		return "there are AMD's GPUs, and both are numbered from 0";
	return NULL;
}

static bool intel_find(const struct settings *settings, struct source_reason *ret_reason)
{
	struct drm_card cards[CARDS_MAX];
	const char *other = others(settings);

	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	if (other) {
		source_reason_set(ret_reason, "%s", other);
		return false;
	}
	size_t count = drm_cards(settings, DRM_VENDOR_INTEL, cards, CARDS_MAX);
	if (count == 0) {
		source_reason_set(ret_reason, "no card of vendor 0x8086 in %s/class/drm",
				  settings->sys_root);
		return false;
	}
	source_reason_set(ret_reason, "%zu in %s/class/drm", count, settings->sys_root);
	return true;
}

static bool is_wanted(const struct settings *settings, unsigned index)
{
	for (size_t i = 0; i < settings->gpu_id_count; i++) {
		if ((unsigned)settings->gpu_ids[i] == index)
			return true;
	}
	return settings->gpu_id_count == 0;
}

static void read_facts(const struct intel_card *card, struct intel_facts *facts)
{
	static const char word[] = "DRIVER=";
	char text[32];

	if (!intel_card_text(card, "device", facts->model, sizeof facts->model))
		facts->model[0] = '\0';
	facts->driver[0] = '\0';
	if (intel_card_text(card, "uevent", text, sizeof text) &&
	    strncmp(text, word, sizeof word - 1) == 0)
		snprintf(facts->driver, sizeof facts->driver, "%s", text + sizeof word - 1);
	facts->memory_bytes = intel_card_memory(card);
}

static void *intel_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct intel_gpus *gpus = calloc(1, sizeof *gpus);
	struct drm_card cards[CARDS_MAX];

	(void)ret_reason;
	if (!gpus)
		return NULL;
	gpus->settings = *settings;
	size_t count = drm_cards(settings, DRM_VENDOR_INTEL, cards, CARDS_MAX);
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(settings, (unsigned)i))
			continue;
		struct intel_card *card = &gpus->cards[gpus->card_count];
		*card = (struct intel_card){ .index = (unsigned)i, .drm = cards[i] };
		intel_card_open(card);
		read_facts(card, &gpus->facts[gpus->card_count++]);
	}
	return gpus;
}

static const struct drm_use *use_of(const struct intel_gpus *gpus, const struct intel_card *card)
{
	for (size_t i = 0; i < gpus->use_count; i++) {
		if (strcmp(gpus->uses[i].address, card->drm.address) == 0)
			return &gpus->uses[i];
	}
	return NULL;
}

/* A GPU without memory of its own uses the host's. */
static void add_process(unsigned index, const double *values, const struct drm_use *use,
			double busy_percent, struct readings *readings)
{
	uint64_t bytes = use->memory_bytes ? use->memory_bytes : use->system_bytes;

	for (size_t i = 0; i < sizeof process_metrics / sizeof process_metrics[0]; i++)
		readings_add(readings, values[process_metrics[i]], "gpu.process.%u.%s", index,
			     metric_names[process_metrics[i]]);
	readings_add(readings, (double)bytes, "gpu.process.%u.memoryUsedBytes", index);
	readings_add(readings, busy_percent, "gpu.process.%u.utilization", index);
}

static void intel_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct intel_gpus *gpus = devices;
	double values[INTEL_METRIC_COUNT];

	gpus->is_hidden = others(&gpus->settings) != NULL;
	if (gpus->is_hidden)
		return;
	gpus->use_count =
		drm_clients_read(&gpus->clients, &gpus->settings, input, gpus->uses, CARDS_MAX);
	for (size_t i = 0; i < gpus->card_count; i++) {
		struct intel_card *card = &gpus->cards[i];
		const struct drm_use *use = use_of(gpus, card);
		if (!intel_card_read(card, values))
			continue;
		for (int m = 0; m < INTEL_METRIC_COUNT; m++)
			readings_add(readings, values[m], "gpu.%u.%s", card->index,
				     metric_names[m]);
		if (use)
			add_process(card->index, values, use,
				    drm_busy_percent(&gpus->busy[i], use, input->now_ns), readings);
	}
}

static void describe_card(const struct intel_card *card, const struct intel_facts *facts,
			  struct info_text *text)
{
	info_object_begin(text, NULL);
	if (facts->model[0])
		info_string(text, "device", facts->model);
	if (facts->driver[0])
		info_string(text, "driver", facts->driver);
	if (card->drm.address[0])
		info_string(text, "pciAddress", card->drm.address);
	if (facts->memory_bytes)
		info_bytes(text, "memoryTotal", facts->memory_bytes);
	info_object_end(text);
}

static void intel_describe(const void *devices, struct info_text *text)
{
	const struct intel_gpus *gpus = devices;
	char name[40];

	if (gpus->card_count == 0 || gpus->is_hidden)
		return;
	snprintf(name, sizeof name, "Intel GPU%s%s", gpus->facts[0].model[0] ? " " : "",
		 gpus->facts[0].model);
	info_string(text, "gpu", name);
	info_number(text, "gpu_count", gpus->card_count);
	info_array_begin(text, "gpu_intel");
	for (size_t i = 0; i < gpus->card_count; i++)
		describe_card(&gpus->cards[i], &gpus->facts[i], text);
	info_array_end(text);
}

static const struct device_kind intel_kind = {
	.find = intel_find,
	.open = intel_open,
	.read = intel_read,
	.describe = intel_describe,
	.close = free,
};

DEVICE_SOURCE(source_gpu_intel, "gpu_intel", intel_kind);
