/*
 * The whole document, if a leaf of one writer is an object of another: the result then depends on
 * the order of the writers. The cost is that of all their documents; such runs are rare, and
 * writers that agree again are merged leaf by leaf again.
 */
#include "flush_documents.h"

#include "arena.h"
#include "document_fit.h"

static err_t store(const struct document_change *c, const struct document_set *set, bool tangled)
{
	struct flush *f = c->flush;
	struct merged_row merged = { .tangled = tangled };
	const char *field = c->of.kind == DOCUMENT_CONFIG ? "config" : "summary";
	struct leaves_size size = { .values = 0 };
	struct leaves leaves;
	err_t e;

	e = leaves_check_paths(f->arena, field, set->doc);
	if (e)
		return e;
	leaves_split(f->arena, set->doc, LEAVES_AND_OBJECTS, &leaves);
	leaves_take_writers(&leaves, set->setters);
	for (size_t i = 0; i < leaves.count; i++) {
		leaves.at[i].shared = true; /* or not: a search for others finds none */
		leaves_count(f->arena, &size, &leaves.at[i], 1);
	}
	*c->excess = leaves_excess(&size);
	e = leaves_check_size(f->arena, field, &size);
	if (!e)
		e = leaf_store_drop_all(f->db, &c->of);
	if (!e)
		e = leaf_store_save(f->db, &c->of, &leaves);
	merged.value_count = size.values;
	merged.size_bytes = size.bytes;
	merged.path_bytes = size.paths;
	return e ? e : leaf_store_save_merged(f->db, &c->of, &merged);
}

/* ---- config -------------------------------------------------------------------------------------- */

/* The other writers' documents, in order of their last change, and room for one more. */
static err_t list_others(const struct document_change *c, struct document_part **ret_parts,
			 size_t *ret_count)
{
	struct flush *f = c->flush;
	struct config_row *rows;
	size_t count;
	err_t e;

	e = document_store_list_other_configs(f->db, c->of.run_id, c->writer->writer, &rows,
					      &count);
	if (e)
		return e;
	*ret_parts = arena_new_array(f->arena, struct document_part, count + 1);
	*ret_count = count;
	for (size_t i = 0; i < count && !e; i++) {
		(*ret_parts)[i].writer = rows[i].writer;
		e = json_doc_parse(f->arena, rows[i].document, &(*ret_parts)[i].doc);
	}
	return e;
}

static struct document_set merge(struct flush *f, const struct document_part *parts, size_t count)
{
	struct document_set set = { json_doc_empty(), json_doc_empty() };
	struct conflicts found;

	for (size_t i = 0; i < count; i++)
		set = document_set_summary(f->arena, &set, &parts[i], &found);
	return set;
}

/*
 * A value that others send already is not a new one, also if it comes from
 * a writer that just joined.
 */
static err_t trim(const struct document_change *c, const struct json_doc *others)
{
	struct arena *a = c->flush->arena;
	const struct json_doc *was = c->before ? c->before : json_doc_empty();

	return flush_trim_overlay(c, json_doc_merge(a, others, was),
				  json_doc_merge(a, others, c->sent));
}

static err_t whole_config(const struct document_change *c)
{
	struct flush *f = c->flush;
	struct document_part mine = { c->writer->writer, c->sent };
	const struct json_doc *others;
	struct document_part *parts;
	struct conflicts conflicts = { .at = NULL };
	struct document_set set;
	size_t count;
	err_t e;

	e = list_others(c, &parts, &count);
	if (e)
		return e;
	document_config_conflicts(f->arena, parts, count, &mine, c->before, &conflicts);
	others = document_merge(f->arena, parts, count);
	parts[count++] = mine;
	set = merge(f, parts, count);
	e = store(c, &set, leaves_tangled(f->arena, parts, count));
	if (!e)
		e = flush_save_conflicts(c, &conflicts);
	return e ? e : trim(c, others);
}

/* ---- summary ------------------------------------------------------------------------------------- */

static bool names_leaf(const struct json_doc *doc, struct str path)
{
	for (size_t from = 0; doc && from <= path.len; from++) {
		struct str name = leaf_name_at(path, from);

		doc = json_doc_get(doc, name);
		from += name.len;
	}
	return doc != NULL;
}

void flush_drop_judged(const struct document_change *c, struct leaves *leaves)
{
	size_t kept = 0;

	for (size_t i = 0; c->judged && i < leaves->count; i++) {
		const struct leaf *leaf = &leaves->at[i];
		bool gone = leaf->writer == c->writer->writer &&
			    names_leaf(c->judged->gone, leaf->path);

		if (!gone && !names_leaf(c->judged->logged, leaf->path))
			leaves->at[kept++] = *leaf;
	}
	if (c->judged)
		leaves->count = kept;
}

static err_t whole_summary(const struct document_change *c)
{
	struct flush *f = c->flush;
	struct document_part mine = { c->writer->writer, c->sent };
	struct document_set before;
	struct document_set after;
	struct conflicts conflicts = { .at = NULL };
	struct leaves leaves;
	err_t e;

	e = leaf_store_list(f->db, &c->of, &leaves);
	if (e)
		return e;
	flush_drop_judged(c, &leaves);
	before.doc = leaves_join(f->arena, &leaves);
	before.setters = leaves_join_writers(f->arena, &leaves);
	after = document_set_summary(f->arena, &before, &mine, &conflicts);
	e = store(c, &after, false);
	if (!e)
		e = flush_save_conflicts(c, &conflicts);
	return e ? e : flush_trim_overlay(c, before.doc, after.doc);
}

err_t flush_document_whole(const struct document_change *c)
{
	return c->of.kind == DOCUMENT_CONFIG ? whole_config(c) : whole_summary(c);
}
