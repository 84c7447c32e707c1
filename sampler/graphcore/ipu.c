/*
 * ipu.c - "ipu.{i}.*" for Graphcore's IPUs that the process tree uses.
 *
 * `gc-info` may be run beside an application. Attributes that never change are in the first row in
 * which a device is seen, and those that do in every row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_source.h"
#include "info_text.h"
#include "ipu_device.h"
#include "pci_devices.h"
#include "tool.h"

#define IPUS_MAX 64
#define OUTPUT_MAX (256 * 1024)
#define TOOL_FOLDER "/opt/gc/bin"
#define TOOL_TIMEOUT_MS 5000

struct ipus {
	char info[TOOL_PATH_MAX];      /* gc-info; "": there is none */
	char inventory[TOOL_PATH_MAX]; /* gc-inventory, the second way */
	struct settings settings;
	const atomic_bool *stop;
	struct tool_turns turns;
	size_t id_count; /* of the list, which is read once */
	unsigned ids[IPUS_MAX];
	size_t count;
	struct ipu_device devices[IPUS_MAX];
	unsigned seen_ids[IPUS_MAX];
	size_t seen_count;
	char output[OUTPUT_MAX];
};

/* IPUs of another machine (IPU-POD) are named by the environment. */
static bool ipu_find(const struct settings *settings, struct source_reason *ret_reason)
{
	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	if (settings->has_remote_ipus || pci_has_vendor(settings, PCI_VENDOR_GRAPHCORE))
		return true;
	source_reason_set(ret_reason,
			  "no device of vendor 0x1d95 in %s/bus/pci/devices, and no "
			  "IPUOF_VIPU_API_HOST",
			  settings->sys_root);
	return false;
}

static void *ipu_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct ipus *ipus = calloc(1, sizeof *ipus);

	if (!ipus)
		return NULL;
	ipus->settings = *settings;
	if (!tool_find(settings, "gc-info", TOOL_FOLDER, ipus->info))
		ipus->info[0] = '\0';
	if (!tool_find(settings, "gc-inventory", TOOL_FOLDER, ipus->inventory))
		ipus->inventory[0] = '\0';
	ret_reason->is_found = ipus->info[0] || ipus->inventory[0];
	if (ret_reason->is_found)
		source_reason_set(ret_reason, "by %s",
				  ipus->info[0] ? ipus->info : ipus->inventory);
	else
		source_reason_set(ret_reason, "there are IPUs, but no gc-info and no gc-inventory "
					      "in PATH");
	return ipus;
}

static bool run(struct ipus *ipus, const char *const arguments[])
{
	return tool_run(arguments, TOOL_TIMEOUT_MS, ipus->stop, ipus->output,
			sizeof ipus->output) == TOOL_OK;
}

static bool read_list(struct ipus *ipus)
{
	const char *const arguments[] = { ipus->info, "--list-devices", NULL };

	if (ipus->id_count == 0 && run(ipus, arguments))
		ipus->id_count = ipu_ids_from_list(ipus->output, ipus->ids, IPUS_MAX);
	return ipus->id_count > 0;
}

static void read_info(struct ipus *ipus)
{
	char number[16];
	const char *const arguments[] = { ipus->info, "-d", number, "--device-info", NULL };

	if (!read_list(ipus))
		return;
	for (size_t i = 0; i < ipus->id_count; i++) {
		snprintf(number, sizeof number, "%u", ipus->ids[i]);
		if (!run(ipus, arguments))
			break; /* a tool that hangs would hang for each */
		ipus->count += ipu_device_from_text(ipus->output, &ipus->devices[ipus->count]);
	}
}

static void read_inventory(struct ipus *ipus)
{
	const char *const arguments[] = { ipus->inventory, "--json", NULL };

	if (run(ipus, arguments))
		ipus->count = ipu_devices_from_json(ipus->output, strlen(ipus->output),
						    ipus->devices, IPUS_MAX);
}

static bool is_of_tree(const struct device_input *input, pid_t pid)
{
	for (size_t i = 0; pid > 0 && i < input->pid_count; i++) {
		if (input->pids[i] == pid)
			return true;
	}
	return false;
}

/* True for the first time. */
static bool see(struct ipus *ipus, unsigned id)
{
	for (size_t i = 0; i < ipus->seen_count; i++) {
		if (ipus->seen_ids[i] == id)
			return false;
	}
	if (ipus->seen_count < IPUS_MAX)
		ipus->seen_ids[ipus->seen_count++] = id;
	return true;
}

static void add_device(const struct ipu_device *device, bool is_first, struct readings *readings)
{
	for (size_t i = 0; i < device->count; i++) {
		if (is_first || device->values[i].varies)
			readings_add(readings, device->values[i].value, "ipu.%u.%s", device->id,
				     device->values[i].name);
	}
}

static void ipu_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct ipus *ipus = devices;

	if (!tool_is_due(&ipus->turns, input->now_ns))
		return;
	ipus->stop = input->stop;
	ipus->count = 0;
	if (ipus->info[0])
		read_info(ipus);
	else if (ipus->inventory[0])
		read_inventory(ipus);
	tool_was_run(&ipus->turns, &ipus->settings, input->now_ns, ipus->count > 0);
	for (size_t i = 0; i < ipus->count; i++) {
		if (is_of_tree(input, ipus->devices[i].user))
			add_device(&ipus->devices[i], see(ipus, ipus->devices[i].id), readings);
	}
}

static void ipu_describe(const void *devices, struct info_text *text)
{
	const struct ipus *ipus = devices;

	if (ipus->count == 0)
		return;
	info_object_begin(text, "ipu");
	info_number(text, "count", ipus->count);
	if (ipus->devices[0].board[0])
		info_string(text, "boardType", ipus->devices[0].board);
	info_object_end(text);
}

static const struct device_kind ipu_kind = {
	.prefix = "ipu",
	.find = ipu_find,
	.open = ipu_open,
	.read = ipu_read,
	.describe = ipu_describe,
	.close = free,
};

DEVICE_SOURCE(source_ipu, "ipu", ipu_kind);
