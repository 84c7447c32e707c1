#ifndef WANDB_VIEWER_H
#define WANDB_VIEWER_H

#include "gql_run.h"

/* The user who asks, users in general, entities (users and teams) and information about the server. */
extern const struct gql_type wandb_user_type;
extern const struct gql_type wandb_users_type;
extern const struct gql_type wandb_entity_type;
extern const struct gql_type wandb_server_type;

gql_resolve wandb_viewer, wandb_users, wandb_entity, wandb_server_info;

/* Another user by the name alone. */
const void *wandb_user_of(struct arena *a, struct str name);

/* The object of an entity by its name, which is not looked up. */
struct wandb_entity {
	struct str cursor; /* its name */
	struct str name;
	struct str id;
	int64_t entity_id;
	bool is_team;
	bool is_free; /* nobody has the name */
	bool is_read_only;
	bool shows_members;
	int64_t storage_bytes;
};
const struct wandb_entity *wandb_entity_of(struct arena *a, struct str name, int64_t entity_id);

#endif
