#include "flush.h"

#include "arena.h"
#include "document.h"
#include "document_store.h"

static err_t parse(struct flush *f, struct str text, const struct json_doc **ret_doc)
{
	*ret_doc = json_doc_empty();
	return text.len ? json_doc_parse(f->arena, text, ret_doc) : NULL;
}

static err_t save_conflicts(struct flush *f, int64_t run_id, enum document_kind kind,
			    const struct conflicts *conflicts)
{
	for (size_t i = 0; i < conflicts->count; i++) {
		const struct conflict *c = &conflicts->at[i];
		const struct json_doc *remembered = NULL;
		struct conflict_row *row;
		err_t e;

		e = document_store_find_conflict(f->db, run_id, kind, c->key, &row);
		if (!e && row)
			e = json_doc_parse(f->arena, row->writers, &remembered);
		if (e)
			return e;
		remembered = document_conflict_values(f->arena, remembered, c);
		e = document_store_save_conflict(f->db, run_id, kind, c->key,
						 json_doc_dump(f->arena, remembered), f->state.now);
		if (e)
			return e;
	}
	return NULL;
}

/* What people set gives way to what a writer now sends with a new value. */
static err_t trim_overlay(struct flush *f, struct run *run, enum document_kind kind,
			  const struct json_doc *before, const struct json_doc *after)
{
	const struct json_doc *patch;
	const struct json_doc *kept;
	struct overlay_row *row;
	err_t e;

	e = document_store_find_overlay(f->db, run->run_id, kind, &row);
	if (e || !row)
		return e;
	e = parse(f, row->patch, &patch);
	if (e)
		return e;
	kept = document_overlay_after(f->arena, patch, before, after);
	if (json_doc_equal(kept, patch))
		return NULL;
	row->patch = json_doc_dump(f->arena, kept);
	row->seq = run->document_seq;
	return document_store_save_overlay(f->db, run->run_id, kind, row);
}

/* A value that others send already is no new one, also when it comes from a writer that just came. */
static err_t trim_by_config(struct flush *f, struct run *run, const struct json_doc *others,
			    const struct json_doc *before, const struct json_doc *config)
{
	const struct json_doc *was = before ? before : json_doc_empty();

	return trim_overlay(f, run, DOCUMENT_CONFIG, json_doc_merge(f->arena, others, was),
			    json_doc_merge(f->arena, others, config));
}

static err_t list_others(struct flush *f, int64_t run_id, int32_t writer,
			 struct document_part **ret_parts, size_t *ret_count)
{
	struct config_row *rows;
	size_t count;
	err_t e;

	e = document_store_list_other_configs(f->db, run_id, writer, &rows, &count);
	*ret_parts = arena_new_array(f->arena, struct document_part, e ? 0 : count);
	for (size_t i = 0; !e && i < count; i++) {
		(*ret_parts)[i].writer = rows[i].writer;
		e = parse(f, rows[i].document, &(*ret_parts)[i].doc);
	}
	*ret_count = e ? 0 : count;
	return e;
}

static err_t take_config(struct flush *f, struct run *run, const struct writer *w,
			 const struct json_doc *config)
{
	struct document_part mine = { w->writer, config };
	const struct json_doc *before = NULL;
	struct config_row row = { .writer = w->writer };
	struct config_row *old;
	const struct json_doc *below;
	struct str merged;
	struct document_part *others;
	struct conflicts conflicts;
	size_t count;
	err_t e;

	e = document_store_find_config(f->db, run->run_id, w->writer, &old);
	if (!e && old)
		e = parse(f, old->document, &before);
	if (e || (before && json_doc_equal(before, config)))
		return e;
	e = list_others(f, run->run_id, w->writer, &others, &count);
	if (e)
		return e;
	below = document_merge(f->arena, others, count);
	e = document_dump(f->arena, "config", json_doc_merge(f->arena, below, config), &merged);
	if (e)
		return e;
	document_config_conflicts(f->arena, others, count, &mine, before, &conflicts);
	e = save_conflicts(f, run->run_id, DOCUMENT_CONFIG, &conflicts);
	if (!e)
		e = trim_by_config(f, run, below, before, config);
	if (e)
		return e;
	row.seq = ++run->document_seq;
	row.document = json_doc_dump(f->arena, config);
	return document_store_save_config(f->db, run->run_id, &row);
}

static err_t take_summary(struct flush *f, struct run *run, const struct writer *w,
			  const struct json_doc *set)
{
	struct document_part mine = { w->writer, set };
	struct document_set before = { json_doc_empty(), json_doc_empty() };
	struct document_set after;
	struct conflicts conflicts;
	struct summary_row *row;
	struct summary_row save;
	err_t e;

	e = document_store_find_summary(f->db, run->run_id, &row);
	if (!e && row)
		e = parse(f, row->document, &before.doc);
	if (!e && row)
		e = parse(f, row->writers, &before.setters);
	if (e)
		return e;
	after = document_set_summary(f->arena, &before, &mine, &conflicts);
	e = document_dump(f->arena, "summary", after.doc, &save.document);
	if (!e)
		e = save_conflicts(f, run->run_id, DOCUMENT_SUMMARY, &conflicts);
	if (!e)
		e = trim_overlay(f, run, DOCUMENT_SUMMARY, before.doc, after.doc);
	if (e)
		return e;
	save.seq = ++run->document_seq;
	save.writers = json_doc_dump(f->arena, after.setters);
	return document_store_save_summary(f->db, run->run_id, &save);
}

err_t flush_documents(struct flush *f, struct run_work *work, const struct writer *w,
		      const struct ingest_batch *batch)
{
	err_t e = NULL;

	work->noted = work->news.documents = true;
	if (batch->config)
		e = take_config(f, work->run, w, batch->config);
	if (!e && batch->summary)
		e = take_summary(f, work->run, w, batch->summary);
	return e;
}
