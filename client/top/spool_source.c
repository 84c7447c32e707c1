/*
 * A spool as a source: its folders are listed now and then, each is read on from where it was left, a part of a second at a
 * time, those of the shown run first. Only what is in the spool is shown: of a run that is being sent that is the part that
 * the server has not confirmed.
 */
#include "spool_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devices.h"
#include "say.h"
#include "spooled.h"
#include "transport.h"

#define WRITERS_MAX 256 /* each holds up to two descriptors */
#define LIST_US 2000000
#define READ_US 200000 /* of a round */
#define ROUND_US 500000

struct spool_source {
	struct top_source source;
	char *path;
	struct spooled *writers[WRITERS_MAX];
	size_t count;
	size_t left_out; /* folders that cannot be read, or beyond the limit */
	char error[SPOOL_ERROR_SIZE];
	int64_t list_us;
	struct wants wants;
};

/* ---- folders ---------------------------------------------------------------------------------------- */

static void add_folder(struct spool_source *spool, const char *path)
{
	char error[SPOOL_ERROR_SIZE] = "too many writers";
	struct spooled *spooled = NULL;

	for (size_t i = 0; i < spool->count; i++) {
		if (strcmp(spool->writers[i]->path, path) == 0) {
			spool->writers[i]->is_seen = true;
			return;
		}
	}
	if (spool->count < WRITERS_MAX)
		spooled = spooled_open(path, error);
	if (spooled) {
		spooled->is_seen = true;
		spool->writers[spool->count++] = spooled;
		return;
	}
	spool->left_out++;
	snprintf(spool->error, sizeof spool->error, "%s", error);
}

/* Folders that are gone were sent. */
static void remove_unseen(struct spool_source *spool)
{
	size_t kept = 0;

	for (size_t i = 0; i < spool->count; i++) {
		if (spool->writers[i]->is_seen)
			spool->writers[kept++] = spool->writers[i];
		else
			spooled_close(spool->writers[i]);
	}
	spool->count = kept;
}

static bool list(struct spool_source *spool)
{
	struct spool_entries entries;

	if (!spool_folder_list(spool->path, &entries, spool->error))
		return false;
	spool->left_out = entries.refused;
	for (size_t i = 0; i < spool->count; i++)
		spool->writers[i]->is_seen = false;
	for (size_t i = 0; i < entries.count; i++)
		add_folder(spool, entries.items[i].path);
	spool_entries_deinit(&entries);
	remove_unseen(spool);
	return true;
}

static int open_spool(struct top_source *source, struct feed *feed)
{
	struct spool_source *spool = (struct spool_source *)source;

	if (!spool->path)
		spool->path = spool_folder_default();
	if (!spool->path || !list(spool)) {
		say("%s", spool->path ? spool->error : "out of memory");
		return 1;
	}
	spool->list_us = transport_clock_us() + LIST_US;
	feed->model.kind = MODEL_SPOOL;
	feed->model.link = LINK_LOCAL;
	feed->model.title = model_text(spool->path);
	return 0;
}

/* ---- runs -------------------------------------------------------------------------------------------- */

/* The first writer of a run stands for it. */
static bool is_first(const struct spool_source *spool, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (spooled_is_same_run(spool->writers[i], spool->writers[at]))
			return false;
	}
	return true;
}

static void run_id(const struct spooled *spooled, char *id, size_t size)
{
	snprintf(id, size, "%s/%s", spooled->identity.project, spooled->identity.run);
}

static bool is_shown(const struct spool_source *spool, const struct spooled *spooled)
{
	char id[WANTS_RUN_SIZE];

	run_id(spooled, id, sizeof id);
	return strcmp(id, spool->wants.run) == 0;
}

static bool is_primary(const struct spooled *spooled)
{
	return spooled->identity.role && strcmp(spooled->identity.role, "primary") == 0;
}

static const char *end_name(const struct spool_end *end)
{
	if (end->state == SPOOL_END_PREEMPTED)
		return "preempted";
	if (end->state == SPOOL_END_CRASHED)
		return "crashed";
	return end->exit_code ? "failed" : "finished";
}

