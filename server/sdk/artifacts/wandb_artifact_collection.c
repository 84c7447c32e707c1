#include "wandb_artifact_collection.h"

#include "arena.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_collections.h"
#include "wandb_artifact_list.h"
#include "wandb_artifact_member.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_project.h"

enum { ALIASES_AT_ONCE = 50, ALIASES_MAX = 1000 };

struct wandb_collection wandb_collection_of(struct target *target,
					    const struct artifact_collection *row)
{
	return (struct wandb_collection){
		.target = target,
		.collection_id = row->collection_id,
		.kind = row->kind,
		.name = row->name,
		.type = row->type,
		.row = row,
	};
}

struct wandb_collection wandb_collection_of_member(struct target *target,
						   const struct artifact_member *row)
{
	return (struct wandb_collection){
		.target = target,
		.collection_id = row->collection_id,
		.kind = row->kind,
		.name = row->collection,
		.type = row->type,
	};
}

/* ---- what it is called ---------------------------------------------------------------------------- */

static err_t collection_id(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;
	const struct artifact_id id = { collection->target->project_id, collection->collection_id };

	json_out_text(call->out, artifact_id_write(call->arena, ARTIFACT_ID_COLLECTION, id));
	return NULL;
}

static err_t collection_project(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;

	gql_give(call, wandb_project_of(call->arena, collection->target));
	return NULL;
}

static err_t collection_type(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;

	wandb_artifact_kind_give(call, collection->target, collection->type);
	return NULL;
}

/* ---- what is said of it --------------------------------------------------------------------------- */

static err_t read_row(struct gql_call *call, const struct artifact_collection **ret_row)
{
	const struct wandb_collection *collection = call->parent;
	struct artifact_collection *row;
	err_t e;

	*ret_row = collection->row;
	if (collection->row)
		return NULL;
	e = artifact_store_get_collection(wandb_of(call)->q->db, collection->target->project_id,
					  collection->collection_id, &row);
	if (!e && !row)
		e = err_new(call->arena, ERR_GONE, "the collection was deleted");
	if (!e)
		*ret_row = row;
	return e;
}

static err_t collection_description(struct gql_call *call)
{
	const struct artifact_collection *row;
	err_t e = read_row(call, &row);

	if (!e && row->description.at)
		json_out_text(call->out, row->description);
	return e;
}

static err_t collection_created_at(struct gql_call *call)
{
	const struct artifact_collection *row;
	err_t e = read_row(call, &row);

	if (!e)
		json_out_time(call->out, row->created_at);
	return e;
}

static err_t collection_updated_at(struct gql_call *call)
{
	const struct artifact_collection *row;
	err_t e = read_row(call, &row);

	if (!e)
		json_out_time(call->out, row->changed_at);
	return e;
}

static err_t collection_state(struct gql_call *call)
{
	const struct artifact_collection *row;
	err_t e = read_row(call, &row);

	if (!e)
		json_out_text(call->out, row->deleted_at.us ? STR("DELETED") : STR("READY"));
	return e;
}

WANDB_LIST_TYPES(tag, "Tag", wandb_tag_type);

static err_t collection_tags(struct gql_call *call)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	const struct artifact_collection *row;
	struct wandb_tag *tags;
	size_t count;
	err_t e = read_row(call, &row);

	if (!e)
		e = wandb_tags_read(call->arena, row->tags, &tags, &count);
	if (e)
		return e;
	*list = (struct wandb_list){ tags, count, sizeof(tags[0]), false, (int64_t)count };
	gql_give(call, list);
	return NULL;
}

/* ---- aliases -------------------------------------------------------------------------------------- */

WANDB_LIST_TYPES(alias, "ArtifactAlias", wandb_alias_type);

static err_t collection_aliases(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct artifact_aliases_ask ask;
	struct artifact_alias *rows;
	struct wandb_alias *aliases;
	size_t count;
	int64_t first;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, ALIASES_AT_ONCE, &first);

	if (e)
		return e;
	first = first > ALIASES_MAX ? ALIASES_MAX : first;
	ask = (struct artifact_aliases_ask){
		.project_id = collection->target->project_id,
		.collection_id = collection->collection_id,
		.sees = artifact_target_sees(collection->target),
		.after = gql_arg_text(call, "after"),
		.limit = first + 1,
	};
	e = artifact_store_list_aliases(wandb_of(call)->q->db, &ask, &rows, &count);
	if (e)
		return e;
	aliases = arena_new_array(call->arena, struct wandb_alias, count + 1);
	for (size_t i = 0; i < count; i++)
		aliases[i] = (struct wandb_alias){ rows[i].alias, rows[i].alias, *collection };
	*list = (struct wandb_list){ .items = aliases, .size = sizeof(aliases[0]), .total = -1 };
	list->has_more = count > (size_t)first;
	list->count = count - list->has_more;
	gql_give(call, list);
	return NULL;
}

