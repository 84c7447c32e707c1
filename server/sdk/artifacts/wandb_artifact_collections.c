/*
 * Lists of types and of collections. A cursor of collections has the last one's number and what the list is ordered by, so
 * pages neither skip nor repeat while collections are added.
 */
#include "wandb_artifact_collections.h"

#include <string.h>

#include "arena.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_collection.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_project.h"

enum { AT_ONCE = 50, AT_MOST = 1000 };

#define CURSOR_KIND "CollectionCursor"

static err_t read_first(struct gql_call *call, int64_t *ret_limit)
{
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, AT_ONCE, ret_limit);

	if (*ret_limit > AT_MOST)
		*ret_limit = AT_MOST;
	return e;
}

/* ---- types ---------------------------------------------------------------------------------------- */

WANDB_LIST_FIELDS(kind, "ArtifactType", wandb_artifact_kind_type);
const struct gql_type wandb_artifact_kinds_type =
	GQL_TYPE("ArtifactTypeConnection", kind_list_fields);

err_t wandb_project_artifact_kinds(struct gql_call *call)
{
	struct target *target = ((const struct wandb_project *)call->parent)->target;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb_artifact_kind *kinds;
	struct artifact_types_ask ask = { .project_id = target->project_id,
					  .sees = artifact_target_sees(target),
					  .after = gql_arg_text(call, "after") };
	struct artifact_type *rows;
	int64_t first;
	size_t count;
	err_t e = read_first(call, &first);

	ask.limit = first + 1;
	if (!e)
		e = artifact_store_list_types(wandb_of(call)->q->db, &ask, &rows, &count);
	if (e)
		return e;
	kinds = arena_new_array(call->arena, struct wandb_artifact_kind, count + 1);
	for (size_t i = 0; i < count; i++)
		kinds[i] = (struct wandb_artifact_kind){ rows[i].name, rows[i].name, target,
							 &rows[i] };
	*list = (struct wandb_list){ .items = kinds, .size = sizeof(kinds[0]), .total = -1 };
	list->has_more = count > (size_t)first;
	list->count = count - list->has_more;
	gql_give(call, list);
	return NULL;
}

/* ---- which collections ---------------------------------------------------------------------------- */

static err_t bad_filter(struct gql_call *call)
{
	return err_field(call->arena, ERR_INVALID, "filters",
			 "invalid filters: use {\"name\": \"NAME\"} or "
			 "{\"name\": {\"$in\": [\"NAME\"]}}");
}

static bool is_list_of_texts(const struct json_doc *doc)
{
	if (!json_doc_is(doc, JSON_KIND_ARRAY))
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		if (!json_doc_is(doc->items[i], JSON_KIND_STRING))
			return false;
	}
	return true;
}

/* {"name": "a"}, {"name": {"$eq": "a"}}, {"name": {"$in": ["a", "b"]}}: the names, or NULL. */
static const struct json_doc *names_of(struct arena *a, const struct json_doc *filter)
{
	const struct json_doc *name = json_doc_get_named(filter, "name");
	const struct json_doc *equal = json_doc_get_named(name, "$eq");
	const struct json_doc *among = json_doc_get_named(name, "$in");

	if (filter->count != 1 || (json_doc_is(name, JSON_KIND_OBJECT) && name->count != 1))
		return NULL;
	if (json_doc_is(name, JSON_KIND_STRING))
		equal = name;
	if (json_doc_is(equal, JSON_KIND_STRING))
		return json_doc_array(a, &equal, 1);
	return is_list_of_texts(among) ? among : NULL;
}

static err_t read_filter(struct gql_call *call, struct artifact_collections_ask *ask)
{
	struct str text = str_trim(gql_arg_text(call, "filters"));
	const struct json_doc *filter, *names;
	err_t e;

	if (!text.len || str_is(text, "null"))
		return NULL;
	e = json_doc_parse(call->arena, text, &filter);
	if (e || !json_doc_is(filter, JSON_KIND_OBJECT))
		return bad_filter(call);
	if (!filter->count)
		return NULL;
	names = names_of(call->arena, filter);
	if (!names)
		return bad_filter(call);
	ask->names = json_doc_dump(call->arena, names);
	return NULL;
}

