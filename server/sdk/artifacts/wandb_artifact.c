/* The type Artifact: a version or a draft. */
#include "wandb_artifact.h"

#include "arena.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_collection.h"
#include "wandb_artifact_files.h"
#include "wandb_artifact_member.h"
#include "wandb_artifact_use.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_run.h"
#include "wandb_runs.h"

struct wandb_artifact *wandb_artifact_of(struct arena *a, struct target *target,
					 const struct artifact *row)
{
	struct wandb_artifact *artifact = arena_new_of(a, struct wandb_artifact);

	*artifact = (struct wandb_artifact){ .target = target, .row = row };
	return artifact;
}

static const struct artifact *row_of(const struct gql_call *call)
{
	return ((const struct wandb_artifact *)call->parent)->row;
}

/* ---- values --------------------------------------------------------------------------------------- */

static err_t artifact_id(struct gql_call *call)
{
	const struct artifact *row = row_of(call);
	const struct artifact_id id = { row->project_id, row->artifact_id };

	json_out_text(call->out, artifact_id_write(call->arena, ARTIFACT_ID_VERSION, id));
	return NULL;
}

static err_t artifact_version_index(struct gql_call *call)
{
	const struct artifact *row = row_of(call);

	if (row->has_version)
		json_out_int(call->out, row->version);
	return NULL;
}

static err_t artifact_state(struct gql_call *call)
{
	static const char *const names[] = {
		[ARTIFACT_PENDING] = "PENDING",
		[ARTIFACT_COMMITTED] = "COMMITTED",
		[ARTIFACT_DELETED] = "DELETED",
	};

	json_out_text(call->out, str_of(names[row_of(call)->state]));
	return NULL;
}

#define TEXT_OF_ROW(name, member) \
	static err_t name(struct gql_call *call) \
	{ \
		const struct str text = row_of(call)->member; \
\
		if (text.at) \
			json_out_text(call->out, text); \
		return NULL; \
	}

TEXT_OF_ROW(artifact_description, description)
TEXT_OF_ROW(artifact_metadata, metadata)
TEXT_OF_ROW(artifact_digest, digest)

static err_t artifact_digest_algorithm(struct gql_call *call)
{
	json_out_text(call->out, STR("MANIFEST_MD5"));
	return NULL;
}

static err_t artifact_nothing(struct gql_call *call)
{
	(void)call;
	return NULL;
}

static err_t artifact_size(struct gql_call *call)
{
	json_out_int(call->out, row_of(call)->size_bytes);
	return NULL;
}

static err_t artifact_file_count(struct gql_call *call)
{
	json_out_int(call->out, row_of(call)->file_count);
	return NULL;
}

static err_t artifact_created_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->created_at);
	return NULL;
}

static err_t artifact_updated_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->changed_at);
	return NULL;
}

static err_t artifact_history_step(struct gql_call *call)
{
	const struct artifact *row = row_of(call);

	if (row->has_history_step)
		json_out_int(call->out, row->history_step);
	return NULL;
}

/* The SDK reads numbers that are not above 0 as no TTL. */
enum { TTL_INHERITED = -1, TTL_DISABLED = -2 };

static err_t artifact_ttl(struct gql_call *call)
{
	const struct artifact *row = row_of(call);
	int64_t ttl_s = row->ttl_s;

	if (ttl_s == ARTIFACT_TTL_NONE)
		ttl_s = TTL_DISABLED;
	else if (ttl_s == ARTIFACT_TTL_INHERIT)
		ttl_s = row->collection_ttl_s > 0 ? row->collection_ttl_s : TTL_INHERITED;
	json_out_int(call->out, ttl_s);
	return NULL;
}

static err_t artifact_ttl_is_inherited(struct gql_call *call)
{
	json_out_bool(call->out, row_of(call)->ttl_s == ARTIFACT_TTL_INHERIT);
	return NULL;
}

/* ---- what it belongs to --------------------------------------------------------------------------- */

static struct wandb_collection sequence_of(const struct wandb_artifact *artifact)
{
	return (struct wandb_collection){
		.target = artifact->target,
		.collection_id = artifact->row->collection_id,
		.kind = ARTIFACT_SEQUENCE,
		.name = artifact->row->collection,
		.type = artifact->row->type,
	};
}

static err_t artifact_sequence(struct gql_call *call)
{
	const struct wandb_collection sequence = sequence_of(call->parent);

	wandb_collection_give(call, arena_copy(call->arena, &sequence, sizeof(sequence)));
	return NULL;
}

static err_t artifact_type(struct gql_call *call)
{
	const struct wandb_artifact *artifact = call->parent;

	wandb_artifact_kind_give(call, artifact->target, artifact->row->type);
	return NULL;
}

/* ---- tags ----------------------------------------------------------------------------------------- */