/* A primary's end decides; without one a run is crashed at its last record when no process lives. */
static void find_state(const struct spool_source *spool, const struct spooled *first,
		       struct model_run *run)
{
	bool is_alive = false, is_unknown = false;
	const char *state = NULL;

	for (size_t i = 0; i < spool->count; i++) {
		const struct spooled *one = spool->writers[i];

		if (!spooled_is_same_run(first, one))
			continue;
		if (one->has_end && is_primary(one)) {
			state = end_name(&one->end);
			run->ended_s = fmax(run->ended_s, (double)one->end.time_us / 1e6);
		}
		is_alive |= !one->has_end && one->life == SPOOL_ALIVE;
		is_unknown |= !one->has_end && one->life == SPOOL_UNKNOWN;
	}
	if (!state)
		state = is_alive ? "running" : is_unknown ? "unknown" : "crashed";
	if (strcmp(state, "crashed") == 0 && run->ended_s <= 0)
		run->ended_s = run->heard_s;
	run->state = model_text(state);
}

static void find_values(const struct spool_source *spool, const struct spooled *one,
			struct model_run *run)
{
	for (size_t i = 0; i < spool->wants.column_count; i++) {
		for (size_t k = 0; k < one->history.count; k++) {
			const struct series *series = &one->history.items[k];

			if (strcmp(series->key, spool->wants.columns[i]) == 0)
				chart_number(series->last, run->values[i]);
		}
	}
}

static bool make_run(const struct spool_source *spool, const struct spooled *first,
		     struct model_run *run)
{
	const struct spool_identity *identity = &first->identity;
	char id[WANTS_RUN_SIZE];

	run_id(first, id, sizeof id);
	*run = (struct model_run){
		.id = model_text(id),
		.name = model_text(identity->display_name ? identity->display_name : identity->run),
		.last_step = NAN,
		.started_s = (double)identity->started_at_us / 1e6
	};
	for (size_t i = 0; i < spool->count; i++) {
		const struct spooled *one = spool->writers[i];

		if (!spooled_is_same_run(first, one))
			continue;
		run->rows += one->rows;
		run->last_step = fmax(run->last_step, one->last_step);
		run->heard_s = fmax(run->heard_s, one->last_time_s);
		run->started_s = fmin(run->started_s, (double)one->identity.started_at_us / 1e6);
		find_values(spool, one, run);
	}
	find_state(spool, first, run);
	if (run->id && run->name && run->state)
		return true;
	free(run->id);
	free(run->name);
	free(run->state);
	return false;
}

/* The latest first. */
static int by_start(const void *a, const void *b)
{
	const struct model_run *first = a, *second = b;

	return (first->started_s < second->started_s) - (first->started_s > second->started_s);
}

static void publish_runs(const struct spool_source *spool, struct model *model)
{
	struct model_run *runs = calloc(spool->count ? spool->count : 1, sizeof *runs);
	size_t count = 0;

	if (!runs)
		return;
	for (size_t i = 0; i < spool->count; i++) {
		if (is_first(spool, i))
			count += make_run(spool, spool->writers[i], &runs[count]);
	}
	qsort(runs, count, sizeof *runs, by_start);
	model_take_runs(model, runs, count);
	for (size_t i = 0; i < MODEL_COLUMNS_MAX; i++) {
		free(model->columns[i]);
		model->columns[i] = i < spool->wants.column_count ? strdup(spool->wants.columns[i])
								  : NULL;
	}
}

/* ---- the shown run ----------------------------------------------------------------------------------- */

static const struct series_set *set_of(const struct spool_source *spool,
				       const struct spooled *spooled)
{
	return spool->wants.is_system ? &spooled->events : &spooled->history;
}

static struct model_metric *find_metric(struct model_metric *metrics, size_t count, const char *key,
					size_t *hint)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = (*hint + i) % count;

		if (strcmp(metrics[at].key, key) == 0) {
			*hint = at + 1;
			return &metrics[at];
		}
	}
	return NULL;
}

static double start_of(const struct spool_source *spool)
{
	double start_s = INFINITY;

	for (size_t i = 0; i < spool->count; i++) {
		if (is_shown(spool, spool->writers[i]))
			start_s = fmin(start_s,
				       (double)spool->writers[i]->identity.started_at_us / 1e6);
	}
	return start_s;
}

