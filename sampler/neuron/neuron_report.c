/* neuron_report.c - see neuron_report.h. */
#include "neuron_report.h"

#include <math.h>
#include <string.h>

#include "decimal.h"
#include "json_walk.h"

#define CORES_MAX 256
#define NAME_MAX_BYTES 64

enum { CONSTANTS, MODEL_CODE, SCRATCHPAD, RUNTIME_MEMORY, TENSORS, CORE_PARTS };
enum { APPLICATION, HOST_CONSTANTS, DMA_BUFFERS, HOST_TENSORS, HOST_PARTS };

static const char *const core_parts[CORE_PARTS] = {
	"constants", "model_code", "model_shared_scratchpad", "runtime_memory", "tensors",
};

static const char *const host_parts[HOST_PARTS] = {
	"application_memory",
	"constants",
	"dma_buffers",
	"tensors",
};

/* Sums over runtimes; NaN: no runtime said it. */
struct totals {
	double host, device;
	double host_parts[HOST_PARTS];
	double utilization[CORES_MAX];
	double core_parts[CORES_MAX][CORE_PARTS];
};

typedef void read_member(struct json_walk *walk, const char *name, void *context);

/* Calls `read` for each member of the object that comes; it reads the value, or leaves it to be
 * skipped. Any other value is skipped. */
static void each_member(struct json_walk *walk, read_member *read, void *context)
{
	char name[NAME_MAX_BYTES];

	if (!json_walk_object(walk)) {
		json_walk_skip(walk);
		return;
	}
	while (json_walk_member(walk, name, sizeof name)) {
		const char *at = walk->at;
		read(walk, name, context);
		if (walk->at == at)
			json_walk_skip(walk);
	}
}

static void add_number(struct json_walk *walk, double *sum)
{
	double number;

	if (json_walk_number(walk, &number))
		*sum = isnan(*sum) ? number : *sum + number;
}

static int index_of(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

/* -1 for what is no core's number. */
static int core_of(const char *name)
{
	double number;

	if (!decimal_read(&name, &number) || *name || !(number >= 0 && number < CORES_MAX))
		return -1;
	return (int)number;
}

static void read_host_part(struct json_walk *walk, const char *name, void *context)
{
	struct totals *totals = context;
	int part = index_of(host_parts, HOST_PARTS, name);

	if (part >= 0)
		add_number(walk, &totals->host_parts[part]);
}

static void read_core_part(struct json_walk *walk, const char *name, void *context)
{
	double *parts = context;
	int part = index_of(core_parts, CORE_PARTS, name);

	if (part >= 0)
		add_number(walk, &parts[part]);
}

static void read_core_memory(struct json_walk *walk, const char *name, void *context)
{
	struct totals *totals = context;
	int core = core_of(name);

	if (core >= 0)
		each_member(walk, read_core_part, totals->core_parts[core]);
}

static void read_breakdown(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "host") == 0)
		each_member(walk, read_host_part, context);
	else if (strcmp(name, "neuroncore_memory_usage") == 0)
		each_member(walk, read_core_memory, context);
}

static void read_used_bytes(struct json_walk *walk, const char *name, void *context)
{
	struct totals *totals = context;

	if (strcmp(name, "host") == 0)
		add_number(walk, &totals->host);
	else if (strcmp(name, "neuron_device") == 0)
		add_number(walk, &totals->device);
	else if (strcmp(name, "usage_breakdown") == 0)
		each_member(walk, read_breakdown, context);
}

static void read_memory(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "neuron_runtime_used_bytes") == 0)
		each_member(walk, read_used_bytes, context);
}

static void read_utilization(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "neuroncore_utilization") == 0)
		add_number(walk, context);
}

static void read_core(struct json_walk *walk, const char *name, void *context)
{
	struct totals *totals = context;
	int core = core_of(name);

	if (core >= 0)
		each_member(walk, read_utilization, &totals->utilization[core]);
}

static void read_counters(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "neuroncores_in_use") == 0)
		each_member(walk, read_core, context);
}