err_t wandb_tags_read(struct arena *a, struct str json, struct wandb_tag **ret_tags,
		      size_t *ret_count)
{
	const struct json_doc *texts;
	struct wandb_tag *tags;
	err_t e = json_doc_parse(a, json, &texts);

	if (e)
		return e;
	tags = arena_new_array(a, struct wandb_tag, texts->count + 1);
	for (size_t i = 0; i < texts->count; i++)
		tags[i] = (struct wandb_tag){ texts->items[i]->text, texts->items[i]->text };
	*ret_tags = tags;
	*ret_count = texts->count;
	return NULL;
}

static err_t artifact_tags(struct gql_call *call)
{
	struct wandb_tag *tags;
	size_t count;
	err_t e = wandb_tags_read(call->arena, row_of(call)->tags, &tags, &count);

	if (!e)
		gql_give_list(call, tags, count, sizeof(tags[0]));
	return e;
}

static err_t tag_id(struct gql_call *call)
{
	json_out_text(call->out,
		      wandb_id(call->arena, "Tag", ((const struct wandb_tag *)call->parent)->name));
	return NULL;
}

static const struct gql_field tag_fields[] = {
	GQL_VALUE_FIELD("id", NULL, tag_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_tag, name),
	GQL_VALUE_FIELD("tagCategoryName", NULL, artifact_nothing),
};
const struct gql_type wandb_tag_type = GQL_TYPE("Tag", tag_fields);

/* ---- aliases -------------------------------------------------------------------------------------- */

err_t wandb_aliases_read(struct arena *a, struct str json,
			 const struct wandb_collection *collection,
			 struct wandb_alias **ret_aliases, size_t *ret_count)
{
	const struct json_doc *texts;
	struct wandb_alias *aliases;
	err_t e = json_doc_parse(a, json, &texts);

	if (e)
		return e;
	aliases = arena_new_array(a, struct wandb_alias, texts->count + 1);
	for (size_t i = 0; i < texts->count; i++)
		aliases[i] = (struct wandb_alias){ texts->items[i]->text, texts->items[i]->text,
						   *collection };
	*ret_aliases = aliases;
	*ret_count = texts->count;
	return NULL;
}

err_t wandb_aliases_of_member(struct arena *a, const struct wandb_member *member,
			      struct wandb_alias **ret_aliases, size_t *ret_count)
{
	const struct wandb_collection collection =
		wandb_collection_of_member(member->target, member->row);
	struct wandb_alias *aliases, *with_number;
	size_t count;
	err_t e = wandb_aliases_read(a, member->row->aliases, &collection, &aliases, &count);

	if (e)
		return e;
	*ret_aliases = aliases;
	*ret_count = count;
	if (member->row->kind != ARTIFACT_PORTFOLIO)
		return NULL;
	with_number = arena_new_array(a, struct wandb_alias, count + 1);
	with_number[0] = (struct wandb_alias){
		.alias = str_of(arena_printf(a, "v%ld", (long)member->row->version)),
		.collection = collection,
	};
	for (size_t i = 0; i < count; i++)
		with_number[i + 1] = aliases[i];
	*ret_aliases = with_number;
	*ret_count = count + 1;
	return NULL;
}

static err_t alias_id(struct gql_call *call)
{
	const struct wandb_alias *alias = call->parent;

	json_out_text(call->out,
		      wandb_id(call->arena, "ArtifactAlias",
			       str_of(arena_printf(call->arena, "%lld:%lld:%.*s",
						   (long long)alias->collection.target->project_id,
						   (long long)alias->collection.collection_id,
						   STR_ARG(alias->alias)))));
	return NULL;
}

static err_t alias_collection(struct gql_call *call)
{
	wandb_collection_give(call, &((const struct wandb_alias *)call->parent)->collection);
	return NULL;
}

static const struct gql_field alias_fields[] = {
	GQL_VALUE_FIELD("id", NULL, alias_id),
	GQL_MEMBER("alias", GQL_TEXT_MEMBER, struct wandb_alias, alias),
	GQL_OBJECT_FIELD("artifactCollection", NULL, alias_collection, &wandb_collection_type),
};
const struct gql_type wandb_alias_type = GQL_TYPE("ArtifactAlias", alias_fields);

/* The aliases of several collections, one after the other. */
struct alias_list {
	struct wandb_alias *at;
	size_t count;
};

static void append(struct arena *a, struct alias_list *list, const struct wandb_alias *more,
		   size_t count)
{
	struct wandb_alias *all = arena_new_array(a, struct wandb_alias, list->count + count + 1);

	for (size_t i = 0; i < list->count; i++)
		all[i] = list->at[i];
	for (size_t i = 0; i < count; i++)
		all[list->count + i] = more[i];
	*list = (struct alias_list){ all, list->count + count };
}

