#include "sampling.h"

#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "sampler.h"

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

/* Numbers of devices; what is no number is left out. */
static size_t read_gpus(char *text, int *ids)
{
	const char *pieces[SAMPLER_GPUS_MAX];
	size_t count = split(text, pieces, SAMPLER_GPUS_MAX), kept = 0;

	for (size_t i = 0; i < count; i++) {
		char *end;
		long id = strtol(pieces[i], &end, 10);

		if (end != pieces[i] && *end == '\0' && id >= 0 && id < 1024)
			ids[kept++] = (int)id;
	}
	return kept;
}

static struct sampler *new_sampler(const struct settings *settings)
{
	char *disks = strdup(settings->sample_disks ? settings->sample_disks : "");
	char *gpus = strdup(settings->sample_gpus ? settings->sample_gpus : "");
	const char *paths[SAMPLER_DISK_PATHS_MAX];
	int gpu_ids[SAMPLER_GPUS_MAX];
	struct sampler_options options = {
		.pid = settings->sample_pid,
		.interval_ms = (unsigned)(settings->sample_interval_s * 1000),
		.disk_paths = paths,
		.gpu_ids = gpu_ids,
	};
	struct sampler *sampler = NULL;

	if (disks && gpus) {
		options.disk_path_count = split(disks, paths, SAMPLER_DISK_PATHS_MAX);
		options.gpu_id_count = read_gpus(gpus, gpu_ids);
		if (settings->sample_gpus && options.gpu_id_count == 0)
			options.flags = SAMPLER_NO_GPU; /* "none" */
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
