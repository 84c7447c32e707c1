/*
 * Counts over all documents if there are no columns: a window of them at a time becomes columns
 * that live only until they are counted.
 */
#include "arena.h"
#include "clock.h"
#include "columns_filter.h"
#include "search_parts.h"

enum { WINDOW_ARENA = 64 << 10 };

struct bits search_found_rows(struct arena *a, const struct columns *c,
			      const struct search_question *q, struct match_results *results)
{
	struct bits rows = columns_shown(a, c, q->sees_private, q->project_public);

	rows = columns_filter(a, c, q->filter, results, rows);
	if (q->group_key.count)
		columns_of_group(a, c, &q->group_key, &q->group, rows);
	return rows;
}

err_t search_count(struct db *db, struct tally *tally, const struct columns *c, struct bits rows)
{
	if (tally->add(tally, c, rows))
		return NULL;
	return err_new(db_arena(db), ERR_TIMEOUT, "the request took too long");
}

static err_t count_window(struct db *db, struct columns *c, const struct search_question *q,
			  struct match_results *results, struct tally *tally)
{
	struct arena *own = arena_new(WINDOW_ARENA);
	struct bits rows;
	err_t e = NULL;

	match_results_begin(results, c);
	rows = search_found_rows(own, c, q, results);
	while (!match_results_are_known(results) && !e) {
		e = match_results_find(results);
		match_results_begin(results, c);
		rows = search_found_rows(own, c, q, results);
	}
	if (!e)
		e = search_count(db, tally, c, rows);
	arena_free(own);
	return e;
}

static err_t next_window(struct db *db, const struct search_question *q,
			 struct match_results *results, struct tally *tally, int64_t *after)
{
	struct columns *c = columns_new(SIZE_MAX);
	bool fits = true;
	err_t e = search_load_window(db, q->project_id, c, after, &fits);

	if (!e && !fits)
		e = err_new(db_arena(db), ERR_INTERNAL, "cannot read a searchable document");
	if (!e && c->row_count)
		e = count_window(db, c, q, results, tally);
	columns_free(c);
	return e;
}

err_t search_windows(struct db *db, const struct search_question *q, struct match_results *results,
		     struct tally *tally)
{
	int64_t after = INT64_MIN;
	int64_t before;
	err_t e;

	do {
		before = after;
		e = next_window(db, q, results, tally, &after);
		if (!e && q->deadline_us && clock_mono_us() > q->deadline_us)
			e = err_new(db_arena(db), ERR_TIMEOUT, "the request took too long");
	} while (!e && after != before);
	return e;
}
