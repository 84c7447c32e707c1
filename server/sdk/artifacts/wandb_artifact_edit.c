#include "wandb_artifact_edit.h"

#include <stdlib.h>

#include "arena.h"
#include "artifact_delete.h"
#include "artifact_edit.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_input.h"
#include "wandb_artifact_parts.h"
#include "wandb_change.h"
#include "wandb_input.h"

/* ---- answers -------------------------------------------------------------------------------------- */

static err_t changed_artifact(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field changed_artifact_fields[] = {
	GQL_OBJECT_FIELD("artifact", NULL, changed_artifact, &wandb_artifact_type),
};
const struct gql_type wandb_changed_artifact_type =
	GQL_TYPE("UpdateArtifactPayload", changed_artifact_fields);

static err_t changed_collection(struct gql_call *call)
{
	wandb_collection_give(call, call->parent);
	return NULL;
}

static const struct gql_field changed_collection_fields[] = {
	GQL_OBJECT_FIELD("artifactCollection", NULL, changed_collection, &wandb_collection_type),
};
const struct gql_type wandb_changed_collection_type =
	GQL_TYPE("UpdateArtifactCollectionPayload", changed_collection_fields);

static err_t changed_tags(struct gql_call *call)
{
	const struct artifact_collection *row = call->parent;
	struct wandb_tag *tags;
	size_t count;
	err_t e = wandb_tags_read(call->arena, row->tags, &tags, &count);

	if (!e)
		gql_give_list(call, tags, count, sizeof(tags[0]));
	return e;
}

static err_t changed_success(struct gql_call *call)
{
	json_out_bool(call->out, true);
	return NULL;
}

static const struct gql_field changed_tags_fields[] = {
	GQL_OBJECT_FIELD("tags", NULL, changed_tags, &wandb_tag_type),
	GQL_VALUE_FIELD("success", NULL, changed_success),
};
const struct gql_type wandb_changed_tags_type =
	GQL_TYPE("ArtifactCollectionTagAssignmentsPayload", changed_tags_fields);

static void give_artifact(struct gql_call *call, const struct artifact *row)
{
	gql_give(call, wandb_artifact_of(call->arena, wandb_of(call)->q->target, row));
}

static void give_collection(struct gql_call *call, const struct artifact_collection *row)
{
	const struct wandb_collection collection =
		wandb_collection_of(wandb_of(call)->q->target, row);

	gql_give(call, arena_copy(call->arena, &collection, sizeof(collection)));
}

/* ---- versions ------------------------------------------------------------------------------------- */

enum { TTL_INHERIT = -1, TTL_DISABLED = -2 };

/* Null leaves it as it is. */
static err_t read_ttl(const struct gql_call *call, struct artifact_change *change)
{
	const struct json_doc *value =
		json_doc_get_named(wandb_artifact_input(call), "ttlDurationSeconds");

	if (!value || json_doc_is(value, JSON_KIND_NULL))
		return NULL;
	change->has_ttl = true;
	if (!json_doc_int64(value, &change->ttl_s) || change->ttl_s < TTL_DISABLED ||
	    !change->ttl_s)
		return err_field(call->arena, ERR_INVALID, "ttlDurationSeconds",
				 "invalid ttlDurationSeconds: use seconds, %d for the TTL of the "
				 "collection, or %d for none",
				 TTL_INHERIT, TTL_DISABLED);
	if (change->ttl_s == TTL_INHERIT)
		change->ttl_s = ARTIFACT_TTL_INHERIT;
	else if (change->ttl_s == TTL_DISABLED)
		change->ttl_s = ARTIFACT_TTL_NONE;
	return NULL;
}

static err_t read_change(const struct gql_call *call, struct artifact_change *change)
{
	struct wandb_texts added, removed;
	err_t e;

	*change = (struct artifact_change){
		.description = wandb_artifact_input_text(call, "description"),
		.metadata = wandb_artifact_input_text(call, "metadata"),
	};
	change->has_description = change->description.at;
	change->has_metadata = change->metadata.at;
	e = read_ttl(call, change);
	if (!e)
		e = wandb_artifact_input_texts(call, "tagsToAdd", "tagName", &added);
	if (!e)
		e = wandb_artifact_input_texts(call, "tagsToDelete", "tagName", &removed);
	if (e)
		return e;
	change->tags_added = added.at;
	change->tags_added_count = added.count;
	change->tags_removed = removed.at;
	change->tags_removed_count = removed.count;
	return NULL;
}

struct version_call {
	struct artifact_target *target;
	const struct artifact_change *change;
	enum artifact_delete_aliases aliases;
};

static err_t edit_version(struct request *q, const void *what)
{
	const struct version_call *c = what;

	return artifact_edit(q, c->target, c->change);
}

err_t wandb_update_artifact(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	struct artifact_change change;
	const struct version_call c = { .target = &target, .change = &change };
	err_t e = artifact_target_id(q, wandb_artifact_input_text(call, "artifactID"), ACCESS_WRITE,
				     &target);

	if (!e)
		e = read_change(call, &change);
	if (!e)
		e = wandb_change(q, edit_version, &c);
	if (!e)
		give_artifact(call, target.artifact);
	return e;
}

static err_t delete_version(struct request *q, const void *what)
{
	const struct version_call *c = what;
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);

	return artifact_delete(q, c->target, c->aliases, ARTIFACT_DELETE_DO, freed);
}

