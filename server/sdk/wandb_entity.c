/* Users' own entities and teams, and who belongs to them. */
#include "arena.h"
#include "entity_store.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_organization.h"
#include "wandb_viewer.h"
#include "wandb_writer.h"

enum { MEMBERS_MAX = 10000 };

static err_t give_null(struct gql_call *call)
{
	(void)call;
	return NULL;
}

static err_t give_no(struct gql_call *call)
{
	json_out_bool(call->out, false);
	return NULL;
}

static err_t give_yes(struct gql_call *call)
{
	json_out_bool(call->out, true);
	return NULL;
}

const struct wandb_entity *wandb_entity_of(struct arena *a, struct str name, int64_t entity_id)
{
	struct wandb_entity *entity = arena_new_of(a, struct wandb_entity);

	*entity = (struct wandb_entity){
		.cursor = name,
		.name = name,
		.id = wandb_id_of_number(a, "Entity", entity_id),
		.entity_id = entity_id,
	};
	return entity;
}

/* ---- members -------------------------------------------------------------------------------------- */

struct member {
	struct str id;
	struct str name;
	bool is_admin;
};

static err_t member_empty(struct gql_call *call)
{
	json_out_text(call->out, STR(""));
	return NULL;
}

static err_t member_kind(struct gql_call *call)
{
	json_out_text(call->out, STR("USER"));
	return NULL;
}

static const struct gql_field member_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct member, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct member, name),
	GQL_MEMBER("username", GQL_TEXT_MEMBER, struct member, name),
	GQL_MEMBER("admin", GQL_BOOL_MEMBER, struct member, is_admin),
	GQL_VALUE_FIELD("pending", NULL, give_no),
	GQL_VALUE_FIELD("email", NULL, member_empty),
	GQL_VALUE_FIELD("accountType", NULL, member_kind),
	GQL_VALUE_FIELD("photoUrl", NULL, give_null),
	GQL_VALUE_FIELD("apiKey", NULL, give_null),
};
static const struct gql_type member_type = GQL_TYPE("Member", member_fields);

static struct member member_of(struct arena *a, struct str name, bool is_admin)
{
	return (struct member){ wandb_id(a, "Member", name), name, is_admin };
}

/* For those who belong to it themselves; a user's own entity has that one member. */
static err_t entity_members(struct gql_call *call)
{
	const struct wandb_entity *entity = call->parent;
	struct team_member *rows = NULL;
	struct member *members;
	size_t count = 0;
	err_t e = NULL;

	if (entity->shows_members && entity->is_team)
		e = entity_store_list_members(wandb_of(call)->q->db, entity->entity_id, STR(""),
					      MEMBERS_MAX, &rows, &count);
	if (e)
		return e;
	members = arena_new_array(call->arena, struct member, count + 1);
	for (size_t i = 0; i < count; i++)
		members[i] =
			member_of(call->arena, rows[i].name, rows[i].role == ENTITY_ROLE_ADMIN);
	if (entity->shows_members && !entity->is_team)
		members[count++] = member_of(call->arena, entity->name, true);
	gql_give_list(call, members, count, sizeof(members[0]));
	return NULL;
}

/* ---- what it is ----------------------------------------------------------------------------------- */

static err_t entity_kind(struct gql_call *call)
{
	const struct wandb_entity *entity = call->parent;

	json_out_text(call->out, entity->is_team ? STR("TEAM") : STR("USER"));
	return NULL;
}

static err_t entity_access(struct gql_call *call)
{
	json_out_text(call->out, STR("PRIVATE"));
	return NULL;
}

/* Only a primary asks whose machine it runs on, as soon as it has begun; nobody's is known. */
static err_t entity_organization(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);

	if (!gql_asks_for(call, "coreWeaveOrganizationId"))
		return wandb_organization_give(call);
	wandb_writer_suspect(w->q, w->client);
	return NULL;
}

static const struct gql_field entity_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct wandb_entity, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_entity, name),
	GQL_MEMBER("isTeam", GQL_BOOL_MEMBER, struct wandb_entity, is_team),
	GQL_VALUE_FIELD("entityType", NULL, entity_kind),
	GQL_MEMBER("available", GQL_BOOL_MEMBER, struct wandb_entity, is_free),
	GQL_MEMBER("readOnly", GQL_BOOL_MEMBER, struct wandb_entity, is_read_only),
	GQL_VALUE_FIELD("readOnlyAdmin", NULL, give_no),
	GQL_VALUE_FIELD("privateOnly", NULL, give_no),
	GQL_VALUE_FIELD("codeSavingEnabled", NULL, give_yes),
	GQL_VALUE_FIELD("defaultAccess", NULL, entity_access),
	GQL_VALUE_FIELD("isPaid", NULL, give_no),
	GQL_VALUE_FIELD("photoUrl", NULL, give_null),
	GQL_MEMBER("storageBytes", GQL_INT_MEMBER, struct wandb_entity, storage_bytes),
	GQL_OBJECT_FIELD("members", NULL, entity_members, &member_type),
	GQL_OBJECT_FIELD("organization", NULL, entity_organization, &wandb_organization_type),
};
const struct gql_type wandb_entity_type = GQL_TYPE("Entity", entity_fields);

static err_t read_entity(struct wandb *w, struct wandb_entity *entity)
{
	const struct target *t = w->q->target;
	struct entity *row;
	err_t e = entity_store_find(w->q->db, t->entity, &row);

	if (e)
		return e;
	*entity = *wandb_entity_of(w->q->arena, t->entity, t->entity_id);
	entity->is_team = t->entity_kind == ENTITY_TEAM;
	entity->is_read_only = t->right < ACCESS_RIGHT_WRITE;
	entity->shows_members = t->role != ENTITY_ROLE_NONE || t->right == ACCESS_RIGHT_ADMIN;
	if (row && entity->shows_members)
		entity->storage_bytes = row->size_bytes;
	return NULL;
}

/* Gives an object also for an entity that does not exist or is hidden, because clients read its members. */
err_t wandb_entity(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = { .access = ACCESS_READ, .entity = gql_arg_text(call, "name") };
	struct wandb_entity *entity = arena_new_of(call->arena, struct wandb_entity);
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	*entity = (struct wandb_entity){
		.cursor = ask.entity, .name = ask.entity, .id = STR(""), .is_free = true
	};
	if (!e && there)
		e = read_entity(w, entity);
	if (!e)
		gql_give(call, entity);
	return e;
}
