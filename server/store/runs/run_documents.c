#include "run_documents.h"

#include "arena.h"
#include "block.h"
#include "document.h"
#include "leaf_store.h"
#include "metric_cache.h"
#include "sdk_lists.h"
#include "sdk_made.h"
#include "series_store.h"
#include "summary_parts.h"

/*
 * The limit of bytes of a text in the searched document, for a key that is
 * in rows and not in the summary.
 */
enum { LOGGED_TEXT_MAX = 64 };

/* ---- config ------------------------------------------------------------------------------------- */

static err_t parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	*ret_doc = json_doc_empty();
	return text.len ? json_doc_parse(a, text, ret_doc) : NULL;
}

static err_t put_overlay(const struct run_reader *r, const struct overlay_row *row,
			 struct config_parts *parts)
{
	err_t e = parse(db_arena(r->db), row->patch, &parts->patch);

	if (!e)
		parts->config = json_doc_patch(db_arena(r->db), parts->config, parts->patch);
	return e;
}

static err_t read_config(const struct run_reader *r, const struct run *run,
			 struct config_parts *parts, struct overlay_row **ret_row)
{
	const struct leaf_document of = { run->run_id, DOCUMENT_CONFIG };
	err_t e = leaf_store_list(r->db, &of, &parts->set);

	if (e)
		return e;
	parts->config = sdk_lists_close(db_arena(r->db), leaves_join(db_arena(r->db), &parts->set));
	e = document_store_find_overlay(r->db, run->run_id, DOCUMENT_CONFIG, ret_row);
	return e || !*ret_row ? e : put_overlay(r, *ret_row, parts);
}

err_t run_documents_config_parts(const struct run_reader *r, const struct run *run,
				 struct config_parts *ret_parts)
{
	struct config_parts parts = { .patch = NULL };
	struct overlay_row *row;
	err_t e = read_config(r, run, &parts, &row);

	if (!e && row)
		e = parse(db_arena(r->db), row->editors, &parts.editors);
	*ret_parts = parts;
	return e;
}

err_t run_documents_config(const struct run_reader *r, const struct run *run,
			   const struct json_doc **ret_doc)
{
	struct config_parts parts = { .patch = NULL };
	struct overlay_row *row;
	err_t e = read_config(r, run, &parts, &row);

	*ret_doc = parts.config;
	return e;
}

/* ---- keys --------------------------------------------------------------------------------------- */

/*
 * A few bytes of the tail may be many decoded. Decoded data is freed
 * whenever it is large, and only the sum is kept.
 */
struct folding {
	const struct run_reader *reader;
	struct arena *decoded;
	struct arena *kept; /* of the sum, except what came since */
	struct key_stats sum;
};
enum { FOLD_BYTES = 32 << 20, FOLD_ARENA = 16 << 10 };

err_t run_documents_decode_keys(const struct run_reader *r, struct arena *a,
				const struct keys_row *row, struct key_stats *ret_stats)
{
	struct block_ask ask = { .row_first = row->row_first, .last_step = row->step_base };
	struct arena *kept = db_arena(r->db);
	struct block block;
	err_t e;

	if (row->part == SERIES_CHUNK) {
		e = key_stats_decode(r->codec, a, row->data, ret_stats);
	} else {
		e = block_decode(r->codec, a, row->data, &ask, &block);
		if (!e)
			key_stats_of_block(a, &block, ret_stats);
	}
	return e ? err_new(kept, e->kind, "%s", err_chain(kept, e)) : NULL;
}

static err_t add_stats(struct folding *f, const struct keys_row *row)
{
	struct key_stats one;
	struct key_stats merged;
	err_t e = run_documents_decode_keys(f->reader, f->decoded, row, &one);

	if (e)
		return e;
	key_stats_merge(f->decoded, &f->sum, &one, &merged);
	f->sum = merged;
	return NULL;
}

static void fold(struct folding *f)
{
	struct arena *kept = arena_new_beside(f->kept, FOLD_ARENA);

	key_stats_copy(kept, &f->sum, &f->sum);
	arena_reset(f->decoded);
	arena_free(f->kept);
	f->kept = kept;
}

