/*
 * The values of runs under keys, for lists that show them. Read from the documents themselves,
 * whether there are columns or not: a page has few runs.
 */
#include <stdlib.h>

#include "arena.h"
#include "search_parts.h"

struct numbered {
	int64_t run_id;
	size_t number;
};

static int by_run(const void *x, const void *y)
{
	const struct numbered *a = x;
	const struct numbered *b = y;

	return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

static struct numbered *number_runs(struct arena *a, const struct search_values *ask)
{
	struct numbered *runs = arena_new_array(a, struct numbered, ask->run_count + 1);

	for (size_t i = 0; i < ask->run_count; i++)
		runs[i] = (struct numbered){ ask->run_ids[i], i };
	if (ask->run_count)
		qsort(runs, ask->run_count, sizeof(*runs), by_run);
	return runs;
}

static err_t ask_rows(struct db *db, const struct search_values *ask,
		      struct search_value_row **ret_rows, size_t *ret_count)
{
	struct arena *a = db_arena(db);
	struct str *paths = arena_new_array(a, struct str, ask->key_count + 1);
	struct str *flats = arena_new_array(a, struct str, ask->key_count + 1);
	bool *outside = arena_new_array(a, bool, ask->key_count + 1);
	const struct search_values_ask sql = {
		.project_id = ask->project_id,
		.run_ids = ask->run_ids,
		.run_count = ask->run_count,
		.paths = paths,
		.flats = flats,
		.outside = outside,
		.key_count = ask->key_count,
	};

	for (size_t i = 0; i < ask->key_count; i++) {
		const struct search_key_paths path = search_sql_paths(a, &ask->keys[i]);

		paths[i] = path.path;
		flats[i] = path.flat.len ? path.flat : path.path;
		outside[i] = path.outside;
	}
	return search_store_values(db, &sql, ret_rows, ret_count);
}

err_t search_values(struct db *db, const struct search_values *ask,
		    struct search_value **ret_values)
{
	const size_t count = ask->run_count * ask->key_count;
	struct arena *a = db_arena(db);
	struct search_value *values = arena_new_array(a, struct search_value, count + 1);
	struct numbered *runs = number_runs(a, ask);
	struct search_value_row *rows;
	size_t row_count;
	err_t e = ask_rows(db, ask, &rows, &row_count);

	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		values[i].rank = SEARCH_RANK_NONE;
	for (size_t i = 0; i < row_count; i++) {
		const struct numbered wanted = { .run_id = rows[i].run_id };
		const struct numbered *run =
			bsearch(&wanted, runs, ask->run_count, sizeof(wanted), by_run);

		if (run)
			values[run->number * ask->key_count + (size_t)rows[i].key] =
				search_sql_value(a, rows[i].rank, rows[i].number, rows[i].text);
	}
	*ret_values = values;
	return NULL;
}
