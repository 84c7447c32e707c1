/*
 * The whole summary that a process of the wandb SDK sends. The one that it sent before is stored,
 * with what it has logged since, so that explicitly set values can be found; the values set by all
 * writers are read once in a flush, as long as no writer sets any.
 */
#include "flush_documents.h"

#include "arena.h"
#include "flush_sent.h"
#include "sdk_common.h"

static err_t parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	return text.len ? json_doc_parse(a, text, ret_doc) : NULL;
}

static err_t read_set(const struct document_change *c)
{
	struct run_work *work = c->work;
	err_t e;

	if (work->knows_set)
		return NULL;
	e = leaf_store_list(c->flush->db, &c->of, &work->set);
	if (e)
		return e;
	work->set_joined = leaves_join(c->flush->arena, &work->set);
	work->knows_set = true;
	return NULL;
}

/* Whether any set value has to be dropped; else it is merged leaf by leaf. */
static bool drops_any(const struct document_change *c, const struct leaves *leaves)
{
	struct leaves left = { arena_copy(c->flush->arena, leaves->at,
					  leaves->count * sizeof(leaves->at[0])),
			       leaves->count };

	flush_drop_judged(c, &left);
	return left.count != leaves->count;
}

static err_t apply(struct document_change *c, const struct leaves *leaves)
{
	bool drops = leaves->count && drops_any(c, leaves);

	c->sent = c->judged->set;
	if (!drops && !c->sent->count)
		return NULL;
	c->run->document_seq++;
	c->work->knows_set = false;
	return drops ? flush_document_whole(c) : flush_take_change(c);
}

/* Each key with the run's next row: values logged from there on show again. */
static const struct json_doc *marked(struct arena *a, const struct json_doc *keys, int64_t next_row)
{
	struct json_member *members = arena_new_array(a, struct json_member, keys->count);

	for (size_t i = 0; i < keys->count; i++)
		members[i] = (struct json_member){ keys->members[i].name,
						   json_doc_of_int64(a, next_row) };
	return json_doc_object(a, members, keys->count);
}

/*
 * A logged key that the process deleted stays deleted until it is logged
 * again, as with users' edits. If there are several writers, the last
 * value may be another's, which only that one can erase.
 */
static err_t put_deleted(const struct document_change *c, const struct sdk_summary_ask *ask)
{
	const struct json_doc *patch = json_doc_empty();
	const struct json_doc *rows = json_doc_empty();
	struct arena *a = c->flush->arena;
	const struct json_doc *deleted;
	struct overlay_row save;
	struct overlay_row *row;
	err_t e;

	deleted = sdk_summary_deleted(a, ask);
	if (!deleted->count || c->run->next_writer > 1)
		return NULL;
	e = document_store_find_overlay(c->flush->db, c->of.run_id, c->of.kind, &row);
	if (!e && row)
		e = parse(a, row->patch, &patch);
	if (!e && row)
		e = parse(a, row->rows, &rows);
	if (e)
		return e;
	rows = json_doc_merge(a, rows, marked(a, deleted, c->run->next_row));
	save = (struct overlay_row){ .seq = ++c->run->document_seq,
				     .rows = json_doc_dump(a, rows),
				     .editors = row ? row->editors : STR("{}") };
	e = document_dump(a, "summary", json_doc_merge(a, patch, deleted), &save.patch);
	if (e) /* no room for the names: the keys are shown again */
		return e->kind == ERR_UNPROCESSABLE ? NULL : e;
	return document_store_save_overlay(c->flush->db, c->of.run_id, c->of.kind, &save);
}

static err_t judge(struct document_change *c, struct sdk_summary_ask *ask)
{
	struct arena *a = c->flush->arena;
	struct sdk_summary_change *judged = arena_new_of(a, struct sdk_summary_change);
	err_t e = read_set(c);

	if (e)
		return e;
	ask->explicit_now = c->work->set_joined;
	sdk_summary_judge(a, ask, judged);
	c->judged = judged;
	e = apply(c, &c->work->set);
	return e ? e : put_deleted(c, ask);
}

static void save(const struct document_change *c, const struct sent_row *was,
		 const struct sent_row *is)
{
	if (!str_equal(was->summary, is->summary) || !str_equal(was->waiting, is->waiting) ||
	    !str_equal(was->ahead, is->ahead) || !str_equal(was->common, is->common) ||
	    was->session != is->session)
		flush_sent_put(c->flush, c->writer, is);
}

