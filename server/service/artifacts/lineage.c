#include "lineage.h"

#include <stdlib.h>

#include "artifact_store.h"
#include "project_sight.h"

struct walk {
	struct request *q;
	struct project_sight *sight;
	struct lineage_limits limits;
	struct lineage graph;
};

static size_t nodes_left(const struct walk *w)
{
	const size_t count = w->graph.version_count + w->graph.run_count;

	return count < w->limits.nodes ? w->limits.nodes - count : 0;
}

static bool is_full(struct walk *w)
{
	if (nodes_left(w))
		return false;
	w->graph.is_cut = true;
	return true;
}

static bool has_version(const struct lineage *g, int64_t project_id, int64_t artifact_id)
{
	for (size_t i = 0; i < g->version_count; i++) {
		const struct artifact *artifact = g->versions[i].artifact;

		if (artifact->artifact_id == artifact_id && artifact->project_id == project_id)
			return true;
	}
	return false;
}

static bool has_run(const struct lineage *g, int64_t run_id)
{
	for (size_t i = 0; i < g->run_count; i++) {
		if (g->runs[i].run->run_id == run_id)
			return true;
	}
	return false;
}

/* ---- edges ---------------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
	const struct lineage_edge *x = a;
	const struct lineage_edge *y = b;

	if (x->run_id != y->run_id)
		return x->run_id < y->run_id ? -1 : 1;
	if (x->project_id != y->project_id)
		return x->project_id < y->project_id ? -1 : 1;
	if (x->artifact_id != y->artifact_id)
		return x->artifact_id < y->artifact_id ? -1 : 1;
	return x->way - y->way;
}

static void keep_edges(struct walk *w, const struct lineage_edge *edges, size_t count)
{
	struct lineage *g = &w->graph;

	for (size_t i = 0; i < count; i++) {
		if (!has_run(g, edges[i].run_id) ||
		    !has_version(g, edges[i].project_id, edges[i].artifact_id))
			continue;
		if (g->edge_count == 2 * LINEAGE_EDGES_MAX) {
			g->is_cut = true;
			return;
		}
		g->edges[g->edge_count++] = edges[i];
	}
}

/* An edge is found from both of its ends. */
static void drop_double_edges(struct lineage *g)
{
	size_t kept = 0;

	if (g->edge_count)
		qsort(g->edges, g->edge_count, sizeof(g->edges[0]), compare_edges);
	for (size_t i = 0; i < g->edge_count; i++) {
		if (!kept || compare_edges(&g->edges[kept - 1], &g->edges[i]))
			g->edges[kept++] = g->edges[i];
	}
	g->edge_count = kept;
	if (g->edge_count > LINEAGE_EDGES_MAX) {
		g->edge_count = LINEAGE_EDGES_MAX;
		g->is_cut = true;
	}
}

/* ---- from versions to runs -------------------------------------------------------------------------- */

static err_t add_runs(struct walk *w, const struct lineage_edge *edges, size_t count, int depth)
{
	struct lineage *g = &w->graph;
	int64_t *ids = arena_new_array(w->q->arena, int64_t, count + 1);
	struct lineage_run *runs;
	size_t run_count = 0;
	size_t id_count = 0;
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!has_run(g, edges[i].run_id))
			ids[id_count++] = edges[i].run_id;
	}
	if (id_count)
		e = lineage_store_list_runs(w->q->db, ids, id_count, &runs, &run_count);
	for (size_t i = 0; i < run_count && !e; i++) {
		bool sees = false;

		e = project_sight_of_run(w->sight, &runs[i], &sees);
		if (e || !sees || has_run(g, runs[i].run_id))
			continue;
		if (is_full(w))
			break;
		g->runs[g->run_count++] = (struct lineage_run_node){ depth, &runs[i] };
	}
	return e;
}

static err_t find_runs(struct walk *w, int depth, bool *ret_any)
{
	struct lineage *g = &w->graph;
	int64_t *projects = arena_new_array(w->q->arena, int64_t, g->version_count + 1);
	int64_t *ids = arena_new_array(w->q->arena, int64_t, g->version_count + 1);
	struct lineage_artifacts from = { projects, ids, 0 };
	struct lineage_edge *edges;
	const size_t before = g->run_count;
	size_t count = 0;
	err_t e = NULL;

	for (size_t i = 0; i < g->version_count; i++) {
		if (g->versions[i].depth != depth - 1)
			continue;
		projects[from.count] = g->versions[i].artifact->project_id;
		ids[from.count++] = g->versions[i].artifact->artifact_id;
	}
	if (from.count)
		e = lineage_store_of_artifacts(w->q->db, &from, LINEAGE_EDGES_MAX + 1, &edges,
					       &count);
	if (!e && count)
		e = add_runs(w, edges, count, depth);
	if (e)
		return e;
	g->is_cut = g->is_cut || count > LINEAGE_EDGES_MAX;
	if (count)
		keep_edges(w, edges, count);
	*ret_any = g->run_count > before;
	return NULL;
}

