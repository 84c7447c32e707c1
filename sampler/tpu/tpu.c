/*
 * tpu.c - "tpu.*" for Google's TPUs.
 *
 * The numbers come from libtpu's metric service, which lives inside the program that trains: it is
 * there only while the program uses the TPU, and several programs of one host have a port each.
 * Chips are found by their PCI numbers; without one nothing is tried. The library itself is not
 * loaded: off a TPU its constructors crash.
 */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_source.h"
#include "grpc_call.h"
#include "info_text.h"
#include "monotonic.h"
#include "proc_file.h"
#include "tpu_metric.h"

#define VENDOR_GOOGLE 0x1ae0
#define PORTS_MAX 16
#define DEVICES_MAX 256
#define CALL_TIMEOUT_NS (500 * NS_PER_MS)
#define RETRY_MAX 64 /* rows */
#define METHOD "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric"

struct chip {
	unsigned device, subsystem; /* 0: any */
	const char *name;
	unsigned hbm_gib;
	unsigned cores; /* that are devices of their own */
};

static const struct chip chips[] = {
	{ 0x0027, 0x004e, "v2", 8, 2 }, { 0x0027, 0x004f, "v3", 16, 2 },
	{ 0x005e, 0, "v4", 32, 1 },     { 0x0063, 0, "v5e", 16, 1 },
	{ 0x0062, 0, "v5p", 95, 1 },    { 0x006f, 0, "v6e", 32, 1 },
	{ 0x0076, 0, "7x", 192, 2 },
};

/* Names under which a metric of the service is measured. */
enum form {
	PER_DEVICE,   /* tpu.{i}.NAME */
	PER_CHIP,     /* the same; of chips with two cores for both */
	DISTRIBUTION, /* tpu.NAME.{label}.{mean,p50,p90,p95,p999}UNIT */
	LABELED,      /* tpu.NAME.{label} */
};

struct metric {
	const char *asked;
	const char *names[2]; /* two names are in use for some */
	enum form form;
	const char *unit; /* after a percentile */
};

enum { USED, TOTAL };

/* The first two are kept, since their quotient is a metric, too. */
static const struct metric metrics[] = {
	[USED] = { "tpu.runtime.hbm.memory.usage.bytes",
		   { "memoryUsageBytes", "hbmCapacityUsage" },
		   PER_DEVICE },
	[TOTAL] = { "tpu.runtime.hbm.memory.total.bytes", { "hbmCapacityTotal" }, PER_DEVICE },
	{ "tpu.runtime.tensorcore.dutycycle.percent", { "dutyCycle" }, PER_CHIP },
	{ "tpu.runtime.hbm.utilization.percent", { "runtimeHbmUtilization" }, PER_DEVICE },
	{ "tpu.runtime.tensorcore.idle_duration.seconds",
	  { "tensorcoreIdleDuration" },
	  PER_DEVICE },
	{ "hlo.queue.size.gauge", { "hloQueueSize" }, LABELED },
	{ "hlo.execution.timing.distribution.microseconds",
	  { "hloExecTiming" },
	  DISTRIBUTION,
	  "Us" },
};

#define METRIC_COUNT (sizeof metrics / sizeof metrics[0])

/* Something that failed is tried after 1, 2, 4 … rows. */
struct retry {
	unsigned pause;
	unsigned wait;
};

/* A program that trains, by the port of its service. */
struct service {
	struct grpc_connection connection;
	uint16_t port;
	struct retry connecting;
	struct retry asking[METRIC_COUNT]; /* for what was not answered */
};

struct memory {
	int64_t device;
	double used, total;
};

struct tpus {
	const struct chip *chip; /* NULL: a new one */
	size_t chip_count;
	size_t service_count;
	struct service services[PORTS_MAX];
	size_t memory_count;
	struct memory memory[DEVICES_MAX];
};

static bool read_hex(const char *folder, const char *file, unsigned *ret_number)
{
	char path[SETTINGS_ROOT_MAX + 320], text[32];

	if (!proc_path(path, sizeof path, folder, "%s", file) ||
	    proc_read(AT_FDCWD, path, text, sizeof text) <= 0)
		return false;
	*ret_number = (unsigned)strtoul(text, NULL, 16);
	return true;
}

static bool retry_is_due(struct retry *retry)
{
	if (retry->wait == 0)
		return true;
	retry->wait--;
	return false;
}

static void retry_note(struct retry *retry, bool is_good)
{
	if (is_good)
		retry->pause = 0;
	else
		retry->pause = retry->pause == 0 ? 1 : retry->pause * 2;
	if (retry->pause > RETRY_MAX)
		retry->pause = RETRY_MAX;
	retry->wait = retry->pause;
}

