#include "sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sampler.h"

#define DEVICES_MAX 4096 /* bytes of the list of devices */

struct sampling {
	struct cairn_run *run;
	struct sampler *sampler;
	pthread_mutex_t stop_lock;
	struct cairn_metric metrics[SAMPLER_ROW_MAX];
};

static void take_row(void *context, const struct sampler_row *row)
{
	struct sampling *sampling = context;
	size_t count = row->count < SAMPLER_ROW_MAX ? row->count : SAMPLER_ROW_MAX;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		sampling->metrics[i] =
			(struct cairn_metric){ row->values[i].name, row->values[i].value };
	run_add_metrics(sampling->run, RECORD_EVENTS, RECORD_NO_STEP, sampling->metrics, count);
}

/* "a,b" into pieces that point into `text`, which is cut at the commas. */
static size_t split(char *text, const char **pieces, size_t max)
{
	char *rest = NULL;
	size_t count = 0;

	for (char *piece = strtok_r(text, ",", &rest); piece && count < max;
	     piece = strtok_r(NULL, ",", &rest))
		pieces[count++] = piece;
	return count;
}

/* "0,GPU-8932f937" as "gpu:0,gpu:GPU-8932f937"; what is no GPU is left out. False when nothing is left. */
static bool add_gpus(char *text, char *devices, size_t size)
{
	const char *pieces[SAMPLER_GPUS_MAX];
	size_t count = split(text, pieces, SAMPLER_GPUS_MAX), length = strlen(devices);
	bool has_some = false;

	for (size_t i = 0; i < count; i++) {
		int written = snprintf(devices + length, size - length, "%sgpu:%s",
				       length > 0 ? "," : "", pieces[i]);
		if (written > 0 && (size_t)written < size - length &&
		    sampler_is_device_list(devices + length + (length > 0))) {
			length += (size_t)written;
			has_some = true;
		}
		devices[length] = '\0';
	}
	return has_some;
}

static unsigned choose(const struct settings *settings, char *gpus, char *devices, size_t size)
{
	snprintf(devices, size, "%s", settings->sample_devices ? settings->sample_devices : "");
	if (!settings->sample_gpus)
		return 0;
	bool is_none = strcmp(settings->sample_gpus, "none") == 0;
	return is_none || !add_gpus(gpus, devices, size) ? SAMPLER_NO_GPU : 0;
}

static struct sampler *new_sampler(const struct settings *settings)
{
	char *disks = strdup(settings->sample_disks ? settings->sample_disks : "");
	char *gpus = strdup(settings->sample_gpus ? settings->sample_gpus : "");
	const char *paths[SAMPLER_DISK_PATHS_MAX];
	char devices[DEVICES_MAX];
	struct sampler_options options = {
		.pid = settings->sample_pid,
		.interval_ms = (unsigned)(settings->sample_interval_s * 1000),
		.disk_paths = paths,
		.devices = devices,
		.open_metrics = settings->open_metrics,
		.open_metrics_filters = settings->open_metrics_filters,
		.open_metrics_headers = settings->open_metrics_headers,
		.ca_file = settings->ca_file,
	};
	struct sampler *sampler = NULL;

	if (disks && gpus) {
		options.disk_path_count = split(disks, paths, SAMPLER_DISK_PATHS_MAX);
		options.flags = choose(settings, gpus, devices, sizeof devices);
		sampler = sampler_new(&options);
	}
	free(disks);
	free(gpus);
	return sampler;
}

struct sampling *sampling_start(struct cairn_run *run)
{
	struct sampling *sampling = calloc(1, sizeof *sampling);

	if (!sampling)
		return NULL;
	sampling->run = run;
	pthread_mutex_init(&sampling->stop_lock, NULL);
	sampling->sampler = new_sampler(&run->settings);
	if (sampling->sampler && sampler_start(sampling->sampler, take_row, sampling) == 0)
		return sampling;
	sampling_free(sampling);
	return NULL;
}

char *sampling_describe(const struct cairn_run *run, unsigned wait_ms)
{
	struct sampler *sampler = run->sampling ? run->sampling->sampler
						: new_sampler(&run->settings);
	char *facts = sampler ? sampler_metadata_json(sampler, wait_ms) : NULL;

	if (!run->sampling)
		sampler_free(sampler);
	return facts;
}

void sampling_stop(struct sampling *sampling)
{
	if (!sampling)
		return;
	pthread_mutex_lock(&sampling->stop_lock);
	sampler_stop(sampling->sampler);
	pthread_mutex_unlock(&sampling->stop_lock);
}

void sampling_free(struct sampling *sampling)
{
	if (!sampling)
		return;
	sampler_free(sampling->sampler);
	pthread_mutex_destroy(&sampling->stop_lock);
	free(sampling);
}
