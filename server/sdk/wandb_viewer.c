#include "wandb_viewer.h"

#include "arena.h"
#include "entity_store.h"
#include "key_store.h"
#include "wandb.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_unsupported.h"

enum { TEAMS_MAX = 1000, KEYS_MAX = 1000 };

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

/* ---- users ---------------------------------------------------------------------------------------- */

WANDB_LIST_TYPES(entity, "Entity", wandb_entity_type);

struct user {
	struct str cursor;
	struct str id;
	struct str name;
	struct str entity;
	bool is_admin;
	int64_t user_id;
};

/* The user's own entity is among them; which teams others are in is theirs to say. */
static err_t user_teams(struct gql_call *call)
{
	const struct user *user = call->parent;
	const struct entity_ask ask = { .user_id = user->user_id,
					.after = STR(""),
					.limit = TEAMS_MAX };
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct request *q = wandb_of(call)->q;
	struct entity *entities = NULL;
	struct wandb_entity *items;
	size_t count = 0;
	err_t e = NULL;

	if (user->user_id && (user->user_id == q->identity->user_id || q->identity->is_admin))
		e = entity_store_list(q->db, &ask, &entities, &count);
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

/*
 * Keys that work: of oneself alone, and for a key that may do all that its owner may (ACCESS_SELF). Of a key
 * itself nothing is stored but how it begins, by which its owner knows it, and how it ends.
 */
struct api_key {
	struct str cursor;
	struct str id;
	struct str name;
	struct str description;
};

static const struct gql_field key_fields[] = {
	GQL_MEMBER("id", GQL_TEXT_MEMBER, struct api_key, id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct api_key, name),
	GQL_MEMBER("description", GQL_TEXT_MEMBER, struct api_key, description),
};
static const struct gql_type key_type = GQL_TYPE("ApiKey", key_fields);
WANDB_LIST_TYPES(key, "ApiKey", key_type);

static void give_keys(struct gql_call *call, const struct key *keys, size_t count)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct api_key *items = arena_new_array(call->arena, struct api_key, count + 1);

	for (size_t i = 0; i < count; i++) {
		struct str id = wandb_id_of_number(call->arena, "ApiKey", keys[i].key_id);

		items[i] = (struct api_key){
			.cursor = id,
			.id = id,
			.name = keys[i].head,
			.description = keys[i].name,
		};
	}
	*list = (struct wandb_list){ items, count, sizeof(items[0]), false, (int64_t)count };
	gql_give(call, list);
}

static err_t user_keys(struct gql_call *call)
{
	const struct user *user = call->parent;
	struct wandb *w = wandb_of(call);
	struct key *keys = NULL;
	size_t count = 0;
	err_t e = NULL;

	if (user->user_id && user->user_id == w->q->identity->user_id &&
	    w->q->identity->scope == KEY_SCOPE_ADMIN)
		e = key_store_list_own(w->q->db, user->user_id, 0, KEYS_MAX, &keys, &count);
	if (!e)
		give_keys(call, keys, count);
	return e;
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
	GQL_OBJECT_FIELD("apiKeys", NULL, user_keys, &key_list_type),
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

WANDB_LIST_FIELDS(user, "User", wandb_user_type);
const struct gql_type wandb_users_type = GQL_TYPE("UserConnection", user_list_fields);

/* Oneself, and those of one's own teams; an admin of the server everybody. */
static err_t find_user(struct wandb *w, struct str name, struct account **ret_account)
{
	const struct identity *who = w->q->identity;

	if (who->is_admin)
		return account_store_find(w->q->db, name, ret_account);
	return account_store_find_seen(w->q->db, name, who->user_id, ret_account);
}

static void fill_user(struct gql_call *call, const struct account *account, struct user *user)
{
	const struct identity *who = wandb_of(call)->q->identity;
	bool tells = who->is_admin || who->user_id == account->user_id;

	*user = (struct user){
		.cursor = account->name,
		.id = wandb_id_of_number(call->arena, "User", account->user_id),
		.name = account->name,
		.entity = account->name,
		.is_admin = tells && account->is_admin,
		.user_id = account->user_id,
	};
}

/* By the whole name: nobody looks through who there is. */
err_t wandb_users(struct gql_call *call)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct user *user = arena_new_of(call->arena, struct user);
	struct account *account;
	err_t e = find_user(wandb_of(call), gql_arg_text(call, "query"), &account);

	if (e)
		return e;
	if (account)
		fill_user(call, account, user);
	*list = (struct wandb_list){ user, account != NULL, sizeof(*user), false, account != NULL };
	gql_give(call, list);
	return NULL;
}

/* ---- the server ----------------------------------------------------------------------------------- */

struct feature {
	struct str name;
	bool enabled;
};

/* Names by which the SDK changes its behaviour: see the protocol's list of features. */
static const struct feature features[] = {
	{ STR("STRUCTURED_CONSOLE_LOGS"), true },
	{ STR("FILESTREAM_GZIP"), true },
	{ STR("EXPAND_DEFINED_METRIC_GLOBS"), true },
	{ STR("LARGE_FILENAMES"), true },
	{ STR("CLIENT_IDS"), true },
	{ STR("MARK_RUN_FILES_UPLOADED"), true },
	{ STR("UPDATE_RUN_STATE"), true },
	{ STR("USE_ARTIFACT_WITH_ENTITY_AND_PROJECT_INFORMATION"), true },
	{ STR("PROJECT_ARTIFACT_COLLECTION_MEMBERSHIP"), true },
	{ STR("ARTIFACT_COLLECTION_MEMBERSHIP_FILES"), true },
	{ STR("ARTIFACT_COLLECTION_MEMBERSHIP_FILE_DOWNLOAD_HANDLER"), true },
	{ STR("ARTIFACT_V2_DOWNLOAD_HANDLER_SUPPORTS_ARTIFACT_ID"), true },
	{ STR("ARTIFACT_MEMBERSHIP_IN_LINK_ARTIFACT_RESPONSE"), true },
	{ STR("ARTIFACT_COLLECTIONS_FILTERING_SORTING"), true },
	{ STR("TOTAL_COUNT_IN_FILE_CONNECTION"), true },
	{ STR("SWEEPS_QUERY_FILTERING"), true },
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
	GQL_OBJECT_FIELD("latestLocalVersionInfo", NULL, give_null, &wandb_unsupported_type),
	GQL_OBJECT_FIELD("features", NULL, server_features, &feature_type),
};
const struct gql_type wandb_server_type = GQL_TYPE("ServerInfo", server_fields);

err_t wandb_server_info(struct gql_call *call)
{
	gql_give(call, features);
	return NULL;
}
