/*
 * Versions and collections as JSON. What their rows only have numbers of, runs and the projects of linked versions, is looked
 * up for all of a page at once, and only what the caller may see is named.
 */
#include "artifact_json.h"

#include "artifact_id.h"
#include "auth.h"
#include "reply.h"

static const char *const states[] = { "", "pending", "committed", "deleted" };
static const char *const kinds[] = { "", "sequence", "portfolio" };

struct str artifact_json_version_name(struct arena *a, int32_t version)
{
	return str_of(arena_printf(a, "v%d", version));
}

/* ---- versions ----------------------------------------------------------------------------------- */

/* The runs of a page. */
struct page_runs {
	struct lineage_run *runs;
	size_t count;
	struct project_sight *sight;
};

static err_t find_runs(struct request *q, const struct artifact_shown *shown, size_t count,
		       struct page_runs *ret_runs)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, count + 1);
	size_t id_count = 0;

	*ret_runs = (struct page_runs){ .sight = project_sight_new(q) };
	for (size_t i = 0; i < count; i++) {
		if (shown[i].artifact->run_id)
			ids[id_count++] = shown[i].artifact->run_id;
	}
	if (!id_count)
		return NULL;
	return lineage_store_list_runs(q->db, ids, id_count, &ret_runs->runs, &ret_runs->count);
}

static err_t write_run(struct json_out *o, const struct page_runs *runs, int64_t run_id)
{
	const struct lineage_run *run = NULL;
	bool sees = false;
	err_t e;

	for (size_t i = 0; i < runs->count && !run; i++) {
		if (runs->runs[i].run_id == run_id)
			run = &runs->runs[i];
	}
	e = run_id && run ? project_sight_of_run(runs->sight, run, &sees) : NULL;
	if (e)
		return e;
	if (!sees) {
		json_out_put_null(o, "run");
		return NULL;
	}
	json_out_key(o, "run");
	json_out_object(o);
	json_out_put_text(o, "entity", run->entity);
	json_out_put_text(o, "project", run->project);
	json_out_put_text(o, "id", run->run);
	json_out_put_text(o, "display_name", run->display_name);
	json_out_object_end(o);
	return NULL;
}

static void write_source(struct json_out *o, struct arena *a, const struct seen_project *place,
			 const struct artifact_shown *shown)
{
	const struct artifact *artifact = shown->artifact;

	if (!shown->member || shown->member->collection_id == artifact->collection_id) {
		json_out_put_null(o, "source");
		return;
	}
	json_out_key(o, "source");
	json_out_object(o);
	json_out_put_text(o, "entity", place->entity);
	json_out_put_text(o, "project", place->project);
	json_out_put_text(o, "collection", artifact->collection);
	json_out_put_text(o, "version", artifact_json_version_name(a, artifact->version));
	json_out_object_end(o);
}

static void write_place(struct request *q, struct json_out *o, const struct seen_project *place,
			const struct artifact_shown *shown)
{
	const struct artifact *artifact = shown->artifact;
	const struct artifact_member *member = shown->member;
	const struct artifact_id id = { artifact->project_id, artifact->artifact_id };

	json_out_put_text(o, "id", artifact_id_write(q->arena, ARTIFACT_ID_VERSION, id));
	json_out_put_text(o, "entity", member ? member->entity : place->entity);
	json_out_put_text(o, "project", member ? member->project : place->project);
	json_out_put_text(o, "collection", member ? member->collection : artifact->collection);
	json_out_put_text(o, "type", artifact->type);
	json_out_put_text(o, "version",
			  artifact_json_version_name(q->arena,
						     member ? member->version : artifact->version));
	json_out_put_text(o, "state", str_of(states[artifact->state]));
	json_out_put_raw(o, "aliases", member ? member->aliases : artifact->aliases);
}

static void write_content(struct json_out *o, const struct artifact *artifact)
{
	json_out_put_raw(o, "tags", artifact->tags);
	json_out_put_text(o, "description", artifact->description);
	json_out_put_raw(o, "metadata", artifact->metadata.at ? artifact->metadata : STR("{}"));
	json_out_put_text(o, "digest", artifact->digest);
	json_out_put_int(o, "bytes", artifact->size_bytes);
	json_out_put_int(o, "files", artifact->file_count);
	json_out_put_int_or_null(o, "ttl_s", artifact->ttl_s != ARTIFACT_TTL_INHERIT,
				 artifact->ttl_s);
	json_out_put_time(o, "expires_at", artifact_expires(artifact));
	json_out_put_text_or_null(o, "user", artifact->user);
}

