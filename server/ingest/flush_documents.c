/*
 * Documents are merged leaf by leaf: only the leaves of the writer's own document are read and
 * written. Only if a leaf of one meets an object of another is the whole document merged again.
 */
#include "flush_documents.h"

#include "arena.h"
#include "document.h"
#include "document_fit.h"
#include "sdk_common.h"
#include "sdk_lists.h"
#include "sdk_processes.h"

static const char *name_of(const struct document_change *c)
{
	return c->of.kind == DOCUMENT_CONFIG ? "config" : "summary";
}

static err_t parse(struct flush *f, struct str text, const struct json_doc **ret_doc)
{
	*ret_doc = json_doc_empty();
	return text.len ? json_doc_parse(f->arena, text, ret_doc) : NULL;
}

/*
 * ---- next to the document
 * ------------------------------------------------------------------------
 */

/* The document as users see it. */
static const struct json_doc *shown(const struct document_change *c, const struct json_doc *doc)
{
	return c->of.kind == DOCUMENT_CONFIG ? sdk_lists_close(c->flush->arena, doc) : doc;
}

/* Removes users' edits of values that a writer now sends with a new value. */
err_t flush_trim_overlay(const struct document_change *c, const struct json_doc *was,
			 const struct json_doc *is)
{
	struct overlay_change change = { shown(c, was), shown(c, is), json_doc_empty() };
	struct flush *f = c->flush;
	const struct json_doc *patch;
	const struct json_doc *kept;
	struct overlay_row *row;
	struct leaves whole;
	err_t e;

	e = document_store_find_overlay(f->db, c->of.run_id, c->of.kind, &row);
	if (e || !row)
		return e;
	e = parse(f, row->patch, &patch);
	if (e)
		return e;
	kept = document_overlay_after(f->arena, patch, &change);
	if (json_doc_equal(kept, patch))
		return NULL;
	e = leaf_store_list(f->db, &c->of, &whole);
	if (e)
		return e;
	change.whole = shown(c, leaves_join(f->arena, &whole));
	kept = document_overlay_after(f->arena, patch, &change);
	row->patch = json_doc_dump(f->arena, kept);
	row->seq = c->run->document_seq;
	return document_store_save_overlay(f->db, c->of.run_id, c->of.kind, row);
}

static const struct conflict_row *find_conflict(const struct conflict_row *rows, size_t count,
						struct str key)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(rows[i].key, key))
			return &rows[i];
	}
	return NULL;
}

/* Two paths may have one key: "a.b" and "b" within "a". */
static err_t add_conflict(struct flush *f, const struct conflict *conflict,
			  struct conflict_row *rows, size_t *count)
{
	struct conflict_row *row =
		(struct conflict_row *)(uintptr_t)find_conflict(rows, *count, conflict->key);
	const struct json_doc *remembered = NULL;
	err_t e = NULL;

	if (!row) {
		row = &rows[(*count)++];
		*row = (struct conflict_row){ .key = conflict->key };
	}
	if (row->writers.len)
		e = json_doc_parse(f->arena, row->writers, &remembered);
	if (e)
		return e;
	remembered = document_conflict_values(f->arena, remembered, conflict);
	row->writers = json_doc_dump(f->arena, remembered);
	row->count++;
	return NULL;
}

/* The conflicts without those that do not count as one. */
static struct conflicts chosen(const struct document_change *c, const struct conflicts *all)
{
	struct conflicts some = { arena_new_array(c->flush->arena, struct conflict, all->count),
				  0 };

	for (size_t i = 0; i < all->count; i++) {
		if (!c->judged || !sdk_summary_may_differ(all->at[i].key))
			some.at[some.count++] = all->at[i];
	}
	return some;
}

