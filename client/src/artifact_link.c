#include "artifact_link.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "answer.h"
#include "fork_gate.h"
#include "retry.h"
#include "thread.h"

enum { TRIES = 12, WAIT_MAX_MS = 10000, SHOW_MS = 200, JOBS_MAX = 64 };

void artifact_link_init(struct artifact_link *link, const struct settings *settings,
			const char *entity, const char *project)
{
	*link = (struct artifact_link){
		.settings = settings,
		.entity = entity,
		.project = project,
		.jobs = 1,
		.deadline_us = INT64_MAX,
	};
	pthread_mutex_init(&link->lock, NULL);
}

void artifact_link_deinit(struct artifact_link *link)
{
	pthread_mutex_destroy(&link->lock);
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
	pthread_mutex_unlock(&link->lock);
	return outcome;
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

static void sleep_ms(int ms)
{
	struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	unsigned depth = fork_gate_pause();

	nanosleep(&wait, NULL);
	fork_gate_resume(depth);
}

static bool is_over(const struct artifact_link *link)
{
	return transport_clock_us() >= link->deadline_us;
}

/* Not longer than until the deadline. */
static void wait_to_repeat(const struct artifact_link *link, struct retry *retry,
			   const struct response *response)
{
	int64_t left_ms = (link->deadline_us - transport_clock_us()) / 1000 + 1;
	int ms = retry_next_ms(retry, response->retry_after_s);

	if (left_ms < ms)
		ms = left_ms < 0 ? 0 : (int)left_ms;
	sleep_ms(ms);
}

static enum artifact_outcome refuse(struct artifact_link *link, const struct response *response)
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

enum artifact_outcome artifact_ask(struct artifact_link *link, struct transport *transport,
				   const struct request *request, struct response *response,
				   bool (*rewind)(void *context))
{
	struct retry retry;

	retry_init(&retry, WAIT_MAX_MS);
	if (link->deadline_us != INT64_MAX)
		transport_set_deadline(transport, link->deadline_us);
	for (;;) {
		transport_perform(transport, request, response);
		if (response->status >= 200 && response->status < 300)
			return ARTIFACT_DONE;
		if (!may_repeat(response) || atomic_load(&link->stops) || retry.tries >= TRIES ||
		    is_over(link))
			return refuse(link, response);
		wait_to_repeat(link, &retry, response);
		if (is_over(link))
			return refuse(link, response);
		if (rewind && !rewind(request->read_context))
			return artifact_fail(link, ARTIFACT_LOCAL, "a file cannot be read again");
	}
}

/* ---- workers --------------------------------------------------------------------------------------------- */

struct crew {
	struct artifact_link *link;
	artifact_work_fn *work;
	void *context;
	size_t count;
	atomic_size_t next;
	atomic_int left; /* workers that have not ended */
};

static void *work_on(void *argument)
{
	struct crew *crew = argument;
	struct artifact_link *link = crew->link;
	struct transport *transport;

	fork_gate_enter();
	transport = transport_new(link->settings);
	if (!transport)
		artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	else
		transport_set_deadline(transport, link->deadline_us);
	while (transport && !atomic_load(&link->stops)) {
		size_t number = atomic_fetch_add(&crew->next, 1);

		if (number < crew->count && is_over(link))
			artifact_fail(link, ARTIFACT_AWAY, "the timeout ended before all was done");
		else if (number >= crew->count ||
			 crew->work(link, transport, crew->context, number))
			break;
	}
	transport_free(transport);
	fork_gate_leave();
	atomic_fetch_sub(&crew->left, 1);
	return NULL;
}

static void show_while(struct crew *crew)
{
	struct artifact_link *link = crew->link;

	while (link->show && atomic_load(&crew->left) > 0) {
		link->show(link->context, &link->progress);
		sleep_ms(SHOW_MS);
	}
}

static void join_all(const pthread_t *threads, int count)
{
	unsigned depth = fork_gate_pause();

	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	fork_gate_resume(depth);
}

enum artifact_outcome artifact_work(struct artifact_link *link, artifact_work_fn *work,
				    void *context, size_t count)
{
	struct crew crew = { .link = link, .work = work, .context = context, .count = count };
	int jobs = link->jobs < 1 ? 1 : link->jobs > JOBS_MAX ? JOBS_MAX : link->jobs;
	pthread_t threads[JOBS_MAX];
	int started = 0;

	if ((size_t)jobs > count)
		jobs = (int)count;
	atomic_store(&crew.left, jobs);
	while (started < jobs && thread_start_joinable(&threads[started], work_on, &crew) == 0)
		started++;
	if (started < jobs)
		atomic_fetch_sub(&crew.left, jobs - started);
	if (started == 0 && count)
		artifact_fail(link, ARTIFACT_LOCAL, "cannot start a thread");
	show_while(&crew);
	join_all(threads, started);
	return link->outcome;
}
