/*
 * Authentication and authorization of a request, see auth.h. The rules themselves are in access.c; this file
 * applies them to a request and makes the error of a refusal.
 */
#include "auth.h"

#include <inttypes.h>
#include <stdlib.h>

#include "app.h"
#include "auth_parts.h"
#include "db.h"
#include "entity_store.h"
#include "server_store.h"

enum { IDENTITY_SLOTS = 4096, TARGET_SLOTS = 16384 };

struct auth *auth_new(const struct key_secret *secret, const struct session_limits *limits)
{
	struct auth *auth = calloc(1, sizeof(*auth));

	if (!auth)
		abort();
	auth->secret = secret;
	auth->session_limits = *limits;
	auth->identities = ttl_cache_new(IDENTITY_SLOTS, sizeof(struct identity_fact), AUTH_TTL_US);
	auth->targets = ttl_cache_new(TARGET_SLOTS, sizeof(struct target_fact), AUTH_TTL_US);
	return auth;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	ttl_cache_free(auth->identities);
	ttl_cache_free(auth->targets);
	free(auth);
}

/* ---- check ------------------------------------------------------------------------------------- */

static const enum access_right right_needed[] = {
	[ACCESS_OPEN] = ACCESS_RIGHT_NONE,   [ACCESS_SIGNED] = ACCESS_RIGHT_NONE,
	[ACCESS_SELF] = ACCESS_RIGHT_NONE,   [ACCESS_ASKED] = ACCESS_RIGHT_NONE,
	[ACCESS_READ] = ACCESS_RIGHT_READ,   [ACCESS_WRITE] = ACCESS_RIGHT_WRITE,
	[ACCESS_ADMIN] = ACCESS_RIGHT_ADMIN, [ACCESS_SERVER] = ACCESS_RIGHT_ADMIN,
};

static const char *const right_hints[] = {
	[ACCESS_RIGHT_WRITE] = "requires the role member of the entity and a key of scope write "
			       "or admin",
	[ACCESS_RIGHT_ADMIN] = "requires the role admin of the entity and a key of scope admin",
};

static err_t not_found(struct request *q, const struct target *t)
{
	bool is_run = t->run.len && t->project_id;
	const char *what = is_run ? "run" : t->project.len ? "project" : "entity";
	struct str name = is_run ? t->run : t->project.len ? t->project : t->entity;

	return err_new(q->arena, ERR_NOT_FOUND,
		       "the %s \"%.*s\" does not exist, or you do not have "
		       "access",
		       what, STR_ARG(name));
}

/* A target that the user may not see gets the same answer as one that does not exist. */
static err_t not_seen(struct request *q, const struct target *t)
{
	if (!t->project.len || (t->project_id && t->visibility == VISIBILITY_PUBLIC))
		return not_found(q, t);
	return err_new(
		q->arena, ERR_NOT_FOUND,
		"the entity \"%.*s\" or its project \"%.*s\" does not exist, or you do not have "
		"access",
		STR_ARG(t->entity), STR_ARG(t->project));
}

static err_t check_right(struct request *q, enum access access, const struct target *t)
{
	enum access_right need = right_needed[access];
	struct err *e;

	if (t->right >= need)
		return NULL;
	if (!q->identity)
		return auth_unauthorized(q, "authentication required");
	if (t->right == ACCESS_RIGHT_NONE)
		return not_seen(q, t);
	e = err_new(q->arena, ERR_FORBIDDEN, "\"%.*s\" does not have permission for this",
		    STR_ARG(q->identity->name));
	e->hint = right_hints[need];
	return e;
}

err_t auth_may_show(struct request *q, enum visibility before, enum visibility after)
{
	struct err *e;

	if (access_may_show(q->target->right, before, after))
		return NULL;
	e = err_field(q->arena, ERR_FORBIDDEN, "visibility",
		      "\"%.*s\" does not have permission to raise the visibility",
		      STR_ARG(q->identity->name));
	e->hint = right_hints[ACCESS_RIGHT_ADMIN];
	return e;
}

static err_t gone(struct request *q, const char *what, struct str name, const char *hint)
{
	struct err *e =
		err_new(q->arena, ERR_GONE, "the %s \"%.*s\" was deleted", what, STR_ARG(name));

	e->hint = hint;
	return e;
}

/* After check_right(): the caller may know. */
static err_t check_there(struct request *q, unsigned flags, const struct target_fact *fact,
			 const struct target *t)
{
	bool makes = flags & ROUTE_MAKES;
	bool deleted = flags & ROUTE_DELETED;

	if (fact->project_deleted && !(deleted && !t->run.len))
		return gone(q, "project", t->project,
			    "an admin can restore it before the grace period ends: POST "
			    ".../{project}/restore");
	if (fact->run_moved && deleted) /* the handler asks for what is left of it */
		return NULL;
	if (fact->run_moved)
		return err_new(q->arena, ERR_GONE, "the run \"%.*s\" was moved to another project",
			       STR_ARG(t->run));
	if (fact->run_deleted && !deleted)
		return gone(q, "run", t->run,
			    "anyone with write access can restore it before the grace period ends: "
			    "POST .../{run}/restore");
	if (makes)
		return NULL;
	if ((t->project.len && !t->project_id) || (t->run.len && !t->run_id))
		return not_found(q, t);
	return NULL;
}