/* Without an order, the newest are first. */
static err_t read_order(struct gql_call *call, struct artifact_collections_ask *ask)
{
	static const struct {
		const char *names;
		enum artifact_order order;
	} orders[] = {
		{ "name", ARTIFACT_BY_NAME },
		{ "created_at createdAt", ARTIFACT_BY_CREATED },
		{ "updated_at updatedAt", ARTIFACT_BY_CHANGED },
	};
	struct str text = str_trim(gql_arg_text(call, "order"));

	ask->order = ARTIFACT_BY_CREATED;
	ask->descending = !text.len || text.at[0] == '-';
	if (!text.len)
		return NULL;
	if (text.at[0] == '-' || text.at[0] == '+')
		text = (struct str){ text.at + 1, text.len - 1 };
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct str names = str_of(orders[i].names);

		ask->order = orders[i].order;
		if (str_equal(str_cut(&names, ' '), text) || (names.len && str_equal(names, text)))
			return NULL;
	}
	return err_field(call->arena, ERR_INVALID, "order",
			 "invalid order: use name, created_at or updated_at, with - in front for "
			 "descending");
}

static struct str cursor_of(struct arena *a, const struct artifact_collections_ask *ask,
			    const struct artifact_collection *row)
{
	timestamp_us time = ask->order == ARTIFACT_BY_CHANGED ? row->changed_at : row->created_at;

	return wandb_id(a, CURSOR_KIND,
			str_of(arena_printf(a, "%lld:%lld:%.*s", (long long)row->collection_id,
					    (long long)time.us, STR_ARG(row->name))));
}

static err_t read_after(struct gql_call *call, struct artifact_collections_ask *ask)
{
	struct str after = gql_arg_text(call, "after");
	struct str rest;

	if (!after.len)
		return NULL;
	if (!wandb_id_read(call->arena, after, CURSOR_KIND, &rest) ||
	    !str_to_int64(str_cut(&rest, ':'), 1, INT64_MAX, &ask->after_id) ||
	    !str_to_int64(str_cut(&rest, ':'), 0, INT64_MAX, &ask->after_time.us))
		return err_field(call->arena, ERR_INVALID, "after",
				 "invalid cursor: use \"endCursor\" of the same query");
	ask->after_name = rest;
	ask->has_after = true;
	return NULL;
}

/* ---- the list ------------------------------------------------------------------------------------- */

/* Each is a sequence or a portfolio. */
static err_t collection_node(struct gql_call *call)
{
	wandb_collection_give(call, call->parent);
	return NULL;
}

static const struct gql_field collection_edge_fields[] = {
	GQL_OBJECT_FIELD("node", NULL, collection_node, &wandb_collection_type),
	GQL_MEMBER("cursor", GQL_TEXT_MEMBER, struct wandb_item, cursor),
};
static const struct gql_type collection_edge_type =
	GQL_TYPE("ArtifactCollectionEdge", collection_edge_fields);

static const struct gql_field collections_fields[] = {
	GQL_OBJECT_FIELD("edges", NULL, wandb_list_edges, &collection_edge_type),
	GQL_OBJECT_FIELD("pageInfo", NULL, wandb_list_page, &wandb_page_type),
	GQL_VALUE_FIELD("totalCount", NULL, wandb_list_total),
};
const struct gql_type wandb_collections_type =
	GQL_TYPE("ArtifactCollectionConnection", collections_fields);

static err_t count_all(struct gql_call *call, const struct artifact_collections_ask *ask,
		       struct wandb_list *list)
{
	if (!gql_asks_for(call, "totalCount"))
		return NULL;
	return artifact_store_count_collections(wandb_of(call)->q->db, ask, &list->total);
}

err_t wandb_collections_list(struct gql_call *call, struct target *target, struct str type)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct artifact_collections_ask ask = { .project_id = target->project_id,
						.sees = artifact_target_sees(target),
						.type = type };
	struct artifact_collection *rows;
	struct wandb_collection *items;
	size_t count;
	err_t e = read_first(call, &ask.limit);

	if (!e)
		e = read_filter(call, &ask);
	if (!e)
		e = read_order(call, &ask);
	if (!e)
		e = read_after(call, &ask);
	ask.limit++;
	if (!e)
		e = artifact_store_list_collections(wandb_of(call)->q->db, &ask, &rows, &count);
	if (e)
		return e;
	items = arena_new_array(call->arena, struct wandb_collection, count + 1);
	for (size_t i = 0; i < count; i++) {
		items[i] = wandb_collection_of(target, &rows[i]);
		items[i].cursor = cursor_of(call->arena, &ask, &rows[i]);
	}
	*list = (struct wandb_list){ .items = items, .size = sizeof(items[0]), .total = -1 };
	list->has_more = count == (size_t)ask.limit;
	list->count = count - list->has_more;
	gql_give(call, list);
	return count_all(call, &ask, list);
}

err_t wandb_project_collections(struct gql_call *call)
{
	return wandb_collections_list(call, ((const struct wandb_project *)call->parent)->target,
				      STR(""));
}
