/*
 * A run from its start to its end. Everything it needs is allocated at the start, in the caller's
 * thread, so that the background has little left that can fail.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_id.h"
#include "registry.h"
#include "sampling.h"
#include "sender.h"
#include "spooling.h"

/* Why the last start in this thread failed. */
static __thread char start_error[SETTINGS_ERROR_SIZE];

int run_check(const struct cairn_run *run)
{
	if (!run)
		return CAIRN_INVALID;
	return run->generation == registry_generation() ? CAIRN_OK : CAIRN_FORKED;
}

static void init_locks(struct cairn_run *run)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&run->wake, &monotonic);
	pthread_cond_init(&run->changed, &monotonic);
	pthread_cond_init(&run->spool_wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&run->lock, NULL);
	pthread_mutex_init(&run->documents_lock, NULL);
	pthread_mutex_init(&run->console_lock, NULL);
}

static void run_free(struct cairn_run *run)
{
	sampling_free(run->sampling);
	sender_free(run->sender);
	spooling_free(run->spooling);
	free(run->spool.folder);
	transport_free(run->transport);
	backlog_deinit(&run->backlog);
	alerts_deinit(&run->alerts);
	text_deinit(&run->metadata);
	console_deinit(&run->console);
	document_deinit(&run->config);
	document_deinit(&run->summary);
	settings_deinit(&run->settings);
	free(run->entity);
	pthread_cond_destroy(&run->wake);
	pthread_cond_destroy(&run->changed);
	pthread_cond_destroy(&run->spool_wake);
	pthread_mutex_destroy(&run->lock);
	pthread_mutex_destroy(&run->documents_lock);
	pthread_mutex_destroy(&run->console_lock);
	free(run);
}

void run_release(struct cairn_run *run)
{
	if (atomic_fetch_sub(&run->references, 1) > 1)
		return;
	registry_remove(run);
	run_free(run);
}

static int fail(int result, const char *message)
{
	snprintf(start_error, sizeof start_error, "%s", message);
	return result;
}

static int merge_config(struct cairn_run *run)
{
	if (!run->settings.config_json)
		return CAIRN_OK;
	switch (document_merge(&run->config, run->settings.config_json)) {
	case DOCUMENT_OK:
		return CAIRN_OK;
	case DOCUMENT_NO_MEMORY:
		return fail(CAIRN_MEMORY, "out of memory");
	default:
		return fail(CAIRN_INVALID, "config_json is not a JSON object of at most 1 MiB");
	}
}

/* A run with everything but its threads. */
static int run_new(const struct cairn_options *options, struct cairn_run **ret_run)
{
	struct cairn_run *run = calloc(1, sizeof *run);
	int result;

	if (!run)
		return fail(CAIRN_MEMORY, "out of memory");
	init_locks(run);
	atomic_init(&run->references, 1);
	atomic_init(&run->stop_asked, false);
	run->started_us = run_wall_clock_us();
	random_id(run->stream, sizeof run->stream - 1);
	run->spool = (struct run_spool){ .poke_bytes = SIZE_MAX, .is_over = true };
	console_init(&run->console, run_put_line, run);
	result = settings_load(options, &run->settings, start_error);
	backlog_init(&run->backlog, (size_t)run->settings.buffer_bytes);
	if (!result)
		result = merge_config(run);
	if (!result && run->settings.entity) {
		run->entity = strdup(run->settings.entity);
		result = run->entity ? CAIRN_OK : fail(CAIRN_MEMORY, "out of memory");
	}
	if (!result && run->settings.mode == MODE_ONLINE) {
		run->transport = transport_new(&run->settings);
		run->sender = sender_new(run);
		result = run->sender && run->transport ? CAIRN_OK
						       : fail(CAIRN_MEMORY, "out of memory");
	}
	if (!result && run->settings.mode != MODE_DISABLED && run->settings.spool.is_on) {
		run->spooling = spooling_new(run);
		result = run->spooling ? CAIRN_OK : fail(CAIRN_MEMORY, "out of memory");
	}
	if (result)
		run_free(run);
	else
		*ret_run = run;
	return result;
}

/* Without memory or threads for it the run goes on, and says so. */
static void start_sampling(struct cairn_run *run)
{
	run->sampling = sampling_start(run);
	if (run->sampling)
		return;
	pthread_mutex_lock(&run->lock);
	snprintf(run->error, sizeof run->error, "cannot sample system metrics: out of memory");
	pthread_mutex_unlock(&run->lock);
}

/* The run goes with the thread that could not be started. */
static int fail_thread(struct cairn_run *run)
{
	run_release(run);
	return fail(CAIRN_MEMORY, "cannot start the background thread");
}

/* Each holds a reference. Without the thread of the spool a run that is online goes on in memory. */
static int start_threads(struct cairn_run *run)
{
	if (run->spooling) {
		atomic_fetch_add(&run->references, 1);
		if (spooling_start(run->spooling) != 0) {
			run_release(run);
			if (run->settings.mode == MODE_OFFLINE)
				return fail_thread(run);
		}
	}
	if (!run->sender)
		return CAIRN_OK;
	atomic_fetch_add(&run->references, 1);
	if (sender_start(run->sender) == 0)
		return CAIRN_OK;
	run->phase = RUN_OVER;
	run_release(run);
	cairn_run_free(run); /* the thread of the spool lets go of it, too */
	return fail(CAIRN_MEMORY, "cannot start the background thread");
}

int cairn_run_start(const struct cairn_options *options, struct cairn_run **ret_run)
{
	struct cairn_run *run;
	int result;

	if (!ret_run)
		return CAIRN_INVALID;
	*ret_run = NULL;
	start_error[0] = '\0';
	registry_prepare();
	result = run_new(options, &run);
	if (result)
		return result;
	registry_add(run);
	result = start_threads(run);
	if (result)
		return result;
	if (run->settings.sample_interval_s > 0 && run->settings.mode != MODE_DISABLED)
		start_sampling(run);
	*ret_run = run;
	return CAIRN_OK;
}

void cairn_run_free(struct cairn_run *run)
{
	if (run_check(run) != CAIRN_OK)
		return;
	sampling_stop(run->sampling); /* it is freed with the run: an exit() may just look at it */
	pthread_mutex_lock(&run->lock);
	run->is_closed = true;
	run->is_finishing = true;
	run->deadline_us = 0;
	run->is_hurried = true;
	pthread_cond_signal(&run->wake);
	pthread_cond_signal(&run->spool_wake);
	pthread_mutex_unlock(&run->lock);
	if (run->transport)
		transport_set_deadline(run->transport, 0);
	run_release(run);
}

size_t cairn_last_error(struct cairn_run *run, char *text, size_t size)
{
	size_t length;

	if (!run)
		return (size_t)snprintf(text, size, "%s", start_error);
	if (run_check(run) != CAIRN_OK)
		return (size_t)snprintf(text, size, "the run belongs to the parent process");
	pthread_mutex_lock(&run->lock);
	length = (size_t)snprintf(text, size, "%s%s%s", run->error,
				  run->error[0] && run->spool.error[0] ? "; " : "",
				  run->spool.error);
	pthread_mutex_unlock(&run->lock);
	return length;
}
