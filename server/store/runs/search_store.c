#include "search_store.h"

#include "run_store.h"
#include "store_sql.h"

/* The limit of documents in memory at once, for followers and for text searches. */
enum { WINDOW_BYTES = 8 << 20 };

static const struct db_column count_columns[] = {
	DB_COLUMN(struct search_count_row, project_id),
	DB_COLUMN(struct search_count_row, change),
	DB_COLUMN(struct search_count_row, forgotten),
};
static const struct db_row_table count_table = DB_ROW_TABLE(struct search_count_row, count_columns);

static const struct db_column noted_columns[] = {
	DB_COLUMN(struct search_noted_row, run_id),
	DB_COLUMN(struct search_noted_row, seq),
	DB_COLUMN(struct search_noted_row, is_put_off),
};
static const struct db_row_table noted_table = DB_ROW_TABLE(struct search_noted_row, noted_columns);

struct since_row {
	timestamp_us since;
};
static const struct db_column since_columns[] = { DB_COLUMN(struct since_row, since) };
static const struct db_row_table since_table = DB_ROW_TABLE(struct since_row, since_columns);

static const struct db_column running_columns[] = {
	DB_COLUMN(struct search_running_row, runs),
	DB_COLUMN(struct search_running_row, digest),
};
static const struct db_row_table running_table =
	DB_ROW_TABLE(struct search_running_row, running_columns);

static const struct db_column running_run_columns[] = {
	DB_COLUMN(struct search_running_run, run_id),
	DB_COLUMN(struct search_running_run, next_row),
};
static const struct db_row_table running_run_table =
	DB_ROW_TABLE(struct search_running_run, running_run_columns);

static const struct db_column written_columns[] = {
	DB_COLUMN(struct search_written_row, run_id),
	DB_COLUMN(struct search_written_row, next_row),
	DB_COLUMN(struct search_written_row, read_at),
};
static const struct db_row_table written_table =
	DB_ROW_TABLE(struct search_written_row, written_columns);

static const struct db_column document_columns[] = {
	DB_COLUMN(struct search_document_row, run_id),
	DB_COLUMN(struct search_document_row, change),
	DB_COLUMN(struct search_document_row, visibility),
	DB_COLUMN(struct search_document_row, deleted),
	DB_JSON(struct search_document_row, document),
};
static const struct db_row_table document_table =
	DB_ROW_TABLE(struct search_document_row, document_columns);

static const struct db_column stored_columns[] = {
	DB_COLUMN(struct search_stored_row, run_id), DB_COLUMN(struct search_stored_row, seq),
	DB_COLUMN(struct search_stored_row, rows),   DB_JSON(struct search_stored_row, config),
	DB_JSON(struct search_stored_row, summary),  DB_JSON(struct search_stored_row, whole),
};
static const struct db_row_table stored_table =
	DB_ROW_TABLE(struct search_stored_row, stored_columns);

static const struct db_column run_columns[] = {
	DB_COLUMN(struct search_run_row, run_id),
	DB_COLUMN(struct search_run_row, rank),
	DB_COLUMN(struct search_run_row, number),
	DB_COLUMN(struct search_run_row, text),
};
static const struct db_row_table run_table = DB_ROW_TABLE(struct search_run_row, run_columns);

struct runs_row {
	int64_t runs;
};
static const struct db_column runs_columns[] = { DB_COLUMN(struct runs_row, runs) };
static const struct db_row_table runs_table = DB_ROW_TABLE(struct runs_row, runs_columns);

static const struct db_column group_columns[] = {
	DB_COLUMN(struct search_group_row, rank),
	DB_COLUMN(struct search_group_row, number),
	DB_COLUMN(struct search_group_row, text),
	DB_COLUMN(struct search_group_row, runs),
	DB_COLUMN(struct search_group_row, key),
	DB_COLUMN(struct search_group_row, numbers),
	DB_NULLABLE(struct search_group_row, least),
	DB_NULLABLE(struct search_group_row, greatest),
	DB_NULLABLE(struct search_group_row, mean),
	DB_COLUMN(struct search_group_row, deviation),
	DB_COLUMN(struct search_group_row, all_groups),
	DB_COLUMN(struct search_group_row, all_runs),
};
static const struct db_row_table group_table = DB_ROW_TABLE(struct search_group_row, group_columns);

