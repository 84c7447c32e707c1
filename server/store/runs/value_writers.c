#include "value_writers.h"

#include "arena.h"
#include "summary_parts.h"

struct finding {
	const struct json_doc *patch;
	const struct json_doc *editors;
	struct leaves set;
	const struct json_doc *derived; /* NULL: a config has nothing derived from history */
	const struct json_doc *made;    /* of each derived value the number of its writer */
};

/* ---- what was sent ------------------------------------------------------------------------------- */

/* If lists are merged as objects (sdk_lists.h), a value may have several writers. */
static void find_below(const struct leaves *set, struct value_writer *v)
{
	const struct leaves below = leaves_below(set, v->path);

	for (size_t i = 0; i < below.count; i++) {
		const struct leaf *leaf = &below.at[i];

		v->shared |= leaf->shared || (i && leaf->writer != v->writer);
		v->writer = i && leaf->writer != v->writer ? VALUE_OF_NONE : leaf->writer;
	}
}

static bool find_set(const struct leaves *set, struct value_writer *v)
{
	const struct leaf *leaf = leaves_find(set, v->path);

	if (!leaf)
		return false;
	v->writer = leaf->writer;
	v->shared = leaf->shared;
	return true;
}

/* ---- what follows from history ------------------------------------------------------------------- */

static const struct json_doc *value_at(const struct json_doc *doc, struct str path)
{
	for (size_t from = 0; from <= path.len && doc; from++) {
		struct str name = leaf_name_at(path, from);

		doc = json_doc_get(doc, name);
		from += name.len;
	}
	return doc;
}

static bool find_derived(const struct json_doc *made, struct value_writer *v)
{
	int64_t number;

	if (!json_doc_int64(value_at(made, v->path), &number))
		return false;
	v->writer = (int32_t)number;
	return true;
}

/* A value derived from several numbers takes precedence over a set one (sdk_made_merge()). */
static bool is_made(const struct json_doc *derived, struct str path)
{
	return leaf_name_at(path, 0).len < path.len && value_at(derived, path);
}

/*
 * ---- the writers of numbers
 * ------------------------------------------------------------------------
 */

/* The writers of a key's statistics; `alone`: the writer of all its numbers. */
struct key_writers {
	int32_t first, min, max, last, alone;
	bool is_known; /* whether any writer wrote a number */
};

/* If there are several, the first that joined, whatever order their statistics come in. */
static void note(int32_t *writer, bool is_its, int32_t number)
{
	if (is_its && (*writer == VALUE_OF_NONE || number < *writer))
		*writer = number;
}

static void note_writer(struct key_writers *of, const struct key_stat *all,
			const struct key_stat *one, int32_t writer)
{
	note(&of->last, one->row_last == all->row_last, writer);
	if (!one->number_count)
		return;
	note(&of->first, one->row_first == all->row_first, writer);
	note(&of->min, one->min == all->min, writer);
	note(&of->max, one->max == all->max, writer);
	of->alone = !of->is_known || of->alone == writer ? writer : VALUE_OF_NONE;
	of->is_known = true;
}

static err_t note_row(const struct run_reader *r, struct arena *scratch,
		      const struct summary_parts *parts, const struct keys_row *row,
		      struct key_writers *writers)
{
	struct key_stats stats;
	err_t e = run_documents_decode_keys(r, scratch, row, &stats);

	for (uint32_t i = 0; !e && i < stats.count; i++) {
		const struct key_stat *all = key_stats_find(&parts->stats, stats.items[i].key_id);

		if (all)
			note_writer(&writers[all - parts->stats.items], all, &stats.items[i],
				    row->writer);
	}
	return e;
}

static err_t read_key_writers(const struct run_reader *r, const struct summary_parts *parts,
			      struct key_writers *writers)
{
	struct arena *scratch = arena_new_beside(db_arena(r->db), 16 << 10);
	err_t e = NULL;

	for (uint32_t i = 0; i < parts->stats.count; i++)
		writers[i] = (struct key_writers){ VALUE_OF_NONE, VALUE_OF_NONE, VALUE_OF_NONE,
						   VALUE_OF_NONE, VALUE_OF_NONE, false };
	for (size_t i = 0; i < parts->row_count && !e; i++) {
		e = note_row(r, scratch, parts, &parts->rows[i], writers);
		arena_reset(scratch);
	}
	arena_free(scratch);
	return e;
}

