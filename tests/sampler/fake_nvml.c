/*
 * fake_nvml.c - a stand-in for the driver's library, told by a file what to answer.
 *
 * FAKE_NVML_SCENARIO names a file of lines "word number...", read anew at each start and each time
 * the utilization or the handle of GPU 0 is asked for, the first question of every reading. A line "GPU.word"
 * speaks of one GPU only. The types are declared here once more, so that a slip in the sampler's
 * declarations shows.
 *
 * It is for one user at a time, and cannot be unloaded meanwhile.
 *
 *     gpus 2                    result.<function> 15      a function's result instead of success
 *     temp 41                   hang 1                    utilization waits until this is 0
 *     process 0 PID BYTES       graphics 0 PID BYTES      GPU, process, its memory
 *     insufficient 2            this many times the list of processes has grown meanwhile
 *     hang_shutdown 1           the end waits until this is 0
 *     reset 1                   handles from before this number changed are no longer good
 *     odd_name 1                the name is 96 bytes of anything
 *     other_model 1             the name is another one
 *     field.82 55               a field's value; none: not supported. field.138.2: of link 2
 *     narrow_fields 1           fields are of 32 bits
 *     used 0 PID TIME SM MEMORY utilization of a process on GPU 0, in the driver's time
 *     mig 1                     GPUs are cut; 0.mig.1 17: GPU 0 has an instance 1, its GPU instance is 7 and
 *                               its compute instance 1; without "mig" the mode is not supported
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GPUS_MAX 128
#define WORDS_MAX 128
#define PROCESSES_MAX 128
#define MIGS_MAX 7

#define EXPORT __attribute__((visibility("default")))

typedef struct fake_gpu *device;

struct fake_gpu {
	unsigned index;
	unsigned long long reset;
	struct fake_gpu *parent; /* of an instance */
	unsigned instance;       /* the GPU instance, times 10, and the compute instance */
};

struct word {
	char name[48];
	unsigned long long value;
};

struct fake_process {
	bool draws;
	unsigned gpu, pid;
	unsigned long long bytes;
	unsigned instance;
};

struct fake_use {
	unsigned gpu, pid;
	unsigned long long time_us;
	unsigned sm, memory;
};

static struct fake_gpu gpus[GPUS_MAX];
static struct fake_use uses[PROCESSES_MAX];
static int use_count;
static struct word words[WORDS_MAX];
static int word_count;
static struct fake_process processes[PROCESSES_MAX];
static int process_count;
static int insufficient_left;
static atomic_int started;

static void read_use(const char *line)
{
	struct fake_use *u = &uses[use_count];

	if (use_count < PROCESSES_MAX && sscanf(line, "%*s %u %u %llu %u %u", &u->gpu, &u->pid,
						&u->time_us, &u->sm, &u->memory) == 5)
		use_count++;
}

static void read_process(const char *line, bool draws)
{
	struct fake_process *p = &processes[process_count];

	p->instance = 0;
	if (process_count < PROCESSES_MAX &&
	    sscanf(line, "%*s %u %u %llu %u", &p->gpu, &p->pid, &p->bytes, &p->instance) >= 3) {
		p->draws = draws;
		process_count++;
	}
}

static void read_scenario(void)
{
	const char *path = getenv("FAKE_NVML_SCENARIO");
	FILE *file = path ? fopen(path, "r") : NULL;
	char line[160];

	if (!file)
		return; /* being written: the last one holds */
	word_count = 0;
	process_count = 0;
	use_count = 0;
	while (fgets(line, sizeof line, file)) {
		struct word *word = &words[word_count];
		if (strncmp(line, "process ", 8) == 0)
			read_process(line, false);
		else if (strncmp(line, "used ", 5) == 0 && strchr(line + 5, ' '))
			read_use(line);
		else if (strncmp(line, "graphics ", 9) == 0)
			read_process(line, true);
		else if (word_count < WORDS_MAX &&
			 sscanf(line, "%47s %llu", word->name, &word->value) == 2)
			word_count++;
	}
	fclose(file);
}

static bool find(const char *name, unsigned long long *ret_value)
{
	for (int i = 0; i < word_count; i++) {
		if (strcmp(words[i].name, name) == 0) {
			*ret_value = words[i].value;
			return true;
		}
	}
	return false;
}

static unsigned long long get(device d, const char *name, unsigned long long otherwise)
{
	char own[64];

	if (d && d->parent) {
		snprintf(own, sizeof own, "%u.%u.%s", d->parent->index, d->index, name);
		if (find(own, &otherwise))
			return otherwise;
		d = d->parent;
	}
	if (d) {
		snprintf(own, sizeof own, "%u.%s", d->index, name);
		if (find(own, &otherwise))
			return otherwise;
	}
	find(name, &otherwise);
	return otherwise;
}