static const struct chip *chip_of(unsigned device, unsigned subsystem)
{
	for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
		if (chips[i].device == device &&
		    (chips[i].subsystem == 0 || chips[i].subsystem == subsystem))
			return &chips[i];
	}
	return NULL;
}

static size_t find_chips(const struct settings *settings, const struct chip **ret_chip)
{
	char root[SETTINGS_ROOT_MAX + 32], folder[SETTINGS_ROOT_MAX + 300];
	size_t count = 0;

	*ret_chip = NULL;
	if (!proc_path(root, sizeof root, settings->sys_root, "bus/pci/devices"))
		return 0;
	DIR *dir = opendir(root);
	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		unsigned vendor, device, subsystem = 0;
		if (entry->d_name[0] == '.' ||
		    !proc_path(folder, sizeof folder, root, "%s", entry->d_name) ||
		    !read_hex(folder, "vendor", &vendor) || vendor != VENDOR_GOOGLE ||
		    !read_hex(folder, "device", &device))
			continue;
		read_hex(folder, "subsystem_device", &subsystem);
		const struct chip *chip = chip_of(device, subsystem);
		if (!chip)
			continue; /* other devices of a cloud's machine have the vendor's number, too */
		*ret_chip = chip;
		count++;
	}
	closedir(dir);
	return count;
}

static bool tpu_find(const struct settings *settings, struct source_reason *ret_reason)
{
	const struct chip *chip;

	if (settings_has(settings, SAMPLER_NO_GPU)) {
		source_reason_set(ret_reason, "switched off by --no-gpu");
		return false;
	}
	size_t count = find_chips(settings, &chip);
	if (count == 0)
		source_reason_set(ret_reason, "no TPU of vendor 0x1ae0 in %s/bus/pci/devices",
				  settings->sys_root);
	else
		source_reason_set(ret_reason, "%zu chips %s, by ports %s", count, chip->name,
				  settings->tpu_ports);
	return count > 0;
}

static bool has_port(const struct tpus *tpus, uint16_t port)
{
	for (size_t i = 0; i < tpus->service_count; i++) {
		if (tpus->services[i].port == port)
			return true;
	}
	return false;
}

/* "8431,8432"; what is no port is skipped. */
static void read_ports(struct tpus *tpus, const char *text)
{
	uint64_t port;

	while (*text && tpus->service_count < PORTS_MAX) {
		if (proc_number(&text, &port) && port > 0 && port <= UINT16_MAX &&
		    !has_port(tpus, (uint16_t)port)) {
			struct service *service = &tpus->services[tpus->service_count++];
			service->connection.fd = -1;
			service->port = (uint16_t)port;
		}
		text += strcspn(text, ",");
		text += *text == ',';
	}
}

static void *tpu_open(const struct settings *settings, struct source_reason *ret_reason)
{
	struct tpus *tpus = calloc(1, sizeof *tpus);

	(void)ret_reason;
	if (!tpus)
		return NULL;
	tpus->chip_count = find_chips(settings, &tpus->chip);
	read_ports(tpus, settings->tpu_ports);
	return tpus;
}

static void tpu_close(void *devices)
{
	struct tpus *tpus = devices;

	for (size_t i = 0; i < tpus->service_count; i++)
		grpc_close(&tpus->services[i].connection);
	free(tpus);
}

struct answer {
	struct tpus *tpus;
	const struct metric *metric;
	struct readings *readings;
	unsigned number; /* of the value, for those without a label */
};

static void add_name(const struct answer *answer, int64_t device, double value)
{
	for (int i = 0; i < 2 && answer->metric->names[i]; i++)
		readings_add(answer->readings, value, "tpu.%lld.%s", (long long)device,
			     answer->metric->names[i]);
}

static void keep_memory(struct tpus *tpus, int64_t device, const struct metric *metric,
			double value)
{
	size_t i = 0;

	while (i < tpus->memory_count && tpus->memory[i].device != device)
		i++;
	if (i == DEVICES_MAX)
		return;
	if (i == tpus->memory_count)
		tpus->memory[tpus->memory_count++] =
			(struct memory){ .device = device, .used = NAN, .total = NAN };
	if (metric == &metrics[USED])
		tpus->memory[i].used = value;
	else if (metric == &metrics[TOTAL])
		tpus->memory[i].total = value;
}

/* A chip's value holds for both of its cores where each is a device; the newest chips answer for
 * each device. */
