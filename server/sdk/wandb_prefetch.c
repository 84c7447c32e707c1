#include "wandb_prefetch.h"

#include "arena.h"
#include "search_store.h"
#include "series_store.h"
#include "wandb_labels.h"
#include "wandb_list.h"
#include "wandb_run.h"
#include "writer_store.h"

enum {
	STORED_BYTES = 16 << 20, /* a page ends with the run whose documents reach it */
	KEYS_BYTES = 16 << 20,   /* the keys of runs behind are read one by one */
};

static struct wandb_run *runs_of(struct wandb_list *list)
{
	return (struct wandb_run *)(uintptr_t)list->items;
}

static int64_t *ids_of(struct gql_call *call, struct wandb_list *list)
{
	int64_t *ids = arena_new_array(call->arena, int64_t, list->count + 1);

	for (size_t i = 0; i < list->count; i++)
		ids[i] = runs_of(list)[i].run->run_id;
	return ids;
}

/* ---- documents ------------------------------------------------------------------------------------ */

/* The searched document says what the run's own do, as long as it has no more rows. */
static bool is_current(const struct wandb_run *run, const struct search_stored_row *row)
{
	return row->seq >= run->run->document_seq && row->rows == run_rows(run->run);
}

static void put_stored(struct wandb_list *list, const struct search_stored_row *rows, size_t count)
{
	struct wandb_run *items = runs_of(list);
	size_t bytes = 0;
	size_t at = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (at == count || rows[at].run_id != items[i].run->run_id)
			continue;
		bytes += rows[at].config.len + rows[at].summary.len + rows[at].whole.len;
		if (is_current(&items[i], &rows[at])) {
			items[i].config = rows[at].config;
			items[i].summary = rows[at].summary;
			items[i].whole = rows[at].whole;
		}
		at++;
		if (bytes > STORED_BYTES && i + 1 < list->count) {
			list->count = i + 1;
			list->has_more = true;
			list->end = (struct str){ NULL, 0 };
		}
	}
}

static err_t read_stored(struct gql_call *call, struct wandb_list *list)
{
	const int64_t project_id = list->count ? runs_of(list)[0].run->project_id : 0;
	const struct search_stored_ask ask = { project_id, ids_of(call, list), list->count,
					       STORED_BYTES };
	struct search_stored_row *rows;
	size_t count;
	err_t e;

	if (!gql_asks_for(call, "edges.node.config") &&
	    !gql_asks_for(call, "edges.node.summaryMetrics"))
		return NULL;
	e = search_store_stored(wandb_of(call)->q->db, &ask, &rows, &count);
	if (!e)
		put_stored(list, rows, count);
	return e;
}

/* ---- commits -------------------------------------------------------------------------------------- */

static void put_commits(struct wandb_list *list, const struct writer_commit *commits, size_t count)
{
	struct wandb_run *items = runs_of(list);

	for (size_t i = 0; i < list->count; i++)
		items[i].has_commit = true;
	for (size_t c = 0; c < count; c++) {
		for (size_t i = 0; i < list->count; i++) {
			if (items[i].run->run_id == commits[c].run_id)
				items[i].commit = commits[c].commit;
		}
	}
}

static err_t read_commits(struct gql_call *call, struct wandb_list *list)
{
	struct writer_commit *commits;
	size_t count;
	err_t e;

	if (!gql_asks_for(call, "edges.node.commit"))
		return NULL;
	e = writer_store_list_commits(wandb_of(call)->q->db, ids_of(call, list), list->count,
				      &commits, &count);
	if (!e)
		put_commits(list, commits, count);
	return e;
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static size_t first_behind(const struct keys_row *rows, size_t count, int64_t run_id)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows[middle].run_id <= run_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct wandb_key_rows of_run(const struct keys_row *rows, size_t count, int64_t run_id)
{
	size_t first = first_behind(rows, count, run_id - 1);

	return (struct wandb_key_rows){ rows + first, first_behind(rows, count, run_id) - first };
}

static err_t read_labels(struct gql_call *call, struct wandb_list *list, struct wandb_key_rows of)
{
	const struct run **runs = arena_new_array(call->arena, const struct run *, list->count + 1);
	struct wandb_labels *labels = arena_new_of(call->arena, struct wandb_labels);
	struct wandb_labels_ask ask = { .runs = runs, .rows = of.rows, .row_count = of.count };

	for (size_t i = 0; i < list->count; i++) {
		struct wandb_run *run = &runs_of(list)[i];

		run->event_labels = labels;
		if (run->run->next_event)
			runs[ask.run_count++] = run->run;
	}
	return wandb_labels_read_of_rows(wandb_of(call)->q->db, &ask, labels);
}

static err_t read_keys(struct gql_call *call, struct wandb_list *list, enum stream stream)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	const struct keys_ask ask = {
		.run_ids = ids_of(call, list),
		.run_count = list->count,
		.stream = stream,
		.bytes = KEYS_BYTES,
		.project_id = list->count ? runs_of(list)[0].run->project_id : 0,
	};
	struct keys_row *rows;
	size_t count;
	err_t e = series_store_read_keys(reader->db, reader->codec, &ask, &rows, &count);

	if (!e && stream == STREAM_EVENTS)
		e = read_labels(call, list, (struct wandb_key_rows){ rows, count });
	for (size_t i = 0; i < list->count && !e; i++) {
		struct wandb_run *run = &runs_of(list)[i];
		struct wandb_key_rows of = of_run(rows, count, run->run->run_id);

		if (stream == STREAM_HISTORY)
			run->history_keys = of;
		else
			run->event_keys = of;
	}
	return e;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

err_t wandb_prefetch_read(struct gql_call *call, struct wandb_list *list)
{
	err_t e = read_stored(call, list);

	if (!e)
		e = read_commits(call, list);
	if (!e && gql_asks_for(call, "edges.node.historyKeys"))
		e = read_keys(call, list, STREAM_HISTORY);
	if (!e && gql_asks_for(call, "edges.node.systemMetrics"))
		e = read_keys(call, list, STREAM_EVENTS);
	return e;
}