static const struct db_column text_columns[] = {
	DB_COLUMN(struct search_text_row, run_id),
	DB_NULLABLE(struct search_text_row, text),
};
static const struct db_row_table text_table = DB_ROW_TABLE(struct search_text_row, text_columns);

static const struct db_column value_columns[] = {
	DB_COLUMN(struct search_value_row, run_id), DB_COLUMN(struct search_value_row, key),
	DB_COLUMN(struct search_value_row, rank),   DB_COLUMN(struct search_value_row, number),
	DB_COLUMN(struct search_value_row, text),
};
static const struct db_row_table value_table = DB_ROW_TABLE(struct search_value_row, value_columns);

/* For one project, at least one document. */
static err_t save(struct db *db, const struct search_document *docs, size_t count)
{
	struct arena *a = db_arena(db);
	int64_t *run_ids = arena_new_array(a, int64_t, count);
	int64_t *seqs = arena_new_array(a, int64_t, count);
	int64_t *next_rows = arena_new_array(a, int64_t, count);
	int16_t *visibilities = arena_new_array(a, int16_t, count);
	int64_t *sizes = arena_new_array(a, int64_t, count);
	struct str *documents = arena_new_array(a, struct str, count);

	for (size_t i = 0; i < count; i++) {
		run_ids[i] = docs[i].run_id;
		seqs[i] = docs[i].seq;
		next_rows[i] = docs[i].next_row;
		visibilities[i] = docs[i].visibility;
		sizes[i] = (int64_t)docs[i].document.len;
		documents[i] = docs[i].document;
	}
	return db_exec(db, &STMT_document_save,
		       DB_ARGS(P_INT8(docs[0].project_id), P_TIME(docs[0].read_at),
			       P_ARRAY(DB_INT8_ARRAY, run_ids, count),
			       P_ARRAY(DB_INT8_ARRAY, seqs, count),
			       P_ARRAY(DB_INT8_ARRAY, next_rows, count),
			       P_ARRAY(DB_INT2_ARRAY, visibilities, count),
			       P_ARRAY(DB_INT8_ARRAY, sizes, count),
			       P_ARRAY(DB_JSONB_ARRAY, documents, count)),
		       NULL);
}

err_t search_store_save(struct db *db, const struct search_document *doc)
{
	struct run_id_row *living;
	err_t e;

	e = db_first(db, &STMT_document_lock, DB_ARGS(P_INT8(doc->run_id), P_INT8(doc->project_id)),
		     &run_id_table, (void **)&living);
	return e || !living ? e : save(db, doc, 1);
}

/* Both ascending by run_id. */
static size_t keep_locked(struct search_document *docs, size_t count,
			  const struct run_id_row *locked, size_t locked_count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count && kept < locked_count; i++) {
		struct search_document doc = docs[i];

		if (doc.run_id != locked[kept].run_id)
			continue;
		docs[i] = docs[kept];
		docs[kept++] = doc;
	}
	return kept;
}