/* If there are several writers, none is returned for NaN, which is not the least number of any. */
static const struct json_doc *number(struct arena *a, const struct key_writers *of, int32_t writer)
{
	return json_doc_of_int64(a, writer == VALUE_OF_NONE ? of->alone : writer);
}

static const struct json_doc *numbers_of(struct arena *a, const struct json_doc *value,
					 const struct key_writers *of)
{
	const struct json_member all[] = {
		{ STR("first"), number(a, of, of->first) },
		{ STR("last"), number(a, of, of->last) },
		{ STR("max"), number(a, of, of->max) },
		{ STR("mean"), number(a, of, of->alone) },
		{ STR("min"), number(a, of, of->min) },
	};

	if (!json_doc_is(value, JSON_KIND_OBJECT) || !value->count)
		return json_doc_of_int64(a, of->last);
	return json_doc_object(a, all, sizeof(all) / sizeof(all[0]));
}

/* The number of each derived value's writer, in the same shape. */
static err_t number_derived(const struct run_reader *r, const struct summary_parts *parts,
			    const struct json_doc **ret_made)
{
	struct arena *a = db_arena(r->db);
	uint32_t keys = parts->stats.count;
	struct key_writers *writers = arena_new_array(a, struct key_writers, keys);
	struct json_member *members = arena_new_array(a, struct json_member, keys);
	size_t count = 0;
	err_t e = read_key_writers(r, parts, writers);

	if (e)
		return e;
	for (uint32_t i = 0; i < keys; i++) {
		const struct json_doc *value = json_doc_get(parts->derived, parts->names[i]);

		if (value)
			members[count++] =
				(struct json_member){ parts->names[i],
						      numbers_of(a, value, &writers[i]) };
	}
	*ret_made = json_doc_object(a, members, count);
	return NULL;
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void find(const struct finding *f, struct value_writer *v)
{
	v->writer = VALUE_OF_NONE;
	v->is_edited = edit_log_find(f->editors, f->patch, v->path, &v->edit);
	if (v->is_edited || (is_made(f->derived, v->path) && find_derived(f->made, v)))
		return;
	if (!find_set(&f->set, v) && !find_derived(f->made, v))
		find_below(&f->set, v);
}

static void find_all(struct arena *a, const struct finding *f, const struct json_doc *shown,
		     struct value_writer **ret_values, size_t *ret_count)
{
	struct value_writer *values;
	struct leaves leaves;

	leaves_split(a, shown, LEAVES_ALONE, &leaves);
	values = arena_new_array(a, struct value_writer, leaves.count);
	for (size_t i = 0; i < leaves.count; i++) {
		values[i] = (struct value_writer){ .path = leaves.at[i].path };
		find(f, &values[i]);
	}
	*ret_values = values;
	*ret_count = leaves.count;
}

static err_t list_summary(const struct run_reader *r, const struct run *run,
			  const struct json_doc *config, struct value_writer **ret_values,
			  size_t *ret_count)
{
	struct summary_parts parts;
	struct finding f;
	err_t e = run_documents_summary_parts(r, run, config, &parts);

	if (e)
		return e;
	f = (struct finding){ parts.patch, parts.editors, parts.set, parts.derived, NULL };
	e = number_derived(r, &parts, &f.made);
	if (!e)
		find_all(db_arena(r->db), &f, parts.summary, ret_values, ret_count);
	return e;
}

err_t value_writers_list(const struct run_reader *r, const struct run *run, enum document_kind kind,
			 struct value_writer **ret_values, size_t *ret_count)
{
	struct config_parts parts;
	struct finding f;
	err_t e = run_documents_config_parts(r, run, &parts);

	if (e || kind == DOCUMENT_SUMMARY)
		return e ? e : list_summary(r, run, parts.config, ret_values, ret_count);
	f = (struct finding){ parts.patch, parts.editors, parts.set, NULL, NULL };
	find_all(db_arena(r->db), &f, parts.config, ret_values, ret_count);
	return NULL;
}
