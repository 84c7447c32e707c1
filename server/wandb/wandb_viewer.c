#include "wandb_viewer.h"

#include "arena.h"
#include "entity_store.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_missing.h"
#include "wandb_list.h"

enum { TEAMS_MAX = 1000 };

/* ---- values --------------------------------------------------------------------------------------- */

static err_t give_null(struct gql_call *call)
{
	(void)call;
	return NULL;
}

static err_t give_empty(struct gql_call *call)
{
	json_out_text(call->out, STR(""));
	return NULL;
}

static err_t give_flags(struct gql_call *call)
{
	json_out_text(call->out, STR("{\"code_saving_enabled\":true}"));
	return NULL;
}

/* ---- entities ------------------------------------------------------------------------------------- */

const struct wandb_entity *wandb_entity_of(struct arena *a, struct str name, int64_t entity_id)
{
	struct wandb_entity *entity = arena_new_of(a, struct wandb_entity);

	*entity = (struct wandb_entity){
		.cursor = name,
		.name = name,
		.id = wandb_id_of_number(a, "Entity", entity_id),
	};
	return entity;
}

static const struct gql_field entity_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct wandb_entity, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct wandb_entity, name),
	GQL_MEMBER("isTeam", GQL_BOOL_MEMBER, struct wandb_entity, is_team),
	GQL_OBJECT_FIELD("organization", NULL, give_null, &wandb_missing_type),
};
const struct gql_type wandb_entity_type = GQL_TYPE("Entity", entity_fields);
WANDB_LIST_TYPES(entity, "Entity", wandb_entity_type);

err_t wandb_entity(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	struct auth_ask ask = { .access = ACCESS_READ, .entity = gql_arg_text(call, "name") };
	struct wandb_entity *entity;
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	if (e || !there)
		return e;
	entity = arena_copy(call->arena,
			    wandb_entity_of(call->arena, w->q->target->entity,
					    w->q->target->entity_id),
			    sizeof(*entity));
	entity->is_team = w->q->target->entity_kind == ENTITY_TEAM;
	gql_give(call, entity);
	return NULL;
}

/* ---- users ---------------------------------------------------------------------------------------- */

struct user {
	struct str id;
	struct str name;
	struct str entity;
	bool is_admin;
	int64_t user_id;
};

/* The user's own entity is among them. */
static err_t user_teams(struct gql_call *call)
{
	const struct user *user = call->parent;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct entity *entities;
	struct wandb_entity *items;
	size_t count;
	err_t e;

	e = entity_store_list(wandb_of(call)->q->db, user->user_id, ENTITY_LIST_OWN, STR(""),
			      TEAMS_MAX, &entities, &count);
	if (e)
		return e;
	items = arena_new_array(call->arena, struct wandb_entity, count + 1);
	for (size_t i = 0; i < count; i++) {
		items[i] = *wandb_entity_of(call->arena, entities[i].name, entities[i].entity_id);
		items[i].is_team = entities[i].kind == ENTITY_TEAM;
	}
	*list = (struct wandb_list){ items, count, sizeof(items[0]), false, (int64_t)count };
	gql_give(call, list);
	return NULL;
}

static err_t no_keys(struct gql_call *call)
{
	static const struct wandb_list none = { .total = 0 };

	gql_give(call, &none);
	return NULL;
}

static const struct gql_field user_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct user, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct user, name),
	GQL_MEMBER("username", GQL_TEXT_MEMBER, struct user, name),
	GQL_MEMBER("entity", GQL_TEXT_MEMBER, struct user, entity),
	GQL_MEMBER("admin", GQL_BOOL_MEMBER, struct user, is_admin),
	GQL_VALUE_FIELD("email", NULL, give_empty),
	GQL_VALUE_FIELD("flags", NULL, give_flags),
	GQL_VALUE_FIELD("photoUrl", NULL, give_null),
	GQL_VALUE_FIELD("deletedAt", NULL, give_null),
	GQL_OBJECT_FIELD("teams", NULL, user_teams, &entity_list_type),
	GQL_OBJECT_FIELD("apiKeys", NULL, no_keys, &entity_list_type),
};
const struct gql_type wandb_user_type = GQL_TYPE("User", user_fields);

const void *wandb_user_of(struct arena *a, struct str name)
{
	struct user *user = arena_new_of(a, struct user);

	*user = (struct user){ .id = wandb_id(a, "User", name), .name = name, .entity = name };
	return user;
}

err_t wandb_viewer(struct gql_call *call)
{
	struct wandb *w = wandb_of(call);
	const struct identity *who = w->q->identity;
	struct user *user = arena_new_of(call->arena, struct user);
	err_t e;

	*user = (struct user){
		.id = wandb_id_of_number(call->arena, "User", who->user_id),
		.name = who->name,
		.is_admin = who->is_admin,
		.user_id = who->user_id,
	};
	e = wandb_default_entity(w, &user->entity);
	if (e)
		return e;
	gql_give(call, user);
	return NULL;
}

/* ---- the server ----------------------------------------------------------------------------------- */

struct feature {
	struct str name;
	bool enabled;
};

/* What the SDK does otherwise when it finds the name: see the protocol's list of features. */
static const struct feature features[] = {
	{ STR("STRUCTURED_CONSOLE_LOGS"), true },
	{ STR("FILESTREAM_GZIP"), true },
	{ STR("EXPAND_DEFINED_METRIC_GLOBS"), true },
	{ STR("LARGE_FILENAMES"), true },
	{ STR("CLIENT_IDS"), true },
	{ STR("MARK_RUN_FILES_UPLOADED"), true },
	{ STR("UPDATE_RUN_STATE"), true },
};

static err_t server_features(struct gql_call *call)
{
	gql_give_list(call, features, sizeof(features) / sizeof(features[0]), sizeof(features[0]));
	return NULL;
}

/* Not null: clients compare their own release with it, and choose forms of media by it. */
static err_t server_cli_versions(struct gql_call *call)
{
	json_out_object(call->out);
	json_out_put_text(call->out, "min_cli_version", STR("0.10.0"));
	json_out_put_text(call->out, "max_cli_version", STR("99.0.0"));
	json_out_object_end(call->out);
	return NULL;
}

static const struct gql_field feature_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct feature, name),
	GQL_MEMBER("isEnabled", GQL_BOOL_MEMBER, struct feature, enabled),
};
static const struct gql_type feature_type = GQL_TYPE("ServerFeature", feature_fields);

static const struct gql_field server_fields[] = {
	GQL_VALUE_FIELD("cliVersionInfo", NULL, server_cli_versions),
	GQL_OBJECT_FIELD("latestLocalVersionInfo", NULL, give_null, &wandb_missing_type),
	GQL_OBJECT_FIELD("features", NULL, server_features, &feature_type),
};
const struct gql_type wandb_server_type = GQL_TYPE("ServerInfo", server_fields);

err_t wandb_server_info(struct gql_call *call)
{
	gql_give(call, features);
	return NULL;
}
