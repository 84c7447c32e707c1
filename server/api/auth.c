/*
 * Who asks, what about, and may they: see auth.h. The rules themselves are access.c's; here is where
 * the facts for them come from, and which answer a refusal gets.
 */
#include "auth.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "db.h"
#include "fact_cache.h"
#include "key_store.h"
#include "log.h"
#include "name.h"
#include "project_store.h"
#include "reply.h"
#include "server_store.h"

enum { IDENTITY_PLACES = 4096, TARGET_PLACES = 16384, HEADER_MAX = 512 };

/* What is kept of a key: everything but its strings' memory. */
struct identity_fact {
	int64_t user_id, key_id, default_entity_id;
	int16_t scope;
	bool is_admin;
	uint8_t name_len;
	char name[NAME_ENTITY_MAX];
};

/* What is kept of a path, as one user sees it. */
struct target_fact {
	int64_t entity_id, project_id, run_id;
	int32_t crash_after_s;
	int16_t entity_kind, role, visibility, run_visibility;
	bool owns_public, project_deleted, run_deleted;
};

struct auth {
	const struct key_secret *secret;
	struct fact_cache *identities;
	struct fact_cache *targets;
};

struct auth *auth_new(const struct key_secret *secret)
{
	struct auth *auth = calloc(1, sizeof(*auth));

	if (!auth)
		abort();
	auth->secret = secret;
	auth->identities =
		fact_cache_new(IDENTITY_PLACES, sizeof(struct identity_fact), AUTH_TTL_US);
	auth->targets = fact_cache_new(TARGET_PLACES, sizeof(struct target_fact), AUTH_TTL_US);
	return auth;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	fact_cache_free(auth->identities);
	fact_cache_free(auth->targets);
	free(auth);
}

/* ---- identify ---------------------------------------------------------------------------------- */

static err_t unauthorized(struct request *q, const char *message)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "%s", message);

	reply_header(q, "WWW-Authenticate", "Bearer realm=\"cairn\"");
	e->hint = "send the header \"Authorization: Bearer KEY\"";
	return e;
}

/* "api:KEY" in base64. */
static bool read_basic(struct arena *a, struct str value, struct str *ret_key)
{
	char *text = arena_alloc(a, value.len + 1);
	struct str user, rest;
	size_t len;

	if (sodium_base642bin((unsigned char *)text, value.len + 1, value.at, value.len, NULL, &len,
			      NULL, sodium_base64_VARIANT_ORIGINAL))
		return false;
	rest = (struct str){ text, len };
	user = str_cut(&rest, ':');
	*ret_key = rest;
	return str_is(user, "api");
}

static bool is_scheme(struct str word, const char *scheme)
{
	return word.len == strlen(scheme) && strncasecmp(word.at, scheme, word.len) == 0;
}

/* The key that was sent; *ret_key is empty when none was. */
static err_t read_key(struct request *q, struct str *ret_key)
{
	struct str value = request_header(q, "Authorization");
	struct str scheme, key = { 0 };

	*ret_key = key;
	if (!value.len)
		return NULL;
	if (value.len > HEADER_MAX)
		return unauthorized(q, "the header \"Authorization\" is too long");
	scheme = str_cut(&value, ' ');
	value = str_trim(value);
	if (is_scheme(scheme, "Bearer"))
		key = value;
	else if (!is_scheme(scheme, "Basic") || !read_basic(q->arena, value, &key))
		return unauthorized(q, "the header \"Authorization\" holds no key");
	if (key_check(q->arena, key))
		return unauthorized(q, "the key is not known");
	*ret_key = key;
	return NULL;
}

/* The last use is for people who tidy up: it costs a write a minute, and no failure matters. */
static void note_use(struct request *q, int64_t key_id)
{
	err_t e = key_store_touch(q->db, key_id);

	if (e)
		log_debug("use of a key not noted", LOG_INT("key_id", key_id),
			  LOG_TEXT("error", err_chain(q->arena, e)));
}

static err_t look_up_identity(struct request *q, const unsigned char *hash,
			      struct identity_fact *ret_fact)
{
	struct key_owner *owner;
	err_t e = key_store_find_owner(q->db, hash, &owner);

	if (e)
		return e;
	if (!owner)
		return unauthorized(q, "the key is not known");
	assert(owner->user.len <= sizeof(ret_fact->name));
	*ret_fact = (struct identity_fact){
		.user_id = owner->user_id,
		.key_id = owner->key_id,
		.default_entity_id = owner->default_entity_id,
		.scope = owner->scope,
		.is_admin = owner->is_admin,
		.name_len = (uint8_t)owner->user.len,
	};
	memcpy(ret_fact->name, owner->user.at, owner->user.len);
	if (owner->stale)
		note_use(q, owner->key_id);
	return NULL;
}

