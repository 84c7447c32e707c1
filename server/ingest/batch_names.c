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

err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 const struct json_rows *history, const struct json_rows *events,
			 struct batch_names *ret_names)
{
	struct metric_cache *cache = ingest_metrics_cache(ingest);
	size_t most = history->column_count + events->column_count;
	struct str *names = arena_new_array(history->arena, struct str, most);
	uint32_t *numbers = arena_new_array(history->arena, uint32_t, most);
	int32_t *known = arena_new_array(history->arena, int32_t, most);
	size_t of_history = add_names(names, 0, history);
	size_t count = add_names(names, of_history, events);
	err_t e;

	*ret_names = (struct batch_names){ numbers, numbers + of_history };
	e = metric_cache_find(cache, db, batch->project_id, names, count, known);
	if (!e && any_is_new(known, count)) {
		e = judge(db, batch);
		if (!e)
			e = metric_cache_numbers(cache, db, batch->project_id, names, count,
						 numbers);
		return e;
	}
	for (size_t i = 0; i < count; i++)
		numbers[i] = (uint32_t)known[i];
	return e;
}

static void note_rows(const struct json_column *column, bool *ret_lost)
{
	for (uint32_t i = 0; i < column->number_count; i++)
		ret_lost[json_column_number_row(column, i)] = true;
	for (uint32_t i = 0; i < column->text_count; i++)
		ret_lost[json_column_text_row(column, i)] = true;
}

err_t batch_names_drop_new(struct ingest *ingest, struct db *db, int64_t project_id,
			   struct json_rows *rows, bool *ret_lost)
{
	struct str *names = arena_new_array(rows->arena, struct str, rows->column_count + 1);
	int32_t *known = arena_new_array(rows->arena, int32_t, rows->column_count + 1);
	size_t count = add_names(names, 0, rows);
	uint32_t kept = 0;
	err_t e = metric_cache_find(ingest_metrics_cache(ingest), db, project_id, names, count,
				    known);

	for (size_t i = 0; i < count && !e; i++) {
		struct json_column *column = &rows->columns[i];

		if (known[i] != INT32_MAX) {
			rows->columns[kept++] = *column;
			continue;
		}
		note_rows(column, ret_lost);
		rows->cell_count -= column->number_count + column->text_count;
	}
	if (!e && count)
		rows->column_count = kept;
	return e;
}