/* Deleting a version that is already deleted succeeds. */
err_t wandb_delete_artifact(struct gql_call *call)
{
	const struct json_doc *aliases =
		json_doc_get_named(wandb_artifact_input(call), "deleteAliases");
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	struct version_call c = { .target = &target, .aliases = ARTIFACT_KEEP_ALIASED };
	err_t e = artifact_target_id(q, wandb_artifact_input_text(call, "artifactID"), ACCESS_WRITE,
				     &target);

	if (json_doc_is(aliases, JSON_KIND_BOOL) && aliases->truth)
		c.aliases = ARTIFACT_DELETE_ALIASED;
	if (!e && target.artifact->state != ARTIFACT_DELETED)
		e = wandb_change(q, delete_version, &c);
	if (!e)
		give_artifact(call, target.artifact);
	return e;
}

/* ---- aliases -------------------------------------------------------------------------------------- */

struct alias_call {
	struct gql_call *call;
	bool removes;
};

/* An alias of the input: in which collection, and its name. */
static struct artifact_name alias_name(const struct json_doc *alias)
{
	return (struct artifact_name){
		.entity = wandb_input_text(alias, "entityName"),
		.project = wandb_input_text(alias, "projectName"),
		.collection = wandb_input_text(alias, "artifactCollectionName"),
	};
}

struct alias_edit {
	struct str alias;
	struct artifact_target target; /* in the collection */
	struct target *project;        /* of the collection */
};

static err_t find_edit(struct request *q, const struct json_doc *alias, struct artifact *artifact,
		       struct alias_edit *edit)
{
	const struct artifact_name name = alias_name(alias);
	err_t e = artifact_target_name(q, &name, ACCESS_WRITE, &edit->target);

	if (!e)
		e = wandb_artifact_input_member(q, artifact, &edit->target);
	if (e)
		return e;
	if (!edit->target.member)
		return err_new(q->arena, ERR_NOT_FOUND,
			       "the artifact is not in the collection \"%.*s\"",
			       STR_ARG(name.collection));
	edit->alias = wandb_input_text(alias, "alias");
	edit->project = q->target;
	return NULL;
}

static int by_collection(const void *a, const void *b)
{
	const struct artifact_collection *x = ((const struct alias_edit *)a)->target.collection;
	const struct artifact_collection *y = ((const struct alias_edit *)b)->target.collection;

	if (x->project_id != y->project_id)
		return x->project_id < y->project_id ? -1 : 1;
	return (x->collection_id > y->collection_id) - (x->collection_id < y->collection_id);
}

static err_t apply_edit(struct request *q, struct alias_edit *edit, bool removes)
{
	struct artifact_alias_change change = { .added = NULL };

	*(removes ? &change.removed : &change.added) = &edit->alias;
	*(removes ? &change.removed_count : &change.added_count) = 1;
	q->target = edit->project;
	return artifact_edit_aliases(q, &edit->target, &change);
}

/* Collections are locked in order, for other requests lock some of the same. */
static err_t change_aliases(struct request *q, const void *what)
{
	const struct alias_call *c = what;
	const struct json_doc *aliases =
		json_doc_get_named(wandb_artifact_input(c->call), "aliases");
	struct alias_edit *edits = arena_new_array(q->arena, struct alias_edit, aliases->count);
	struct artifact_target target;
	err_t e = artifact_target_id(q, wandb_artifact_input_text(c->call, "artifactID"),
				     ACCESS_READ, &target);

	for (size_t i = 0; !e && i < aliases->count; i++)
		e = find_edit(q, aliases->items[i], target.artifact, &edits[i]);
	if (e)
		return e;
	qsort(edits, aliases->count, sizeof(edits[0]), by_collection);
	for (size_t i = 0; !e && i < aliases->count; i++)
		e = apply_edit(q, &edits[i], c->removes);
	return e;
}

