#include "metric_store.h"

#include <stdlib.h>

#include "arena.h"
#include "column.h"
#include "server_store.h"
#include "store_sql.h"

enum { ADD_TIMEOUT_MS = 10000, JUDGE_TIMEOUT_MS = 30000, DELETED_AT_ONCE = 5000 };

static const struct db_column metric_columns[] = {
	DB_COLUMN(struct metric, key_id),
	DB_COLUMN(struct metric, name),
	DB_NULLABLE(struct metric, unused_at),
};
const struct db_row_table metric_table = DB_ROW_TABLE(struct metric, metric_columns);

static const struct db_column whole_columns[] = {
	DB_COLUMN(struct metric_whole, name),
	DB_COLUMN(struct metric_whole, whole_name),
};
const struct db_row_table metric_whole_table = DB_ROW_TABLE(struct metric_whole, whole_columns);

struct counts_row {
	int32_t next_key;
	int32_t key_count;
};
static const struct db_column counts_columns[] = {
	DB_COLUMN(struct counts_row, next_key),
	DB_COLUMN(struct counts_row, key_count),
};
const struct db_row_table metric_counts_table = DB_ROW_TABLE(struct counts_row, counts_columns);

struct number_row {
	int64_t number;
};
static const struct db_column number_columns[] = { DB_COLUMN(struct number_row, number) };
const struct db_row_table metric_number_table = DB_ROW_TABLE(struct number_row, number_columns);

struct project_row {
	int64_t project_id;
};
static const struct db_column project_columns[] = { DB_COLUMN(struct project_row, project_id) };
const struct db_row_table metric_project_table = DB_ROW_TABLE(struct project_row, project_columns);

struct run_row {
	int64_t run_id;
};
static const struct db_column run_columns[] = { DB_COLUMN(struct run_row, run_id) };
const struct db_row_table metric_run_table = DB_ROW_TABLE(struct run_row, run_columns);

struct since_row {
	timestamp_us at;
};
static const struct db_column since_columns[] = { DB_COLUMN(struct since_row, at) };
const struct db_row_table metric_since_table = DB_ROW_TABLE(struct since_row, since_columns);

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

static int by_name(const void *a, const void *b)
{
	return by_text(&((const struct metric *)a)->name, &((const struct metric *)b)->name);
}

static err_t too_many(struct db *db)
{
	struct err *e = err_new(db_arena(db), ERR_UNPROCESSABLE,
				"the project has reached the limit of %d different keys",
				METRICS_PER_PROJECT);

	e->hint = "put variable parts into values instead of key names";
	return e;
}

/* The state read under the project's lock. */
struct adding {
	struct db *db;
	const struct new_metrics *metrics;
	struct counts_row counts;
	timestamp_us now;
	struct metric *known; /* by name */
	size_t known_count;
	enum metric_room room;
	size_t most; /* names that there is room for */
};

static bool is_known(const struct adding *x, struct str name)
{
	const struct metric wanted = { .name = name };

	return x->known_count &&
	       bsearch(&wanted, x->known, x->known_count, sizeof(wanted), by_name);
}

/* The new names, each once, the first `most` of them in the order they came; sorted. */
static struct str *choose_new(struct adding *x, size_t *ret_count)
{
	struct arena *a = db_arena(x->db);
	size_t all = x->metrics->count;
	struct str *sorted = arena_copy(a, x->metrics->names, all * sizeof(sorted[0]));
	struct str *chosen = arena_new_array(a, struct str, all);
	bool *taken = arena_new_array(a, bool, all);
	size_t count = 0;
	size_t kept = 0;

	qsort(sorted, all, sizeof(sorted[0]), by_text);
	for (size_t i = 0; i < all; i++) {
		if ((!kept || !str_equal(sorted[kept - 1], sorted[i])) && !is_known(x, sorted[i]))
			sorted[kept++] = sorted[i];
	}
	if (kept <= x->most) {
		x->room = METRIC_ROOM;
		*ret_count = kept;
		return sorted;
	}
	for (size_t i = 0; i < all && count < x->most; i++) {
		struct str *found =
			bsearch(&x->metrics->names[i], sorted, kept, sizeof(sorted[0]), by_text);

		if (!found || taken[found - sorted])
			continue;
		taken[found - sorted] = true;
		chosen[count++] = *found;
	}
	if (count)
		qsort(chosen, count, sizeof(chosen[0]), by_text);
	*ret_count = count;
	return chosen;
}

static err_t use_again(struct adding *x)
{
	int32_t *ids = arena_new_array(db_arena(x->db), int32_t, x->known_count);
	size_t count = 0;

	for (size_t i = 0; i < x->known_count; i++) {
		if (x->known[i].unused_at.us)
			ids[count++] = x->known[i].key_id;
	}
	if (!count)
		return NULL;
	return db_exec(x->db, &STMT_metric_use,
		       DB_ARGS(P_INT8(x->metrics->project_id), P_ARRAY(DB_INT4_ARRAY, ids, count)),
		       NULL);
}

