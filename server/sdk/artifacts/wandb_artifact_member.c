#include "wandb_artifact_member.h"

#include "arena.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "wandb_artifact_collection.h"
#include "wandb_artifact_files.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_project.h"

enum { MEMBERSHIPS_MAX = 1000 };

/* ---- finding -------------------------------------------------------------------------------------- */

/* A question for a thing that does not exist, or is hidden, is answered with null, and without an error. */
static err_t unless_absent(err_t e)
{
	if (e && (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_INVALID))
		return NULL;
	return e;
}

err_t wandb_artifact_place(struct wandb *w, struct str entity, struct str project,
			   struct target **ret_target)
{
	const struct auth_ask ask = { .access = ACCESS_READ, .entity = entity, .project = project };
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	if (!e)
		*ret_target = there ? w->q->target : NULL;
	return e;
}

err_t wandb_artifact_find(struct wandb *w, struct str id, struct wandb_artifact **ret_artifact)
{
	struct artifact_target found;
	err_t e = artifact_target_id(w->q, id, ACCESS_READ, &found);

	*ret_artifact = NULL;
	if (e)
		return unless_absent(e);
	*ret_artifact = wandb_artifact_of(w->q->arena, w->q->target, found.artifact);
	return NULL;
}

/* The project of a version may be another than that of the collection. */
static err_t find_source(struct wandb *w, struct target *project, const struct artifact *row,
			 struct target **ret_target)
{
	const struct artifact_id id = { row->project_id, row->artifact_id };
	struct artifact_target found;
	err_t e;

	*ret_target = project;
	if (row->project_id == project->project_id)
		return NULL;
	e = artifact_target_number(w->q, &id, ACCESS_READ, &found);
	*ret_target = e ? NULL : w->q->target;
	return unless_absent(e);
}

static struct wandb_member *member_of(struct wandb *w, struct target *project,
				      struct target *source, const struct artifact_target *found)
{
	struct wandb_member *member = arena_new_of(w->q->arena, struct wandb_member);
	struct wandb_artifact *artifact = wandb_artifact_of(w->q->arena, source, found->artifact);

	*member = (struct wandb_member){
		.target = project,
		.row = found->member,
		.artifact = artifact,
	};
	artifact->member = member;
	return member;
}

err_t wandb_member_find_in(struct wandb *w, struct target *project, struct str collection,
			   struct str alias, struct wandb_member **ret_member)
{
	struct artifact_target found;
	struct target *source = NULL;
	err_t e;

	*ret_member = NULL;
	if (!collection.len || !alias.len)
		return NULL;
	w->q->target = project;
	e = artifact_target_here(w->q, collection, alias, &found);
	if (e)
		return unless_absent(e);
	if (!found.member || found.artifact->state != ARTIFACT_COMMITTED)
		return NULL;
	e = find_source(w, project, found.artifact, &source);
	if (!e && source)
		*ret_member = member_of(w, project, source, &found);
	return e;
}

err_t wandb_member_find(struct wandb *w, struct target *project, struct str name,
			struct wandb_member **ret_member)
{
	struct str collection, alias;

	*ret_member = NULL;
	if (!artifact_name_split(name, &collection, &alias))
		return NULL;
	return wandb_member_find_in(w, project, collection, alias, ret_member);
}

/* ---- values --------------------------------------------------------------------------------------- */

static const struct artifact_member *row_of(const struct gql_call *call)
{
	return ((const struct wandb_member *)call->parent)->row;
}

static err_t member_id(struct gql_call *call)
{
	const struct artifact_member *row = row_of(call);

	json_out_text(call->out,
		      wandb_id(call->arena, "ArtifactCollectionMembership",
			       str_of(arena_printf(
				       call->arena, "%lld:%lld:%ld", (long long)row->project_id,
				       (long long)row->collection_id, (long)row->version))));
	return NULL;
}

static err_t member_version_index(struct gql_call *call)
{
	json_out_int(call->out, row_of(call)->version);
	return NULL;
}

static err_t member_created_at(struct gql_call *call)
{
	json_out_time(call->out, row_of(call)->added_at);
	return NULL;
}

static err_t member_collection(struct gql_call *call)
{
	const struct wandb_member *member = call->parent;
	const struct wandb_collection collection =
		wandb_collection_of_member(member->target, member->row);

	wandb_collection_give(call, arena_copy(call->arena, &collection, sizeof(collection)));
	return NULL;
}

static err_t member_aliases(struct gql_call *call)
{
	struct wandb_alias *aliases;
	size_t count;
	err_t e = wandb_aliases_of_member(call->arena, call->parent, &aliases, &count);

	if (!e)
		gql_give_list(call, aliases, count, sizeof(aliases[0]));
	return e;
}

