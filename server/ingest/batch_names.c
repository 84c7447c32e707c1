/*
 * Known names cost a look into memory. Only a batch with a new one is judged beforehand, which is a flush
 * of its own that is rolled back. Rejected: giving numbers within the flush, which would hold the run's
 * lock while the project's names are locked. Between the two a join may still come and fence the writer
 * off; its names are then known too early by one session.
 */
#include "batch_names.h"

#include "arena.h"
#include "flush.h"
#include "metric_cache.h"
#include "metric_store.h"
#include "odd_name.h"

/* All but its rows and lines, which are never refused by what is stored. */
static err_t judge(struct db *db, const struct ingest_batch *batch)
{
	struct ingest_batch alone = *batch;
	struct ingest_batch *batches[] = { &alone };
	struct flush f = {
		.db = db,
		.arena = db_arena(db),
		.batches = batches,
		.count = 1,
	};
	err_t e;

	if (!batch->run_id)
		return NULL; /* it is about to be made */
	e = flush_judge(&f);
	db_rollback(db);
	return e ? e : alone.error;
}

static bool any_is_new(const int32_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == INT32_MAX)
			return true;
	}
	return false;
}

static size_t add_names(struct str *names, size_t count, const struct json_rows *rows)
{
	for (uint32_t i = 0; rows->row_count && i < rows->column_count; i++)
		names[count++] = rows->columns[i].name;
	return count;
}

/* The whole names of columns whose names are shortened. */
static err_t save_wholes(struct db *db, int64_t project_id, const struct json_rows *rows)
{
	struct metric_whole *wholes =
		arena_new_array(rows->arena, struct metric_whole, rows->column_count);
	size_t count = 0;

	for (uint32_t i = 0; i < rows->column_count; i++) {
		const struct json_column *c = &rows->columns[i];

		if (c->whole.len)
			wholes[count++] = (struct metric_whole){
				c->name,
				odd_name_form(rows->arena, c->whole, ODD_NAME_KEY, SIZE_MAX)
			};
	}
	return metric_store_save_wholes(db, project_id, wholes, count);
}

struct numbering {
	struct metric_cache *cache;
	struct db *db;
	const struct ingest_batch *batch;
	struct str *names;
	size_t count;
	int32_t *known; /* INT32_MAX: the name has none */
};

static err_t number_new(const struct numbering *n, uint32_t *ret_numbers)
{
	err_t e = judge(n->db, n->batch);

	if (e)
		return e;
	return metric_cache_numbers(n->cache, n->db, n->batch->project_id, n->names, n->count,
				    ret_numbers);
}

/* From the last to the first, for each that goes moves those behind it. */
static void leave_out_new(struct json_rows *rows, const int32_t *known)
{
	for (uint32_t i = rows->row_count ? rows->column_count : 0; i-- > 0;) {
		if (known[i] == INT32_MAX)
			json_rows_leave_out_column(rows, i, LEFT_OUT_PROJECT_FULL);
	}
}

static err_t number_rows(struct numbering *n, struct json_rows *history, struct json_rows *events,
			 uint32_t *ret_numbers, size_t *ret_of_history)
{
	size_t of_history = add_names(n->names, 0, history);
	err_t e;

	n->count = add_names(n->names, of_history, events);
	*ret_of_history = of_history;
	e = metric_cache_find(n->cache, n->db, n->batch->project_id, n->names, n->count, n->known);
	if (e)
		return e;
	if (any_is_new(n->known, n->count)) {
		e = number_new(n, ret_numbers);
		if (!e && history->row_count)
			e = save_wholes(n->db, n->batch->project_id, history);
		return e || !events->row_count ? e
					       : save_wholes(n->db, n->batch->project_id, events);
	}
	for (size_t i = 0; i < n->count; i++)
		ret_numbers[i] = (uint32_t)n->known[i];
	return NULL;
}

err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 struct json_rows *history, struct json_rows *events,
			 struct batch_names *ret_names)
{
	size_t most = history->column_count + events->column_count;
	uint32_t *numbers = arena_new_array(history->arena, uint32_t, most);
	struct numbering n = {
		.cache = ingest_metrics_cache(ingest),
		.db = db,
		.batch = batch,
		.names = arena_new_array(history->arena, struct str, most),
		.known = arena_new_array(history->arena, int32_t, most),
	};
	size_t of_history;
	err_t e = number_rows(&n, history, events, numbers, &of_history);

	if (e && e->kind == ERR_UNPROCESSABLE && any_is_new(n.known, n.count)) {
		leave_out_new(history, n.known);
		leave_out_new(events, n.known + of_history);
		e = number_rows(&n, history, events, numbers, &of_history);
	}
	*ret_names = (struct batch_names){ numbers, numbers + of_history };
	return e;
}
