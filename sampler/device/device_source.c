/*
 * device_source.c - see device_source.h.
 *
 * The thread and the rows take turns (slow_task.h). Values that come after their row was closed are
 * in the next one, if the thread is still busy then; so a slow device has old values rather than
 * none.
 */
#include "device_source.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host_memory.h"
#include "info_text.h"
#include "monotonic.h"
#include "process_tree.h"
#include "sample_row.h"
#include "slow_task.h"

#define FIND_AGAIN_NS (60 * NS_PER_S)
#define EXPLAIN_WAIT_NS (7 * NS_PER_S) /* more than an endpoint of metrics has */

/* The thread's side. It outlives the sampler when a read never returns, so settings are a copy. */
struct device_work {
	const struct device_kind *kind;
	struct settings settings;
	void *devices; /* NULL: not open yet */
	struct device_input input;
	pid_t pids[PROCESS_TREE_PIDS_MAX];
	uint64_t ran_ns[PROCESS_TREE_PIDS_MAX];
	bool is_fresh; /* the readings are in no row yet */
	struct source_reason reason;
	atomic_bool stop;
	struct readings readings;
};

struct device {
	struct slow_task *task;
	struct device_work *work; /* the task's state */
	size_t late_count;        /* values that came after their row was closed */
	struct sampler_value late[READINGS_MAX];
};

/* The state of the source; also while there is no device. */
struct device_source {
	const struct device_kind *kind;
	const struct settings *settings;
	uint64_t find_ns; /* when to look again */
	_Atomic(struct device *) device;
};

static void run(void *state)
{
	struct device_work *work = state;

	if (!work->devices)
		work->devices = work->kind->open(&work->settings, &work->reason);
	readings_begin(&work->readings);
	if (work->devices)
		work->kind->read(work->devices, &work->input, &work->readings);
	work->is_fresh = true;
}

static void free_work(void *state)
{
	struct device_work *work = state;

	if (work->devices)
		work->kind->close(work->devices);
	readings_deinit(&work->readings);
	free(work);
}

static struct device *device_new(const struct device_source *source,
				 const struct source_reason *reason)
{
	struct device *device = calloc(1, sizeof *device);
	struct device_work *work = calloc(1, sizeof *work);

	if (device && work)
		device->task = slow_task_new(run, free_work, work);
	if (!device || !device->task) {
		free(device);
		free(work);
		return NULL;
	}
	work->kind = source->kind;
	work->settings = *source->settings;
	work->input.pids = work->pids;
	work->input.ran_ns = work->ran_ns;
	work->input.stop = &work->stop;
	work->readings.choice = &work->settings.devices;
	work->reason = *reason;
	device->work = work;
	return device;
}

static bool find(const struct device_kind *kind, const struct settings *settings,
		 struct source_reason *ret_reason)
{
	if (!kind->prefix || !device_choice_is_none(&settings->devices, kind->prefix))
		return kind->find(settings, ret_reason);
	source_reason_set(ret_reason, "no device of this kind is chosen");
	return false;
}

/* NULL without devices, and without memory, which may be there later. */
static struct device *find_device(struct device_source *source, uint64_t now_ns)
{
	struct device *device = atomic_load(&source->device);
	struct source_reason reason = { .is_found = true };

	if (device || now_ns < source->find_ns)
		return device;
	source->find_ns = now_ns + FIND_AGAIN_NS;
	if (!find(source->kind, source->settings, &reason))
		return NULL;
	device = device_new(source, &reason);
	atomic_store(&source->device, device);
	return device;
}

int device_open(const struct device_kind *kind, const struct settings *settings, void **ret_state)
{
	struct device_source *source = calloc(1, sizeof *source);

	*ret_state = source;
	if (!source)
		return ENOMEM;
	source->kind = kind;
	source->settings = settings;
	find_device(source, monotonic_ns());
	return 0;
}

