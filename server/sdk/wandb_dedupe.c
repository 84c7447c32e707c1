#include "wandb_dedupe.h"

#include <string.h>

#include "app.h"
#include "auth.h"
#include "batch_blocks.h"
#include "batch_scan.h"
#include "run_store.h"
#include "sdk_role.h"
#include "wandb_follow.h"
#include "wandb_session_cache.h"
#include "writer_store.h"

bool wandb_dedupe_is_refusal(err_t e)
{
	return e && e->type && strcmp(e->type, "lines-known") == 0;
}

void wandb_dedupe_note(struct request *q, const struct ingest_batch *batch)
{
	wandb_session_cache_note(q->app->wandb, WANDB_COMPARES, q->target->run_id, batch->client,
				 STR(""));
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
		return err_new(q->arena, ERR_INTERNAL, "cannot read what the writer stored");
	history = drop_lines(&stored.of[LINE_FILE_HISTORY], &body->lines[LINE_FILE_HISTORY],
			     &body->parts.history, &body->parts.repeated);
	events = drop_lines(&stored.of[LINE_FILE_EVENTS], &body->lines[LINE_FILE_EVENTS],
			    &body->parts.events, &body->parts.repeated);
	*ret_unsure = history || events;
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

/* ---- console --------------------------------------------------------------------------------------- */

/* A request without rows belongs to the process whose rows the session sent last. */
static void note_repeats(struct request *q, const struct wandb_body *body,
			 const struct ingest_batch *batch, struct row_match *match)
{
	struct wandb_session_cache *cache = q->app->wandb;
	int64_t run_id = q->target->run_id;

	if (body->parts.repeated)
		wandb_session_cache_note_repeats(cache, run_id, batch->client, match->found_lane);
	else if (batch->history.data.len || batch->events.data.len)
		wandb_session_cache_note_repeats(cache, run_id, batch->client, -1);
	else
		match->found_lane = wandb_session_cache_repeats(cache, run_id, batch->client);
}

static bool may_sync(struct arena *a, const struct writer *w)
{
	const struct json_doc *info, *program;

	if (json_doc_parse(a, w->info, &info))
		return true;
	program = json_doc_get_named(info, "program");
	return sdk_role_program_may_sync(json_doc_is(program, JSON_KIND_STRING) ? program->text
										: STR(""));
}

static err_t number_console(struct request *q, const struct writer *w, struct row_match *match,
			    const struct wandb_body *body, struct ingest_batch *batch,
			    struct lines *lines)
{
	struct wandb_follow_ask ask = {
		.match = match,
		.writer = w,
		.client = batch->client,
		.repeats = body->parts.repeated > 0,
		.brings_new = batch->history.data.len || batch->events.data.len,
		.may_sync = !w || may_sync(q->arena, w),
	};
	struct writer *left;
	err_t e = find_left(q, match->run, batch->client, &left, &ask.left_count);

	ask.left = left;
	return e ? e : wandb_follow_lines(q, &ask, lines, &batch->lines);
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

static err_t scan_lines(struct request *q, const struct writer *w, struct wandb_body *body,
			struct ingest_batch *batch, struct row_match *match)
{
	bool is_unsure;
	err_t e = drop_all_lines(q, w, body, &is_unsure);

	body->parts.match = is_unsure ? match : NULL;
	return e ? e : scan(q, body, batch);
}

/* Rows are scanned first, because they tell which process the console lines belong to. */
static err_t scan_content(struct request *q, const struct writer *w, struct wandb_body *body,
			  struct ingest_batch *batch, struct row_match *match)
{
	struct lines lines = body->parts.console;
	err_t e;

	body->parts.match = match;
	body->parts.console.count = 0;
	e = scan(q, body, batch);
	if (e)
		return e;
	note_repeats(q, body, batch, match);
	e = number_console(q, w, match, body, batch, &lines);
	if (!e && lines.count)
		batch_make_lines(q->app->ingest, request_scratch(q), &lines, batch);
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
	e = batch->identity == BATCH_BY_LINES ? scan_lines(q, w, body, batch, &match)
					      : scan_content(q, w, body, batch, &match);
	ingest_give_codec(q->app->ingest, match.codec);
	batch->lines.is_compared = true;
	batch->batch = w ? w->batch + 1 : 1;
	batch->session = w ? w->session : 0;
	return e;
}

err_t wandb_dedupe_scan(struct request *q, struct wandb_body *body, struct ingest_batch *batch,
			struct wandb_dedupe *ret_known)
{
	struct writer *w = NULL;
	err_t e = NULL;

	*ret_known = (struct wandb_dedupe){ false };
	if (!wandb_session_cache_knows(q->app->wandb, WANDB_COMPARES, q->target->run_id,
				       batch->client, STR("")))
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