err_t auth_ask(struct request *q, const struct auth_ask *ask)
{
	struct target *t = arena_new_of(q->arena, struct target);
	struct target_fact fact;
	err_t e;

	if (!q->identity && ask->access != ACCESS_READ)
		return auth_unauthorized(q, "authentication required");
	e = auth_check_names(q, ask, t);
	if (!e)
		e = auth_find_target(q, t, &fact);
	if (e)
		return e;
	auth_fill_target(q, &fact, t);
	e = check_right(q, ask->access, t);
	if (!e)
		e = check_there(q, ask->flags, &fact, t);
	if (!e)
		q->target = t;
	return e;
}

static err_t check_path(struct request *q)
{
	const struct auth_ask ask = auth_read_path(q);

	return auth_ask(q, &ask);
}

static bool is_server_admin(const struct identity *identity)
{
	const struct access_facts facts = {
		.signed_in = true,
		.server_admin = identity->is_admin,
		.scope = identity->scope,
	};

	return access_is_server_admin(&facts);
}

static err_t check(struct request *q)
{
	enum access access = q->route->access;

	if (access == ACCESS_OPEN || access == ACCESS_ASKED)
		return NULL;
	if (access != ACCESS_SERVER && auth_route_has(q, "{entity}"))
		return check_path(q);
	if (!q->identity)
		return auth_unauthorized(q, "authentication required");
	if (access == ACCESS_SELF && q->identity->scope != KEY_SCOPE_ADMIN)
		return err_new(q->arena, ERR_FORBIDDEN, "sign in, or use a key of scope admin");
	if (access == ACCESS_SERVER && !is_server_admin(q->identity))
		return err_new(q->arena, ERR_FORBIDDEN, "only admins of the server have access");
	return auth_route_has(q, "{entity}") ? check_path(q) : NULL;
}

/* ---- begin and end ----------------------------------------------------------------------------- */

/* A request whose body came since is asked for the second time: then what has passed since the first is added. */
static err_t find_now(struct request *q)
{
	const int64_t mono_us = clock_mono_us();
	err_t e = NULL;

	if (q->now.us)
		q->now.us += mono_us - q->now_mono_us;
	else
		e = server_store_now(q->db, &q->now);
	q->now_mono_us = mono_us;
	return e;
}

static err_t begin(struct request *q)
{
	unsigned flags = q->route->flags;

	if ((flags & ROUTE_TX) && (flags & ROUTE_NOW))
		return server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);
	if (flags & ROUTE_TX)
		return db_begin(q->db, (int)request_left_ms(q), 0);
	return flags & ROUTE_NOW ? find_now(q) : NULL;
}

err_t auth_enter(struct request *q)
{
	err_t e = NULL;

	if (q->route->access != ACCESS_OPEN)
		e = auth_identify(q);
	if (!e)
		e = check(q);
	if (!e)
		e = begin(q);
	return e;
}

/* The same question again, put by a request that has nothing of the one before but what was sent. */
err_t auth_still(const struct request *asked, struct arena *a, struct db *db)
{
	const struct target *target;

	return auth_still_target(asked, a, db, &target);
}

err_t auth_still_target(const struct request *asked, struct arena *a, struct db *db,
			const struct target **ret_target)
{
	struct request q = {
		.arena = a,
		.db = db,
		.app = asked->app,
		.route = asked->route,
		.params = asked->params,
		.exchange = asked->exchange,
	};
	err_t e;

	*ret_target = asked->target;
	if (q.route->access == ACCESS_OPEN)
		return NULL;
	e = auth_identify(&q);
	if (!e)
		e = check(&q);
	if (e || !asked->target)
		return e;
	*ret_target = q.target;
	if (q.target->project_id != asked->target->project_id ||
	    q.target->run_id != asked->target->run_id)
		return err_new(a, ERR_GONE, "the requested object no longer exists");
	return NULL;
}

err_t auth_leave(struct request *q, err_t e)
{
	if (q->db && db_in_transaction(q->db)) {
		if (e)
			db_rollback(q->db);
		else
			e = db_commit(q->db);
	}
	if (q->target && q->target->forget)
		auth_forget_all(q->app->auth);
	return e;
}

struct str auth_who(const struct request *q)
{
	return q->identity ? q->identity->name : STR("");
}

err_t auth_attributed_user(struct request *q, int64_t *ret_user_id)
{
	const struct identity *identity = q->identity;
	struct str name = request_header(q, "X-WANDB-USERNAME");
	int64_t user_id = 0;
	err_t e = NULL;

	if (identity->is_service && q->target->entity_kind == ENTITY_TEAM &&
	    name_is_valid(NAME_ENTITY, name))
		e = entity_store_find_member(q->db, q->target->entity_id, name, identity->user_id,
					     &user_id);
	if (e)
		return e;
	*ret_user_id = user_id ? user_id : identity->user_id;
	return NULL;
}

void auth_forget(struct request *q)
{
	if (q->target)
		q->target->forget = true;
}

void auth_forget_all(struct auth *auth)
{
	ttl_cache_clear(auth->identities);
	ttl_cache_clear(auth->targets);
}

static void add_counts(struct buf *text, const char *name, struct ttl_cache *cache)
{
	struct ttl_cache_counts counts = ttl_cache_counts(cache);

	buf_printf(text, "cairn_auth_lookups_total{of=\"%s\",from=\"memory\"} %" PRIu64 "\n", name,
		   counts.hits);
	buf_printf(text, "cairn_auth_lookups_total{of=\"%s\",from=\"database\"} %" PRIu64 "\n",
		   name, counts.misses);
}

void auth_metrics(struct auth *auth, struct buf *text)
{
	buf_add_text(text, "# HELP cairn_auth_lookups_total Lookups of keys and paths.\n"
			   "# TYPE cairn_auth_lookups_total counter\n");
	add_counts(text, "identity", auth->identities);
	add_counts(text, "target", auth->targets);
}