/* ---- its versions --------------------------------------------------------------------------------- */

/* The newest, whatever has the alias "latest". */
static err_t collection_latest(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;
	struct artifact *newest = NULL;
	err_t e = NULL;

	if (collection->kind == ARTIFACT_SEQUENCE)
		e = artifact_store_find_newest(wandb_of(call)->q->db,
					       collection->target->project_id,
					       collection->collection_id,
					       artifact_target_sees(collection->target), &newest);
	if (!e && newest)
		gql_give(call, wandb_artifact_of(call->arena, collection->target, newest));
	return e;
}

static const struct gql_field collection_fields[] = {
	GQL_VALUE_FIELD("id", NULL, collection_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_collection, name),
	GQL_VALUE_FIELD("description", NULL, collection_description),
	GQL_VALUE_FIELD("createdAt", NULL, collection_created_at),
	GQL_VALUE_FIELD("updatedAt", NULL, collection_updated_at),
	GQL_VALUE_FIELD("state", NULL, collection_state),
	GQL_OBJECT_FIELD("project", NULL, collection_project, &wandb_project_type),
	GQL_OBJECT_FIELD("defaultArtifactType", NULL, collection_type, &wandb_artifact_kind_type),
	GQL_OBJECT_FIELD("tags", NULL, collection_tags, &tag_list_type),
	GQL_OBJECT_FIELD("aliases", "after first", collection_aliases, &alias_list_type),
	GQL_OBJECT_FIELD("latestArtifact", NULL, collection_latest, &wandb_artifact_type),
	GQL_OBJECT_FIELD("artifacts", "after first order filters", wandb_collection_artifacts,
			 &wandb_artifacts_type),
	GQL_OBJECT_FIELD("artifactMembership", "aliasName", wandb_collection_member,
			 &wandb_member_type),
};
const struct gql_type wandb_collection_type = GQL_TYPE("ArtifactCollection", collection_fields);

#define COLLECTION_KIND(type_name) \
	{ \
		.name = (type_name), .fields = collection_fields, \
		.field_count = sizeof(collection_fields) / sizeof(collection_fields[0]), \
		.also = "ArtifactCollection" \
	}
static const struct gql_type sequence_type = COLLECTION_KIND("ArtifactSequence");
static const struct gql_type portfolio_type = COLLECTION_KIND("ArtifactPortfolio");

void wandb_collection_give(struct gql_call *call, const struct wandb_collection *collection)
{
	bool is_sequence = collection->kind == ARTIFACT_SEQUENCE;

	gql_give_as(call, is_sequence ? &sequence_type : &portfolio_type, collection);
}

/* ---- finding one ---------------------------------------------------------------------------------- */

static err_t find_named(struct gql_call *call, struct target *target,
			struct wandb_collection **ret_collection)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target found;
	err_t e;

	*ret_collection = NULL;
	q->target = target;
	e = artifact_target_here(q, gql_arg_text(call, "name"), STR(""), &found);
	if (e)
		return e->kind == ERR_NOT_FOUND ? NULL : e;
	*ret_collection = arena_new_of(call->arena, struct wandb_collection);
	**ret_collection = wandb_collection_of(target, found.collection);
	return NULL;
}

err_t wandb_project_collection(struct gql_call *call)
{
	struct wandb_collection *found;
	err_t e = find_named(call, ((const struct wandb_project *)call->parent)->target, &found);

	if (!e && found)
		wandb_collection_give(call, found);
	return e;
}

static err_t give_of_kind(struct gql_call *call, bool any_kind)
{
	const struct wandb_artifact_kind *kind = call->parent;
	struct wandb_collection *found;
	err_t e = find_named(call, kind->target, &found);

	if (!e && found && str_equal(found->type, kind->name) &&
	    (any_kind || found->kind == ARTIFACT_SEQUENCE))
		wandb_collection_give(call, found);
	return e;
}

