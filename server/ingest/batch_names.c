/*
 * Known names cost a memory lookup. Only a batch with a new one is judged beforehand, by a separate
 * flush that is rolled back. Rejected: giving numbers within the flush, which would hold the run's
 * lock while the project's names are locked. Between the two a join may still fence the writer off;
 * its names are then known too early by one session.
 */
#include "batch_names.h"

#include "arena.h"
#include "flush.h"
#include "metric_cache.h"
#include "metric_store.h"
#include "odd_name.h"

/* All but its rows and lines, which stored data never causes to be refused. */
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
		return NULL; /* it is about to be created */
	alone.names = (struct ingest_names){ 0 };
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
	struct ingest *ingest;
	struct metric_cache *cache;
	struct db *db;
	struct ingest_batch *batch;
	struct arena *scratch;
	struct str *names; /* of all columns, those of history first */
	size_t count;
	int32_t *numbers; /* INT32_MAX: the name has none */
};

static err_t find_numbers(struct numbering *n)
{
	return metric_cache_find_used(n->cache, n->db, n->batch->project_id, n->names, n->count,
				      n->numbers, &n->batch->names.as_of);
}

/* New names get numbers, as many as there is room for. */
static err_t number_new(struct numbering *n, enum metric_room *ret_room)
{
	struct str *fresh = arena_new_array(n->scratch, struct str, n->count);
	struct new_metrics metrics = {
		.project_id = n->batch->project_id,
		.run_id = n->batch->run_id,
		.names = fresh,
		.new_per_hour = ingest_new_names_per_hour(n->ingest),
	};
	err_t e = judge(n->db, n->batch);

	for (size_t i = 0; i < n->count; i++) {
		if (n->numbers[i] == INT32_MAX)
			fresh[metrics.count++] = n->names[i];
	}
	if (!e)
		e = metric_store_add(n->db, &metrics, ret_room);
	return e ? e : find_numbers(n);
}

/*
 * Drops columns without a number; *numbers gets the others', one after the
 * other. Returns how many it had.
 */
static size_t keep_numbered(struct json_rows *rows, int32_t *numbers, enum left_out_reason reason)
{
	size_t count = rows->row_count ? rows->column_count : 0;
	size_t kept = 0;

	/* from the last to the first: dropping a column moves those after it */
	for (size_t i = count; i-- > 0;) {
		if (numbers[i] == INT32_MAX)
			json_rows_leave_out_column(rows, (uint32_t)i, reason);
	}
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] != INT32_MAX)
			numbers[kept++] = numbers[i];
	}
	return count;
}

/* The key numbers that a late flush checks again. */
static void note_numbers(struct numbering *n)
{
	size_t kept = 0;

	n->batch->names.key_ids = arena_new_array(n->batch->arena, int32_t, n->count);
	for (size_t i = 0; i < n->count; i++) {
		if (n->numbers[i] != INT32_MAX)
			n->batch->names.key_ids[kept++] = n->numbers[i];
	}
	n->batch->names.count = kept;
}

static err_t number_rows(struct numbering *n, struct json_rows *history, struct json_rows *events)
{
	enum metric_room room = METRIC_ROOM;
	enum left_out_reason reason;
	size_t of_history;
	err_t e = find_numbers(n);

	if (e || !any_is_new(n->numbers, n->count)) {
		note_numbers(n);
		return e;
	}
	e = number_new(n, &room);
	if (e)
		return e;
	note_numbers(n);
	reason = room == METRIC_RUN_FULL ? LEFT_OUT_RUN_NAMES : LEFT_OUT_PROJECT_FULL;
	of_history = keep_numbered(history, n->numbers, reason);
	keep_numbered(events, n->numbers + of_history, reason);
	if (history->row_count)
		e = save_wholes(n->db, n->batch->project_id, history);
	return e || !events->row_count ? e : save_wholes(n->db, n->batch->project_id, events);
}

err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 struct json_rows *history, struct json_rows *events,
			 struct batch_names *ret_names)
{
	size_t most = history->column_count + events->column_count;
	struct numbering n = {
		.ingest = ingest,
		.cache = ingest_metrics_cache(ingest),
		.db = db,
		.batch = batch,
		.scratch = history->arena,
		.names = arena_new_array(history->arena, struct str, most),
		.numbers = arena_new_array(history->arena, int32_t, most),
	};
	size_t of_history = add_names(n.names, 0, history);
	err_t e;

	n.count = add_names(n.names, of_history, events);
	e = number_rows(&n, history, events);
	*ret_names = (struct batch_names){ (const uint32_t *)n.numbers,
					   (const uint32_t *)n.numbers + of_history };
	return e;
}