static err_t write_version(struct request *q, struct json_out *o, const struct page_runs *runs,
			   const struct artifact_shown *shown)
{
	const struct artifact *artifact = shown->artifact;
	const struct seen_project *place;
	err_t e = project_sight_find(runs->sight, artifact->project_id, &place);

	if (e)
		return e;
	json_out_object(o);
	write_place(q, o, place, shown);
	write_content(o, artifact);
	e = write_run(o, runs, artifact->run_id);
	write_source(o, q->arena, place, shown);
	json_out_put_time(o, "created_at", artifact->created_at);
	json_out_put_time(o, "committed_at", artifact->committed_at);
	json_out_put_time(o, "changed_at", artifact->changed_at);
	json_out_object_end(o);
	return e;
}

err_t artifact_json_versions(struct request *q, struct json_out *o,
			     const struct artifact_shown *shown, size_t count)
{
	struct page_runs runs;
	err_t e = find_runs(q, shown, count, &runs);

	for (size_t i = 0; i < count && !e; i++)
		e = write_version(q, o, &runs, &shown[i]);
	return e;
}

err_t artifact_json_put(struct request *q, struct json_out *o, const char *key,
			const struct artifact_shown *shown)
{
	json_out_key(o, key);
	return artifact_json_versions(q, o, shown, 1);
}

err_t artifact_json_reply(struct request *q, const struct artifact_target *target)
{
	const struct artifact_shown shown = { target->artifact, target->member };
	struct json_out o = reply_json(q);

	return artifact_json_versions(q, &o, &shown, 1);
}

/* ---- collections -------------------------------------------------------------------------------- */

static const struct artifact_collection_sums *sums_of(const struct artifact_collection_sums *sums,
						      size_t count, int64_t collection_id)
{
	for (size_t i = 0; i < count; i++) {
		if (sums[i].collection_id == collection_id)
			return &sums[i];
	}
	return NULL;
}

static void write_latest(struct request *q, struct json_out *o,
			 const struct artifact_collection_sums *sums)
{
	if (!sums) {
		json_out_put_null(o, "latest");
		return;
	}
	json_out_key(o, "latest");
	json_out_object(o);
	json_out_put_text(o, "version", artifact_json_version_name(q->arena, sums->latest));
	json_out_put_int_or_null(o, "bytes", sums->has_files, sums->latest_bytes);
	json_out_put_int_or_null(o, "files", sums->has_files, sums->latest_files);
	json_out_put_time(o, "created_at", sums->latest_at);
	json_out_object_end(o);
}

static void write_collection(struct request *q, struct json_out *o,
			     const struct artifact_collection *c,
			     const struct artifact_collection_sums *sums)
{
	const struct artifact_id id = { c->project_id, c->collection_id };

	json_out_object(o);
	json_out_put_text(o, "id", artifact_id_write(q->arena, ARTIFACT_ID_COLLECTION, id));
	json_out_put_text(o, "name", c->name);
	json_out_put_text(o, "kind", str_of(kinds[c->kind]));
	json_out_put_text(o, "type", c->type);
	json_out_put_text(o, "description", c->description);
	json_out_put_raw(o, "tags", c->tags);
	json_out_put_raw(o, "aliases", sums ? sums->alias_versions : STR("[]"));
	json_out_put_int(o, "versions", sums ? sums->versions : 0);
	json_out_put_int(o, "bytes", sums ? sums->size_bytes : 0);
	write_latest(q, o, sums);
	json_out_put_int(o, "ttl_s", c->ttl_s);
	json_out_put_int(o, "keep_last", c->keep_last);
	json_out_put_text_or_null(o, "user", c->user);
	json_out_put_time(o, "created_at", c->created_at);
	json_out_put_time(o, "changed_at", c->changed_at);
	json_out_object_end(o);
}

err_t artifact_json_collections(struct request *q, struct json_out *o,
				const struct artifact_collection *collections, size_t count)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, count + 1);
	const struct artifact_sums_ask ask = {
		.project_id = q->target->project_id,
		.sees = artifact_target_sees(q->target),
		.collection_ids = ids,
		.count = count,
	};
	struct artifact_collection_sums *sums;
	size_t sum_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = collections[i].collection_id;
	e = artifact_store_sum_collections(q->db, &ask, &sums, &sum_count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		write_collection(q, o, &collections[i],
				 sums_of(sums, sum_count, collections[i].collection_id));
	return NULL;
}
