/*
 * gpu_amd.c - "gpu.{i}.*" and "gpu.process.{i}.*" for AMD's GPUs.
 *
 * The kernel's files come first: they need no tool, and are what AMD's own library reads. Where
 * they have no values (a container that hides them) rocm-smi is asked. Where NVIDIA's driver is
 * loaded AMD's GPUs are left out, since both count from 0: such a machine trains on NVIDIA's, and
 * has AMD's in its processor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd_sysfs.h"
#include "device_source.h"
#include "drm_busy.h"
#include "info_text.h"
#include "nvidia_driver.h"
#include "proc_file.h"
#include "rocm_smi.h"
#include "tool.h"

#define CARDS_MAX SAMPLER_GPUS_MAX
#define TOOL_NAME "rocm-smi"
#define TOOL_FOLDER "/opt/rocm/bin"
#define TOOL_TIMEOUT_MS 5000

/* uncorrected errors have two spellings, as NVIDIA's have; both are in use. */
static const char *const metric_names[AMD_METRIC_COUNT] = {
	[AMD_GPU] = "gpu",
	[AMD_MEMORY_ALLOCATED] = "memoryAllocated",
	[AMD_MEMORY_ALLOCATED_BYTES] = "memoryAllocatedBytes",
	[AMD_MEMORY_ACTIVITY] = "memoryReadWriteActivity",
	[AMD_MEMORY_OVERDRIVE] = "memoryOverDrive",
	[AMD_TEMP] = "temp",
	[AMD_POWER_WATTS] = "powerWatts",
	[AMD_POWER_LIMIT_WATTS] = "enforcedPowerLimitWatts",
	[AMD_POWER_PERCENT] = "powerPercent",
	[AMD_SHADER_CLOCK] = "smClock",
	[AMD_MEMORY_CLOCK] = "memoryClock",
	[AMD_FAN_SPEED] = "fanSpeed",
	[AMD_CORRECTED_ERRORS] = "correctedMemoryErrors",
	[AMD_UNCORRECTED_ERRORS] = "uncorrectedMemoryErrors",
};

/* Metrics of the GPU that are repeated while the process tree uses it. */
static const enum amd_metric process_metrics[] = {
	AMD_GPU,  AMD_MEMORY_ALLOCATED, AMD_MEMORY_ALLOCATED_BYTES, AMD_MEMORY_ACTIVITY,
	AMD_TEMP, AMD_POWER_WATTS,      AMD_POWER_LIMIT_WATTS,      AMD_POWER_PERCENT,
};

/* Texts of a card that do not change; "": unknown. */
struct amd_facts {
	char model[128];
	char unique_id[64];
	char vbios[64];
	char level[32];
	char memory[32];
};

struct amd_gpus {
	struct settings settings;
	size_t card_count;
	struct amd_card cards[CARDS_MAX];
	struct amd_facts facts[CARDS_MAX];
	bool is_hidden; /* NVIDIA's driver came later */
	struct drm_clients clients;
	size_t use_count;
	struct drm_use uses[CARDS_MAX];
	struct drm_busy busy[CARDS_MAX];

	char tool[TOOL_PATH_MAX]; /* "": the kernel's files are read */
	struct tool_turns turns;
	struct rocm_smi_card tool_cards[CARDS_MAX];
	char *output; /* ROCM_SMI_OUTPUT_MAX; NULL without a tool */
};

static bool exists(const char *root, const char *file)
{
	char path[SETTINGS_ROOT_MAX + 64];

	return proc_path(path, sizeof path, root, "%s", file) && access(path, F_OK) == 0;
}

/* The kernel's files can be read. */
static bool has_values(const struct drm_card *card)
{
	static const char *const files[] = { "gpu_busy_percent", "mem_info_vram_total" };
	char path[DRM_DEVICE_PATH_MAX + 32];

	for (size_t i = 0; i < 2; i++) {
		if (proc_path(path, sizeof path, card->device, "%s", files[i]) &&
		    access(path, R_OK) == 0)
			return true;
	}
	return false;
}

