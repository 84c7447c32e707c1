#include "metric_store.h"

#include <stdlib.h>

#include "arena.h"
#include "column.h"
#include "store_sql.h"

enum { ADD_TIMEOUT_MS = 10000 };

static const struct db_column metric_columns[] = {
	DB_COLUMN(struct metric, key_id),
	DB_COLUMN(struct metric, name),
};
const struct db_row_table metric_table = DB_ROW_TABLE(struct metric, metric_columns);

static const struct db_column whole_columns[] = {
	DB_COLUMN(struct metric_whole, name),
	DB_COLUMN(struct metric_whole, whole_name),
};
const struct db_row_table metric_whole_table = DB_ROW_TABLE(struct metric_whole, whole_columns);

struct next_key_row {
	int32_t next_key;
};
static const struct db_column next_key_columns[] = { DB_COLUMN(struct next_key_row, next_key) };
const struct db_row_table next_key_table = DB_ROW_TABLE(struct next_key_row, next_key_columns);

err_t metric_store_list(struct db *db, int64_t project_id, const struct str *names, size_t count,
			struct metric **ret_metrics, size_t *ret_count)
{
	return db_all(db, &STMT_metric_list,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_TEXT_ARRAY, names, count)),
		      &metric_table, (void **)ret_metrics, ret_count);
}

err_t metric_store_names(struct db *db, int64_t project_id, const int32_t *key_ids, size_t count,
			 struct metric **ret_metrics, size_t *ret_count)
{
	return db_all(db, &STMT_metric_names,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT4_ARRAY, key_ids, count)),
		      &metric_table, (void **)ret_metrics, ret_count);
}

static int by_text(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Sorted names that are not in the sorted list `known`, each once. */
static size_t keep_unknown(struct str *names, size_t count, const struct str *known,
			   size_t known_count)
{
	size_t kept = 0;

	qsort(names, count, sizeof(names[0]), by_text);
	for (size_t i = 0; i < count; i++) {
		if (kept && str_equal(names[kept - 1], names[i]))
			continue;
		if (known_count &&
		    bsearch(&names[i], known, known_count, sizeof(known[0]), by_text))
			continue;
		names[kept++] = names[i];
	}
	return kept;
}

static err_t too_many(struct db *db)
{
	struct err *e = err_new(db_arena(db), ERR_UNPROCESSABLE,
				"the project has %d different keys, which is the limit",
				METRICS_PER_PROJECT);

	e->hint = "put what varies into values, not into names of keys";
	return e;
}

static err_t insert_from(struct db *db, int64_t project_id, int32_t next, const struct str *names,
			 size_t count)
{
	int32_t *ids = arena_new_array(db_arena(db), int32_t, count);
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = next + (int32_t)i;
	e = db_exec(db, &STMT_metric_insert,
		    DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT4_ARRAY, ids, count),
			    P_ARRAY(DB_TEXT_ARRAY, names, count)),
		    NULL);
	if (e)
		return e;
	return db_exec(db, &STMT_metric_count,
		       DB_ARGS(P_INT8(project_id), P_INT4(next + (int32_t)count)), NULL);
}

/* Under the project's lock: who comes second finds what the first one added. */
static err_t add_locked(struct db *db, int64_t project_id, struct str *names, size_t count)
{
	struct next_key_row *next;
	struct metric *known;
	struct str *known_names;
	size_t known_count;
	err_t e;

	e = db_first(db, &STMT_metric_lock, DB_ARGS(P_INT8(project_id)), &next_key_table,
		     (void **)&next);
	if (e)
		return e;
	if (!next)
		return err_new(db_arena(db), ERR_NOT_FOUND, "the project is gone");
	e = metric_store_list(db, project_id, names, count, &known, &known_count);
	if (e)
		return e;
	known_names = arena_new_array(db_arena(db), struct str, known_count);
	for (size_t i = 0; i < known_count; i++)
		known_names[i] = known[i].name;
	qsort(known_names, known_count, sizeof(known_names[0]), by_text);
	count = keep_unknown(names, count, known_names, known_count);
	if (!count)
		return NULL;
	if ((size_t)next->next_key + count > METRICS_PER_PROJECT)
		return too_many(db);
	return insert_from(db, project_id, next->next_key, names, count);
}

err_t metric_store_add(struct db *db, int64_t project_id, const struct str *names, size_t count)
{
	struct str *sorted = arena_copy(db_arena(db), names, count * sizeof(names[0]));
	err_t e;

	e = db_begin(db, ADD_TIMEOUT_MS, 0);
	if (!e)
		e = add_locked(db, project_id, sorted, count);
	if (!e)
		return db_commit(db);
	db_rollback(db);
	return e;
}

err_t metric_store_wholes(struct db *db, int64_t project_id, const struct str *names, size_t count,
			  struct metric_whole **ret_wholes, size_t *ret_count)
{
	return db_all(db, &STMT_metric_whole_list,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_TEXT_ARRAY, names, count)),
		      &metric_whole_table, (void **)ret_wholes, ret_count);
}

err_t metric_store_save_wholes(struct db *db, int64_t project_id, const struct metric_whole *wholes,
			       size_t count)
{
	struct arena *a = db_arena(db);

	if (!count)
		return NULL;
	return db_exec(db, &STMT_metric_whole_save,
		       DB_ARGS(P_INT8(project_id), COLUMN(a, DB_TEXT_ARRAY, wholes, count, name),
			       COLUMN(a, DB_TEXT_ARRAY, wholes, count, whole_name)),
		       NULL);
}
