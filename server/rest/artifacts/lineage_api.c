/* Edges between runs and versions: the graph around a version, and the list of a run. */
#include "lineage_api.h"

#include <inttypes.h>

#include "artifact_json.h"
#include "artifact_make.h"
#include "artifact_query.h"
#include "auth.h"
#include "json_in.h"
#include "lineage.h"
#include "page.h"
#include "reply.h"
#include "run.h"

enum { DEPTH = 4, NODES = 200, ADDRESS_BYTES = 2048 };

static const char *const ways[] = { "input", "output", NULL };

static struct str way_name(int16_t way)
{
	return str_of(ways[way - ARTIFACT_INPUT]);
}

/* ---- the graph --------------------------------------------------------------------------------------- */

static struct str run_name(struct arena *a, int64_t run_id)
{
	return str_of(arena_printf(a, "run-%" PRId64, run_id));
}

static struct str version_node(struct arena *a, int64_t project_id, int64_t artifact_id)
{
	return str_of(arena_printf(a, "version-%" PRId64 "-%" PRId64, project_id, artifact_id));
}

static void write_run(struct json_out *o, struct arena *a, const struct lineage_run_node *node)
{
	const struct lineage_run *run = node->run;

	json_out_object(o);
	json_out_put_text(o, "node", run_name(a, run->run_id));
	json_out_put_int(o, "depth", node->depth);
	json_out_put_text(o, "entity", run->entity);
	json_out_put_text(o, "project", run->project);
	json_out_put_text(o, "id", run->run);
	json_out_put_text(o, "display_name", run->display_name);
	json_out_put_text(o, "state", str_of(run_state_name((enum run_state)run->state)));
	json_out_put_text(o, "job_type", run->job_type);
	json_out_put_time(o, "created_at", run->created_at);
	json_out_object_end(o);
}

static void write_version(struct json_out *o, struct arena *a,
			  const struct lineage_version_node *node)
{
	const struct artifact *artifact = node->artifact;

	json_out_object(o);
	json_out_put_text(o, "node", version_node(a, artifact->project_id, artifact->artifact_id));
	json_out_put_int(o, "depth", node->depth);
	json_out_put_text(o, "entity", node->entity);
	json_out_put_text(o, "project", node->project);
	json_out_put_text(o, "collection", artifact->collection);
	json_out_put_text(o, "version", artifact_json_version_name(a, artifact->version));
	json_out_put_text(o, "type", artifact->type);
	json_out_put_text(o, "state",
			  artifact->state == ARTIFACT_DELETED ? STR("deleted") : STR("committed"));
	json_out_put_raw(o, "aliases", artifact->aliases);
	json_out_put_int(o, "bytes", artifact->size_bytes);
	json_out_put_time(o, "created_at", artifact->created_at);
	json_out_object_end(o);
}

static void write_edge(struct json_out *o, struct arena *a, const struct lineage_edge *edge)
{
	json_out_object(o);
	json_out_put_text(o, "run", run_name(a, edge->run_id));
	json_out_put_text(o, "version", version_node(a, edge->project_id, edge->artifact_id));
	json_out_put_text(o, "way", way_name(edge->way));
	json_out_put_text(o, "used_as", edge->used_as);
	json_out_object_end(o);
}

static void reply_graph(struct request *q, const struct lineage *g)
{
	struct json_out o = reply_json(q);
	const struct artifact *root = g->versions[0].artifact;

	json_out_object(&o);
	json_out_put_text(&o, "root", version_node(q->arena, root->project_id, root->artifact_id));
	json_out_key(&o, "runs");
	json_out_array(&o);
	for (size_t i = 0; i < g->run_count; i++)
		write_run(&o, q->arena, &g->runs[i]);
	json_out_array_end(&o);
	json_out_key(&o, "versions");
	json_out_array(&o);
	for (size_t i = 0; i < g->version_count; i++)
		write_version(&o, q->arena, &g->versions[i]);
	json_out_array_end(&o);
	json_out_key(&o, "edges");
	json_out_array(&o);
	for (size_t i = 0; i < g->edge_count; i++)
		write_edge(&o, q->arena, &g->edges[i]);
	json_out_array_end(&o);
	json_out_put_bool(&o, "truncated", g->is_cut);
	json_out_object_end(&o);
}

err_t lineage_api_show(struct request *q)
{
	struct artifact_target target;
	struct lineage graph;
	int64_t depth;
	int64_t limit;
	err_t e = request_query_int(q, "depth", 1, LINEAGE_DEPTH_MAX, DEPTH, &depth);

	if (!e)
		e = request_query_int(q, "limit", 1, LINEAGE_NODES_MAX, NODES, &limit);
	if (!e)
		e = artifact_query_version(q, &target);
	if (!e)
		e = lineage_walk(q, target.artifact,
				 &(struct lineage_limits){ (int)depth, (size_t)limit }, &graph);
	if (e)
		return e;
	reply_graph(q, &graph);
	return NULL;
}