static size_t find_cards(const struct settings *settings, struct drm_card *ret_cards)
{
	size_t count = drm_cards(settings, DRM_VENDOR_AMD, ret_cards, CARDS_MAX), readable = 0;

	for (size_t i = 0; i < count; i++)
		readable += has_values(&ret_cards[i]);
	return readable > 0 ? count : 0;
}

static bool amd_find(const struct settings *settings, struct source_reason *ret_reason)
{
	struct drm_card cards[CARDS_MAX];

	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	if (nvidia_driver_exists(settings)) {
		source_reason_set(ret_reason,
				  "NVIDIA's driver is loaded, and both number GPUs from 0");
		return false;
	}
	size_t count = find_cards(settings, cards);
	if (count > 0) {
		source_reason_set(ret_reason, "%zu in %s/class/drm", count, settings->sys_root);
		return true;
	}
	if (!exists(settings->dev_root, "kfd") && !exists(settings->sys_root, "module/amdgpu")) {
		source_reason_set(ret_reason,
				  "no card of vendor 0x1002 in %s/class/drm, and no %s/kfd",
				  settings->sys_root, settings->dev_root);
		return false;
	}
	source_reason_set(ret_reason, "the driver is loaded");
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

static void copy_text(const struct amd_card *card, const char *file, char *ret_text, size_t size)
{
	if (!amd_card_text(card, file, ret_text, size))
		ret_text[0] = '\0';
}

/* Reading would wake a card that sleeps. */
static void read_facts(const struct amd_card *card, struct amd_facts *facts)
{
	if (amd_card_is_asleep(card))
		return;
	copy_text(card, "product_name", facts->model, sizeof facts->model);
	copy_text(card, "unique_id", facts->unique_id, sizeof facts->unique_id);
	copy_text(card, "vbios_version", facts->vbios, sizeof facts->vbios);
	copy_text(card, "power_dpm_force_performance_level", facts->level, sizeof facts->level);
	copy_text(card, "mem_info_vram_total", facts->memory, sizeof facts->memory);
}

static void open_cards(struct amd_gpus *gpus, const struct drm_card *cards, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(&gpus->settings, (unsigned)i))
			continue;
		struct amd_card *card = &gpus->cards[gpus->card_count];
		*card = (struct amd_card){ .index = (unsigned)i, .drm = cards[i] };
		amd_card_open(card);
		read_facts(card, &gpus->facts[gpus->card_count++]);
	}
}

static void open_tool(struct amd_gpus *gpus, struct source_reason *ret_reason)
{
	const char *root = gpus->settings.sys_root;

	if (!tool_find(&gpus->settings, TOOL_NAME, TOOL_FOLDER, gpus->tool)) {
		ret_reason->is_found = false;
		source_reason_set(
			ret_reason,
			"the driver is loaded, but %s/class/drm shows no card and there is "
			"no rocm-smi",
			root);
		return;
	}
	source_reason_set(ret_reason, "by %s: %s/class/drm shows no card", gpus->tool, root);
	gpus->output = malloc(ROCM_SMI_OUTPUT_MAX);
}

static void *amd_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct amd_gpus *gpus = calloc(1, sizeof *gpus);
	struct drm_card cards[CARDS_MAX];

	if (!gpus)
		return NULL;
	gpus->settings = *settings;
	size_t count = find_cards(settings, cards);
	open_cards(gpus, cards, count);
	if (count == 0)
		open_tool(gpus, ret_reason);
	return gpus;
}

static void amd_close(void *devices)
{
	struct amd_gpus *gpus = devices;

	free(gpus->output);
	free(gpus);
}

static void add_reading(unsigned index, const struct amd_reading *reading,
			struct readings *readings)
{
	for (int m = 0; m < AMD_METRIC_COUNT; m++)
		readings_add(readings, reading->values[m], "gpu.%u.%s", index, metric_names[m]);
	readings_add(readings, reading->values[AMD_UNCORRECTED_ERRORS],
		     "gpu.%u.unCorrectedMemoryErrors", index);
}

static const struct drm_use *use_of(const struct amd_gpus *gpus, const struct amd_card *card)
{
	for (size_t i = 0; i < gpus->use_count; i++) {
		if (strcmp(gpus->uses[i].address, card->drm.address) == 0)
			return &gpus->uses[i];
	}
	return NULL;
}