static err_t number(struct db *db, const struct db_stmt *stmt, struct db_args args,
		    int64_t *ret_number)
{
	struct number_row *row;
	err_t e = db_first(db, stmt, args, &metric_number_table, (void **)&row);

	if (!e)
		*ret_number = row ? row->number : 0;
	return e;
}

static err_t count_brought(const struct adding *x, int64_t *ret_brought)
{
	const struct new_metrics *metrics = x->metrics;
	const timestamp_us after = { x->now.us - METRIC_NEW_PER_US };

	*ret_brought = 0;
	if (!metrics->run_id || !metrics->new_per_hour)
		return NULL;
	return number(x->db, &STMT_metric_brought,
		      DB_ARGS(P_INT8(metrics->project_id), P_INT8(metrics->run_id), P_TIME(after)),
		      ret_brought);
}

/*
 * How many names there is room for, and the limit. Numbers end below INT32_MAX, which means none.
 */
static err_t find_room(struct adding *x)
{
	int64_t left = METRICS_PER_PROJECT - (int64_t)x->counts.key_count;
	int64_t numbers = INT32_MAX - (int64_t)x->counts.next_key;
	int64_t brought;
	err_t e = count_brought(x, &brought);

	if (e)
		return e;
	x->room = METRIC_PROJECT_FULL;
	if (left > numbers)
		left = numbers;
	if (x->metrics->new_per_hour && x->metrics->new_per_hour - brought < left) {
		x->room = METRIC_RUN_FULL;
		left = x->metrics->new_per_hour - brought;
	}
	x->most = left > 0 ? (size_t)left : 0;
	return NULL;
}

static err_t insert(struct adding *x, const struct str *names, size_t count)
{
	const struct new_metrics *metrics = x->metrics;
	int32_t *ids = arena_new_array(db_arena(x->db), int32_t, count);
	int32_t next = x->counts.next_key;
	err_t e;

	if (!count)
		return NULL;
	for (size_t i = 0; i < count; i++)
		ids[i] = next + (int32_t)i;
	e = db_exec(x->db, &STMT_metric_insert,
		    DB_ARGS(P_INT8(metrics->project_id), P_ARRAY(DB_INT4_ARRAY, ids, count),
			    P_ARRAY(DB_TEXT_ARRAY, names, count), P_INT8(metrics->run_id),
			    P_TIME(x->now)),
		    NULL);
	if (e)
		return e;
	return db_exec(x->db, &STMT_metric_count,
		       DB_ARGS(P_INT8(metrics->project_id), P_INT4(next + (int32_t)count),
			       P_INT4(x->counts.key_count + (int32_t)count)),
		       NULL);
}

static err_t lock(struct db *db, int64_t project_id, struct counts_row *ret_counts)
{
	struct counts_row *row;
	err_t e = db_first(db, &STMT_metric_lock, DB_ARGS(P_INT8(project_id)), &metric_counts_table,
			   (void **)&row);

	if (e)
		return e;
	if (!row)
		return err_new(db_arena(db), ERR_NOT_FOUND, "the project was deleted");
	*ret_counts = *row;
	return NULL;
}

/* Under the project's lock: the second of two servers finds the names the first one added. */
static err_t find_known(struct adding *x)
{
	const struct new_metrics *metrics = x->metrics;
	err_t e = lock(x->db, metrics->project_id, &x->counts);

	if (!e)
		e = server_store_now(x->db, &x->now);
	if (!e)
		e = metric_store_list(x->db, metrics->project_id, metrics->names, metrics->count,
				      &x->known, &x->known_count);
	if (e)
		return e;
	if (x->known_count)
		qsort(x->known, x->known_count, sizeof(x->known[0]), by_name);
	return use_again(x);
}

static err_t add_locked(struct adding *x)
{
	struct str *names;
	size_t count;
	err_t e = find_known(x);

	if (!e)
		e = find_room(x);
	if (e)
		return e;
	names = choose_new(x, &count);
	return insert(x, names, count);
}

static err_t end(struct db *db, err_t e)
{
	if (!e)
		return db_commit(db);
	db_rollback(db);
	return e;
}

err_t metric_store_add(struct db *db, const struct new_metrics *metrics, enum metric_room *ret_room)
{
	struct adding x = { .db = db, .metrics = metrics };
	err_t e = db_begin(db, ADD_TIMEOUT_MS, 0);

	if (!e)
		e = add_locked(&x);
	e = end(db, e);
	if (!e)
		*ret_room = x.room;
	return e;
}