err_t search_store_save_free(struct db *db, struct search_document *docs, size_t count,
			     size_t *ret_saved)
{
	int64_t *run_ids = arena_new_array(db_arena(db), int64_t, count);
	struct run_id_row *locked;
	size_t locked_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		run_ids[i] = docs[i].run_id;
	e = db_all(db, &STMT_document_lock_free,
		   DB_ARGS(P_INT8(docs[0].project_id), P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		   &run_id_table, (void **)&locked, &locked_count);
	if (e)
		return e;
	*ret_saved = keep_locked(docs, count, locked, locked_count);
	return *ret_saved ? save(db, docs, *ret_saved) : NULL;
}

err_t search_store_show(struct db *db, int64_t project_id, int64_t run_id, int16_t visibility)
{
	return db_exec(db, &STMT_document_show,
		       DB_ARGS(P_INT8(project_id), P_INT8(run_id), P_INT2(visibility)), NULL);
}

err_t search_store_drop(struct db *db, int64_t project_id, int64_t run_id)
{
	return db_exec(db, &STMT_document_drop, DB_ARGS(P_INT8(project_id), P_INT8(run_id)), NULL);
}

/* ---- what they lack ------------------------------------------------------------------------------- */

err_t search_store_pending(struct db *db, int64_t project_id, int64_t limit,
			   struct search_pending *ret_pending)
{
	const struct db_param project = P_INT8(project_id);
	struct search_running_row *running;
	struct search_count_row *counts;
	unsigned number[3];
	size_t count;
	err_t e;

	db_pipe_start(db);
	number[0] = db_pipe_add(db, &STMT_search_noted, DB_ARGS(project, P_INT8(limit)));
	number[1] = db_pipe_add(db, &STMT_search_running, DB_ARGS(project));
	number[2] = db_pipe_add(db, &STMT_search_counts,
				DB_ARGS(P_ARRAY(DB_INT8_ARRAY, &project_id, 1)));
	e = db_pipe_run(db);
	if (!e)
		e = db_pipe_all(db, number[0], &noted_table, (void **)&ret_pending->noted,
				&ret_pending->noted_count);
	if (!e)
		e = db_pipe_all(db, number[1], &running_table, (void **)&running, &count);
	if (e)
		return e;
	ret_pending->running = running[0];
	e = db_pipe_all(db, number[2], &count_table, (void **)&counts, &count);
	if (!e)
		ret_pending->count = count ? counts[0]
					   : (struct search_count_row){ .project_id = project_id };
	return e;
}

err_t search_store_noted_done(struct db *db, const struct search_document *docs, size_t count)
{
	int64_t *run_ids = arena_new_array(db_arena(db), int64_t, count);
	int64_t *seqs = arena_new_array(db_arena(db), int64_t, count);

	for (size_t i = 0; i < count; i++) {
		run_ids[i] = docs[i].run_id;
		seqs[i] = docs[i].seq;
	}
	return db_exec(db, &STMT_search_noted_done,
		       DB_ARGS(P_ARRAY(DB_INT8_ARRAY, run_ids, count),
			       P_ARRAY(DB_INT8_ARRAY, seqs, count)),
		       NULL);
}

err_t search_store_noted_since(struct db *db, int64_t project_id, timestamp_us *ret_since)
{
	struct since_row *row;
	err_t e = db_first(db, &STMT_search_noted_since, DB_ARGS(P_INT8(project_id)), &since_table,
			   (void **)&row);

	if (!e)
		*ret_since = row ? row->since : (timestamp_us){ 0 };
	return e;
}

err_t search_store_running(struct db *db, int64_t project_id, struct search_running_run **ret_rows,
			   size_t *ret_count)
{
	return db_all(db, &STMT_search_running_rows, DB_ARGS(P_INT8(project_id)),
		      &running_run_table, (void **)ret_rows, ret_count);
}

err_t search_store_written(struct db *db, int64_t project_id, const int64_t *run_ids, size_t count,
			   struct search_written_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_written,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, run_ids, count)),
		      &written_table, (void **)ret_rows, ret_count);
}

/* ---- who follows --------------------------------------------------------------------------------- */

err_t search_store_counts(struct db *db, const int64_t *project_ids, size_t count,
			  struct search_count_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_counts, DB_ARGS(P_ARRAY(DB_INT8_ARRAY, project_ids, count)),
		      &count_table, (void **)ret_rows, ret_count);
}

static const struct db_column recent_columns[] = { DB_COLUMN(struct search_recent_row,
							     project_id) };
static const struct db_row_table recent_table =
	DB_ROW_TABLE(struct search_recent_row, recent_columns);

