/*
 * The artifacts that a run read and wrote. Those of projects that the caller may not read are left out, and so are drafts.
 * Which ones are shown is found by numbers alone; only the page is read in full, because metadata may be long.
 */
#include "wandb_run_artifacts.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena.h"
#include "artifact_page.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "lineage_store.h"
#include "wandb.h"
#include "wandb_artifact_parts.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_run.h"

enum {
	EDGES_AT_ONCE = 5000,
	ARTIFACTS_MAX = 1000, /* of a page */
	ARTIFACTS_AT_ONCE = 50,
};

#define CURSOR_KIND "RunArtifactCursor"

/* ---- all of them --------------------------------------------------------------------------------------- */

struct edges {
	struct lineage_edge *at;
	size_t count;
	size_t room;
};

static void add_edges(struct arena *a, struct edges *edges, const struct lineage_edge *more,
		      size_t count)
{
	if (edges->count + count > edges->room) {
		size_t room = 2 * edges->room + count;
		struct lineage_edge *at = arena_new_array(a, struct lineage_edge, room);

		for (size_t i = 0; i < edges->count; i++)
			at[i] = edges->at[i];
		edges->at = at;
		edges->room = room;
	}
	for (size_t i = 0; i < count; i++)
		edges->at[edges->count++] = more[i];
}

static err_t read_edges(struct gql_call *call, struct lineage_ask *ask, struct edges *edges)
{
	struct db *db = wandb_of(call)->q->db;
	struct lineage_edge *more;
	size_t count;
	err_t e;

	do {
		e = lineage_store_of_run(db, ask, &more, &count);
		if (!e)
			e = gql_check_memory(call);
		if (e || !count)
			return e;
		add_edges(call->arena, edges, more, count);
		ask->has_after = true;
		ask->after_at = more[count - 1].at;
		ask->after_project_id = more[count - 1].project_id;
		ask->after_id = more[count - 1].artifact_id;
	} while (count == (size_t)ask->limit);
	return NULL;
}

/* NULL: the caller may not read the project, or it was deleted. */
static err_t find_place(struct gql_call *call, int64_t project_id, struct target **ret_target)
{
	struct wandb *w = wandb_of(call);
	struct artifact_place *place;
	err_t e = artifact_store_place(w->q->db, project_id, &place);

	*ret_target = NULL;
	if (e || !place || place->is_deleted)
		return e;
	return wandb_artifact_place(w, place->entity, place->project, ret_target);
}

static int by_edge_project(const void *a, const void *b)
{
	const struct lineage_edge *x = a, *y = b;

	if (x->project_id != y->project_id)
		return x->project_id < y->project_id ? -1 : 1;
	return (x->artifact_id > y->artifact_id) - (x->artifact_id < y->artifact_id);
}

static int by_time(const void *a, const void *b)
{
	const struct lineage_edge *x = a, *y = b;

	if (x->at.us != y->at.us)
		return x->at.us < y->at.us ? -1 : 1;
	return by_edge_project(a, b);
}

static int by_id(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Leaves those of one project out that are not committed, or that the caller may not see. */
static err_t keep_committed(struct gql_call *call, struct lineage_edge *edges, size_t count,
			    size_t *ret_kept)
{
	int64_t *ids = arena_new_array(call->arena, int64_t, count);
	size_t committed_count = 0;
	struct artifact_nodes_ask ask = { .project_id = edges->project_id,
					  .artifact_ids = ids,
					  .count = count };
	int64_t *committed;
	struct target *target;
	err_t e = find_place(call, edges->project_id, &target);

	*ret_kept = 0;
	if (e || !target)
		return e;
	for (size_t i = 0; i < count; i++)
		ids[i] = edges[i].artifact_id;
	ask.sees = artifact_target_sees(target);
	e = artifact_store_list_committed(wandb_of(call)->q->db, &ask, &committed,
					  &committed_count);
	for (size_t i = 0; i < count && !e && committed_count; i++) {
		if (bsearch(&edges[i].artifact_id, committed, committed_count, sizeof(*committed),
			    by_id))
			edges[(*ret_kept)++] = edges[i];
	}
	return e;
}

/* In order of their times. */
static err_t keep_visible(struct gql_call *call, struct edges *edges)
{
	size_t kept = 0;
	err_t e = NULL;

	if (edges->count)
		qsort(edges->at, edges->count, sizeof(edges->at[0]), by_edge_project);
	for (size_t i = 0, next; i < edges->count && !e; i = next) {
		size_t some;

		for (next = i + 1;
		     next < edges->count && edges->at[next].project_id == edges->at[i].project_id;)
			next++;
		e = keep_committed(call, &edges->at[i], next - i, &some);
		for (size_t k = 0; k < some && !e; k++)
			edges->at[kept++] = edges->at[i + k];
	}
	edges->count = kept;
	if (kept)
		qsort(edges->at, kept, sizeof(edges->at[0]), by_time);
	return e;
}

/* ---- a page -------------------------------------------------------------------------------------------- */

struct edge_page {
	const struct lineage_edge *at;
	size_t count;
	bool has_more;
};

static struct str cursor_of(struct arena *a, const struct lineage_edge *edge)
{
	return wandb_id(a, CURSOR_KIND,
			str_of(arena_printf(a, "%" PRId64 ":%" PRId64 ":%" PRId64, edge->at.us,
					    edge->project_id, edge->artifact_id)));
}

static err_t read_cursor(struct gql_call *call, struct lineage_edge *ret_after)
{
	struct str rest;

	if (wandb_id_read(call->arena, gql_arg_text(call, "after"), CURSOR_KIND, &rest) &&
	    str_to_int64(str_cut(&rest, ':'), INT64_MIN, INT64_MAX, &ret_after->at.us) &&
	    str_to_int64(str_cut(&rest, ':'), 1, INT64_MAX, &ret_after->project_id) &&
	    str_to_int64(rest, 1, INT64_MAX, &ret_after->artifact_id))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "after",
			 "invalid cursor: use \"endCursor\" of the same query");
}