static void add_device(const struct answer *answer, const struct tpu_value *value)
{
	const struct chip *chip = answer->tpus->chip;
	bool is_v2_or_v3 = chip && chip->device == 0x0027;

	if (!value->has_device || isnan(value->gauge))
		return;
	if (answer->metric->form == PER_CHIP && is_v2_or_v3) {
		for (unsigned core = 0; core < chip->cores; core++)
			add_name(answer, chip->cores * value->device + core, value->gauge);
		return;
	}
	keep_memory(answer->tpus, value->device, answer->metric, value->gauge);
	add_name(answer, value->device, value->gauge);
}

static void add_distribution(const struct answer *answer, const char *label,
			     const struct tpu_distribution *distribution)
{
	static const struct {
		const char *name;
		double fraction;
	} percentiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p95", 0.95 }, { "p999", 0.999 } };
	const struct metric *metric = answer->metric;

	readings_add(answer->readings, distribution->mean, "tpu.%s.%s.mean%s", metric->names[0],
		     label, metric->unit);
	for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
		readings_add(answer->readings,
			     tpu_percentile(distribution, percentiles[i].fraction),
			     "tpu.%s.%s.%s%s", metric->names[0], label, percentiles[i].name,
			     metric->unit);
}

static void take_value(void *context, const struct tpu_value *value)
{
	struct answer *answer = context;
	char label[TPU_LABEL_MAX];

	if (answer->metric->form == PER_DEVICE || answer->metric->form == PER_CHIP) {
		add_device(answer, value);
		return;
	}
	if (value->label[0])
		snprintf(label, sizeof label, "%s", value->label);
	else
		snprintf(label, sizeof label, "item_%u", answer->number);
	answer->number++;
	if (answer->metric->form == DISTRIBUTION && value->is_distribution)
		add_distribution(answer, label, &value->distribution);
	else if (answer->metric->form == LABELED)
		readings_add(answer->readings, value->gauge, "tpu.%s.%s", answer->metric->names[0],
			     label);
}

static bool ask(struct tpus *tpus, struct service *service, size_t i, struct readings *readings)
{
	struct answer answer = { .tpus = tpus, .metric = &metrics[i], .readings = readings };
	uint8_t request[GRPC_REQUEST_MAX];
	size_t size = tpu_request(metrics[i].asked, request, sizeof request);
	const uint8_t *message;
	size_t length;

	enum grpc_result result = grpc_call(&service->connection, METHOD, request, size,
					    monotonic_ns() + CALL_TIMEOUT_NS, &message, &length);
	if (result == GRPC_OK)
		tpu_metric_read(message, length, take_value, &answer);
	retry_note(&service->asking[i], result == GRPC_OK);
	return result != GRPC_BROKEN;
}

static bool connect_service(struct service *service)
{
	if (service->connection.fd >= 0)
		return true;
	if (!retry_is_due(&service->connecting))
		return false;
	memset(service->asking, 0, sizeof service->asking);
	bool is_good =
		grpc_connect(&service->connection, service->port, monotonic_ns() + CALL_TIMEOUT_NS);
	retry_note(&service->connecting, is_good);
	return is_good;
}

static void read_service(struct tpus *tpus, struct service *service, struct readings *readings)
{
	if (!connect_service(service))
		return;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		if (retry_is_due(&service->asking[i]) && !ask(tpus, service, i, readings))
			return;
	}
}

static void tpu_read(void *devices, const struct device_input *input, struct readings *readings)
{
	struct tpus *tpus = devices;

	(void)input;
	tpus->memory_count = 0;
	for (size_t i = 0; i < tpus->service_count; i++)
		read_service(tpus, &tpus->services[i], readings);
	for (size_t i = 0; i < tpus->memory_count; i++) {
		const struct memory *memory = &tpus->memory[i];
		if (!(memory->total > 0))
			continue;
		double percent = 100 * memory->used / memory->total;
		readings_add(readings, percent, "tpu.%lld.memoryUsage", (long long)memory->device);
		readings_add(readings, percent, "tpu.%lld.hbmMemoryUsage",
			     (long long)memory->device);
	}
}

static void tpu_describe(const void *devices, struct info_text *text)
{
	const struct tpus *tpus = devices;

	if (!tpus->chip)
		return;
	info_object_begin(text, "tpu");
	info_string(text, "name", tpus->chip->name);
	info_number(text, "hbmGib", tpus->chip->hbm_gib);
	info_number(text, "devicesPerChip", tpus->chip->cores);
	info_number(text, "count", tpus->chip_count * tpus->chip->cores);
	info_object_end(text);
}

static const struct device_kind tpu_kind = {
	.prefix = "tpu",
	.find = tpu_find,
	.open = tpu_open,
	.read = tpu_read,
	.describe = tpu_describe,
	.close = tpu_close,
};

DEVICE_SOURCE(source_tpu, "tpu", tpu_kind);