err_t search_store_recent(struct db *db, size_t most, struct search_recent_row **ret_rows,
			  size_t *ret_count)
{
	return db_all(db, &STMT_search_recent, DB_ARGS(P_INT8((int64_t)most)), &recent_table,
		      (void **)ret_rows, ret_count);
}

err_t search_store_load(struct db *db, int64_t project_id, int64_t after_run,
			struct search_document_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_load,
		      DB_ARGS(P_INT8(project_id), P_INT8(after_run), P_INT8(WINDOW_BYTES)),
		      &document_table, (void **)ret_rows, ret_count);
}

err_t search_store_stored(struct db *db, const struct search_stored_ask *ask,
			  struct search_stored_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_stored,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->run_ids, ask->count), P_INT8(ask->bytes)),
		      &stored_table, (void **)ret_rows, ret_count);
}

err_t search_store_changed(struct db *db, int64_t project_id, int64_t after_change, int64_t limit,
			   struct search_document_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_changed,
		      DB_ARGS(P_INT8(project_id), P_INT8(after_change), P_INT8(WINDOW_BYTES),
			      P_INT8(limit)),
		      &document_table, (void **)ret_rows, ret_count);
}

/* ---- what is asked ------------------------------------------------------------------------------- */

#define WHICH_PARAMS(w) \
	P_INT8((w)->project_id), P_BOOL((w)->sees_private), P_BOOL((w)->project_public), \
		P_STR_OR_NULL((w)->filter), P_ARRAY(DB_INT8_ARRAY, (w)->run_ids, (w)->run_count), \
		P_ARRAY(DB_INT4_ARRAY, (w)->matched, (w)->run_count), \
		P_ARRAY(DB_JSONB_ARRAY, (w)->variables, (w)->variable_count), \
		P_BOOL((w)->of_group), P_STR_OR_NULL((w)->group_key.path), \
		P_STR_OR_NULL((w)->group_key.flat), P_BOOL((w)->group_key.outside), \
		P_INT2((w)->group.rank), P_STR((w)->group.number), P_STR((w)->group.text)

static struct search_value in_order(const struct search_value *value, bool descending)
{
	struct search_value v = *value;

	if (v.rank == SEARCH_RANK_NONE && descending)
		v.rank = 0;
	return v;
}

static void rank_of_sql(int16_t *rank)
{
	if (!*rank)
		*rank = SEARCH_RANK_NONE;
}

/*
 * The ranks by which a page is sorted: numbers first, then values that are not numbers or
 * missing, in both directions.
 */
struct sort_ranks {
	int16_t number;
	int16_t none;
};

static struct sort_ranks sort_ranks_of(bool descending)
{
	return descending ? (struct sort_ranks){ .number = SEARCH_RANK_NONE, .none = 0 }
			  : (struct sort_ranks){ .number = 0, .none = SEARCH_RANK_NONE };
}

/* The cursor's value as search_ordered in search.sql has it; its rank is the sort rank. */
static struct search_value in_page(const struct search_value *value, struct sort_ranks at)
{
	struct search_value v = *value;

	if (v.rank == SEARCH_RANK_TEXT &&
	    (str_is(v.text, "Infinity") || str_is(v.text, "-Infinity"))) {
		v.rank = at.number;
		v.number = v.text;
	} else if (v.rank == SEARCH_RANK_NUMBER) {
		v.rank = at.number;
	} else if (v.rank == SEARCH_RANK_NONE) {
		v.rank = at.none;
	}
	return v;
}

err_t search_store_page(struct db *db, const struct search_page_ask *ask,
			struct search_run_row **ret_rows, size_t *ret_count)
{
	const struct sort_ranks at = sort_ranks_of(ask->descending);
	const struct search_value cursor = in_page(&ask->cursor, at);
	const struct db_stmt *stmt = ask->descending ? &STMT_search_page_down
						     : &STMT_search_page_up;