/* The metadata of versions may be large. */
static err_t cut_page(struct gql_call *call, struct edge_page *page)
{
	struct artifact_key *keys =
		arena_new_array(call->arena, struct artifact_key, page->count + 1);
	size_t fit = 0;
	err_t e;

	for (size_t i = 0; i < page->count; i++)
		keys[i] = (struct artifact_key){ page->at[i].project_id, page->at[i].artifact_id };
	e = artifact_page_fit(wandb_of(call)->q, keys, page->count, &fit);
	if (e || fit == page->count)
		return e;
	page->count = fit;
	page->has_more = true;
	return NULL;
}

static err_t read_page(struct gql_call *call, const struct edges *edges, struct edge_page *page)
{
	struct lineage_edge after;
	int64_t first;
	size_t begin = 0;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, ARTIFACTS_AT_ONCE, &first);

	if (!e && gql_arg_text(call, "after").len) {
		e = read_cursor(call, &after);
		while (!e && begin < edges->count && by_time(&edges->at[begin], &after) <= 0)
			begin++;
	}
	if (e)
		return e;
	if (first > ARTIFACTS_MAX)
		first = ARTIFACTS_MAX;
	page->at = edges->at + begin;
	page->count = edges->count - begin;
	page->has_more = page->count > (size_t)first;
	if (page->has_more)
		page->count = (size_t)first;
	return cut_page(call, page);
}

static const struct artifact *find_row(const struct artifact *rows, size_t count,
				       int64_t artifact_id)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].artifact_id == artifact_id)
			return &rows[i];
	}
	return NULL;
}

/* Reads those of the page that are of the project of its edge `at`, unless an edge before has done it. */
static err_t fill_project(struct gql_call *call, const struct edge_page *page, size_t at,
			  struct wandb_artifact *items)
{
	int64_t *ids = arena_new_array(call->arena, int64_t, page->count);
	int64_t project_id = page->at[at].project_id;
	struct target *target = NULL;
	struct artifact *rows;
	size_t count = 0;
	err_t e;

	for (size_t i = at; i < page->count; i++) {
		if (page->at[i].project_id == project_id)
			ids[count++] = page->at[i].artifact_id;
	}
	e = find_place(call, project_id, &target);
	if (!e && target)
		e = artifact_store_list_ids(wandb_of(call)->q->db, project_id, ids, count, &rows,
					    &count);
	if (e || !target)
		return e;
	for (size_t i = at; i < page->count; i++) {
		const struct lineage_edge *edge = &page->at[i];

		if (edge->project_id == project_id)
			items[i] = (struct wandb_artifact){
				.cursor = cursor_of(call->arena, edge),
				.target = target,
				.row = find_row(rows, count, edge->artifact_id),
			};
	}
	return gql_check_memory(call);
}

/* Without those that were deleted since. */
static err_t give_page(struct gql_call *call, const struct edge_page *page, size_t total)
{
	struct wandb_artifact *items =
		arena_new_array(call->arena, struct wandb_artifact, page->count + 1);
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	err_t e = NULL;

	for (size_t i = 0; i < page->count && !e; i++) {
		if (!items[i].target)
			e = fill_project(call, page, i, items);
	}
	if (e)
		return e;
	*list = (struct wandb_list){ .items = items,
				     .size = sizeof(items[0]),
				     .has_more = page->has_more,
				     .total = (int64_t)total };
	if (page->count)
		list->end = cursor_of(call->arena, &page->at[page->count - 1]);
	for (size_t i = 0; i < page->count; i++) {
		if (items[i].row)
			items[list->count++] = items[i];
	}
	gql_give(call, list);
	return NULL;
}

static err_t give_artifacts(struct gql_call *call, enum artifact_way way)
{
	struct lineage_ask ask = {
		.run_id = ((const struct wandb_run *)call->parent)->run->run_id,
		.way = way,
		.limit = EDGES_AT_ONCE,
	};
	struct edges edges = { .count = 0 };
	struct edge_page page;
	err_t e = read_edges(call, &ask, &edges);

	if (!e)
		e = keep_visible(call, &edges);
	if (!e)
		e = read_page(call, &edges, &page);
	return e ? e : give_page(call, &page, edges.count);
}

err_t wandb_run_inputs(struct gql_call *call)
{
	return give_artifacts(call, ARTIFACT_INPUT);
}

err_t wandb_run_outputs(struct gql_call *call)
{
	return give_artifacts(call, ARTIFACT_OUTPUT);
}

/* Up to 0.28 clients ask for fragments on the names of both. */
WANDB_LIST_FIELDS(artifact, "RunArtifact", wandb_artifact_type);
const struct gql_type wandb_run_inputs_type =
	GQL_TYPE("InputArtifactConnection", artifact_list_fields);
const struct gql_type wandb_run_outputs_type = GQL_TYPE("ArtifactConnection", artifact_list_fields);