static err_t find_identity(struct request *q, struct str key, struct identity_fact *ret_fact)
{
	struct auth *auth = q->app->auth;
	unsigned char hash[KEY_HASH_SIZE];
	struct str place = { (const char *)hash, sizeof(hash) };
	uint64_t generation = fact_cache_generation(auth->identities);
	err_t e;

	key_hash(auth->secret, key, hash);
	if (fact_cache_find(auth->identities, place, ret_fact))
		return NULL;
	e = look_up_identity(q, hash, ret_fact);
	if (e)
		return e;
	fact_cache_save(auth->identities, place, generation, ret_fact);
	return NULL;
}

/* q->identity stays NULL when no key was sent; a key that does not work is refused anywhere. */
static err_t identify(struct request *q)
{
	struct identity_fact fact;
	struct identity *identity;
	struct str key;
	err_t e = read_key(q, &key);

	if (e || !key.len)
		return e;
	e = find_identity(q, key, &fact);
	if (e)
		return e;
	identity = arena_new_of(q->arena, struct identity);
	*identity = (struct identity){
		.user_id = fact.user_id,
		.name = { arena_copy(q->arena, fact.name, fact.name_len), fact.name_len },
		.key_id = fact.key_id,
		.scope = (enum key_scope)fact.scope,
		.is_admin = fact.is_admin,
		.default_entity_id = fact.default_entity_id,
	};
	q->identity = identity;
	return NULL;
}

/* ---- resolve ----------------------------------------------------------------------------------- */

/* The value of a path parameter; empty when the route has none of this name. */
static struct str param(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->params.count; i++) {
		if (str_is(q->params.at[i].name, name))
			return q->params.at[i].value;
	}
	return (struct str){ 0 };
}

static bool route_has(const struct request *q, const char *text)
{
	return strstr(q->route->path, text) != NULL;
}

static err_t check_names(struct request *q, const struct target *t)
{
	err_t e = name_check(q->arena, NAME_ENTITY, "entity", t->entity);

	if (!e && route_has(q, "{project}"))
		e = name_check(q->arena, NAME_PROJECT, "project", t->project);
	if (!e && route_has(q, "{run}"))
		e = name_check(q->arena, NAME_RUN, "run", t->run);
	return e;
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
	return NULL;
}

/* entity_id stays 0 when there is no such entity. */
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

/* Only what is there is kept: what is missing may be made the next moment. */
static bool is_complete(const struct target *t, const struct target_fact *fact)
{
	return fact->entity_id && (!t->project.len || fact->project_id) &&
	       (!t->run.len || fact->run_id);
}