static err_t add_aliases(struct arena *a, struct alias_list *list, struct str json,
			 const struct wandb_collection *collection)
{
	struct wandb_alias *more;
	size_t count;
	err_t e = wandb_aliases_read(a, json, collection, &more, &count);

	if (!e)
		append(a, list, more, count);
	return e;
}

static err_t add_member(struct arena *a, struct alias_list *list, const struct wandb_member *member)
{
	struct wandb_alias *more;
	size_t count;
	err_t e = wandb_aliases_of_member(a, member, &more, &count);

	if (!e)
		append(a, list, more, count);
	return e;
}

/* Aliases in projects that the caller may not read are left out. */
static err_t add_all(struct gql_call *call, struct alias_list *list)
{
	struct wandb_member *members;
	size_t count;
	err_t e = wandb_members_read(wandb_of(call), call->parent, &members, &count);

	for (size_t i = 0; i < count && !e; i++)
		e = add_member(call->arena, list, &members[i]);
	return e;
}

/* In a list, those of the sequence and of the collection that is listed: the SDK ignores all others. */
static err_t artifact_aliases(struct gql_call *call)
{
	const struct wandb_artifact *artifact = call->parent;
	const struct wandb_member *member = artifact->member;
	const struct wandb_collection sequence = sequence_of(artifact);
	struct alias_list list = { arena_new_of(call->arena, struct wandb_alias), 0 };
	err_t e;

	if (!artifact->cursor.len && artifact->row->has_version)
		e = add_all(call, &list);
	else
		e = add_aliases(call->arena, &list, artifact->row->aliases, &sequence);
	if (!e && artifact->cursor.len && member && member->row->kind == ARTIFACT_PORTFOLIO)
		e = add_member(call->arena, &list, member);
	if (!e)
		gql_give_list(call, list.at, list.count, sizeof(list.at[0]));
	return e;
}

static const struct gql_field artifact_fields[] = {
	GQL_VALUE_FIELD("id", NULL, artifact_id),
	GQL_VALUE_FIELD("versionIndex", NULL, artifact_version_index),
	GQL_VALUE_FIELD("state", NULL, artifact_state),
	GQL_VALUE_FIELD("digest", NULL, artifact_digest),
	GQL_VALUE_FIELD("digestAlgorithm", NULL, artifact_digest_algorithm),
	GQL_VALUE_FIELD("description", NULL, artifact_description),
	GQL_VALUE_FIELD("metadata", NULL, artifact_metadata),
	GQL_VALUE_FIELD("size", NULL, artifact_size),
	GQL_VALUE_FIELD("fileCount", NULL, artifact_file_count),
	GQL_VALUE_FIELD("commitHash", NULL, artifact_nothing),
	GQL_VALUE_FIELD("historyStep", NULL, artifact_history_step),
	GQL_VALUE_FIELD("createdAt", NULL, artifact_created_at),
	GQL_VALUE_FIELD("updatedAt", NULL, artifact_updated_at),
	GQL_VALUE_FIELD("ttlDurationSeconds", NULL, artifact_ttl),
	GQL_VALUE_FIELD("ttlIsInherited", NULL, artifact_ttl_is_inherited),
	GQL_OBJECT_FIELD("tags", NULL, artifact_tags, &wandb_tag_type),
	GQL_OBJECT_FIELD("aliases", NULL, artifact_aliases, &wandb_alias_type),
	GQL_OBJECT_FIELD("artifactType", NULL, artifact_type, &wandb_artifact_kind_type),
	GQL_OBJECT_FIELD("artifactSequence", NULL, artifact_sequence, &wandb_collection_type),
	GQL_OBJECT_FIELD("createdBy", NULL, wandb_artifact_created_by, &wandb_run_type),
	GQL_OBJECT_FIELD("usedBy", NULL, wandb_artifact_used_by, &wandb_runs_type),
	GQL_OBJECT_FIELD("artifactMemberships", "first after", wandb_artifact_members,
			 &wandb_members_type),
	GQL_OBJECT_FIELD("currentManifest", NULL, wandb_artifact_manifest,
			 &wandb_artifact_manifest_type),
	GQL_OBJECT_FIELD("files", "names after first", wandb_artifact_files,
			 &wandb_artifact_files_type),
	GQL_OBJECT_FIELD("filesByManifestEntries",
			 "entries storageLayout manifestVersion storageRegion",
			 wandb_artifact_files_of_entries, &wandb_artifact_files_type),
};
const struct gql_type wandb_artifact_type = GQL_TYPE("Artifact", artifact_fields);

err_t wandb_artifact(struct gql_call *call)
{
	struct wandb_artifact *artifact;
	err_t e = wandb_artifact_find(wandb_of(call), gql_arg_text(call, "id"), &artifact);

	if (!e)
		gql_give(call, artifact);
	return e;
}