static void wait_while(device d, const char *name)
{
	struct timespec moment = { .tv_nsec = 1000000 };

	while (get(d, name, 0)) {
		nanosleep(&moment, NULL);
		read_scenario();
	}
}

/* The result of a function: what the scenario says, or success. */
static int result(device d, const char *function)
{
	char name[64];

	if (!atomic_load(&started))
		return 1;
	if (get(d, "lost", 0))
		return 15;
	if (d && d->reset != get(d, "reset", 0))
		return 2;
	snprintf(name, sizeof name, "result.%s", function);
	return (int)get(d, name, 0);
}

/* How often it was started and not ended; a test waits until nobody uses the library. */
EXPORT int fake_nvml_users(void)
{
	return atomic_load(&started);
}

EXPORT int nvmlInit_v2(void)
{
	read_scenario();
	insufficient_left = (int)get(NULL, "insufficient", 0);
	int r = (int)get(NULL, "result.init", 0);
	if (r == 0)
		atomic_fetch_add(&started, 1);
	return r;
}

EXPORT int nvmlShutdown(void)
{
	if (!atomic_load(&started))
		return 1;
	read_scenario();
	wait_while(NULL, "hang_shutdown");
	atomic_fetch_sub(&started, 1);
	return 0;
}

EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	*version = (int)get(NULL, "cuda", 12040);
	return result(NULL, "cuda");
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = (unsigned)get(NULL, "gpus", 1);
	return result(NULL, "count");
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, device *ret)
{
	if (index >= GPUS_MAX)
		return 2;
	if (index == 0)
		read_scenario();
	gpus[index].index = index;
	gpus[index].reset = get(&gpus[index], "reset", 0);
	int r = result(&gpus[index], "handle");
	if (r == 0)
		*ret = &gpus[index];
	return r;
}

EXPORT int nvmlDeviceGetName(device d, char *name, unsigned size)
{
	if (get(d, "odd_name", 0)) {
		memset(name, 0xc3, size);
		memcpy(name, "\"\\\x01\x1f\xff", 5);
	} else {
		snprintf(name, size, "%s",
			 get(d, "other_model", 0) ? "NVIDIA T4" : "NVIDIA H100 80GB HBM3");
	}
	return result(d, "name");
}

EXPORT int nvmlDeviceGetUUID(device d, char *uuid, unsigned size)
{
	if (d->parent)
		snprintf(uuid, size, "MIG-%08u-0000-0000-0000-%012u", d->instance,
			 d->parent->index);
	else
		snprintf(uuid, size, "GPU-%08u-0000-0000-0000-%012u", d->index / 2, d->index);
	return result(d, "uuid");
}

struct utilization {
	unsigned gpu, memory;
};

EXPORT int nvmlDeviceGetUtilizationRates(device d, struct utilization *rates)
{
	if (d->index == 0)
		read_scenario();
	wait_while(d, "hang");
	rates->gpu = (unsigned)get(d, "gpu", 0);
	rates->memory = (unsigned)get(d, "memory", 0);
	return result(d, "utilization");
}

struct memory_v1 {
	unsigned long long total, free, used;
};

EXPORT int nvmlDeviceGetMemoryInfo(device d, struct memory_v1 *m)
{
	m->total = get(d, "total", 0);
	m->used = get(d, "used", 0) + get(d, "reserved", 0);
	m->free = m->total - m->used;
	return result(d, "memory");
}

EXPORT int nvmlDeviceGetTemperature(device d, int sensor, unsigned *degrees)
{
	*degrees = (unsigned)get(d, "temp", 0);
	return sensor != 0 ? 2 : result(d, "temperature");
}

EXPORT int nvmlDeviceGetPowerUsage(device d, unsigned *milliwatts)
{
	*milliwatts = (unsigned)get(d, "power", 0);
	return result(d, "power");
}

EXPORT int nvmlDeviceGetEnforcedPowerLimit(device d, unsigned *milliwatts)
{
	*milliwatts = (unsigned)get(d, "limit", 0);
	return result(d, "limit");
}

EXPORT int nvmlDeviceGetClockInfo(device d, int type, unsigned *mhz)
{
	static const char *const names[] = { "graphics_clock", "sm_clock", "memory_clock" };

	if (type < 0 || type > 2)
		return 2;
	*mhz = (unsigned)get(d, names[type], 0);
	return result(d, names[type]);
}

EXPORT int nvmlDeviceGetMemoryErrorCounter(device d, int type, int counter, int location,
					   unsigned long long *count)
{
	if (counter != 0 || location != 2 || type < 0 || type > 1)
		return 2;
	*count = get(d, type ? "uncorrected" : "corrected", 0);
	return result(d, "ecc");
}

EXPORT int nvmlDeviceGetEncoderUtilization(device d, unsigned *percent, unsigned *period)
{
	*percent = (unsigned)get(d, "encoder", 0);
	*period = 167000;
	return result(d, "encoder");
}