/* All conflicts of one change: read in one statement and written in another. */
err_t flush_save_conflicts(const struct document_change *c, const struct conflicts *all)
{
	const struct conflicts some = chosen(c, all);
	const struct conflicts *conflicts = &some;
	struct flush *f = c->flush;
	struct conflict_row *known;
	struct conflict_row *rows;
	size_t known_count;
	size_t count = 0;
	err_t e;

	if (!conflicts->count)
		return NULL;
	e = document_store_find_conflicts(f->db, c->of.run_id, c->of.kind, conflicts, &known,
					  &known_count);
	rows = arena_new_array(f->arena, struct conflict_row, conflicts->count);
	for (size_t i = 0; i < conflicts->count && !e; i++) {
		struct str key = conflicts->at[i].key;
		const struct conflict_row *before = find_conflict(known, known_count, key);

		if (before && !find_conflict(rows, count, key))
			rows[count++] =
				(struct conflict_row){ .key = key, .writers = before->writers };
		e = add_conflict(f, &conflicts->at[i], rows, &count);
	}
	if (e)
		return e;
	return document_store_save_conflicts(f->db, c->of.run_id, c->of.kind, rows, count,
					     f->state.now);
}

/* ---- leaf by leaf -------------------------------------------------------------------------------- */

static err_t find_rows(const struct document_change *c, struct leaves_change *change)
{
	struct flush *f = c->flush;
	size_t most = change->before.count + change->after.count;
	struct leaves paths = { arena_new_array(f->arena, struct leaf, most), 0 };

	for (size_t i = 0; i < change->after.count; i++)
		paths.at[paths.count++] = change->after.at[i];
	for (size_t i = 0; i < change->before.count; i++) {
		if (!leaves_find(&change->after, change->before.at[i].path))
			paths.at[paths.count++] = change->before.at[i];
	}
	return leaf_store_find(f->db, &c->of, &paths, &change->rows);
}

static void count_all(struct flush *f, struct leaves_size *size, const struct leaves *leaves,
		      int sign)
{
	for (size_t i = 0; i < leaves->count; i++)
		leaves_count(f->arena, size, &leaves->at[i], sign);
}

/* Counts the existing rows under the paths of `saved` that are not dropped. */
static void count_replaced(struct flush *f, struct leaves_size *size, const struct leaves *saved,
			   const struct leaves_change *change, const struct leaves *dropped)
{
	for (size_t i = 0; i < saved->count; i++) {
		struct str path = saved->at[i].path;
		const struct leaf *row = leaves_find(&change->rows, path);

		if (row && !leaves_find(dropped, path))
			leaves_count(f->arena, size, row, -1);
	}
}

/* Orphans that another writer has are saved with its value; the others are dropped. */
static err_t settle_orphans(const struct document_change *c, struct leaves_outcome *outcome,
			    struct leaves *ret_heirs)
{
	struct leaves *gone = &outcome->dropped;
	struct leaf *all;
	err_t e;

	*ret_heirs = (struct leaves){ NULL, 0 };
	if (!outcome->orphaned.count)
		return NULL;
	e = leaf_store_heirs(c->flush->db, c->of.run_id, c->writer->writer, &outcome->orphaned,
			     ret_heirs);
	if (e)
		return e;
	leaves_sort(ret_heirs);
	all = arena_new_array(c->flush->arena, struct leaf, gone->count + outcome->orphaned.count);
	for (size_t i = 0; i < gone->count; i++)
		all[i] = gone->at[i];
	for (size_t i = 0; i < outcome->orphaned.count; i++) {
		if (!leaves_find(ret_heirs, outcome->orphaned.at[i].path))
			all[gone->count++] = outcome->orphaned.at[i];
	}
	gone->at = all;
	leaves_sort(gone);
	return NULL;
}

static err_t save_leaves(const struct document_change *c, const struct leaves_change *change,
			 struct leaves_outcome *outcome, struct merged_row *merged)
{
	struct flush *f = c->flush;
	struct leaves_size size = { merged->value_count, merged->size_bytes, merged->path_bytes };
	struct leaves heirs;
	err_t e;

