#include "artifact_link.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer.h"
#include "fork_gate.h"
#include "retry.h"
#include "thread.h"

enum {
	WAIT_MAX_MS = 10000,
	SHOW_MS = 200,
	JOBS_MAX = 64,
	AWAY_TRIES = 5, /* about a second */
	ANSWER_MS = 60000,
	SLOWEST_BYTES_PER_MS = 5,
	STALL_S = 60,
};
#define PART_BYTES (INT64_C(64) << 20)

/* Workers, and the connections that a fault ends. */
struct artifact_crew {
	struct artifact_link *link;
	artifact_work_fn *work;
	void *context;
	size_t count;
	atomic_size_t next;
	struct transport *transports[JOBS_MAX]; /* under link->lock; NULL: none */
	int left;                               /* workers that have not ended; under link->lock */
};

/* "PART_BYTES STALL_S", for tests: large files and long waits in small. */
static void read_test_limits(struct artifact_link *link)
{
	const char *text = getenv("CAIRN_TEST_ARTIFACT_LIMITS");
	char *end = NULL;
	long part_bytes = text ? strtol(text, &end, 10) : 0;
	long stall_s = end ? strtol(end, NULL, 10) : 0;

	if (part_bytes > 0 && stall_s > 0 && stall_s < INT_MAX) {
		link->part_bytes = part_bytes;
		link->stall_s = (int)stall_s;
	}
}

void artifact_link_init(struct artifact_link *link, const struct settings *settings,
			const char *entity, const char *project)
{
	*link = (struct artifact_link){
		.settings = settings,
		.entity = entity,
		.project = project,
		.jobs = 1,
		.deadline_us = INT64_MAX,
		.part_bytes = PART_BYTES,
		.stall_s = STALL_S,
	};
	pthread_mutex_init(&link->lock, NULL);
	pthread_cond_init(&link->changed, NULL);
	read_test_limits(link);
}

void artifact_link_deinit(struct artifact_link *link)
{
	pthread_cond_destroy(&link->changed);
	pthread_mutex_destroy(&link->lock);
}

/* The lock is held. */
static void end_transfers(struct artifact_link *link)
{
	for (int i = 0; link->crew && i < JOBS_MAX; i++) {
		if (link->crew->transports[i])
			transport_set_deadline(link->crew->transports[i], 0);
	}
}

enum artifact_outcome artifact_fail(struct artifact_link *link, enum artifact_outcome outcome,
				    const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&link->lock);
	if (link->outcome == ARTIFACT_DONE) {
		link->outcome = outcome;
		va_start(arguments, format);
		vsnprintf(link->error, sizeof link->error, format, arguments);
		va_end(arguments);
	}
	outcome = link->outcome;
	atomic_store(&link->stops,
		     true); /* now that a worker which ends for it cannot be the first */
	end_transfers(link);
	pthread_cond_broadcast(&link->changed);
	pthread_mutex_unlock(&link->lock);
	return outcome;
}

bool artifact_is_over(const struct artifact_link *link)
{
	return atomic_load(&link->stops) || transport_clock_us() >= link->deadline_us;
}

int artifact_time_for(int64_t bytes)
{
	int64_t ms = ANSWER_MS + bytes / SLOWEST_BYTES_PER_MS;

	return ms > 86400000 ? 86400000 : (int)ms;
}

/* ---- requests ------------------------------------------------------------------------------------------ */

void artifact_path(const struct artifact_link *link, struct text *path, const char *collection)
{
	text_clear(path, 8192);
	text_str(path, "/api/v1/projects/");
	text_escaped(path, link->entity);
	text_str(path, "/");
	text_escaped(path, link->project);
	text_str(path, "/artifacts/");
	text_escaped(path, collection);
}

void artifact_path_add(struct text *path, const char *name)
{
	char part[2049];

	while (*name) {
		size_t length = strcspn(name, "/");

		if (length >= sizeof part) {
			path->failed = true;
			return;
		}
		memcpy(part, name, length);
		part[length] = '\0';
		text_escaped(path, part);
		name += length;
		if (*name == '/') {
			text_str(path, "/");
			name++;
		}
	}
}

static bool may_repeat(const struct response *response)
{
	long status = response->status;

	return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
}

