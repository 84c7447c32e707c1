/*
 * Versions that were deleted have rows still for a time, and those of links may be in projects that the caller does not see. So a
 * page is filled from as many pages of rows as it takes.
 */
#include "wandb_artifact_list.h"

#include "arena.h"
#include "artifact_page.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_filter.h"
#include "wandb_id.h"
#include "wandb_list.h"

enum { AT_ONCE = 50, AT_MOST = 1000 };

#define CURSOR_KIND "VersionCursor"

/* ---- what is asked -------------------------------------------------------------------------------- */

struct scan {
	struct gql_call *call;
	struct target *target;
	struct artifact_members_ask ask;
	struct wandb_artifact_filter filter;
	bool is_over;
	bool is_cut; /* what was read is large */
};

static err_t read_order(struct gql_call *call, bool *ret_descending)
{
	struct str text = str_trim(gql_arg_text(call, "order"));
	bool has_sign = text.len && (text.at[0] == '-' || text.at[0] == '+');
	struct str name = has_sign ? (struct str){ text.at + 1, text.len - 1 } : text;

	*ret_descending = !text.len || text.at[0] == '-';
	if (!text.len || str_is(name, "version_index") || str_is(name, "versionIndex") ||
	    str_is(name, "created_at") || str_is(name, "createdAt"))
		return NULL;
	return err_field(call->arena, ERR_INVALID, "order",
			 "invalid order: use version_index or created_at, with - in front for "
			 "descending");
}

static err_t read_after(struct gql_call *call, struct artifact_members_ask *ask)
{
	struct str after = gql_arg_text(call, "after");
	struct str rest;
	int64_t number;

	if (!after.len)
		return NULL;
	if (!wandb_id_read(call->arena, after, CURSOR_KIND, &rest) ||
	    !str_to_int64(rest, 0, INT32_MAX, &number))
		return err_field(call->arena, ERR_INVALID, "after",
				 "invalid cursor: use \"endCursor\" of the same query");
	ask->after = (int32_t)number;
	ask->has_after = true;
	return NULL;
}

static err_t read_scan(struct gql_call *call, struct scan *scan, int64_t *ret_first)
{
	const struct wandb_collection *collection = call->parent;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, AT_ONCE, ret_first);

	*scan = (struct scan){
		.call = call,
		.target = collection->target,
		.ask = { .project_id = collection->target->project_id,
			 .collection_id = collection->collection_id },
	};
	if (*ret_first > AT_MOST)
		*ret_first = AT_MOST;
	scan->ask.limit = *ret_first + 1;
	if (!e)
		e = read_order(call, &scan->ask.descending);
	if (!e)
		e = read_after(call, &scan->ask);
	if (!e)
		e = wandb_artifact_filter_read(call, &scan->filter);
	return e;
}

/* ---- versions of members -------------------------------------------------------------------------- */

struct rows {
	const struct artifact_member *members;
	struct wandb_artifact *items; /* of each; .row == NULL: not to see */
	bool *is_read;
	size_t count;
};

static err_t find_target(struct scan *scan, int64_t project_id, struct target **ret_target)
{
	struct wandb *w = wandb_of(scan->call);
	struct artifact_place *place;
	err_t e;

	*ret_target = scan->target;
	if (project_id == scan->target->project_id)
		return NULL;
	e = artifact_store_place(w->q->db, project_id, &place);
	*ret_target = NULL;
	if (e || !place || place->is_deleted)
		return e;
	return wandb_artifact_place(w, place->entity, place->project, ret_target);
}

static void take(struct rows *rows, struct target *target, const struct artifact *artifacts,
		 size_t count)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct artifact_member *m = &rows->members[i];

		for (size_t j = 0; j < count; j++) {
			if (artifacts[j].project_id == m->source_id &&
			    artifacts[j].artifact_id == m->artifact_id &&
			    artifacts[j].state == ARTIFACT_COMMITTED &&
			    (target->sees_private || !artifacts[j].is_private))
				rows->items[i] = (struct wandb_artifact){ .target = target,
									  .row = &artifacts[j] };
		}
	}
}

/* Reads all versions that are of one project. */
static err_t read_source(struct scan *scan, struct rows *rows, int64_t source_id)
{
	struct arena *a = scan->call->arena;
	int64_t *ids = arena_new_array(a, int64_t, rows->count);
	struct artifact *artifacts;
	struct target *target;
	size_t count = 0;
	err_t e = find_target(scan, source_id, &target);

	for (size_t i = 0; i < rows->count; i++) {
		if (rows->members[i].source_id != source_id)
			continue;
		rows->is_read[i] = true;
		ids[count++] = rows->members[i].artifact_id;
	}
	if (e || !target)
		return e;
	e = artifact_store_list_ids(wandb_of(scan->call)->q->db, source_id, ids, count, &artifacts,
				    &count);
	if (!e)
		take(rows, target, artifacts, count);
	return e;
}

static void finish_item(struct scan *scan, const struct artifact_member *row,
			struct wandb_artifact *item)
{
	struct arena *a = scan->call->arena;
	struct wandb_member *member = arena_new_of(a, struct wandb_member);
	const char *version = arena_printf(a, "v%ld", (long)row->version);

	*member = (struct wandb_member){ .target = scan->target, .row = row };
	item->member = member;
	item->version = str_of(version);
	item->cursor = wandb_id(a, CURSOR_KIND, str_of(version + 1));
}

/* ---- pages ---------------------------------------------------------------------------------------- */

struct found {
	struct wandb_artifact *items;
	size_t count;
	size_t room;
};