static err_t member_artifact(struct gql_call *call)
{
	gql_give(call, ((const struct wandb_member *)call->parent)->artifact);
	return NULL;
}

static const struct gql_field member_fields[] = {
	GQL_VALUE_FIELD("id", NULL, member_id),
	GQL_VALUE_FIELD("versionIndex", NULL, member_version_index),
	GQL_VALUE_FIELD("createdAt", NULL, member_created_at),
	GQL_OBJECT_FIELD("aliases", NULL, member_aliases, &wandb_alias_type),
	GQL_OBJECT_FIELD("artifactCollection", NULL, member_collection, &wandb_collection_type),
	GQL_OBJECT_FIELD("artifact", NULL, member_artifact, &wandb_artifact_type),
	GQL_OBJECT_FIELD("files", "names after first", wandb_member_files,
			 &wandb_artifact_files_type),
};
const struct gql_type wandb_member_type = GQL_TYPE("ArtifactCollectionMembership", member_fields);

WANDB_LIST_FIELDS(member, "ArtifactCollectionMembership", wandb_member_type);
const struct gql_type wandb_members_type =
	GQL_TYPE("ArtifactCollectionMembershipConnection", member_list_fields);

/* ---- of a version --------------------------------------------------------------------------------- */

/* Links are often in one project: they are in order of their projects. */
static err_t find_place(struct wandb *w, const struct artifact_member *row, struct target **place)
{
	if (*place && (*place)->project_id == row->project_id)
		return NULL;
	return wandb_artifact_place(w, row->entity, row->project, place);
}

err_t wandb_members_read(struct wandb *w, const struct wandb_artifact *artifact,
			 struct wandb_member **ret_members, size_t *ret_count)
{
	struct target *place = artifact->target;
	struct wandb_member *members;
	struct artifact_member *rows;
	size_t row_count;
	size_t count = 0;
	err_t e = artifact_store_list_memberships(w->q->db, artifact->row->project_id,
						  artifact->row->artifact_id, MEMBERSHIPS_MAX,
						  &rows, &row_count);

	if (e)
		return e;
	members = arena_new_array(w->q->arena, struct wandb_member, row_count + 1);
	for (size_t i = 0; i < row_count && !e; i++) {
		e = find_place(w, &rows[i], &place);
		if (!e && place)
			members[count++] = (struct wandb_member){
				.cursor = wandb_id_of_number(w->q->arena, "Membership", (int64_t)i),
				.target = place,
				.row = &rows[i],
				.artifact = artifact,
			};
	}
	*ret_members = members;
	*ret_count = count;
	return e;
}

/* All in one page. */
err_t wandb_artifact_members(struct gql_call *call)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb_member *members;
	size_t count;
	err_t e;

	e = wandb_members_read(wandb_of(call), call->parent, &members, &count);
	if (e)
		return e;
	*list = (struct wandb_list){ members, count, sizeof(members[0]), false, (int64_t)count };
	gql_give(call, list);
	return NULL;
}

/* ---- by name -------------------------------------------------------------------------------------- */

err_t wandb_project_member(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	struct wandb_member *member;
	err_t e = wandb_member_find(wandb_of(call), project->target, gql_arg_text(call, "name"),
				    &member);

	if (!e)
		gql_give(call, member);
	return e;
}

err_t wandb_collection_member(struct gql_call *call)
{
	const struct wandb_collection *collection = call->parent;
	struct wandb_member *member;
	err_t e = wandb_member_find_in(wandb_of(call), collection->target, collection->name,
				       gql_arg_text(call, "aliasName"), &member);

	if (!e)
		gql_give(call, member);
	return e;
}

/* Null for a name without a version: before a version is logged, the SDK asks for the type of its name. */
err_t wandb_project_artifact(struct gql_call *call)
{
	const struct wandb_project *project = call->parent;
	struct wandb_member *member;
	err_t e = wandb_member_find(wandb_of(call), project->target, gql_arg_text(call, "name"),
				    &member);

	if (!e)
		gql_give(call, member ? member->artifact : NULL);
	return e;
}

err_t wandb_artifact_kind_item(struct gql_call *call)
{
	const struct wandb_artifact_kind *kind = call->parent;
	struct wandb_member *member;
	err_t e = wandb_member_find(wandb_of(call), kind->target, gql_arg_text(call, "name"),
				    &member);

	if (!e && member && str_equal(member->row->type, kind->name))
		gql_give(call, member->artifact);
	return e;
}