err_t run_documents_sum_keys(const struct run_reader *r, const struct keys_row *rows, size_t count,
			     struct key_stats *ret_stats)
{
	struct folding f = {
		.reader = r,
		.decoded = arena_new_beside(db_arena(r->db), FOLD_ARENA),
		.kept = arena_new_beside(db_arena(r->db), FOLD_ARENA),
	};
	err_t e = NULL;

	for (size_t i = 0; i < count && !e; i++) {
		e = add_stats(&f, &rows[i]);
		if (arena_size(f.decoded) > FOLD_BYTES)
			fold(&f);
	}
	if (!e)
		key_stats_copy(db_arena(r->db), &f.sum, ret_stats);
	arena_free(f.decoded);
	arena_free(f.kept);
	return e;
}

static err_t read_keys(const struct run_reader *r, const struct keys_ask *ask,
		       struct key_stats *ret_stats)
{
	struct keys_row *rows;
	size_t count;
	err_t e;

	e = series_store_read_keys(r->db, r->codec, ask, &rows, &count);
	return e ? e : run_documents_sum_keys(r, rows, count, ret_stats);
}

err_t run_documents_keys(const struct run_reader *r, int64_t project_id, int64_t run_id, int stream,
			 struct key_stats *ret_stats)
{
	const struct keys_ask ask = { &run_id, 1, (enum stream)stream, .project_id = project_id };

	return read_keys(r, &ask, ret_stats);
}

err_t run_documents_keys_of_branch(const struct run_reader *r, int64_t project_id, int64_t run_id,
				   int32_t branch, struct key_stats *ret_stats)
{
	const struct keys_ask ask = { &run_id, 1, STREAM_HISTORY, branch,
				      .project_id = project_id };

	return read_keys(r, &ask, ret_stats);
}

/* ---- summary ------------------------------------------------------------------------------------ */

/* A value of a row that no document can hold (a name twice) is kept as its JSON text. */
static const struct json_doc *stat_value(struct arena *a, const struct key_stat *stat)
{
	const struct json_doc *value;

	if (!stat->is_text)
		return json_doc_of_double(a, stat->number);
	if (json_doc_parse_texts(a, stat->text, &value))
		return json_doc_text(a, stat->text);
	return value;
}

static bool is_summary_key(struct str name)
{
	return name.len && !str_is(name, "_timestamp") && !str_is(name, "_step");
}

static err_t read_names(const struct run_reader *r, const struct run *run,
			const struct key_stats *stats, struct str **ret_names)
{
	struct arena *a = db_arena(r->db);
	int32_t *ids = arena_new_array(a, int32_t, stats->count);

	*ret_names = arena_new_array(a, struct str, stats->count);
	for (uint32_t i = 0; i < stats->count; i++)
		ids[i] = (int32_t)stats->items[i].key_id;
	return metric_cache_names(r->metrics, r->db, run->project_id, ids, stats->count,
				  *ret_names);
}

static struct sdk_made_stat made_stat(struct arena *a, const struct key_stat *stat)
{
	return (struct sdk_made_stat){
		.last = stat_value(a, stat),
		.numbers = stat->number_count,
		.first = stat->first,
		.min = stat->min,
		.max = stat->max,
		.sum = stat->sum,
	};
}

/* For each history key its last value, or what its definition derives. */
static const struct json_doc *derive(struct arena *a, const struct key_stats *stats,
				     const struct str *names, const struct sdk_made *made)
{
	struct json_member *members = arena_new_array(a, struct json_member, stats->count);
	size_t count = 0;

	for (uint32_t i = 0; i < stats->count; i++) {
		const struct sdk_made_stat stat = made_stat(a, &stats->items[i]);

		if (!is_summary_key(names[i]))
			continue;
		members[count].name = names[i];
		members[count].value = sdk_made_value(a, made, names[i], &stat);
		count += members[count].value != NULL;
	}
	return json_doc_object(a, members, count);
}

/* Users' edits of keys that were logged since do not count any more. */
static err_t read_patch(const struct run_reader *r, const struct run *run,
			struct summary_parts *parts)
{
	const struct key_stats *stats = &parts->stats;
	struct arena *a = db_arena(r->db);
	const struct json_doc *edited;
	struct overlay_row *row;
	err_t e;