/* The metrics of several writers under one name are one curve, as the server shows them. */
static size_t add_metrics(const struct spool_source *spool, const struct spooled *one,
			  struct model_metric *metrics, size_t count)
{
	const struct series_set *set = set_of(spool, one);
	enum series_axis axis = spool->wants.is_relative || spool->wants.is_system ? SERIES_BY_TIME
										   : SERIES_BY_STEP;
	double start_s = start_of(spool);
	size_t hint = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct series *series = &set->items[i];
		struct model_metric *metric = find_metric(metrics, count, series->key, &hint);

		if (!metric && count < MODEL_METRICS_MAX) {
			metric = &metrics[count];
			metric->key = strdup(series->key);
			count += metric->key != NULL;
		}
		if (!metric || !metric->key)
			continue;
		chart_number(series->last, metric->value);
		series_append(series, axis, start_s, &metric->points, &metric->point_count);
	}
	return count;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct model_metric *)a)->key, ((const struct model_metric *)b)->key);
}

static void publish_metrics(const struct spool_source *spool, struct model *model)
{
	struct model_metric *metrics = calloc(MODEL_METRICS_MAX, sizeof *metrics);
	size_t count = 0;

	if (!metrics)
		return;
	for (size_t i = 0; i < spool->count; i++) {
		if (is_shown(spool, spool->writers[i]))
			count = add_metrics(spool, spool->writers[i], metrics, count);
	}
	for (size_t i = 0; i < count; i++)
		series_order(metrics[i].points, metrics[i].point_count);
	if (count)
		qsort(metrics, count, sizeof *metrics, by_key);
	model_take_metrics(model, metrics, count);
}

static const char *host_of(const struct spooled *spooled)
{
	return spooled->identity.host ? spooled->identity.host : spooled->identity.label;
}

static void publish_devices(const struct spool_source *spool, struct model *model)
{
	struct devices devices = { 0 };

	for (size_t i = 0; i < spool->count; i++) {
		const struct spooled *one = spool->writers[i];

		for (size_t k = 0; is_shown(spool, one) && k < one->events.count; k++)
			devices_add(&devices, host_of(one), one->events.items[k].key,
				    one->events.items[k].last);
	}
	devices_take(&devices, model);
}

static const char *writer_state(const struct spooled *spooled)
{
	if (spooled->has_end)
		return "ended";
	return spooled->life == SPOOL_ALIVE  ? "alive"
	       : spooled->life == SPOOL_DEAD ? "lost"
					     : "unknown";
}

static void publish_writers(const struct spool_source *spool, struct model *model)
{
	struct model_writer *writers = calloc(spool->count ? spool->count : 1, sizeof *writers);
	size_t count = 0;

	for (size_t i = 0; writers && i < spool->count; i++) {
		const struct spooled *one = spool->writers[i];
		struct model_writer *writer = &writers[count];

		if (!is_shown(spool, one))
			continue;
		*writer = (struct model_writer){ model_text(one->identity.label),
						 model_text(one->identity.role),
						 model_text(writer_state(one)),
						 model_text(one->identity.host),
						 one->rows,
						 one->dropped,
						 spooled_heard_s(one) };
		count += writer->label && writer->role && writer->state && writer->host;
	}
	model_take_writers(model, writers, count);
}

/* A line with its writer, to be ordered by time. */
struct timed_line {
	const struct spooled_line *line;
	const struct spooled *writer;
	size_t order; /* of equal times */
};

static int by_time(const void *a, const void *b)
{
	const struct timed_line *first = a, *second = b;

	if (first->line->time_s < second->line->time_s)
		return -1;
	if (first->line->time_s > second->line->time_s)
		return 1;
	return (first->order > second->order) - (first->order < second->order);
}

static size_t collect_lines(const struct spool_source *spool, struct timed_line *all)
{
	size_t count = 0;

	for (size_t i = 0; i < spool->count; i++) {
		const struct spooled *one = spool->writers[i];

		for (size_t k = 0; is_shown(spool, one) && k < one->line_count; k++) {
			if (all)
				all[count] = (struct timed_line){ &one->lines[k], one, count };
			count++;
		}
	}
	if (all && count)
		qsort(all, count, sizeof *all, by_time);
	return count;
}

