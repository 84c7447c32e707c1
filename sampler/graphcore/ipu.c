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
#include "tool.h"

#define IPUS_MAX 64
#define OUTPUT_MAX (256 * 1024)
#define TOOL_FOLDER "/opt/gc/bin"
#define TOOL_TIMEOUT_MS 5000
#define PAUSE_MAX 64 /* rows */

struct ipus {
	char info[TOOL_PATH_MAX];      /* gc-info; "": there is none */
	char inventory[TOOL_PATH_MAX]; /* gc-inventory, the second way */
	unsigned pause; /* rows until a tool that failed is tried again, doubled each time */
	unsigned wait;
	size_t id_count; /* of the list, which is read once */
	unsigned ids[IPUS_MAX];
	size_t count;
	struct ipu_device devices[IPUS_MAX];
	unsigned seen_ids[IPUS_MAX];
	size_t seen_count;
	char output[OUTPUT_MAX];
};

static bool find_tools(const struct settings *settings, char *ret_info, char *ret_inventory)
{
	if (!tool_find(settings, "gc-info", TOOL_FOLDER, ret_info))
		ret_info[0] = '\0';
	if (!tool_find(settings, "gc-inventory", TOOL_FOLDER, ret_inventory))
		ret_inventory[0] = '\0';
	return ret_info[0] || ret_inventory[0];
}

static bool ipu_find(const struct settings *settings, struct source_reason *ret_reason)
{
	char info[TOOL_PATH_MAX], inventory[TOOL_PATH_MAX];

	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	if (!find_tools(settings, info, inventory)) {
		source_reason_set(ret_reason, "no gc-info and no gc-inventory in PATH");
		return false;
	}
	source_reason_set(ret_reason, "by %s", info[0] ? info : inventory);
	return true;
}

static void *ipu_open(const struct settings *settings)
{
	struct ipus *ipus = calloc(1, sizeof *ipus);

	if (ipus)
		find_tools(settings, ipus->info, ipus->inventory);
	return ipus;
}

static bool run(struct ipus *ipus, const char *const arguments[])
{
	return tool_run(arguments, TOOL_TIMEOUT_MS, ipus->output, sizeof ipus->output) == TOOL_OK;
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

static void pause_tool(struct ipus *ipus)
{
	ipus->pause = ipus->pause == 0 ? 1 : ipus->pause * 2;
	if (ipus->pause > PAUSE_MAX)
		ipus->pause = PAUSE_MAX;
	ipus->wait = ipus->pause;
}

static void ipu_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct ipus *ipus = devices;

	if (ipus->wait > 0) {
		ipus->wait--;
		return;
	}
	ipus->count = 0;
	if (ipus->info[0])
		read_info(ipus);
	else
		read_inventory(ipus);
	for (size_t i = 0; i < ipus->count; i++) {
		if (is_of_tree(input, ipus->devices[i].user))
			add_device(&ipus->devices[i], see(ipus, ipus->devices[i].id), readings);
	}
	if (ipus->count == 0)
		pause_tool(ipus);
	else
		ipus->pause = 0;
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
	.find = ipu_find,
	.open = ipu_open,
	.read = ipu_read,
	.describe = ipu_describe,
	.close = free,
};

DEVICE_SOURCE(source_ipu, "ipu", ipu_kind);