	e = document_store_find_overlay(r->db, run->run_id, DOCUMENT_SUMMARY, &row);
	if (e || !row)
		return e;
	e = parse(a, row->patch, &parts->patch);
	if (!e)
		e = parse(a, row->editors, &parts->editors);
	if (!e)
		e = parse(a, row->rows, &edited);
	for (uint32_t i = 0; i < stats->count && !e; i++) {
		int64_t at;

		if (json_doc_int64(json_doc_get(edited, parts->names[i]), &at) &&
		    stats->items[i].row_last >= at)
			parts->patch = json_doc_with(a, parts->patch, parts->names[i], NULL);
	}
	return e;
}

/*
 * It is never shown, only its kind is needed: a long text is cut, and lists and objects are empty.
 */
static const struct json_doc *logged_value(struct arena *a, const struct key_stat *stat)
{
	const struct json_doc *value = stat_value(a, stat);

	switch (value->kind) {
	case JSON_KIND_STRING:
		return json_doc_text(a, str_head(value->text, LOGGED_TEXT_MAX));
	case JSON_KIND_ARRAY:
		return json_doc_array(a, NULL, 0);
	case JSON_KIND_OBJECT:
		return json_doc_empty();
	default:
		return value;
	}
}

/* The last values of keys that the summary has no value of, so that they are found all the same. */
static const struct json_doc *logged_beside(struct arena *a, const struct key_stats *stats,
					    const struct str *names, const struct json_doc *summary)
{
	struct json_member *members = arena_new_array(a, struct json_member, stats->count);
	size_t count = 0;

	for (uint32_t i = 0; i < stats->count; i++) {
		const struct json_doc *there = json_doc_get(summary, names[i]);

		if (is_summary_key(names[i]) && (!there || json_doc_is(there, JSON_KIND_OBJECT)))
			members[count++] =
				(struct json_member){ names[i], logged_value(a, &stats->items[i]) };
	}
	return json_doc_object(a, members, count);
}

static err_t read_stats(const struct run_reader *r, const struct run *run,
			struct summary_parts *parts)
{
	const struct keys_ask ask = { &run->run_id, 1, STREAM_HISTORY,
				      .project_id = run->project_id };
	err_t e = series_store_read_keys(r->db, r->codec, &ask, &parts->rows, &parts->row_count);

	if (!e)
		e = run_documents_sum_keys(r, parts->rows, parts->row_count, &parts->stats);
	return e ? e : read_names(r, run, &parts->stats, &parts->names);
}

err_t run_documents_summary_parts(const struct run_reader *r, const struct run *run,
				  const struct json_doc *config, struct summary_parts *ret_parts)
{
	const struct leaf_document of = { run->run_id, DOCUMENT_SUMMARY };
	struct summary_parts parts = { .patch = NULL };
	struct arena *a = db_arena(r->db);
	struct sdk_made made;
	err_t e;

	e = read_stats(r, run, &parts);
	if (!e)
		e = leaf_store_list(r->db, &of, &parts.set);
	if (!e)
		e = read_patch(r, run, &parts);
	if (e)
		return e;
	sdk_made_init(&made, a, config);
	parts.derived = derive(a, &parts.stats, parts.names, &made);
	parts.summary = sdk_made_merge(a, parts.derived, leaves_join(a, &parts.set));
	if (parts.patch)
		parts.summary = json_doc_patch(a, parts.summary, parts.patch);
	*ret_parts = parts;
	return NULL;
}

err_t run_documents_summary(const struct run_reader *r, const struct run *run,
			    const struct json_doc **ret_doc)
{
	const struct json_doc *config;
	struct summary_parts parts;
	err_t e = run_documents_config(r, run, &config);

	if (!e)
		e = run_documents_summary_parts(r, run, config, &parts);
	if (!e)
		*ret_doc = parts.summary;
	return e;
}

err_t run_documents_shown(const struct run_reader *r, const struct run *run,
			  struct run_documents *ret_documents)
{
	struct summary_parts parts;
	struct sdk_made made;
	err_t e = run_documents_config(r, run, &ret_documents->config);

	if (!e)
		e = run_documents_summary_parts(r, run, ret_documents->config, &parts);
	if (e)
		return e;
	sdk_made_init(&made, db_arena(r->db), ret_documents->config);
	searched_summary_make(db_arena(r->db), &made, parts.summary, &ret_documents->summary);
	ret_documents->logged =
		logged_beside(db_arena(r->db), &parts.stats, parts.names, parts.summary);
	return NULL;
}
