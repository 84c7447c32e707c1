#include "wandb_known.h"

#include <string.h>

#include "app.h"
#include "auth.h"
#include "batch_scan.h"
#include "console_lines.h"
#include "wandb_door.h"
#include "writer_store.h"

bool wandb_known_is_refusal(err_t e)
{
	return e && e->type && strcmp(e->type, "lines-known") == 0;
}

void wandb_known_note(struct request *q, const struct ingest_batch *batch)
{
	wandb_door_note(q->app->wandb, WANDB_COMPARES, q->target->run_id, batch->client, STR(""));
}

static bool is_in(const struct line_part *parts, unsigned count, int64_t number)
{
	for (unsigned i = 0; i < count; i++) {
		if (number >= parts[i].from && number < parts[i].to)
			return true;
	}
	return false;
}

/* True when of some lines their number does not tell whether they are stored. */
static bool drop_lines(const struct line_ranges *stored, const struct line_range *range,
		       struct batch_rows *rows, size_t *repeated)
{
	struct line_part parts[LINE_PARTS_MAX];
	unsigned count = line_ranges_missing(stored, range->from, range->to, parts);
	bool is_unsure = false;
	size_t kept = 0;

	for (unsigned i = 0; i < count; i++)
		is_unsure = is_unsure || parts[i].kind == LINE_PART_UNKNOWN;
	for (size_t i = 0; i < rows->count; i++) {
		if (is_in(parts, count, range->from + (int64_t)i))
			rows->lines[kept++] = rows->lines[i];
	}
	*repeated += rows->count - kept;
	rows->count = kept;
	return is_unsure;
}

/* Whether the content has to be compared, too. */
static err_t drop_all_lines(struct request *q, const struct writer *w, struct wandb_body *body,
			    bool *ret_unsure)
{
	struct line_files stored;
	bool history, events;

	if (!line_files_decode(w->lines, &stored))
		return err_new(q->arena, ERR_INTERNAL, "what the writer stored cannot be read");
	history = drop_lines(&stored.of[LINE_FILE_HISTORY], &body->lines[LINE_FILE_HISTORY],
			     &body->parts.history, &body->parts.repeated);
	events = drop_lines(&stored.of[LINE_FILE_EVENTS], &body->lines[LINE_FILE_EVENTS],
			    &body->parts.events, &body->parts.repeated);
	*ret_unsure = history || events;
	return NULL;
}

/* ---- console --------------------------------------------------------------------------------------- */

static bool is_same_line(const struct line *a, const struct line *b)
{
	return a->number == b->number && str_equal(a->text, b->text);
}

/*
 * A folder that is synced again brings the lines that are there, with times of its own; a run that begins
 * again brings others. Lines with which both begin are kept once.
 */
static err_t are_stored(const struct row_match *m, const struct lines *sent, bool *ret_stored)
{
	const struct console_place place = { m->writer->run_id, m->writer->writer,
					     sent->items[0].number, 1 };
	struct lines lines;
	int64_t next;
	err_t e = console_lines_read(m->db, m->codec, &place, &lines, &next);

	*ret_stored = !e && lines.count >= sent->count;
	for (uint32_t i = 0; *ret_stored && i < sent->count; i++)
		*ret_stored = is_same_line(&lines.items[i], &sent->items[i]);
	return e;
}

static err_t place_console(const struct row_match *m, struct lines *lines, int64_t *ret_shift)
{
	bool is_known = false;
	err_t e = NULL;

	*ret_shift = 0;
	if (!lines->count)
		return NULL;
	if (writer_console_shift(m->writer, lines->items[0].number, ret_shift))
		e = are_stored(m, lines, &is_known);
	if (e)
		return e;
	if (is_known) {
		*ret_shift = 0;
		lines->count = 0;
	}
	for (uint32_t i = 0; i < lines->count; i++)
		lines->items[i].number += *ret_shift;
	return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------- */

static err_t scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch)
{
	const struct batch_source from = { q->body, q->db, request_scratch(q) };

	return batch_scan_parts(q->app->ingest, &from, &body->parts, batch);
}

static err_t scan_beside(struct request *q, const struct writer *w, struct wandb_body *body,
			 struct ingest_batch *batch)
{
	struct row_match match = {
		.db = q->db,
		.codec = ingest_take_codec(q->app->ingest, arena_share(q->arena)),
		.metrics = ingest_metrics_cache(q->app->ingest),
		.project_id = q->target->project_id,
		.writer = w,
	};
	bool is_unsure = true;
	err_t e = NULL;

	if (batch->identity == BATCH_BY_LINES)
		e = drop_all_lines(q, w, body, &is_unsure);
	else
		e = place_console(&match, &body->parts.console, &batch->lines.console_shift);
	body->parts.match = is_unsure ? &match : NULL;
	if (!e)
		e = scan(q, body, batch);
	ingest_give_codec(q->app->ingest, match.codec);
	batch->lines.is_compared = true;
	batch->batch = w->batch + 1;
	return e;
}

err_t wandb_known_scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch,
		       struct wandb_known *ret_known)
{
	struct writer *w = NULL;
	err_t e = NULL;

	*ret_known = (struct wandb_known){ false };
	if (wandb_door_knows(q->app->wandb, WANDB_COMPARES, q->target->run_id, batch->client,
			     STR("")))
		e = writer_store_find_now(q->db, q->target->run_id, batch->client, &w);
	if (e)
		return e;
	if (!w)
		return scan(q, body, batch);
	e = scan_beside(q, w, body, batch);
	ret_known->is_repeat = body->parts.repeated && !batch->history.data.len &&
			       !batch->events.data.len;
	return e;
}