	e = settle_orphans(c, outcome, &heirs);
	if (e)
		return e;
	count_all(f, &size, &outcome->dropped, -1);
	count_replaced(f, &size, &outcome->saved, change, &outcome->dropped);
	count_replaced(f, &size, &heirs, change, &outcome->dropped);
	count_all(f, &size, &outcome->saved, 1);
	count_all(f, &size, &heirs, 1);
	*c->excess = leaves_excess(&size);
	e = leaves_check_size(f->arena, name_of(c), &size);
	if (!e)
		e = leaf_store_drop(f->db, &c->of, &outcome->dropped);
	if (!e)
		e = leaf_store_save(f->db, &c->of, &outcome->saved);
	if (!e)
		e = leaf_store_save(f->db, &c->of, &heirs);
	merged->value_count = size.values;
	merged->size_bytes = size.bytes;
	merged->path_bytes = size.paths;
	return e ? e : leaf_store_save_merged(f->db, &c->of, merged);
}

/* *ret_clash: nothing was done, the document has to be merged as a whole. */
static err_t take_leaves(const struct document_change *c, struct merged_row *merged,
			 bool *ret_clash)
{
	struct flush *f = c->flush;
	struct leaves_change change = { .kind = c->of.kind == DOCUMENT_CONFIG ? LEAVES_CONFIG
									      : LEAVES_SUMMARY,
					.writer = c->writer->writer };
	struct leaves_outcome outcome;
	err_t e;

	if (c->before)
		leaves_split(f->arena, c->before, LEAVES_ALONE, &change.before);
	leaves_split(f->arena, c->sent, LEAVES_AND_OBJECTS, &change.after);
	e = find_rows(c, &change);
	if (e)
		return e;
	leaves_apply(f->arena, &change, &outcome);
	*ret_clash = outcome.clash;
	if (outcome.clash)
		return NULL;
	e = save_leaves(c, &change, &outcome, merged);
	if (!e)
		e = flush_save_conflicts(c, &outcome.conflicts);
	if (!e && outcome.is->count)
		e = flush_trim_overlay(c, outcome.was, outcome.is);
	return e;
}

/* ---- both documents ------------------------------------------------------------------------------ */

err_t flush_take_change(const struct document_change *c)
{
	struct merged_row merged;
	bool clash;
	err_t e;

	e = leaves_check_paths(c->flush->arena, name_of(c), c->sent);
	if (!e)
		e = leaf_store_find_merged(c->flush->db, &c->of, &merged);
	if (e)
		return e;
	if (!merged.tangled) {
		e = take_leaves(c, &merged, &clash);
		if (e || !clash)
			return e;
	}
	return flush_document_whole(c);
}

const struct json_doc *flush_common(const struct document_change *c, const struct json_doc *common,
				    const struct json_doc *whole)
{
	if (!c->is_one_of_several)
		return common;
	if (c->has_blank || (!common && !whole))
		return json_doc_empty();
	return common ? common : whole;
}

/*
 * The sender's document becomes that of all processes of the writer;
 * *ret_common: their common values then.
 */
static void share_config(struct document_change *c, const struct json_doc *common,
			 const struct json_doc **ret_common)
{
	struct arena *a = c->flush->arena;
	const struct json_doc *whole = c->before ? c->before : json_doc_empty();
	const struct json_doc *sent = c->sent;

	c->sent = sdk_common_merge(a, whole, common, sent);
	*ret_common = c->is_one_of_several ? sdk_common_after(a, common, sent) : sent;
}

static err_t read_config(struct document_change *c, struct str *ret_common_text)
{
	struct flush *f = c->flush;
	struct config_row *old;
	err_t e = document_store_find_config(f->db, c->of.run_id, c->writer->writer, &old);

	*ret_common_text = (struct str){ NULL, 0 };
	if (e || !old)
		return e;
	*ret_common_text = old->common;
	return parse(f, old->document, &c->before);
}