/* Until then, a fault, or the end of a worker. The lock is held. */
static void wait_until(struct artifact_link *link, int64_t until_us)
{
	const struct timespec until = { .tv_sec = until_us / 1000000,
					.tv_nsec = until_us % 1000000 * 1000 };

	pthread_cond_clockwait(&link->changed, &link->lock, CLOCK_MONOTONIC, &until);
}

static void sleep_until(struct artifact_link *link, int64_t until_us)
{
	unsigned depth = fork_gate_pause();

	pthread_mutex_lock(&link->lock);
	while (!artifact_is_over(link) && transport_clock_us() < until_us)
		wait_until(link, until_us < link->deadline_us ? until_us : link->deadline_us);
	pthread_mutex_unlock(&link->lock);
	fork_gate_resume(depth);
}

/* A request that is repeated. */
struct trying {
	struct retry retry;
	int64_t moved_us; /* when it began, or last moved something */
};

static bool is_patient(struct artifact_link *link, const struct trying *trying)
{
	int64_t ms = atomic_load(&link->has_answered) ? ARTIFACT_PATIENCE_MS : ARTIFACT_FIRST_MS;

	return transport_clock_us() < trying->moved_us + ms * 1000;
}

/* False: it is not to be repeated. */
static bool wait_to_repeat(struct artifact_link *link, struct trying *trying,
			   const struct response *response)
{
	int wait_ms = retry_next_ms(&trying->retry, response->retry_after_s);
	char reason[80];

	if (artifact_is_over(link) || !is_patient(link, trying))
		return false;
	if (trying->retry.tries == AWAY_TRIES && link->say_away &&
	    !atomic_exchange(&link->is_away_said, true)) {
		snprintf(reason, sizeof reason, "status %ld", response->status);
		link->say_away(link->context, response->status ? reason : response->error);
	}
	sleep_until(link, transport_clock_us() + wait_ms * INT64_C(1000));
	return !artifact_is_over(link);
}

enum artifact_outcome artifact_refuse(struct artifact_link *link, const struct response *response)
{
	struct json answer = json_parse(response->body.data, response->body.length);
	char detail[400], hint[160];

	if (response->status == 0)
		return artifact_fail(link, ARTIFACT_AWAY, "no response from %s: %s",
				     link->settings->url, response->error);
	if (!json_is_object(answer)) {
		answer_describe_other(response, detail, sizeof detail);
		return artifact_fail(link, ARTIFACT_REFUSED, "%s", detail);
	}
	json_line(json_member(answer, "detail"), detail, sizeof detail);
	if (!detail[0])
		json_line(json_member(answer, "title"), detail, sizeof detail);
	json_line(json_member(answer, "hint"), hint, sizeof hint);
	return artifact_fail(link, may_repeat(response) ? ARTIFACT_AWAY : ARTIFACT_REFUSED,
			     "%s (status %ld)%s%s", detail, response->status, hint[0] ? ": " : "",
			     hint);
}

/* No try is made, or goes on, after a fault of another worker. */
static void perform(struct artifact_link *link, struct transport *transport,
		    const struct request *request, struct response *response)
{
	if (link->deadline_us != INT64_MAX)
		transport_set_deadline(transport, link->deadline_us);
	if (!atomic_load(&link->stops))
		transport_perform(transport, request, response);
}

enum artifact_outcome artifact_try(struct artifact_link *link, struct transport *transport,
				   const struct request *request, struct response *response,
				   artifact_rewind_fn *rewind)
{
	struct trying trying;
	enum artifact_rewind way;

	retry_init(&trying.retry, WAIT_MAX_MS);
	trying.moved_us = transport_clock_us();
	for (;;) {
		response->status = 0;
		perform(link, transport, request, response);
		if (response->status)
			atomic_store(&link->has_answered, true);
		if (response->status >= 200 && response->status < 300)
			return ARTIFACT_DONE;
		if (response->status && !may_repeat(response))
			return ARTIFACT_REFUSED;
		if (!wait_to_repeat(link, &trying, response))
			return artifact_refuse(link, response);
		way = rewind ? rewind(request->read_context) : ARTIFACT_REWIND_ANEW;
		if (way == ARTIFACT_REWIND_FAILED)
			return artifact_fail(link, ARTIFACT_LOCAL, "a file cannot be read again");
		if (way == ARTIFACT_REWIND_ON) {
			retry_reset(&trying.retry);
			trying.moved_us = transport_clock_us();
		}
	}
}

