#include "quota_room.h"

#include "app.h"
#include "arena.h"
#include "auth.h"
#include "usage_store.h"

static err_t read_usage(struct request *q, const struct quota_scope *scope,
			struct entity_usage *ret_usage)
{
	struct entity_usage *usage;
	err_t e = usage_store_of_entity(q->db, scope->entity_id, scope->project_id, &usage);

	*ret_usage = !e && usage ? *usage : (struct entity_usage){ .quota_bytes = QUOTA_NONE };
	return e;
}

static struct quota_use of_entity(const struct request *q, const struct quota_scope *scope,
				  const struct entity_usage *usage)
{
	return (struct quota_use){
		.who = scope->entity,
		.giver = "of the server",
		.limit = quota_limit(usage->quota_bytes, q->app->config->entity_quota),
		.used = usage->size_bytes,
	};
}

static struct quota_use of_project(const struct request *q, const struct quota_scope *scope,
				   const struct entity_usage *usage)
{
	return (struct quota_use){
		.who = str_of(arena_printf(q->arena, "%.*s/%.*s", STR_ARG(scope->entity),
					   STR_ARG(scope->project))),
		.giver = "of its entity",
		.limit = usage->project_quota_bytes,
		.used = usage->project_bytes,
	};
}

struct quota_scope quota_scope_of(const struct target *t)
{
	return (struct quota_scope){ t->entity_id, t->project_id, t->entity, t->project };
}

err_t quota_room_read(struct request *q, const struct quota_scope *scope,
		      struct quota_use ret_uses[static QUOTA_LEVELS])
{
	struct entity_usage usage;
	err_t e = read_usage(q, scope, &usage);

	ret_uses[QUOTA_OF_ENTITY] = of_entity(q, scope, &usage);
	ret_uses[QUOTA_OF_PROJECT] = of_project(q, scope, &usage);
	return e;
}

err_t quota_room_check(struct request *q, const struct quota_scope *scope, int64_t bytes)
{
	const struct quota_more more = { bytes, "file", "files" };
	struct quota_use uses[QUOTA_LEVELS];
	err_t e = quota_room_read(q, scope, uses);

	for (size_t i = 0; i < QUOTA_LEVELS && !e; i++)
		e = quota_check_more(q->arena, &uses[i], &more);
	return e;
}