static err_t edit_aliases(struct gql_call *call, bool removes)
{
	const struct alias_call c = { call, removes };
	struct wandb_texts aliases;
	err_t e = wandb_artifact_input_texts(call, "aliases", "alias", &aliases);

	if (!e && !aliases.count)
		e = err_field(call->arena, ERR_INVALID, "aliases", "\"aliases\" is missing");
	if (!e)
		e = wandb_change(wandb_of(call)->q, change_aliases, &c);
	if (!e)
		wandb_done(call);
	return e;
}

err_t wandb_add_aliases(struct gql_call *call)
{
	return edit_aliases(call, false);
}

err_t wandb_delete_aliases(struct gql_call *call)
{
	return edit_aliases(call, true);
}

/* ---- collections ---------------------------------------------------------------------------------- */

struct collection_call {
	struct artifact_target *target;
	const struct artifact_collection_change *change;
};

static err_t edit_collection(struct request *q, const void *what)
{
	const struct collection_call *c = what;

	return artifact_edit_collection(q, c->target, c->change);
}

static err_t delete_collection(struct request *q, const void *what)
{
	const struct collection_call *c = what;
	struct artifact_freed *freed = arena_new_of(q->arena, struct artifact_freed);

	return artifact_delete_collection(q, c->target, ARTIFACT_DELETE_DO, freed);
}

static err_t find_collection(struct gql_call *call, struct artifact_target *target)
{
	struct str id = wandb_artifact_input_text(call, "artifactSequenceID");

	if (!id.at)
		id = wandb_artifact_input_text(call, "artifactPortfolioID");
	return artifact_target_collection_id(wandb_of(call)->q, id, ACCESS_WRITE, target);
}

static err_t change_collection(struct gql_call *call,
			       const struct artifact_collection_change *change)
{
	struct artifact_target target;
	const struct collection_call c = { &target, change };
	err_t e = find_collection(call, &target);

	if (!e)
		e = wandb_change(wandb_of(call)->q, edit_collection, &c);
	if (!e)
		give_collection(call, target.collection);
	return e;
}

err_t wandb_update_collection(struct gql_call *call)
{
	struct artifact_collection_change change = {
		.name = wandb_artifact_input_text(call, "name"),
		.description = wandb_artifact_input_text(call, "description"),
	};

	change.has_name = change.name.at;
	change.has_description = change.description.at;
	return change_collection(call, &change);
}

err_t wandb_move_collection(struct gql_call *call)
{
	const struct artifact_collection_change change = {
		.has_type = true,
		.type = wandb_artifact_input_text(call, "destinationArtifactTypeName"),
	};

	return change_collection(call, &change);
}

/* Deleting a collection that is already deleted succeeds. */
err_t wandb_delete_collection(struct gql_call *call)
{
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	const struct collection_call c = { &target, NULL };
	struct artifact_collection *row;
	err_t e = find_collection(call, &target);

	if (!e && !target.collection->deleted_at.us)
		e = wandb_change(q, delete_collection, &c);
	if (!e)
		e = artifact_store_get_collection(q->db, target.collection->project_id,
						  target.collection->collection_id, &row);
	if (!e)
		give_collection(call, row ? row : target.collection);
	return e;
}

static err_t change_tags(struct gql_call *call, const struct artifact_collection_change *change)
{
	struct request *q = wandb_of(call)->q;
	const struct artifact_name name = {
		.entity = wandb_artifact_input_text(call, "entityName"),
		.project = wandb_artifact_input_text(call, "projectName"),
		.collection = wandb_artifact_input_text(call, "artifactCollectionName"),
	};
	struct artifact_target target;
	const struct collection_call c = { &target, change };
	err_t e = artifact_target_name(q, &name, ACCESS_WRITE, &target);

	if (!e)
		e = wandb_change(q, edit_collection, &c);
	if (!e)
		gql_give(call, target.collection);
	return e;
}

err_t wandb_add_collection_tags(struct gql_call *call)
{
	struct wandb_texts tags;
	struct artifact_collection_change change = { .has_tags = false };
	err_t e = wandb_artifact_input_texts(call, "tags", "tagName", &tags);

	if (e)
		return e;
	change.tags_added = tags.at;
	change.tags_added_count = tags.count;
	return change_tags(call, &change);
}

err_t wandb_delete_collection_tags(struct gql_call *call)
{
	struct wandb_texts tags;
	struct artifact_collection_change change = { .has_tags = false };
	err_t e = wandb_artifact_input_texts(call, "tags", "tagName", &tags);

	if (e)
		return e;
	change.tags_removed = tags.at;
	change.tags_removed_count = tags.count;
	return change_tags(call, &change);
}