enum artifact_outcome artifact_ask(struct artifact_link *link, struct transport *transport,
				   const struct request *request, struct response *response,
				   artifact_rewind_fn *rewind)
{
	enum artifact_outcome outcome = artifact_try(link, transport, request, response, rewind);

	return outcome == ARTIFACT_REFUSED ? artifact_refuse(link, response) : outcome;
}

/* ---- workers --------------------------------------------------------------------------------------------- */

/* The connection of a worker; NULL without memory. */
static struct transport *open_transport(struct artifact_crew *crew, int *ret_place)
{
	struct artifact_link *link = crew->link;
	struct transport *transport = transport_new(link->settings);
	int place = 0;

	if (!transport)
		return NULL;
	transport_set_deadline(transport, link->deadline_us);
	pthread_mutex_lock(&link->lock);
	while (crew->transports[place])
		place++;
	crew->transports[place] = transport;
	pthread_mutex_unlock(&link->lock);
	*ret_place = place;
	return transport;
}

static void close_transport(struct artifact_crew *crew, struct transport *transport, int place)
{
	pthread_mutex_lock(&crew->link->lock);
	crew->transports[place] = NULL;
	pthread_mutex_unlock(&crew->link->lock);
	transport_free(transport);
}

static void do_work(struct artifact_crew *crew, struct transport *transport)
{
	struct artifact_link *link = crew->link;

	while (!atomic_load(&link->stops)) {
		size_t number = atomic_fetch_add(&crew->next, 1);

		if (number >= crew->count)
			return;
		if (artifact_is_over(link))
			artifact_fail(link, ARTIFACT_AWAY, "the timeout ended before all was done");
		else if (crew->work(link, transport, crew->context, number))
			return;
	}
}

static void *work_on(void *argument)
{
	struct artifact_crew *crew = argument;
	struct artifact_link *link = crew->link;
	struct transport *transport;
	int place;

	fork_gate_begin_thread();
	pthread_setname_np(pthread_self(), "cairn-artifact");
	transport = open_transport(crew, &place);
	if (transport) {
		do_work(crew, transport);
		close_transport(crew, transport, place);
	} else {
		artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	}
	pthread_mutex_lock(&link->lock);
	crew->left--; /* nothing of the crew is used after this */
	pthread_cond_broadcast(&link->changed);
	pthread_mutex_unlock(&link->lock);
	fork_gate_end_thread();
	return NULL;
}

/* The lock is held, except while progress is shown. */
static void wait_for_all(struct artifact_crew *crew)
{
	struct artifact_link *link = crew->link;

	while (crew->left > 0) {
		if (link->show) {
			pthread_mutex_unlock(&link->lock);
			link->show(link->context, &link->progress);
			pthread_mutex_lock(&link->lock);
		}
		if (crew->left > 0)
			wait_until(link, transport_clock_us() + SHOW_MS * 1000);
	}
}

/* How many workers could be started. */
static int start_workers(struct artifact_crew *crew, int jobs)
{
	int started = 0;

	while (started < jobs && thread_start(work_on, crew) == 0)
		started++;
	return started;
}

enum artifact_outcome artifact_work(struct artifact_link *link, artifact_work_fn *work,
				    void *context, size_t count)
{
	struct artifact_crew crew = {
		.link = link, .work = work, .context = context, .count = count
	};
	int jobs = link->jobs < 1 ? 1 : link->jobs > JOBS_MAX ? JOBS_MAX : link->jobs, started;
	unsigned depth;

	if ((size_t)jobs > count)
		jobs = (int)count;
	crew.left = jobs;
	pthread_mutex_lock(&link->lock);
	link->crew = &crew;
	pthread_mutex_unlock(&link->lock);
	started = start_workers(&crew, jobs);
	if (started == 0 && count)
		artifact_fail(link, ARTIFACT_LOCAL, "cannot start a thread");
	depth = fork_gate_pause();
	pthread_mutex_lock(&link->lock);
	crew.left -= jobs - started;
	wait_for_all(&crew);
	link->crew = NULL;
	pthread_mutex_unlock(&link->lock);
	fork_gate_resume(depth);
	return link->outcome;
}