static err_t find_target(struct request *q, const struct target *t, struct target_fact *ret_fact)
{
	struct auth *auth = q->app->auth;
	struct str place;
	uint64_t generation = fact_cache_generation(auth->targets);
	err_t e;

	/* "/" is in no name. */
	place = str_of(arena_printf(q->arena, "%" PRId64 "/%.*s/%.*s/%.*s", user_id(q),
				    STR_ARG(t->entity), STR_ARG(t->project), STR_ARG(t->run)));
	if (fact_cache_find(auth->targets, place, ret_fact))
		return NULL;
	e = look_up_target(q, t, ret_fact);
	if (e)
		return e;
	if (is_complete(t, ret_fact))
		fact_cache_save(auth->targets, place, generation, ret_fact);
	return NULL;
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

static void fill_target(struct request *q, const struct target_fact *fact, struct target *t)
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

/* ---- check ------------------------------------------------------------------------------------- */

static const enum access_right right_needed[] = {
	[ACCESS_OPEN] = ACCESS_RIGHT_NONE,
	[ACCESS_SIGNED] = ACCESS_RIGHT_NONE,
	[ACCESS_READ] = ACCESS_RIGHT_READ,
	[ACCESS_WRITE] = ACCESS_RIGHT_WRITE,
	[ACCESS_ADMIN] = ACCESS_RIGHT_ADMIN,
	[ACCESS_SERVER] = ACCESS_RIGHT_NONE,
};

static const char *const right_hints[] = {
	[ACCESS_RIGHT_WRITE] = "it takes the role member of the entity and a key that may write",
	[ACCESS_RIGHT_ADMIN] = "it takes the role admin of the entity and a key of scope admin",
};

/* What one may not see does not exist. */
static err_t not_found(struct request *q, const struct target *t)
{
	const char *what = t->run.len ? "run" : t->project.len ? "project" : "entity";
	struct str name = t->run.len ? t->run : t->project.len ? t->project : t->entity;

	return err_new(q->arena, ERR_NOT_FOUND, "the %s \"%.*s\" is not there, or not yours to see",
		       what, STR_ARG(name));
}

static err_t check_right(struct request *q, const struct target *t)
{
	enum access_right need = right_needed[q->route->access];
	struct err *e;

	if (t->right >= need)
		return NULL;
	if (!q->identity)
		return unauthorized(q, "this needs a key");
	if (t->right == ACCESS_RIGHT_NONE)
		return not_found(q, t);
	e = err_new(q->arena, ERR_FORBIDDEN, "\"%.*s\" may not do this here",
		    STR_ARG(q->identity->name));
	e->hint = right_hints[need];
	return e;
}

/* After check_right(): the caller may know. */
static err_t check_there(struct request *q, const struct target_fact *fact, const struct target *t)
{
	bool makes = q->route->flags & ROUTE_MAKES;

	if (fact->project_deleted)
		return err_new(q->arena, ERR_GONE, "the project \"%.*s\" was deleted",
			       STR_ARG(t->project));
	if (fact->run_deleted)
		return err_new(q->arena, ERR_GONE, "the run \"%.*s\" was deleted", STR_ARG(t->run));
	if (makes)
		return NULL;
	if ((t->project.len && !t->project_id) || (t->run.len && !t->run_id))
		return not_found(q, t);
	return NULL;
}

/* A project is made by the first thing that is made in it; its own route makes it by itself. */
static bool must_make_project(const struct request *q, const struct target *t)
{
	return (q->route->flags & ROUTE_MAKES) && !t->project_id && route_has(q, "{project}/");
}

static err_t make_project(struct request *q, struct target *t)
{
	struct project project = project_default(t->entity_id, t->project);
	struct target_fact fact;
	timestamp_us now;
	bool made;
	err_t e = server_store_now(q->db, &now);

	if (!e)
		e = project_store_make(q->db, &project, now, &made);
	if (!e)
		e = look_up_target(q, t, &fact);
	if (e)
		return e;
	fill_target(q, &fact, t);
	return check_there(q, &fact, t);
}

static err_t check_target(struct request *q)
{
	struct target *t = arena_new_of(q->arena, struct target);
	struct target_fact fact;
	err_t e;

	t->entity = param(q, "entity");
	t->project = param(q, "project");
	t->run = param(q, "run");
	if (!q->identity && q->route->access != ACCESS_READ)
		return unauthorized(q, "this needs a key");
	e = check_names(q, t);
	if (!e)
		e = find_target(q, t, &fact);
	if (e)
		return e;
	fill_target(q, &fact, t);
	e = check_right(q, t);
	if (!e)
		e = check_there(q, &fact, t);
	if (!e && must_make_project(q, t))
		e = make_project(q, t);
	if (!e)
		q->target = t;
	return e;
}

static err_t check(struct request *q)
{
	enum access access = q->route->access;

	if (access == ACCESS_OPEN)
		return NULL;
	if (route_has(q, "{entity}"))
		return check_target(q);
	if (!q->identity)
		return unauthorized(q, "this needs a key");
	if (access == ACCESS_SERVER && !(q->identity->is_admin &&
					 q->identity->scope == KEY_SCOPE_ADMIN))
		return err_new(q->arena, ERR_FORBIDDEN, "this needs an admin of the server");
	return NULL;
}

/* ---- begin and end ----------------------------------------------------------------------------- */

static err_t begin(struct request *q)
{
	unsigned flags = q->route->flags;

	if ((flags & ROUTE_TX) && (flags & ROUTE_NOW))
		return server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);
	if (flags & ROUTE_TX)
		return db_begin(q->db, (int)request_left_ms(q), 0);
	if (flags & ROUTE_NOW)
		return server_store_now(q->db, &q->now);
	return NULL;
}

err_t auth_enter(struct request *q)
{
	err_t e = NULL;

	if (q->route->access != ACCESS_OPEN)
		e = identify(q);
	if (!e)
		e = check(q);
	if (!e)
		e = begin(q);
	return e;
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

void auth_forget(struct request *q)
{
	if (q->target)
		q->target->forget = true;
}

void auth_forget_all(struct auth *auth)
{
	fact_cache_clear(auth->identities);
	fact_cache_clear(auth->targets);
}

static void add_counts(struct buf *text, const char *name, struct fact_cache *cache)
{
	struct fact_cache_counts counts = fact_cache_counts(cache);

	buf_printf(text, "cairn_auth_lookups_total{of=\"%s\",from=\"memory\"} %" PRIu64 "\n", name,
		   counts.hits);
	buf_printf(text, "cairn_auth_lookups_total{of=\"%s\",from=\"database\"} %" PRIu64 "\n", name,
		   counts.misses);
}

void auth_metrics(struct auth *auth, struct buf *text)
{
	buf_add_text(text, "# HELP cairn_auth_lookups_total Keys and paths looked up.\n"
			   "# TYPE cairn_auth_lookups_total counter\n");
	add_counts(text, "identity", auth->identities);
	add_counts(text, "target", auth->targets);
}