static void publish_lines(const struct spool_source *spool, struct model *model)
{
	size_t all = collect_lines(spool, NULL), first, count = 0;
	struct timed_line *timed = calloc(all ? all : 1, sizeof *timed);
	struct model_line *lines = calloc(SPOOLED_LINES, sizeof *lines);

	if (timed && lines) {
		collect_lines(spool, timed);
		first = all > SPOOLED_LINES ? all - SPOOLED_LINES : 0;
		for (size_t i = first; i < all; i++) {
			lines[count] = (struct model_line){
				.label = model_text(timed[i].writer->identity.label),
				.text = model_text(timed[i].line->text),
				.number = (double)timed[i].line->number
			};
			count += lines[count].label && lines[count].text;
		}
		model_take_lines(model, lines, count);
		lines = NULL;
	}
	free(lines);
	free(timed);
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/* Whether all was read, as far as it goes. */
static bool read_writers(struct spool_source *spool)
{
	int64_t until_us = transport_clock_us() + READ_US;
	bool is_read = true;

	for (int shown = 1; shown >= 0; shown--) {
		for (size_t i = 0; i < spool->count; i++) {
			if (is_shown(spool, spool->writers[i]) != shown)
				continue;
			spooled_read(spool->writers[i], until_us);
			is_read &= spool->writers[i]->is_read;
		}
	}
	return is_read;
}

static void note_faults(const struct spool_source *spool, struct model *model)
{
	uint64_t damages = 0;

	for (size_t i = 0; i < spool->count; i++)
		damages += spool->writers[i]->damages;
	if (spool->left_out)
		snprintf(model->notice, sizeof model->notice, "%zu folders not shown: %s",
			 spool->left_out, spool->error);
	else if (damages)
		snprintf(model->notice, sizeof model->notice, "%llu damaged parts were skipped",
			 (unsigned long long)damages);
	else
		model->notice[0] = '\0';
}

static void publish(struct spool_source *spool, struct feed *feed, bool is_read)
{
	struct model *model = feed_begin(feed);
	struct wants before = spool->wants;

	spool->wants = (struct wants){ 0 };
	wants_copy(&spool->wants, &feed->wants);
	if (!spool->wants.column_count) { /* not known yet */
		for (size_t i = 0; i < before.column_count; i++)
			wants_add_column(&spool->wants, before.columns[i]);
	}
	wants_deinit(&before);
	publish_runs(spool, model);
	model_show(model, spool->wants.run[0] ? spool->wants.run : NULL, spool->wants.is_system);
	publish_metrics(spool, model);
	publish_devices(spool, model);
	publish_writers(spool, model);
	publish_lines(spool, model);
	note_faults(spool, model);
	model->is_whole |= is_read && (spool->count == 0 || spool->wants.run[0]);
	feed_end(feed);
}

static void next_spool(struct top_source *source, struct feed *feed)
{
	struct spool_source *spool = (struct spool_source *)source;
	bool is_read;

	if (transport_clock_us() >= spool->list_us) {
		list(spool);
		spool->list_us = transport_clock_us() + LIST_US;
	}
	is_read = read_writers(spool);
	publish(spool, feed, is_read);
	feed_wait(feed, is_read ? ROUND_US : 0);
}

static void interrupt_spool(struct top_source *source)
{
	(void)source; /* a round is short */
}

static void close_spool(struct top_source *source)
{
	struct spool_source *spool = (struct spool_source *)source;

	for (size_t i = 0; i < spool->count; i++)
		spooled_close(spool->writers[i]);
	wants_deinit(&spool->wants);
	free(spool->path);
	free(spool);
}

struct top_source *spool_source_new(const char *path)
{
	struct spool_source *spool = calloc(1, sizeof *spool);

	if (!spool)
		return NULL;
	spool->source = (struct top_source){ open_spool, next_spool, interrupt_spool, close_spool };
	spool->path = path ? strdup(path) : NULL;
	if (!path || spool->path)
		return &spool->source;
	free(spool);
	return NULL;
}