static void add_process(const struct amd_card *card, const struct amd_reading *reading,
			const struct drm_use *use, double busy_percent, struct readings *readings)
{
	for (size_t i = 0; i < sizeof process_metrics / sizeof process_metrics[0]; i++)
		readings_add(readings, reading->values[process_metrics[i]], "gpu.process.%u.%s",
			     card->index, metric_names[process_metrics[i]]);
	readings_add(readings, (double)use->memory_bytes, "gpu.process.%u.memoryUsedBytes",
		     card->index);
	readings_add(readings, busy_percent, "gpu.process.%u.utilization", card->index);
}

static void read_cards(struct amd_gpus *gpus, const struct device_input *input,
		       struct readings *readings)
{
	struct amd_reading reading;

	gpus->use_count =
		drm_clients_read(&gpus->clients, &gpus->settings, input, gpus->uses, CARDS_MAX);
	for (size_t i = 0; i < gpus->card_count; i++) {
		const struct amd_card *card = &gpus->cards[i];
		if (!amd_card_read(card, &reading))
			continue;
		add_reading(card->index, &reading, readings);
		const struct drm_use *use = use_of(gpus, card);
		if (use)
			add_process(card, &reading, use,
				    drm_busy_percent(&gpus->busy[i], use, input->now_ns), readings);
	}
}

static void read_tool(struct amd_gpus *gpus, const struct device_input *input,
		      struct readings *readings)
{
	const char *const arguments[] = { gpus->tool, "-a", "--json", NULL };
	size_t count = 0;

	if (!tool_is_due(&gpus->turns, input->now_ns))
		return;
	if (tool_run(arguments, TOOL_TIMEOUT_MS, input->stop, gpus->output, ROCM_SMI_OUTPUT_MAX) ==
	    TOOL_OK)
		count = rocm_smi_parse(gpus->output, strlen(gpus->output), gpus->tool_cards,
				       CARDS_MAX);
	tool_was_run(&gpus->turns, &gpus->settings, input->now_ns, count > 0);
	for (size_t i = 0; i < count; i++) {
		if (is_wanted(&gpus->settings, gpus->tool_cards[i].index))
			add_reading(gpus->tool_cards[i].index, &gpus->tool_cards[i].reading,
				    readings);
	}
}

static void amd_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct amd_gpus *gpus = devices;

	gpus->is_hidden = nvidia_driver_exists(&gpus->settings);
	if (gpus->is_hidden)
		return;
	if (gpus->output)
		read_tool(gpus, input, readings);
	else
		read_cards(gpus, input, readings);
}

static void describe_text(struct info_text *text, const char *name, const char *value)
{
	if (value[0])
		info_string(text, name, value);
}

static void describe_card(const struct amd_card *card, const struct amd_facts *facts,
			  struct info_text *text)
{
	char id[16];

	snprintf(id, sizeof id, "card%u", card->index);
	info_object_begin(text, NULL);
	info_string(text, "id", id);
	describe_text(text, "model", facts->model);
	describe_text(text, "uniqueId", facts->unique_id);
	describe_text(text, "vbiosVersion", facts->vbios);
	describe_text(text, "performanceLevel", facts->level);
	describe_text(text, "pciAddress", card->drm.address);
	if (facts->memory[0])
		info_bytes(text, "memoryTotal", strtoull(facts->memory, NULL, 10));
	info_object_end(text);
}

static void amd_describe(const void *devices, struct info_text *text)
{
	const struct amd_gpus *gpus = devices;

	if (gpus->card_count == 0 || gpus->is_hidden)
		return;
	info_string(text, "gpu", gpus->facts[0].model[0] ? gpus->facts[0].model : "AMD GPU");
	info_number(text, "gpu_count", gpus->card_count);
	info_array_begin(text, "gpu_amd");
	for (size_t i = 0; i < gpus->card_count; i++)
		describe_card(&gpus->cards[i], &gpus->facts[i], text);
	info_array_end(text);
}

static const struct device_kind amd_kind = {
	.prefix = "gpu",
	.find = amd_find,
	.open = amd_open,
	.read = amd_read,
	.describe = amd_describe,
	.close = amd_close,
};

DEVICE_SOURCE(source_gpu_amd, "gpu_amd", amd_kind);
