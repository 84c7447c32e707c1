#include "wandb_known.h"

#include <string.h>

#include "app.h"
#include "auth.h"
#include "batch_scan.h"
#include "console_lines.h"
#include "run_store.h"
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
static err_t are_stored(const struct row_match *m, int32_t writer, const struct lines *sent,
			bool *ret_stored)
{
	const struct console_place place = { m->run->run_id, writer, sent->items[0].number,
					     CONSOLE_LARGE_WINDOWS };
	struct lines lines;
	int64_t next;
	err_t e = console_lines_read(m->db, m->codec, &place, &lines, &next);

	*ret_stored = !e && lines.count >= sent->count;
	for (uint32_t i = 0; *ret_stored && i < sent->count; i++)
		*ret_stored = is_same_line(&lines.items[i], &sent->items[i]);
	return e;
}

static err_t place_console(const struct row_match *m, const struct writer *w, struct lines *lines,
			   int64_t *ret_shift)
{
	bool is_known = false;
	err_t e = NULL;

	*ret_shift = 0;
	if (!lines->count)
		return NULL;
	if (writer_console_shift(w, lines->items[0].number, ret_shift))
		e = are_stored(m, w->writer, lines, &is_known);
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

/* ---- of others --------------------------------------------------------------------------------------- */

/* A name that stands for a process was given again with each branch (branch_store_set_aside()). */
static err_t find_left(struct request *q, const struct run *run, struct str client,
		       struct writer **ret_writers, size_t *ret_count)
{
	size_t branches = (size_t)run->branch;
	struct str *names = arena_new_array(q->arena, struct str, branches);
	int64_t *run_ids = arena_new_array(q->arena, int64_t, branches);

	*ret_count = 0;
	if (!branches)
		return NULL;
	for (int32_t i = 0; i < run->branch; i++) {
		names[i] = str_of(arena_printf(q->arena, "%.*s@%d", STR_ARG(client), (int)i));
		run_ids[i] = run->run_id;
	}
	return writer_store_find_all(q->db, run_ids, names, branches, ret_writers, ret_count);
}

static err_t drop_if_stored(const struct row_match *m, int32_t writer, const struct lines *sent,
			    struct ingest_batch *batch)
{
	bool is_known;
	err_t e = are_stored(m, writer, sent, &is_known);

	if (e || !is_known)
		return e;
	batch->console = (struct str){ NULL, 0 };
	batch->line_count = 0;
	return NULL;
}

/* Lines that come with rows that are stored may be of who stored those, or of a branch that was left. */
static err_t drop_console(struct request *q, const struct row_match *m, const struct lines *sent,
			  struct ingest_batch *batch)
{
	struct writer *left;
	size_t count;
	err_t e;

	e = find_left(q, m->run, batch->client, &left, &count);
	for (size_t i = 0; !e && i < count && batch->console.len; i++)
		e = drop_if_stored(m, left[i].writer, sent, batch);
	if (!e && batch->console.len && m->found_lane >= 0)
		e = drop_if_stored(m, m->found_lane, sent, batch);
	return e;
}

/* Whether the console is of who sends nothing that is new; lines that come alone, of who did so before. */
static bool may_be_stored(struct request *q, const struct wandb_body *body,
			  const struct ingest_batch *batch, struct row_match *match)
{
	struct wandb_door *door = q->app->wandb;
	int64_t run_id = q->target->run_id;

	if (batch->history.data.len || batch->events.data.len) {
		wandb_door_note_repeats(door, run_id, batch->client, -1);
		return false;
	}
	if (body->parts.repeated) {
		wandb_door_note_repeats(door, run_id, batch->client, match->found_lane);
		return true;
	}
	match->found_lane = wandb_door_repeats(door, run_id, batch->client);
	return match->found_lane >= 0;
}

/* ---- all ------------------------------------------------------------------------------------------- */

static err_t scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch)
{
	const struct batch_source from = { q->body, q->db, request_scratch(q) };

	return batch_scan_parts(q->app->ingest, &from, &body->parts, batch);
}

static bool is_repeat(const struct wandb_body *body, const struct ingest_batch *batch)
{
	return body->parts.repeated && !batch->history.data.len && !batch->events.data.len;
}

static err_t scan_with(struct request *q, const struct writer *w, struct wandb_body *body,
		       struct ingest_batch *batch, struct row_match *match)
{
	const struct lines sent = body->parts.console;
	bool is_unsure = true;
	err_t e = NULL;

	if (batch->identity == BATCH_BY_LINES)
		e = drop_all_lines(q, w, body, &is_unsure);
	else if (w)
		e = place_console(match, w, &body->parts.console, &batch->lines.console_shift);
	body->parts.match = is_unsure ? match : NULL;
	if (!e)
		e = scan(q, body, batch);
	if (!e && may_be_stored(q, body, batch, match) && sent.count &&
	    !batch->lines.console_shift && batch->console.len)
		e = drop_console(q, match, &sent, batch);
	return e;
}

static err_t scan_beside(struct request *q, const struct writer *w, struct wandb_body *body,
			 struct ingest_batch *batch)
{
	struct row_match match = {
		.db = q->db,
		.metrics = ingest_metrics_cache(q->app->ingest),
		.project_id = q->target->project_id,
		.found_lane = -1,
	};
	struct run *run;
	err_t e = run_store_get(q->db, q->target->run_id, &run);

	if (e)
		return e;
	match.run = run;
	match.codec = ingest_take_codec(q->app->ingest, arena_share(q->arena));
	e = scan_with(q, w, body, batch, &match);
	ingest_give_codec(q->app->ingest, match.codec);
	batch->lines.is_compared = true;
	batch->batch = w ? w->batch + 1 : 1;
	return e;
}

err_t wandb_known_scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch,
		       struct wandb_known *ret_known)
{
	struct writer *w = NULL;
	err_t e = NULL;

	*ret_known = (struct wandb_known){ false };
	if (!wandb_door_knows(q->app->wandb, WANDB_COMPARES, q->target->run_id, batch->client,
			      STR("")))
		return scan(q, body, batch);
	e = writer_store_find_now(q->db, q->target->run_id, batch->client, &w);
	if (e)
		return e;
	if (!w && batch->identity == BATCH_BY_LINES)
		return scan(q, body, batch);
	e = scan_beside(q, w, body, batch);
	ret_known->is_repeat = is_repeat(body, batch);
	return e;
}