/* ---- of a run ------------------------------------------------------------------------------------------- */

static err_t write_use(struct request *q, struct json_out *o, const struct lineage_edge *edge,
		       const struct artifact_shown *shown)
{
	err_t e;

	json_out_object(o);
	json_out_put_text(o, "way", way_name(edge->way));
	json_out_put_text(o, "used_as", edge->used_as);
	json_out_put_time(o, "at", edge->at);
	e = artifact_json_put(q, o, "version", shown);
	json_out_object_end(o);
	return e;
}

/* Drafts, and versions that the caller may not see, are left out. */
static err_t write_seen_use(struct request *q, struct json_out *o, struct project_sight *sight,
			    const struct lineage_edge *edge)
{
	struct artifact_shown shown = { 0 };
	const struct seen_project *seen;
	struct artifact *artifact;
	err_t e = project_sight_find(sight, edge->project_id, &seen);

	if (e || !seen->may_read)
		return e;
	e = artifact_store_find(q->db, edge->project_id, edge->artifact_id, &artifact);
	if (e || !artifact || !artifact->has_version ||
	    (artifact->is_private && !seen->sees_private))
		return e;
	shown.artifact = artifact;
	return write_use(q, o, edge, &shown);
}

static err_t read_page(struct request *q, struct page *page, struct lineage_page_ask *ask)
{
	struct str after;
	size_t way;
	int64_t number = 0;
	err_t e = page_read(q, page);

	if (!e)
		e = artifact_query_choice(q, "way", ways, 2, &way);
	if (e)
		return e;
	*ask = (struct lineage_page_ask){
		.run_id = q->target->run_id,
		.way = (int16_t)(way == 2 ? 0 : way + ARTIFACT_INPUT),
		.limit = page->limit + 1,
	};
	if (!page->after.len)
		return NULL;
	after = page->after;
	if (!str_to_int64(str_cut(&after, ' '), INT64_MIN, INT64_MAX, &ask->after.at.us) ||
	    !str_to_int64(str_cut(&after, ' '), 0, INT64_MAX, &ask->after.project_id) ||
	    !str_to_int64(str_cut(&after, ' '), 0, INT64_MAX, &ask->after.artifact_id) ||
	    !str_to_int64(after, ARTIFACT_INPUT, ARTIFACT_OUTPUT, &number))
		return page_bad_cursor(q);
	ask->after.way = (int16_t)number;
	return NULL;
}

err_t lineage_api_list(struct request *q)
{
	struct project_sight *sight = project_sight_new(q);
	struct lineage_page_ask ask;
	struct lineage_edge *edges;
	struct page page;
	size_t count;
	err_t e = read_page(q, &page, &ask);

	if (!e)
		e = lineage_store_page(q->db, &ask, &edges, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown && !e; i++)
		e = write_seen_use(q, &page.out, sight, &edges[i]);
	if (page.has_more) {
		const struct lineage_edge *last = &edges[page.shown - 1];

		page_set_cursor(q, &page, "%" PRId64 " %" PRId64 " %" PRId64 " %d", last->at.us,
				last->project_id, last->artifact_id, last->way);
	}
	page_end(q, &page);
	return e;
}

struct use_asked {
	struct str address;
	struct str used_as;
	enum artifact_way way;
};

static err_t read_use(struct request *q, struct use_asked *asked)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	asked->address = json_in_text(&in, "artifact", ADDRESS_BYTES);
	asked->way = (enum artifact_way)(ARTIFACT_INPUT + json_in_choice_or(&in, "way", ways, 0));
	asked->used_as =
		json_in_text_or(&in, "used_as", ARTIFACT_USED_AS_MAX, (struct str){ NULL, 0 });
	return json_in_end(&in);
}

/* The edge as it is stored: a repeated request finds that of the first one. */
static err_t find_edge(struct request *q, const struct use_asked *asked,
		       const struct artifact *artifact, struct lineage_edge **ret_edge)
{
	const struct lineage_edge like = {
		.run_id = q->target->run_id,
		.way = (int16_t)asked->way,
		.project_id = artifact->project_id,
		.artifact_id = artifact->artifact_id,
	};

	return lineage_store_find(q->db, &like, ret_edge);
}

err_t lineage_api_post(struct request *q)
{
	struct artifact_target target;
	struct artifact_shown shown;
	struct use_asked asked;
	struct lineage_edge *edge = NULL;
	struct json_out o;
	err_t e = read_use(q, &asked);

	if (!e)
		e = artifact_query_address(q, "artifact", asked.address, &target);
	if (!e)
		e = artifact_note_edge(q, asked.way, target.artifact, asked.used_as);
	if (!e)
		e = find_edge(q, &asked, target.artifact, &edge);
	if (!e && !edge)
		e = err_new(q->arena, ERR_GONE, "the run was deleted");
	if (e)
		return e;
	shown = (struct artifact_shown){ .artifact = target.artifact };
	o = reply_json(q);
	return write_use(q, &o, edge, &shown);
}