EXPORT int nvmlDeviceGetDecoderUtilization(device d, unsigned *percent, unsigned *period)
{
	*percent = (unsigned)get(d, "decoder", 0);
	*period = 167000;
	return result(d, "decoder");
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(device d, unsigned long long *millijoules)
{
	*millijoules = get(d, "energy", 0);
	return result(d, "energy");
}

EXPORT int nvmlDeviceGetCurrPcieLinkGeneration(device d, unsigned *generation)
{
	*generation = (unsigned)get(d, "pcie_generation", 0);
	return result(d, "pcie_generation");
}

EXPORT int nvmlDeviceGetCurrPcieLinkWidth(device d, unsigned *width)
{
	*width = (unsigned)get(d, "pcie_width", 0);
	return result(d, "pcie_width");
}

EXPORT int nvmlDeviceGetPcieReplayCounter(device d, unsigned *count)
{
	*count = (unsigned)get(d, "pcie_replays", 0);
	return result(d, "pcie_replays");
}

struct process_v1 {
	unsigned pid;
	unsigned long long bytes;
};

/* Like the library: too small an array gets the number that would do. */
static int list(device d, bool draws, unsigned *count, char *elements, size_t element_size)
{
	unsigned found = 0;
	int r = result(d, draws ? "graphics" : "processes");

	if (r != 0)
		return r;
	if (!draws && insufficient_left > 0) {
		insufficient_left--;
		*count = 4096;
		return 7;
	}
	for (int i = 0; i < process_count; i++) {
		const struct fake_process *p = &processes[i];
		if (p->gpu != d->index || p->draws != draws)
			continue;
		if (found < *count) {
			struct process_v1 element = { .pid = p->pid, .bytes = p->bytes };
			unsigned ids[2] = { p->instance / 10, p->instance % 10 };
			char *at = elements + found * element_size;
			memset(at, 0xff, element_size);
			memcpy(at, &element, sizeof element);
			if (p->instance && element_size == sizeof element + sizeof ids)
				memcpy(at + sizeof element, ids, sizeof ids);
		}
		found++;
	}
	r = found <= *count ? 0 : 7;
	*count = found;
	return r;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses(device d, unsigned *count, struct process_v1 *all)
{
	return list(d, false, count, (char *)all, sizeof *all);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses(device d, unsigned *count, struct process_v1 *all)
{
	return list(d, true, count, (char *)all, sizeof *all);
}

#ifdef FAKE_OLD_DRIVER

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(device d, unsigned long long *reasons)
{
	*reasons = get(d, "reasons", 0);
	return result(d, "reasons");
}

#else

EXPORT int nvmlDeviceGetCurrentClocksEventReasons(device d, unsigned long long *reasons)
{
	*reasons = get(d, "reasons", 0);
	return result(d, "reasons");
}

struct field_value {
	unsigned field, scope;
	long long time_us, latency_us;
	int type, result;
	unsigned long long value;
};

EXPORT int nvmlDeviceGetFieldValues(device d, int count, struct field_value *fields)
{
	char name[32];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof name, fields[i].scope ? "field.%u.%u" : "field.%u",
			 fields[i].field, fields[i].scope);
		fields[i].value = get(d, name, ~0ULL);
		fields[i].result = fields[i].value == ~0ULL ? 3 : 0;
		fields[i].type = get(d, "narrow_fields", 0) || fields[i].field == 82 ? 1 : 3;
	}
	return result(d, "fields");
}

EXPORT int nvmlDeviceGetNvLinkState(device d, unsigned link, unsigned *is_active)
{
	int r = result(d, "nvlink");

	*is_active = link != get(d, "link_down", ~0ULL);
	if (r != 0)
		return r;
	if (get(d, "links", 0) == 0)
		return 3;
	return link < get(d, "links", 0) ? 0 : 2;
}

struct process_use {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder;
};

EXPORT int nvmlDeviceGetProcessUtilization(device d, struct process_use *all, unsigned *count,
					   unsigned long long after_us)
{
	unsigned found = 0;
	int r = result(d, "process_utilization");

	if (r != 0)
		return r;
	for (int i = 0; i < use_count; i++) {
		if (uses[i].gpu != d->index || uses[i].time_us <= after_us)
			continue;
		if (found < *count)
			all[found] = (struct process_use){ .pid = uses[i].pid,
							   .time_us = uses[i].time_us,
							   .sm = uses[i].sm,
							   .memory = uses[i].memory };
		found++;
	}
	*count = found;
	return found == 0 ? 6 : 0;
}

EXPORT int nvmlDeviceGetMigMode(device d, unsigned *current, unsigned *pending)
{
	*current = *pending = (unsigned)get(d, "mig", 0);
	int r = result(d, "mig");
	return r == 0 && !*current ? 3 : r;
}

EXPORT int nvmlDeviceGetMaxMigDeviceCount(device d, unsigned *count)
{
	*count = MIGS_MAX;
	return result(d, "mig_count");
}

static struct fake_gpu migs[GPUS_MAX][MIGS_MAX];

EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(device d, unsigned index, device *ret)
{
	char name[32];

	snprintf(name, sizeof name, "mig.%u", index);
	unsigned instance = (unsigned)get(d, name, 0);
	if (index >= MIGS_MAX || instance == 0)
		return 6;
	struct fake_gpu *mig = &migs[d->index][index];
	*mig = (struct fake_gpu){
		.index = index, .parent = d, .instance = instance, .reset = get(d, "reset", 0)
	};
	*ret = mig;
	return result(d, "mig_handle");
}

EXPORT int nvmlDeviceGetGpuInstanceId(device d, unsigned *id)
{
	*id = d->instance / 10;
	return result(d, "gpu_instance");
}

EXPORT int nvmlDeviceGetComputeInstanceId(device d, unsigned *id)
{
	*id = d->instance % 10;
	return result(d, "compute_instance");
}

struct process_v3 {
	unsigned pid;
	unsigned long long bytes;
	unsigned gpu_instance, compute_instance;
};

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(device d, unsigned *count,
						   struct process_v3 *all)
{
	return list(d, false, count, (char *)all, sizeof *all);
}

EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(device d, unsigned *count,
						    struct process_v3 *all)
{
	return list(d, true, count, (char *)all, sizeof *all);
}

struct memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};