static err_t keep_matching(struct scan *scan, struct rows *rows, struct found *found)
{
	err_t e = NULL;

	for (size_t i = 0; i < rows->count && !e; i++) {
		struct wandb_artifact *item = &rows->items[i];
		bool matches;

		if (!item->row)
			continue;
		finish_item(scan, &rows->members[i], item);
		e = wandb_artifact_filter_match(scan->call->arena, &scan->filter, item, &matches);
		if (e || !matches)
			continue;
		if (found->count < found->room)
			found->items[found->count] = *item;
		found->count++;
	}
	return e;
}

/* The metadata of versions may be large: those of a page have a bound. */
static err_t cut(struct scan *scan, const struct artifact_member *members, size_t *count)
{
	struct artifact_key *keys = arena_new_array(scan->call->arena, struct artifact_key, *count);
	size_t fit = 0;
	err_t e;

	for (size_t i = 0; i < *count; i++)
		keys[i] = (struct artifact_key){ members[i].source_id, members[i].artifact_id };
	e = artifact_page_fit(wandb_of(scan->call)->q, keys, *count, &fit);
	if (e || fit == *count)
		return e;
	*count = fit;
	scan->is_over = false;
	scan->is_cut = true;
	return NULL;
}

static err_t scan_once(struct scan *scan, struct found *found)
{
	struct arena *a = scan->call->arena;
	struct artifact_member *members;
	struct rows rows;
	size_t count;
	err_t e = artifact_store_list_members(wandb_of(scan->call)->q->db, &scan->ask, &members,
					      &count);

	if (e)
		return e;
	scan->is_over = count < (size_t)scan->ask.limit;
	if (!count)
		return NULL;
	e = cut(scan, members, &count);
	if (e)
		return e;
	rows = (struct rows){
		.members = members,
		.items = arena_new_array(a, struct wandb_artifact, count),
		.is_read = arena_new_array(a, bool, count),
		.count = count,
	};
	for (size_t i = 0; i < count && !e; i++) {
		if (!rows.is_read[i])
			e = read_source(scan, &rows, members[i].source_id);
	}
	if (!e)
		e = keep_matching(scan, &rows, found);
	scan->ask.after = members[count - 1].version;
	scan->ask.has_after = true;
	return e ? e : gql_check_memory(scan->call);
}

/* Goes on until there are that many, or no more. */
static err_t scan_until(struct scan *scan, size_t count, struct found *found)
{
	err_t e = NULL;

	while (!e && !scan->is_over && found->count < count)
		e = scan_once(scan, found);
	return e;
}

/* The same for a page, which ends with some if they are large. */
static err_t scan_page(struct scan *scan, struct found *found)
{
	err_t e = NULL;

	while (!e && !scan->is_over && found->count < found->room &&
	       !(scan->is_cut && found->count))
		e = scan_once(scan, found);
	return e;
}

static err_t count_sequence(struct scan *scan, int64_t *ret_total)
{
	const struct artifact_versions_ask ask = {
		.project_id = scan->ask.project_id,
		.sees = artifact_target_sees(scan->target),
		.collection_id = scan->ask.collection_id,
		.committed_only = true,
	};

	return artifact_store_count(wandb_of(scan->call)->q->db, &ask, ret_total);
}

/* Links and filters are counted by reading them all: only so it is known what is visible and matches. */
static err_t count_all(struct scan *scan, int64_t *ret_total)
{
	const struct wandb_collection *collection = scan->call->parent;
	struct found found = { .room = 0 };
	err_t e;

	if (!gql_asks_for(scan->call, "totalCount"))
		return NULL;
	if (collection->kind == ARTIFACT_SEQUENCE && !scan->filter.doc)
		return count_sequence(scan, ret_total);
	scan->ask.has_after = false;
	scan->ask.limit = AT_MOST;
	scan->is_over = false;
	e = scan_until(scan, SIZE_MAX, &found);
	if (!e)
		*ret_total = (int64_t)found.count;
	return e;
}

err_t wandb_collection_artifacts(struct gql_call *call)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct found found = { .count = 0 };
	struct scan scan;
	int64_t first;
	err_t e = read_scan(call, &scan, &first);

	if (e)
		return e;
	found.room = (size_t)first + 1;
	found.items = arena_new_array(call->arena, struct wandb_artifact, found.room);
	*list = (struct wandb_list){ .items = found.items, .size = sizeof(found.items[0]) };
	e = scan_page(&scan, &found);
	list->count = found.count > (size_t)first ? (size_t)first : found.count;
	list->has_more = found.count > list->count || !scan.is_over;
	list->total = -1;
	if (!e)
		e = count_all(&scan, &list->total);
	if (!e)
		gql_give(call, list);
	return e;
}

static const struct gql_field version_edge_fields[] = {
	GQL_OBJECT_FIELD("node", NULL, wandb_list_node, &wandb_artifact_type),
	GQL_MEMBER("cursor", GQL_TEXT_MEMBER, struct wandb_artifact, cursor),
	GQL_MEMBER("version", GQL_TEXT_MEMBER, struct wandb_artifact, version),
};
static const struct gql_type version_edge_type =
	GQL_TYPE("VersionedArtifactEdge", version_edge_fields);

static const struct gql_field versions_fields[] = {
	GQL_OBJECT_FIELD("edges", NULL, wandb_list_edges, &version_edge_type),
	GQL_OBJECT_FIELD("pageInfo", NULL, wandb_list_page, &wandb_page_type),
	GQL_VALUE_FIELD("totalCount", NULL, wandb_list_total),
};
const struct gql_type wandb_artifacts_type =
	GQL_TYPE("VersionedArtifactConnection", versions_fields);
