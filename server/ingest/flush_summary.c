/*
 * The whole summary that a process of the wandb SDK sends. What it sent before is stored, so that it can
 * be told what it set; what is set by all writers is read only where there is anything.
 */
#include "flush_documents.h"

#include "arena.h"

static err_t read_before(const struct document_change *c, const struct json_doc **ret_before)
{
	struct sent_row *row;
	err_t e;

	*ret_before = NULL;
	e = document_store_find_sent(c->flush->db, c->of.run_id, c->writer->writer, &row);
	if (e || !row)
		return e;
	return json_doc_parse(c->flush->arena, row->summary, ret_before);
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

err_t flush_whole_summary(struct document_change *c, const struct ingest_batch *batch)
{
	struct flush *f = c->flush;
	struct sdk_summary_ask ask = {
		.sent = batch->summary,
		.last = batch->last,
		.derived = batch->summary_derived,
	};
	struct sdk_summary_change *judged = arena_new_of(f->arena, struct sdk_summary_change);
	struct leaves leaves;
	struct str sent;
	err_t e;

	e = document_dump(f->arena, "summary", batch->summary, &sent);
	if (!e)
		e = read_before(c, &ask.before);
	if (!e)
		e = read_explicit(c, &leaves);
	if (e)
		return e;
	ask.explicit_now = leaves_join(f->arena, &leaves);
	sdk_summary_judge(f->arena, &ask, judged);
	c->judged = judged;
	e = apply(c, &leaves);
	if (e || json_doc_equal(ask.sent, ask.before))
		return e;
	return document_store_save_sent(f->db, c->of.run_id, c->writer->writer, sent);
}