EXPORT int nvmlDeviceGetMemoryInfo_v2(device d, struct memory_v2 *m)
{
	if (m->version != (sizeof *m | 2U << 24))
		return 25;
	m->total = get(d, "total", 0);
	m->reserved = get(d, "reserved", 0);
	m->used = get(d, "used", 0);
	m->free = m->total - m->used - m->reserved;
	return result(d, "memory");
}

struct temperature {
	unsigned version;
	int sensor, temperature;
};

EXPORT int nvmlDeviceGetTemperatureV(device d, struct temperature *t)
{
	if (t->version != (sizeof *t | 1U << 24) || t->sensor != 0)
		return 25;
	t->temperature = (int)get(d, "temp", 0);
	return result(d, "temperature_v");
}

EXPORT int nvmlDeviceGetFanSpeed_v2(device d, unsigned fan, unsigned *percent)
{
	*percent = (unsigned)get(d, "fan", 0);
	return fan != 0 ? 2 : result(d, "fan");
}

EXPORT int nvmlDeviceGetArchitecture(device d, unsigned *architecture)
{
	*architecture = 9;
	return result(d, "architecture");
}

EXPORT int nvmlDeviceGetNumGpuCores(device d, unsigned *cores)
{
	*cores = 16896;
	return result(d, "cores");
}

struct gpm_sample {
	int number; /* of the readings; 0: never filled */
};

struct gpm_metric {
	unsigned id;
	int result;
	double value;
	char *texts[3];
};

struct gpm_metrics {
	unsigned version, count;
	struct gpm_sample *from, *to;
	struct gpm_metric metrics[333];
};

static int gpm_number;

struct gpm_support {
	unsigned version, is_supported;
};

EXPORT int nvmlGpmQueryDeviceSupport(device d, struct gpm_support *s)
{
	if (s->version != 1)
		return 25;
	s->is_supported = (unsigned)get(d, "gpm", 0);
	return result(d, "gpm");
}

EXPORT int nvmlGpmSampleAlloc(struct gpm_sample **ret)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? 0 : 20;
}

EXPORT int nvmlGpmSampleFree(struct gpm_sample *sample)
{
	free(sample);
	return 0;
}

EXPORT int nvmlGpmSampleGet(device d, struct gpm_sample *sample)
{
	sample->number = ++gpm_number;
	return result(d, "gpm_sample");
}

EXPORT int nvmlGpmMigSampleGet(device d, unsigned gpu_instance, struct gpm_sample *sample)
{
	sample->number = ++gpm_number;
	return gpu_instance == 0 ? 2 : result(d, "gpm_mig_sample");
}

/* The value is the metric's number; number 13 cannot be had unless the scenario says gpm_all. Samples must be in order. */
EXPORT int nvmlGpmMetricsGet(struct gpm_metrics *m)
{
	if (m->version != 1)
		return 25;
	if (m->from->number == 0 || m->to->number <= m->from->number)
		return 2;
	for (unsigned i = 0; i < m->count; i++) {
		bool has = m->metrics[i].id != 13 || get(NULL, "gpm_all", 0);
		m->metrics[i].result = has ? 0 : 3;
		m->metrics[i].value = m->metrics[i].id;
	}
	return 0;
}

#endif