/* ---- from runs to versions ---------------------------------------------------------------------------- */

static int by_project(const void *a, const void *b)
{
	const struct lineage_edge *x = a;
	const struct lineage_edge *y = b;

	return (x->project_id > y->project_id) - (x->project_id < y->project_id);
}

static void add_found(struct walk *w, const struct seen_project *seen,
		      const struct artifact *artifacts, size_t count, int depth)
{
	struct lineage *g = &w->graph;

	for (size_t i = 0; i < count; i++) {
		const struct artifact *artifact = &artifacts[i];

		if (artifact->state == ARTIFACT_PENDING || !artifact->has_version ||
		    has_version(g, artifact->project_id, artifact->artifact_id))
			continue;
		if (is_full(w))
			return;
		g->versions[g->version_count++] = (struct lineage_version_node){
			depth,
			artifact,
			seen->entity,
			seen->project,
		};
	}
}

/* Adds the versions of the edges from `first` on that are of one project. *ret_count: how many edges these are. */
static err_t add_of_project(struct walk *w, const struct lineage_edge *sorted, size_t count,
			    int depth, size_t *ret_count)
{
	const int64_t project_id = sorted[0].project_id;
	int64_t *ids = arena_new_array(w->q->arena, int64_t, count);
	const struct seen_project *seen;
	struct artifact *found;
	size_t found_count = 0;
	size_t some = 0;
	err_t e = project_sight_find(w->sight, project_id, &seen);

	while (some < count && sorted[some].project_id == project_id) {
		ids[some] = sorted[some].artifact_id;
		some++;
	}
	*ret_count = some;
	if (e || !seen->may_read)
		return e;
	e = artifact_store_list_nodes(w->q->db,
				      &(struct artifact_nodes_ask){
					      .project_id = project_id,
					      .sees = project_sight_of_artifacts(seen),
					      .artifact_ids = ids,
					      .count = some,
					      .limit = (int64_t)nodes_left(w) + 1,
				      },
				      &found, &found_count);
	if (!e && found_count)
		add_found(w, seen, found, found_count, depth);
	return e;
}

static err_t add_versions(struct walk *w, const struct lineage_edge *edges, size_t count, int depth)
{
	struct lineage_edge *sorted = arena_new_array(w->q->arena, struct lineage_edge, count + 1);
	size_t new_count = 0;
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!has_version(&w->graph, edges[i].project_id, edges[i].artifact_id))
			sorted[new_count++] = edges[i];
	}
	if (new_count)
		qsort(sorted, new_count, sizeof(sorted[0]), by_project);
	for (size_t i = 0, some = 0; i < new_count && !e; i += some)
		e = add_of_project(w, sorted + i, new_count - i, depth, &some);
	return e;
}

static err_t find_versions(struct walk *w, int depth, bool *ret_any)
{
	struct lineage *g = &w->graph;
	int64_t *ids = arena_new_array(w->q->arena, int64_t, g->run_count + 1);
	struct lineage_edge *edges;
	const size_t before = g->version_count;
	size_t id_count = 0;
	size_t count = 0;
	err_t e = NULL;

	for (size_t i = 0; i < g->run_count; i++) {
		if (g->runs[i].depth == depth - 1)
			ids[id_count++] = g->runs[i].run->run_id;
	}
	if (id_count)
		e = lineage_store_of_runs(w->q->db, ids, id_count, LINEAGE_EDGES_MAX + 1, &edges,
					  &count);
	if (!e && count)
		e = add_versions(w, edges, count, depth);
	if (e)
		return e;
	g->is_cut = g->is_cut || count > LINEAGE_EDGES_MAX;
	if (count)
		keep_edges(w, edges, count);
	*ret_any = g->version_count > before;
	return NULL;
}

err_t lineage_walk(struct request *q, const struct artifact *artifact,
		   const struct lineage_limits *limits, struct lineage *ret_lineage)
{
	struct walk w = { .q = q, .sight = project_sight_new(q), .limits = *limits };
	struct lineage *g = &w.graph;
	const struct seen_project *seen;
	bool any = true;
	err_t e = project_sight_find(w.sight, artifact->project_id, &seen);

	if (e)
		return e;
	g->versions = arena_new_array(q->arena, struct lineage_version_node, limits->nodes + 1);
	g->runs = arena_new_array(q->arena, struct lineage_run_node, limits->nodes + 1);
	g->edges = arena_new_array(q->arena, struct lineage_edge, 2 * LINEAGE_EDGES_MAX);
	g->versions[g->version_count++] =
		(struct lineage_version_node){ 0, artifact, seen->entity, seen->project };
	for (int depth = 1; depth <= limits->depth && any && !e; depth++)
		e = depth % 2 ? find_runs(&w, depth, &any) : find_versions(&w, depth, &any);
	if (e)
		return e;
	drop_double_edges(g);
	*ret_lineage = *g;
	return NULL;
}
