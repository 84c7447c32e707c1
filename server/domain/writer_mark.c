#include "writer_mark.h"

#include <string.h>

#include "arena.h"
#include "batch.h"
#include "record_streams.h"

struct writer_mark writer_mark_of(const struct writer *w, int64_t before)
{
	int64_t fresh = w->batch - before;
	size_t most = w->recent.len / BATCH_MEMORY_LEN;
	size_t count = fresh < 0 || (uint64_t)fresh > most ? most : (size_t)fresh;

	return (struct writer_mark){
		.writer = w->writer,
		.attempt = w->attempt,
		.session = w->session,
		.batch = w->batch,
		.history_rows = w->history_rows,
		.event_rows = w->event_rows,
		.console_lines = w->console_lines,
		.dropped_rows = w->dropped_rows,
		.last_step = w->last_step,
		.last_event = w->last_event,
		.lag_us = w->lag_us,
		.repeats = w->repeats,
		.console_shift = w->console_shift,
		.lines = w->lines,
		.streams = w->streams,
		.heard_at = w->heard_at,
		.data_at = w->data_at,
		.recent = { w->recent.at, count * BATCH_MEMORY_LEN },
	};
}

static int64_t greater(int64_t one, int64_t other)
{
	return one > other ? one : other;
}

/* Puts the batches after the writer's last remembered one in front of it. */
static void remember(struct arena *a, struct writer *w, const struct writer_mark *mark)
{
	uint64_t fresh = (uint64_t)(mark->batch - w->batch);
	size_t told = mark->recent.len / BATCH_MEMORY_LEN;
	size_t front = (fresh < told ? (size_t)fresh : told) * BATCH_MEMORY_LEN;
	size_t back = fresh > told ? 0 : w->recent.len; /* what is in between is not known */
	char *bytes = arena_alloc(a, front + back);

	if (front)
		memcpy(bytes, mark->recent.at, front);
	if (back)
		memcpy(bytes + front, w->recent.at, back);
	w->recent.at = bytes;
	w->recent.len = front + back < BATCH_RECENT_MAX ? front + back : BATCH_RECENT_MAX;
	w->batch = mark->batch;
	w->lines = mark->lines;
	w->console_shift = mark->console_shift;
}

/* Batches without a number, which are rows by hand, are all of one stream. */
static bool has_newer_streams(const struct writer *w, const struct writer_mark *mark)
{
	return mark->batch > w->batch ||
	       (mark->batch == w->batch &&
		record_streams_sum(mark->streams) > record_streams_sum(w->streams));
}

void writer_mark_apply(struct arena *a, struct writer *w, const struct writer_mark *mark)
{
	if (mark->session != w->session)
		return;
	if (has_newer_streams(w, mark))
		w->streams = mark->streams;
	if (mark->batch > w->batch)
		remember(a, w, mark);
	w->attempt = mark->attempt > w->attempt ? mark->attempt : w->attempt;
	w->history_rows = greater(w->history_rows, mark->history_rows);
	w->event_rows = greater(w->event_rows, mark->event_rows);
	w->console_lines = greater(w->console_lines, mark->console_lines);
	w->dropped_rows = greater(w->dropped_rows, mark->dropped_rows);
	w->last_step = greater(w->last_step, mark->last_step);
	w->last_event = greater(w->last_event, mark->last_event);
	w->repeats = greater(w->repeats, mark->repeats);
	if (mark->data_at.us >= w->data_at.us)
		w->lag_us = mark->lag_us;
	w->heard_at.us = greater(w->heard_at.us, mark->heard_at.us);
	w->data_at.us = greater(w->data_at.us, mark->data_at.us);
}
