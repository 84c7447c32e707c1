/* Resolves a request's path to its target, with the facts that decide access. */
#include <inttypes.h>
#include <string.h>

#include "app.h"
#include "auth_parts.h"
#include "name.h"
#include "project_store.h"

/* The value of a path parameter; .at is NULL when the route has none of this name. */
static struct str param(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->params.count; i++) {
		if (str_is(q->params.at[i].name, name))
			return q->params.at[i].value;
	}
	return (struct str){ NULL, 0 };
}

bool auth_route_has(const struct request *q, const char *text)
{
	return strstr(q->route->path, text) != NULL;
}

struct auth_ask auth_read_path(const struct request *q)
{
	return (struct auth_ask){
		.access = q->route->access,
		.flags = q->route->flags,
		.entity = param(q, "entity"),
		.project = param(q, "project"),
		.run = param(q, "run"),
	};
}

err_t auth_check_names(struct request *q, const struct auth_ask *ask, struct target *ret_target)
{
	err_t e = name_check(q->arena, NAME_ENTITY, "entity", ask->entity);

	if (!e && ask->project.at)
		e = name_check(q->arena, NAME_PROJECT, "project", ask->project);
	if (!e && ask->run.at)
		e = name_check(q->arena, NAME_RUN, "run", ask->run);
	if (e)
		return e;
	*ret_target = (struct target){
		.entity = ask->entity,
		.project = ask->project.at ? ask->project : STR(""),
		.run = ask->run.at ? ask->run : STR(""),
	};
	return NULL;
}

static int64_t user_id(const struct request *q)
{
	return q->identity ? q->identity->user_id : 0;
}

static err_t look_up_run(struct request *q, const struct target *t, struct target_fact *fact)
{
	struct target_run_row *row;
	err_t e;

	if (!t->run.len || !fact->project_id)
		return NULL;
	e = target_store_find_run(q->db, fact->project_id, t->run, &row);
	if (e || !row)
		return e;
	fact->run_id = row->run_id;
	fact->run_visibility = row->visibility;
	fact->run_deleted = row->deleted;
	fact->run_moved = row->moved;
	return NULL;
}

static err_t look_up_target(struct request *q, const struct target *t, struct target_fact *fact)
{
	struct target_row *row;
	err_t e = target_store_find(q->db, user_id(q), t->entity, t->project, &row);

	*fact = (struct target_fact){ 0 };
	if (e || !row)
		return e;
	*fact = (struct target_fact){
		.entity_id = row->entity_id,
		.entity_kind = row->entity_kind,
		.role = row->role,
		.owns_public = row->owns_public,
		.project_id = row->project_id,
		.visibility = row->visibility,
		.crash_after_s = row->crash_after_s,
		.project_deleted = row->project_deleted,
	};
	return look_up_run(q, t, fact);
}

static struct access_facts access_facts_of(const struct request *q, const struct target_fact *fact)
{
	struct access_facts facts = {
		.project = fact->owns_public ? VISIBILITY_PUBLIC
					     : (enum visibility)fact->visibility,
		.run = (enum visibility)fact->run_visibility,
	};

	if (q->identity) {
		facts.signed_in = true;
		facts.server_admin = q->identity->is_admin;
		facts.scope = q->identity->scope;
		facts.role = (enum entity_role)fact->role;
	}
	return facts;
}

/* A run that the caller may not see is to them as one that does not exist, whatever they ask. */
static void hide_unseen_run(const struct request *q, struct target_fact *fact)
{
	const struct access_facts facts = access_facts_of(q, fact);

	if (access_right(&facts) != ACCESS_RIGHT_NONE)
		return;
	fact->run_id = 0;
	fact->run_visibility = VISIBILITY_INHERIT;
	fact->run_deleted = false;
	fact->run_moved = false;
}

/*
 * Only what is there is kept: what is missing may be made the next moment. Nor is a hidden run, so that it is looked up
 * each time as one that does not exist.
 */
static bool is_complete(const struct target *t, const struct target_fact *fact)
{
	return fact->entity_id && (!t->project.len || fact->project_id) &&
	       (!t->run.len || fact->run_id);
}

err_t auth_find_target(struct request *q, const struct target *t, struct target_fact *ret_fact)
{
	struct auth *auth = q->app->auth;
	struct str key;
	uint64_t generation = ttl_cache_generation(auth->targets);
	err_t e;

	/* "/" is in no name. */
	key = str_of(arena_printf(q->arena, "%" PRId64 "/%.*s/%.*s/%.*s", user_id(q),
				  STR_ARG(t->entity), STR_ARG(t->project), STR_ARG(t->run)));
	if (ttl_cache_find(auth->targets, key, ret_fact))
		return NULL;
	e = look_up_target(q, t, ret_fact);
	if (e)
		return e;
	hide_unseen_run(q, ret_fact);
	if (is_complete(t, ret_fact))
		ttl_cache_save(auth->targets, key, generation, ret_fact);
	return NULL;
}

void auth_fill_target(const struct request *q, const struct target_fact *fact, struct target *t)
{
	struct access_facts facts = access_facts_of(q, fact);

	t->entity_id = fact->entity_id;
	t->entity_kind = (enum entity_kind)fact->entity_kind;
	t->project_id = fact->project_id;
	t->visibility = (enum visibility)fact->visibility;
	t->crash_after_us = (int64_t)fact->crash_after_s * 1000000;
	t->run_id = fact->run_id;
	t->run_visibility = (enum visibility)fact->run_visibility;
	t->role = facts.role;
	t->right = fact->entity_id ? access_right(&facts) : ACCESS_RIGHT_NONE;
	t->sees_private = access_sees_private(&facts);
}
