#include "live_line.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "run_text.h"
#include "server_parts.h"
#include "sse.h"
#include "transport.h"

#define STREAM_TIMEOUT_MS (24 * 3600 * 1000)
#define SILENCE_US (35 * 1000000LL) /* the server sends a beat every ten seconds */
#define PAUSE_LEAST_US 1000000
#define PAUSE_MOST_US 10000000

struct live_line {
	struct feed *feed;
	struct transport *transport;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	char *path; /* NULL: nothing to follow yet */
	bool is_done, is_changed, is_hurried, is_heard;
	int64_t heard_us;
	struct live_news news;
	struct sse sse; /* of the thread */
};

/* ---- events ---------------------------------------------------------------------------------------- */

static const struct event {
	const char *name;
	unsigned parts;
} events[] = {
	{ "open", PARTS_ALL },
	{ "reset", PARTS_ALL },
	{ "run", PART_BIT(PART_RUNS) | PART_BIT(PART_WRITERS) },
	{ "gone", PART_BIT(PART_RUNS) },
	{ "state", PART_BIT(PART_RUNS) | PART_BIT(PART_WRITERS) },
	{ "writer", PART_BIT(PART_WRITERS) },
	{ "console", PART_BIT(PART_CONSOLE) },
	{ "alert", 0 },
	{ "rows", PART_BIT(PART_METRICS) | PART_BIT(PART_CHARTS) | PART_BIT(PART_DEVICES) },
};

static void note_clock(struct live_line *line, const char *data, size_t length)
{
	struct timespec now;
	double seconds;

	if (!run_text_seconds(json_member(json_parse(data, length), "now"), &seconds))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	line->news.clock_ahead_s = seconds - (double)now.tv_sec - (double)now.tv_nsec / 1e9;
}

static void note_alert(struct live_line *line, const char *data, size_t length)
{
	struct json alert = json_member(json_parse(data, length), "alert");

	json_copy(json_member(alert, "title"), line->news.alert, sizeof line->news.alert);
}

static void take_event(void *context, const char *name, const char *data, size_t length)
{
	struct live_line *line = context;
	bool is_told = false;

	pthread_mutex_lock(&line->lock);
	if (strcmp(name, "open") == 0) {
		line->news.is_open = true;
		note_clock(line, data, length);
	} else if (strcmp(name, "alert") == 0) {
		note_alert(line, data, length);
	}
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		if (strcmp(events[i].name, name) != 0)
			continue;
		line->news.parts |= events[i].parts;
		is_told = true;
	}
	pthread_mutex_unlock(&line->lock);
	if (is_told)
		feed_tell(line->feed);
}

static bool take_piece(void *context, const char *bytes, size_t count)
{
	struct live_line *line = context;
	bool goes_on;

	pthread_mutex_lock(&line->lock);
	line->heard_us = transport_clock_us();
	line->is_heard = true;
	goes_on = !line->is_done && !line->is_changed;
	pthread_mutex_unlock(&line->lock);
	if (goes_on)
		sse_take(&line->sse, bytes, count);
	return goes_on;
}

/* ---- the thread ------------------------------------------------------------------------------------ */

/* Waits until there is a path to follow, and takes it; NULL at the end. */
static char *take_path(struct live_line *line)
{
	char *path = NULL;

	pthread_mutex_lock(&line->lock);
	while (!line->is_done && !line->path)
		pthread_cond_wait(&line->wake, &line->lock);
	if (!line->is_done)
		path = strdup(line->path);
	line->is_changed = line->is_hurried = line->is_heard = false;
	line->heard_us = transport_clock_us();
	if (!line->is_done)
		transport_set_deadline(line->transport, INT64_MAX);
	pthread_mutex_unlock(&line->lock);
	return path;
}

/* Waits before the next try, unless another path is wanted. */
static void pause_for(struct live_line *line, int64_t pause_us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += pause_us / 1000000;
	pthread_mutex_lock(&line->lock);
	while (!line->is_done && !line->is_changed && !line->is_hurried) {
		if (pthread_cond_timedwait(&line->wake, &line->lock, &until))
			break;
	}
	pthread_mutex_unlock(&line->lock);
}

static void end_stream(struct live_line *line)
{
	pthread_mutex_lock(&line->lock);
	if (!line->is_changed)
		line->news.has_failed = !line->news.is_open;
	line->news.is_open = false;
	pthread_mutex_unlock(&line->lock);
	feed_tell(line->feed);
}

static void *run_line(void *context)
{
	struct live_line *line = context;
	struct response response = { 0 };
	int64_t pause_us = PAUSE_LEAST_US;
	char *path;

	while ((path = take_path(line))) {
		struct request request = { .method = "GET",
					   .path = path,
					   .timeout_ms = STREAM_TIMEOUT_MS,
					   .on_piece = take_piece,
					   .context = line };

		sse_reset(&line->sse);
		transport_perform(line->transport, &request, &response);
		end_stream(line);
		free(path);
		pause_us = line->is_heard ? PAUSE_LEAST_US : pause_us * 2;
		pause_us = pause_us < PAUSE_MOST_US ? pause_us : PAUSE_MOST_US;
		pause_for(line, pause_us);
	}
	text_deinit(&response.body);
	return NULL;
}

/* Signals are for the thread of the screen. */
static int start_thread(struct live_line *line)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&line->thread, NULL, run_line, line);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void free_line(struct live_line *line)
{
	transport_free(line->transport);
	pthread_cond_destroy(&line->wake);
	pthread_mutex_destroy(&line->lock);
	sse_deinit(&line->sse);
	free(line->path);
	free(line);
}

struct live_line *live_line_start(const struct settings *settings, struct feed *feed)
{
	struct live_line *line = calloc(1, sizeof *line);
	pthread_condattr_t attributes;

	if (!line)
		return NULL;
	line->feed = feed;
	line->news.clock_ahead_s = NAN;
	line->sse = (struct sse){ .on_event = take_event, .context = line };
	pthread_mutex_init(&line->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&line->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	line->transport = transport_new(settings);
	if (line->transport && start_thread(line) == 0)
		return line;
	free_line(line);
	return NULL;
}

/* Ends the request that is under way; holds the lock. */
static void interrupt(struct live_line *line)
{
	pthread_cond_broadcast(&line->wake);
	transport_set_deadline(line->transport, 0);
}

void live_line_stop(struct live_line *line)
{
	if (!line)
		return;
	pthread_mutex_lock(&line->lock);
	line->is_done = true;
	interrupt(line);
	pthread_mutex_unlock(&line->lock);
	pthread_join(line->thread, NULL);
	free_line(line);
}

void live_line_follow(struct live_line *line, const char *path)
{
	pthread_mutex_lock(&line->lock);
	if (!line->path || strcmp(line->path, path) != 0) {
		free(line->path);
		line->path = strdup(path);
		line->is_changed = true;
		interrupt(line);
	}
	pthread_mutex_unlock(&line->lock);
}

void live_line_hurry(struct live_line *line)
{
	pthread_mutex_lock(&line->lock);
	line->is_hurried = true;
	pthread_cond_broadcast(&line->wake);
	pthread_mutex_unlock(&line->lock);
}

struct live_news live_line_take(struct live_line *line)
{
	struct live_news news;

	pthread_mutex_lock(&line->lock);
	if (line->news.is_open && transport_clock_us() - line->heard_us > SILENCE_US)
		interrupt(line);
	news = line->news;
	line->news.parts = 0;
	line->news.alert[0] = '\0';
	pthread_mutex_unlock(&line->lock);
	return news;
}