static err_t kind_collection(struct gql_call *call)
{
	return give_of_kind(call, true);
}

/* 0.19 asks whether a collection is one. */
static err_t kind_sequence(struct gql_call *call)
{
	return give_of_kind(call, false);
}

err_t wandb_collection(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target found;
	struct wandb_collection collection;
	err_t e = artifact_target_collection_id(q, gql_arg_text(call, "id"), ACCESS_READ, &found);

	if (e && (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_INVALID))
		return NULL;
	if (e || found.collection->deleted_at.us)
		return e;
	collection = wandb_collection_of(q->target, found.collection);
	wandb_collection_give(call, arena_copy(call->arena, &collection, sizeof(collection)));
	return NULL;
}

/* ---- types ---------------------------------------------------------------------------------------- */

static err_t kind_id(struct gql_call *call)
{
	const struct wandb_artifact_kind *kind = call->parent;

	json_out_text(call->out, wandb_id(call->arena, "ArtifactType",
					  str_of(arena_printf(call->arena, "%lld:%.*s",
							      (long long)kind->target->project_id,
							      STR_ARG(kind->name)))));
	return NULL;
}

static err_t find_type(struct gql_call *call, const struct target *target, struct str name,
		       struct artifact_type **ret_type)
{
	const struct artifact_types_ask ask = { .project_id = target->project_id,
						.sees = artifact_target_sees(target) };

	return artifact_store_find_type(wandb_of(call)->q->db, &ask, name, ret_type);
}

static err_t read_kind(struct gql_call *call, const struct artifact_type **ret_row)
{
	const struct wandb_artifact_kind *kind = call->parent;
	struct artifact_type *row;
	err_t e;

	*ret_row = kind->row;
	if (kind->row)
		return NULL;
	e = find_type(call, kind->target, kind->name, &row);
	if (!e)
		*ret_row = row;
	return e;
}

static err_t kind_description(struct gql_call *call)
{
	const struct artifact_type *row;
	err_t e = read_kind(call, &row);

	if (!e && row)
		json_out_text(call->out, row->description);
	return e;
}

static err_t kind_created_at(struct gql_call *call)
{
	const struct artifact_type *row;
	err_t e = read_kind(call, &row);

	if (!e && row)
		json_out_time(call->out, row->created_at);
	return e;
}

static err_t kind_collections(struct gql_call *call)
{
	const struct wandb_artifact_kind *kind = call->parent;

	return wandb_collections_list(call, kind->target, kind->name);
}

static const struct gql_field kind_fields[] = {
	GQL_VALUE_FIELD("id", NULL, kind_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_artifact_kind, name),
	GQL_VALUE_FIELD("description", NULL, kind_description),
	GQL_VALUE_FIELD("createdAt", NULL, kind_created_at),
	GQL_OBJECT_FIELD("artifactCollections", "after first filters order", kind_collections,
			 &wandb_collections_type),
	GQL_OBJECT_FIELD("artifactCollection", "name", kind_collection, &wandb_collection_type),
	GQL_OBJECT_FIELD("artifactSequence", "name", kind_sequence, &wandb_collection_type),
	GQL_OBJECT_FIELD("artifact", "name", wandb_artifact_kind_item, &wandb_artifact_type),
};
const struct gql_type wandb_artifact_kind_type = GQL_TYPE("ArtifactType", kind_fields);

void wandb_artifact_kind_give(struct gql_call *call, struct target *target, struct str name)
{
	struct wandb_artifact_kind *kind = arena_new_of(call->arena, struct wandb_artifact_kind);

	*kind = (struct wandb_artifact_kind){ .name = name, .target = target };
	gql_give(call, kind);
}

err_t wandb_project_artifact_kind(struct gql_call *call)
{
	struct target *target = ((const struct wandb_project *)call->parent)->target;
	struct wandb_artifact_kind *kind = arena_new_of(call->arena, struct wandb_artifact_kind);
	struct artifact_type *row;
	err_t e = find_type(call, target, gql_arg_text(call, "name"), &row);

	if (e || !row)
		return e;
	*kind = (struct wandb_artifact_kind){ .name = row->name, .target = target, .row = row };
	gql_give(call, kind);
	return NULL;
}
