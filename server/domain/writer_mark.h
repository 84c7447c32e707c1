#ifndef WRITER_MARK_H
#define WRITER_MARK_H

#include "writer.h"

struct arena;

/*
 * The changes that batches made to a writer since an earlier state of it. A flush appends marks to
 * the run's tail instead of updating the writers' rows; they are applied to the rows when the run
 * is compacted, and until then by their readers. Counters only grow within a session, so a mark may
 * be applied twice or to a row that is ahead of it: it changes nothing then.
 */
struct writer_mark {
	int32_t writer;
	int32_t attempt;
	int32_t session;
	int64_t batch;
	int64_t history_rows;
	int64_t event_rows;
	int64_t console_lines;
	int64_t dropped_rows;
	int64_t last_step;
	int64_t last_event;
	int64_t lag_us;
	int64_t repeats;
	int64_t console_shift;
	timestamp_us heard_at;
	timestamp_us data_at; /* 0: none yet */
	struct str recent;    /* the new ones of writer.recent, newest first */
	struct str lines;     /* all of them */
	struct str streams;   /* all of them */
};

/* The mark of a writer whose last batch was `before`; it points to the writer's memory. */
struct writer_mark writer_mark_of(const struct writer *w, int64_t before);

/*
 * A mark of another session is old: the start of the session included it.
 * New bytes come from the arena.
 */
void writer_mark_apply(struct arena *a, struct writer *w, const struct writer_mark *mark);

#endif