err_t metric_store_add_all(struct db *db, const struct new_metrics *metrics)
{
	const struct new_metrics all = { metrics->project_id, 0, metrics->names, metrics->count,
					 0 };
	struct adding x = { .db = db, .metrics = &all };
	err_t e = db_begin(db, ADD_TIMEOUT_MS, 0);

	if (!e)
		e = add_locked(&x);
	if (!e && x.room != METRIC_ROOM)
		e = too_many(db);
	return end(db, e);
}

err_t metric_store_are_used(struct db *db, int64_t project_id, const int32_t *key_ids, size_t count,
			    bool *ret_used)
{
	int64_t used;
	err_t e = number(db, &STMT_metric_used,
			 DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT4_ARRAY, key_ids, count)),
			 &used);

	if (!e)
		*ret_used = used == (int64_t)count;
	return e;
}

/* ---- names that no run has ---------------------------------------------------------------------- */

err_t metric_store_look(struct db *db, int64_t project_id, timestamp_us now)
{
	return db_exec(db, &STMT_metric_look, DB_ARGS(P_INT8(project_id), P_TIME(now)), NULL);
}

err_t metric_store_list_due(struct db *db, timestamp_us now, int64_t limit,
			    int64_t **ret_project_ids, size_t *ret_count)
{
	return db_all(db, &STMT_metric_due_list, DB_ARGS(P_TIME(now), P_INT8(limit)),
		      &metric_project_table, (void **)ret_project_ids, ret_count);
}

err_t metric_store_take_due(struct db *db, int64_t project_id, timestamp_us now, timestamp_us until,
			    bool *ret_taken)
{
	int64_t taken;
	err_t e = db_exec(db, &STMT_metric_due_take,
			  DB_ARGS(P_INT8(project_id), P_TIME(now), P_TIME(until)), &taken);

	if (!e)
		*ret_taken = taken > 0;
	return e;
}

err_t metric_store_runs(struct db *db, int64_t project_id, int64_t after, int64_t limit,
			int64_t **ret_run_ids, size_t *ret_count)
{
	return db_all(db, &STMT_metric_runs,
		      DB_ARGS(P_INT8(project_id), P_INT8(after), P_INT8(limit)), &metric_run_table,
		      (void **)ret_run_ids, ret_count);
}

/* In a transaction each: batches with new names wait for it. */
static err_t mark_locked(struct db *db, const struct metric_use *use)
{
	struct db_param project_id = P_INT8(use->project_id);
	struct db_param key_ids = P_ARRAY(DB_INT4_ARRAY, use->key_ids, use->count);
	struct counts_row counts;
	err_t e = lock(db, use->project_id, &counts);

	if (!e)
		e = db_exec(db, &STMT_metric_use, DB_ARGS(project_id, key_ids), NULL);
	return e ? e
		 : db_exec(db, &STMT_metric_mark, DB_ARGS(project_id, key_ids, P_TIME(use->since)),
			   NULL);
}

static err_t delete_locked(struct db *db, const struct metric_use *use, int64_t *ret_deleted)
{
	const timestamp_us before = { use->since.us - METRIC_UNUSED_US };
	struct counts_row counts;
	err_t e = lock(db, use->project_id, &counts);

	return e ? e
		 : number(db, &STMT_metric_delete,
			  DB_ARGS(P_INT8(use->project_id), P_TIME(before), P_INT8(DELETED_AT_ONCE)),
			  ret_deleted);
}

static err_t delete_some(struct db *db, const struct metric_use *use, int64_t *ret_deleted)
{
	err_t e = db_begin(db, JUDGE_TIMEOUT_MS, 0);

	return end(db, e ? e : delete_locked(db, use, ret_deleted));
}

/* Sets the time of the next check, when a marked name may be deleted. */
static err_t look_later(struct db *db, const struct metric_use *use)
{
	struct since_row *since;
	timestamp_us at = { 0 };
	err_t e = db_first(db, &STMT_metric_unused_since, DB_ARGS(P_INT8(use->project_id)),
			   &metric_since_table, (void **)&since);

	if (e)
		return e;
	if (since && since->at.us)
		at.us = since->at.us + METRIC_UNUSED_US;
	return db_exec(db, &STMT_metric_due_next,
		       DB_ARGS(P_INT8(use->project_id), P_TIME(use->until), P_TIME(at)), NULL);
}

err_t metric_store_judge(struct db *db, const struct metric_use *use, int64_t *ret_deleted)
{
	int64_t some = 0;
	err_t e = db_begin(db, JUDGE_TIMEOUT_MS, 0);

	e = end(db, e ? e : mark_locked(db, use));
	*ret_deleted = 0;
	while (!e) {
		e = delete_some(db, use, &some);
		*ret_deleted += e ? 0 : some;
		if (e || some < DELETED_AT_ONCE)
			break;
	}
	return e ? e : look_later(db, use);
}

/* ---- whole names -------------------------------------------------------------------------------- */

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
