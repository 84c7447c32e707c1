/*
 * The whole summary that a process of the wandb SDK sends. What it sent before is stored, and what it has
 * logged since, so that it can be told what it set; what is set by all writers is read only where there
 * is anything.
 */
#include "flush_documents.h"

#include "arena.h"

static err_t parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	return text.len ? json_doc_parse(a, text, ret_doc) : NULL;
}

static err_t read_explicit(const struct document_change *c, struct leaves *ret_leaves)
{
	struct merged_row merged;
	err_t e;

	*ret_leaves = (struct leaves){ NULL, 0 };
	e = leaf_store_find_merged(c->flush->db, &c->of, &merged);
	if (e || !merged.value_count)
		return e;
	return leaf_store_list(c->flush->db, &c->of, ret_leaves);
}

/* Whether any of what is set has to go; else it is merged leaf by leaf. */
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
	return drops ? flush_document_whole(c) : flush_take_change(c);
}

static err_t judge(struct document_change *c, struct sdk_summary_ask *ask)
{
	struct arena *a = c->flush->arena;
	struct sdk_summary_change *judged = arena_new_of(a, struct sdk_summary_change);
	struct leaves leaves;
	err_t e;

	e = read_explicit(c, &leaves);
	if (e)
		return e;
	ask->explicit_now = leaves_join(a, &leaves);
	sdk_summary_judge(a, ask, judged);
	c->judged = judged;
	return apply(c, &leaves);
}

static err_t save(const struct document_change *c, const struct sent_row *was,
		  const struct sent_row *is)
{
	if (str_equal(was->summary, is->summary) && str_equal(was->waiting, is->waiting) &&
	    str_equal(was->ahead, is->ahead))
		return NULL;
	return document_store_save_sent(c->flush->db, c->of.run_id, c->writer->writer, is);
}

/* What is known of the writer; *ret_waiting is NULL when nothing waits. */
static err_t read_known(const struct document_change *c, const struct ingest_batch *batch,
			struct sent_row *ret_row, struct sdk_summary_ask *ask,
			const struct json_doc **ret_waiting)
{
	struct arena *a = c->flush->arena;
	const struct json_doc *ahead = json_doc_empty();
	struct sent_row *row;
	err_t e;

	*ret_waiting = NULL;
	e = document_store_find_sent(c->flush->db, c->of.run_id, c->writer->writer, &row);
	if (!e && row) {
		*ret_row = *row;
		e = parse(a, row->summary, &ask->before);
		if (!e)
			e = parse(a, row->waiting, ret_waiting);
		if (!e)
			e = parse(a, row->ahead, &ahead);
	}
	ask->last = batch->last ? json_doc_merge(a, ahead, batch->last) : ahead;
	return e;
}

/* The summary that is looked at now, NULL: none. One that waited does so no longer. */
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

err_t flush_whole_summary(struct document_change *c, const struct ingest_batch *batch)
{
	struct arena *a = c->flush->arena;
	struct sdk_summary_ask ask = { .derived = batch->summary_derived };
	struct sent_row was = { .ahead = { NULL, 0 } };
	const struct json_doc *waiting;
	struct sent_row is;
	struct str text = { NULL, 0 };
	err_t e;

	e = read_known(c, batch, &was, &ask, &waiting);
	if (e)
		return e;
	ask.sent = choose(batch, &ask, waiting);
	if (ask.sent)
		e = document_dump(a, "summary", ask.sent, &text);
	is = (struct sent_row){ .summary = ask.sent ? text : was.summary };
	if (!e && ask.sent && waits(batch, &ask)) {
		is = (struct sent_row){ .summary = was.summary, .waiting = text };
		ask.sent = NULL;
	}
	if (!e && ask.sent)
		e = judge(c, &ask);
	if (e)
		return e;
	is.ahead = ask.derived ? STR("{}")
			       : json_doc_dump(a, sdk_summary_ahead(a, ask.last, ask.sent));
	return save(c, &was, &is);
}