	return db_all(db, stmt,
		      DB_ARGS(WHICH_PARAMS(&ask->which), P_STR(ask->order.path),
			      P_STR_OR_NULL(ask->order.flat), P_BOOL(ask->order.outside),
			      P_BOOL(ask->has_cursor), P_INT2(cursor.rank), P_STR(cursor.number),
			      P_STR(cursor.text), P_INT8(ask->cursor_run_id), P_INT8(ask->limit),
			      P_INT8(ask->offset), P_INT2(at.number), P_INT2(at.none)),
		      &run_table, (void **)ret_rows, ret_count);
}

err_t search_store_count(struct db *db, const struct search_which *which, int64_t *ret_runs)
{
	struct runs_row *row;
	err_t e;

	e = db_first(db, &STMT_search_count, DB_ARGS(WHICH_PARAMS(which)), &runs_table,
		     (void **)&row);
	if (!e)
		*ret_runs = row ? row->runs : 0;
	return e;
}

err_t search_store_groups(struct db *db, const struct search_groups_ask *ask,
			  struct search_group_row **ret_rows, size_t *ret_count)
{
	const struct search_value cursor = in_order(&ask->cursor, ask->descending);
	err_t e;

	e = db_all(db, &STMT_search_groups,
		   DB_ARGS(WHICH_PARAMS(&ask->which), P_STR(ask->key.path),
			   P_STR_OR_NULL(ask->key.flat), P_BOOL(ask->key.outside),
			   P_ARRAY(DB_TEXT_ARRAY, ask->of_paths, ask->of_count),
			   P_ARRAY(DB_TEXT_ARRAY, ask->of_flats, ask->of_count),
			   P_BOOL(ask->by_count), P_BOOL(ask->has_cursor), P_INT8(ask->cursor_runs),
			   P_INT2(cursor.rank), P_STR(cursor.number), P_STR(cursor.text),
			   P_INT8(ask->limit), P_BOOL(ask->descending)),
		   &group_table, (void **)ret_rows, ret_count);
	for (size_t i = 0; !e && i < *ret_count; i++)
		rank_of_sql(&(*ret_rows)[i].rank);
	return e;
}

err_t search_store_texts(struct db *db, const struct search_which *which, struct str path,
			 int64_t after_run, struct search_text_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_texts,
		      DB_ARGS(P_INT8(which->project_id), P_BOOL(which->sees_private),
			      P_BOOL(which->project_public), P_STR(path), P_INT8(after_run),
			      P_INT8(WINDOW_BYTES)),
		      &text_table, (void **)ret_rows, ret_count);
}

err_t search_store_values(struct db *db, const struct search_values_ask *ask,
			  struct search_value_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_search_values,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->run_ids, ask->run_count),
			      P_ARRAY(DB_TEXT_ARRAY, ask->paths, ask->key_count),
			      P_ARRAY(DB_TEXT_ARRAY, ask->flats, ask->key_count),
			      P_ARRAY(DB_BOOL_ARRAY, ask->outside, ask->key_count)),
		      &value_table, (void **)ret_rows, ret_count);
}

const struct db_stmt_check search_store_checks[] = {
	{ &STMT_document_lock, &run_id_table },
	{ &STMT_search_counts, &count_table },
	{ &STMT_search_load, &document_table },
	{ &STMT_search_changed, &document_table },
	{ &STMT_search_texts, &text_table },
	{ &STMT_search_page_up, &run_table },
	{ &STMT_search_page_down, &run_table },
	{ &STMT_search_count, &runs_table },
	{ &STMT_search_groups, &group_table },
	{ &STMT_search_stored, &stored_table },
	{ &STMT_document_save, NULL },
	{ &STMT_document_show, NULL },
	{ &STMT_document_drop, NULL },
	{ &STMT_search_values, &value_table },
	{ &STMT_document_lock_free, &run_id_table },
	{ &STMT_search_noted, &noted_table },
	{ &STMT_search_noted_since, &since_table },
	{ &STMT_search_noted_done, NULL },
	{ &STMT_search_running, &running_table },
	{ &STMT_search_running_rows, &running_run_table },
	{ &STMT_search_written, &written_table },
};
const size_t search_store_check_count = sizeof(search_store_checks) /
					sizeof(search_store_checks[0]);