static void give_input(struct device_work *work, const struct sample *sample)
{
	const struct process_tree *tree = sample->tree;

	work->input.now_ns = sample->now_ns;
	work->input.host_memory_total_bytes = sample->memory->total_bytes;
	work->input.host_memory_used_bytes = host_memory_used_bytes(sample->memory);
	work->input.pid_count = tree->alive ? tree->pid_count : 0;
	memcpy(work->pids, tree->pids, work->input.pid_count * sizeof tree->pids[0]);
	memcpy(work->ran_ns, tree->ran_ns, work->input.pid_count * sizeof tree->ran_ns[0]);
}

static void keep_late(struct device *device)
{
	const struct readings *readings = &device->work->readings;

	device->late_count = device->work->is_fresh ? readings->count : 0;
	memcpy(device->late, readings->values, device->late_count * sizeof device->late[0]);
}

void device_begin(void *state, const struct sample *sample)
{
	struct device *device = find_device(state, sample->now_ns);

	if (!device || !slow_task_enter(device->task, 0))
		return;
	keep_late(device);
	give_input(device->work, sample);
	slow_task_leave(device->task, SLOW_TASK_RUN);
}

static void add_values(const struct sampler_value *values, size_t count, struct sampler_row *row)
{
	for (size_t i = 0; i < count; i++)
		sample_row_add(row, values[i].name, values[i].value);
}

void device_sample(void *state, const struct sample *sample)
{
	struct device *device = atomic_load(&((struct device_source *)state)->device);

	if (!device)
		return;
	if (slow_task_enter(device->task, sample->deadline_ns)) {
		struct device_work *work = device->work;
		if (work->is_fresh) {
			add_values(work->readings.values, work->readings.count, sample->row);
			sample->row->dropped += work->readings.dropped;
		}
		work->is_fresh = false;
		slow_task_leave(device->task, SLOW_TASK_REST);
	} else {
		add_values(device->late, device->late_count, sample->row);
	}
	device->late_count = 0;
}

/* True when the devices are open, which they become at the first row or here; then the work is the
 * caller's until slow_task_leave. */
static bool enter_open(struct device *device, uint64_t deadline_ns)
{
	if (!slow_task_enter(device->task, deadline_ns))
		return false;
	if (device->work->devices)
		return true;
	slow_task_leave(device->task, SLOW_TASK_RUN);
	if (!slow_task_enter(device->task, deadline_ns))
		return false;
	if (device->work->devices)
		return true;
	slow_task_leave(device->task, SLOW_TASK_REST);
	return false;
}

void device_describe(void *state, struct info_text *text, uint64_t deadline_ns)
{
	struct device *device = atomic_load(&((struct device_source *)state)->device);

	if (!device || !device->work->kind->describe || !enter_open(device, deadline_ns))
		return;
	device->work->kind->describe(device->work->devices, text);
	slow_task_leave(device->task, SLOW_TASK_REST);
}

void device_explain(void *state, const struct settings *settings, struct source_reason *ret_reason)
{
	const struct device_source *source = state;
	struct device *device = atomic_load(&source->device);

	if (!device) {
		ret_reason->is_found = find(source->kind, settings, ret_reason);
	} else if (enter_open(device, monotonic_ns() + EXPLAIN_WAIT_NS)) {
		*ret_reason = device->work->reason;
		if (device->work->kind->explain)
			device->work->kind->explain(device->work->devices, ret_reason);
		slow_task_leave(device->task, SLOW_TASK_REST);
	} else {
		ret_reason->is_found = false;
		source_reason_set(ret_reason, "found, but it does not respond");
	}
}

void device_end(void *state, uint64_t deadline_ns)
{
	struct device *device = atomic_load(&((struct device_source *)state)->device);

	if (!device)
		return;
	atomic_store(&device->work->stop, true);
	slow_task_end(device->task, deadline_ns);
}

void device_close(void *state)
{
	struct device_source *source = state;
	struct device *device = atomic_load(&source->device);

	if (device)
		slow_task_free(device->task);
	free(device);
	free(source);
}