static void read_report(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "memory_used") == 0)
		each_member(walk, read_memory, context);
	else if (strcmp(name, "neuroncore_counters") == 0)
		each_member(walk, read_counters, context);
}

static void read_runtime(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "report") == 0)
		each_member(walk, read_report, context);
}

static void read_pid(struct json_walk *walk, const char *name, void *context)
{
	if (strcmp(name, "pid") == 0)
		add_number(walk, context);
}

static bool is_of_tree(const struct device_input *input, double pid)
{
	for (size_t i = 0; i < input->pid_count; i++) {
		if ((double)input->pids[i] == pid)
			return true;
	}
	return false;
}

struct report {
	const struct device_input *input;
	struct neuron_hardware *hardware;
	struct totals totals;
};

/* The pid may stand behind the report, so the object is read twice. */
static void read_runtimes(struct json_walk *walk, struct report *report)
{
	if (!json_walk_array(walk))
		return;
	while (json_walk_element(walk)) {
		struct json_walk ahead = *walk;
		double pid = NAN;
		each_member(&ahead, read_pid, &pid);
		if (is_of_tree(report->input, pid))
			each_member(walk, read_runtime, &report->totals);
		else
			json_walk_skip(walk);
	}
}

static void read_hardware(struct json_walk *walk, const char *name, void *context)
{
	struct neuron_hardware *hardware = context;
	double number = NAN;

	if (strcmp(name, "neuron_device_type") == 0) {
		json_walk_text(walk, hardware->device_type, sizeof hardware->device_type);
		return;
	}
	bool is_devices = strcmp(name, "neuron_device_count") == 0;
	if (!is_devices && strcmp(name, "neuroncore_per_device_count") != 0)
		return;
	add_number(walk, &number);
	if (!(number >= 0 && number < 1e6))
		return;
	if (is_devices)
		hardware->device_count = (unsigned)number;
	else
		hardware->cores_per_device = (unsigned)number;
}

static void read_document(struct json_walk *walk, const char *name, void *context)
{
	struct report *report = context;

	if (strcmp(name, "neuron_runtime_data") == 0)
		read_runtimes(walk, report);
	else if (strcmp(name, "neuron_hardware_info") == 0)
		each_member(walk, read_hardware, report->hardware);
}

static void clear(struct totals *totals)
{
	double *all = (double *)totals;

	for (size_t i = 0; i < sizeof *totals / sizeof *all; i++)
		all[i] = NAN;
}

/* Two names of the host's parts are in use: the documented one, and the one that programs send. */
static void add_totals(const struct totals *totals, struct readings *readings)
{
	readings_add(readings, totals->host, "trn.host_total_memory_usage");
	readings_add(readings, totals->device, "trn.neuron_device_total_memory_usage");
	for (int i = 0; i < HOST_PARTS; i++) {
		readings_add(readings, totals->host_parts[i], "trn.host_memory_usage.%s",
			     host_parts[i]);
		readings_add(readings, totals->host_parts[i], "trn.host_total_memory_usage.%s",
			     host_parts[i]);
	}
	for (int core = 0; core < CORES_MAX; core++) {
		readings_add(readings, totals->utilization[core], "trn.%d.neuroncore_utilization",
			     core);
		for (int i = 0; i < CORE_PARTS; i++)
			readings_add(readings, totals->core_parts[core][i],
				     "trn.%d.neuroncore_memory_usage.%s", core, core_parts[i]);
	}
}

bool neuron_report_read(const char *line, size_t length, const struct device_input *input,
			struct readings *readings, struct neuron_hardware *hardware)
{
	struct report report = { .input = input, .hardware = hardware };
	struct json_walk walk;

	clear(&report.totals);
	json_walk_begin(&walk, line, length);
	if (length == 0 || *line != '{')
		return false;
	each_member(&walk, read_document, &report);
	if (walk.has_failed)
		return false;
	add_totals(&report.totals, readings);
	return true;
}
