/* Facts about a run: names, address, counts. */
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "text.h"

const char *cairn_run_id(const struct cairn_run *run)
{
	return run ? run->settings.run_id : "";
}

const char *cairn_client_id(const struct cairn_run *run)
{
	return run ? run->settings.client_id : "";
}

const char *cairn_label(const struct cairn_run *run)
{
	return run ? run->settings.label : "";
}

size_t cairn_run_url(struct cairn_run *run, char *text, size_t size)
{
	struct text url = { 0 };
	size_t length = 0;

	if (size)
		text[0] = '\0';
	if (run_check(run) != CAIRN_OK)
		return 0;
	pthread_mutex_lock(&run->lock);
	if (run->entity && run->settings.url) {
		text_format(&url, "%s/%s/", run->settings.url, run->entity);
		text_escaped(&url, run->settings.project);
		text_str(&url, "/runs/");
		text_escaped(&url, run->settings.run_id);
	}
	pthread_mutex_unlock(&run->lock);
	if (url.length && text_c_string(&url))
		length = (size_t)snprintf(text, size, "%s", url.data);
	text_deinit(&url);
	return length;
}

bool cairn_should_stop(const struct cairn_run *run)
{
	return run && atomic_load_explicit(&run->stop_asked, memory_order_relaxed);
}

static struct cairn_stream_stats stats_of(const struct run_counts *counts)
{
	return (struct cairn_stream_stats){
		.accepted = counts->accepted,
		.stored = counts->stored,
		.dropped = counts->dropped,
		.refused = counts->refused,
		.queued = counts->accepted - counts->stored - counts->refused,
	};
}

void cairn_stats(struct cairn_run *run, struct cairn_stats *ret_stats)
{
	*ret_stats = (struct cairn_stats){ 0 };
	if (run_check(run) != CAIRN_OK)
		return;
	pthread_mutex_lock(&run->lock);
	*ret_stats = (struct cairn_stats){
		.history = stats_of(&run->counts[RECORD_HISTORY]),
		.events = stats_of(&run->counts[RECORD_EVENTS]),
		.console = stats_of(&run->counts[RECORD_CONSOLE]),
		.batches = run->batches,
		.retries = run->retries,
		.joins = run->joins,
		.buffer_bytes = run->backlog.bytes,
		.joined = run->phase == RUN_JOINED && run->joins > 0,
	};
	pthread_mutex_unlock(&run->lock);
}

const char *cairn_result_name(int result)
{
	static const char *const names[] = {
		[CAIRN_OK] = "ok",
		[CAIRN_INVALID] = "invalid",
		[CAIRN_FULL] = "full",
		[CAIRN_MEMORY] = "memory",
		[CAIRN_FINISHED] = "finished",
		[CAIRN_FORKED] = "forked",
		[CAIRN_TIMEOUT] = "timeout",
		[CAIRN_REFUSED] = "refused",
		[CAIRN_SETUP] = "setup",
	};

	if (result < 0 || (size_t)result >= sizeof names / sizeof names[0])
		return "unknown";
	return names[result];
}

const char *cairn_version(void)
{
	return CAIRN_VERSION;
}