/* Reads the stored state of the writer; *ret_waiting is NULL if no summary waits. */
static err_t read_known(const struct document_change *c, const struct ingest_batch *batch,
			const struct sent_row *row, struct sdk_summary_ask *ask,
			const struct json_doc **ret_waiting)
{
	struct arena *a = c->flush->arena;
	const struct json_doc *ahead = json_doc_empty();
	const struct json_doc *common = NULL;
	err_t e;

	*ret_waiting = NULL;
	e = parse(a, row->summary, &ask->before);
	if (!e)
		e = parse(a, row->common, &common);
	if (!e)
		e = parse(a, row->waiting, ret_waiting);
	if (!e)
		e = parse(a, row->ahead, &ahead);
	ask->common = flush_common(c, common, ask->before);
	ask->before_is_own = !ask->common && row->session == c->writer->session;
	ask->last_own = ask->before_is_own ? ahead : json_doc_empty();
	if (batch->last)
		ask->last_own = json_doc_merge(a, ask->last_own, batch->last);
	ask->last = batch->last ? json_doc_merge(a, ahead, batch->last) : ahead;
	return e;
}

/* The summary to be judged now, NULL: none. One that waited does so no longer. */
static const struct json_doc *choose(const struct ingest_batch *batch,
				     const struct sdk_summary_ask *ask,
				     const struct json_doc *waiting)
{
	const struct json_doc *sent = batch->summary ? batch->summary : waiting;

	return !sent && ask->derived ? ask->before : sent;
}

static bool waits(const struct ingest_batch *batch, const struct sdk_summary_ask *ask)
{
	return batch->summary && !batch->summary_is_final && sdk_summary_waits(ask);
}

/* The new common values of the writer's processes; a summary that waits changes nothing yet. */
static struct str common_after(const struct document_change *c, const struct sdk_summary_ask *ask)
{
	struct arena *a = c->flush->arena;

	if (!ask->common || (ask->sent && !c->is_one_of_several))
		return (struct str){ NULL, 0 };
	return json_doc_dump(a,
			     ask->sent ? sdk_common_after(a, ask->common, ask->sent) : ask->common);
}

/* The stored state of the writer, before and after. */
struct whole {
	const struct ingest_batch *batch;
	struct sdk_summary_ask ask;
	struct sent_row was;
	struct sent_row is;
};

static err_t take_whole(struct document_change *c, const struct json_doc *doc, void *with)
{
	struct arena *a = c->flush->arena;
	struct whole *w = with;
	struct str text;
	err_t e;

	w->ask.sent = doc;
	e = document_dump(a, "summary", doc, &text);
	/* Before it waits: the batch that it waits for is not to blame. */
	if (!e)
		e = leaves_check_paths(a, "summary", doc);
	if (e)
		return e;
	if (waits(w->batch, &w->ask)) {
		w->is = (struct sent_row){ .summary = w->was.summary, .waiting = text };
		w->ask.sent = NULL;
		return NULL;
	}
	w->is = (struct sent_row){ .summary = text };
	return judge(c, &w->ask);
}

err_t flush_whole_summary(struct document_change *c, struct ingest_batch *batch)
{
	struct arena *a = c->flush->arena;
	struct whole w = {
		.batch = batch,
		.ask = { .derived = batch->summary_derived },
		.was = *flush_sent_find(c->flush, c->writer),
	};
	const struct json_doc *waiting;
	const struct json_doc *sent;
	err_t e;

	e = read_known(c, batch, &w.was, &w.ask, &waiting);
	if (e)
		return e;
	sent = choose(batch, &w.ask, waiting);
	w.is = (struct sent_row){ .summary = w.was.summary };
	e = flush_take_fitting(c, batch, take_whole, &sent, &w);
	if (e)
		return e;
	/* All of it was left out: it counts as new when it comes again. */
	if (!sent) {
		w.ask.sent = NULL;
		w.is = (struct sent_row){ .summary = w.was.summary };
	}
	w.is.common = common_after(c, &w.ask);
	w.is.session = c->writer->session;
	w.is.ahead = w.ask.derived ? STR("{}")
				   : json_doc_dump(a, sdk_summary_ahead(a, w.ask.last, w.ask.sent));
	save(c, &w.was, &w.is);
	return NULL;
}