static err_t take_config(struct document_change *c)
{
	struct flush *f = c->flush;
	struct config_row row = { .writer = c->writer->writer };
	const struct json_doc *common = NULL;
	struct str common_text;
	err_t e = read_config(c, &common_text);

	if (!e && common_text.at)
		e = parse(f, common_text, &common);
	if (e)
		return e;
	common = flush_common(c, common, c->before);
	if (common)
		share_config(c, common, &common);
	if (common)
		row.common = json_doc_dump(f->arena, common);
	if (c->before && json_doc_equal(c->before, c->sent) && str_equal(common_text, row.common))
		return NULL;
	e = flush_take_change(c);
	if (e)
		return e;
	row.seq = ++c->run->document_seq;
	row.document = json_doc_dump(f->arena, c->sent);
	return document_store_save_config(f->db, c->of.run_id, &row);
}

static err_t take_sent_config(struct document_change *c, const struct json_doc *doc,
			      void *with __attribute__((unused)))
{
	c->sent = sdk_lists_open(c->flush->arena, doc);
	return take_config(c);
}

static bool may_give_way(const struct ingest_batch *batch, err_t e)
{
	return e->kind == ERR_UNPROCESSABLE &&
	       (batch->identity == BATCH_BY_LINES || batch->identity == BATCH_BY_CONTENT);
}

static const struct json_doc *leave_all_out(struct ingest_batch *batch, const struct json_doc *doc,
					    enum left_out_kind kind)
{
	for (size_t i = 0; i < doc->count; i++)
		document_leave_out(batch->arena, &doc->members[i], kind, &batch->left_out_here);
	return NULL;
}

err_t flush_take_fitting(struct document_change *c, struct ingest_batch *batch,
			 document_take_fn *take, const struct json_doc **doc, void *with)
{
	enum left_out_kind kind = c->of.kind == DOCUMENT_CONFIG ? LEFT_OUT_CONFIG
								: LEFT_OUT_SUMMARY;
	struct leaves_size *excess = arena_new_of(batch->arena, struct leaves_size);

	c->excess = excess;
	for (int tries = 0; *doc; tries++) {
		err_t e;

		*excess = (struct leaves_size){ 0 };
		e = take(c, *doc, with);
		if (!e || !may_give_way(batch, e))
			return e;
		*doc = tries < DOCUMENT_FIT_TRIES ? document_fit(batch->arena, *doc, excess, kind,
								 &batch->left_out_here)
						  : leave_all_out(batch, *doc, kind);
	}
	return NULL;
}

static err_t take_summary(struct document_change *c)
{
	c->run->document_seq++;
	c->work->knows_set = false;
	return flush_take_change(c);
}

/* Finds whether the batch may be of another process than the one before it. */
static void look_for_others(struct document_change *c, const struct ingest_batch *batch)
{
	const struct run_clock clock = { c->flush->state.now, batch->limit_us };
	struct sdk_processes processes;

	if (batch->identity != BATCH_BY_CONTENT ||
	    !sdk_processes_read(c->writer->lines, &processes))
		return;
	c->is_one_of_several = sdk_processes_alive(&processes, clock) > 1;
	c->has_blank = processes.has_blank;
}

err_t flush_documents(struct flush *f, struct run_work *work, const struct writer *w,
		      struct ingest_batch *batch)
{
	struct document_change config = {
		.flush = f,
		.run = work->run,
		.work = work,
		.writer = w,
		.of = { work->run->run_id, DOCUMENT_CONFIG },
	};
	const struct json_doc *sent = batch->config;
	struct leaves_size excess;
	struct document_change summary;
	err_t e = NULL;

	look_for_others(&config, batch);
	summary = config;
	summary.of.kind = DOCUMENT_SUMMARY;
	summary.sent = batch->summary;
	summary.excess = &excess;
	if (batch->config || batch->summary)
		work->noted = work->update.documents = true;
	if (batch->config)
		e = flush_take_fitting(&config, batch, take_sent_config, &sent, NULL);
	if (!e && batch->summary_is_whole)
		return flush_whole_summary(&summary, batch);
	if (!e && batch->summary)
		e = take_summary(&summary);
	return e;
}
