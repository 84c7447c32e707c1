#include "artifact_target.h"

#include "app.h"
#include "artifact_store.h"
#include "artifact_turn.h"
#include "auth.h"
#include "server_store.h"

/* A lock is held for minutes while a version of very many files is committed: few workers wait for one. */
enum { SHORT_WAIT_MS = 200, LONG_WAIT_MS = 5000 };

static err_t not_found(struct request *q)
{
	return err_new(q->arena, ERR_NOT_FOUND,
		       "the artifact does not exist, or you do not have access");
}

enum artifact_sees artifact_target_sees(const struct target *project)
{
	return project->sees_private ? ARTIFACT_SEES_PRIVATE : ARTIFACT_SEES_PUBLIC;
}

static bool sees(const struct target *project, const struct artifact *v)
{
	return project->sees_private || !v->is_private;
}

/* A collection without a version that the caller sees does not exist. */
static err_t see_collection(struct request *q, const struct artifact_collection *c)
{
	bool shows = true;
	err_t e = NULL;

	if (!q->target->sees_private)
		e = artifact_store_shows_collection(q->db, c, &shows);
	return !e && !shows ? not_found(q) : e;
}

/* A number must not tell the names of its project to callers who may not see it. */
static err_t ask_project(struct request *q, int64_t project_id, enum access access)
{
	struct artifact_place *place;
	struct auth_ask ask = { .access = access };
	err_t e = artifact_store_place(q->db, project_id, &place);

	if (e)
		return e;
	if (!place)
		return not_found(q);
	ask.entity = place->entity;
	ask.project = place->project;
	e = auth_ask(q, &ask);
	return e && e->kind == ERR_NOT_FOUND ? not_found(q) : e;
}

/* The right is the project's own; the target of the request stays as it is. */
static err_t may_read_source(struct request *q, int64_t project_id,
			     const struct target **ret_project)
{
	struct target *here = q->target;
	err_t e;

	*ret_project = here;
	if (project_id == here->project_id)
		return NULL;
	e = ask_project(q, project_id, ACCESS_READ);
	*ret_project = q->target;
	q->target = here;
	return e && e->kind == ERR_GONE ? not_found(q) : e;
}

err_t artifact_target_sequence(struct request *q, struct artifact_target *t)
{
	const struct artifact *v = t->artifact;
	err_t e = artifact_store_get_collection(q->db, v->project_id, v->collection_id,
						&t->collection);

	if (!e && !t->collection)
		return not_found(q);
	if (e || !v->has_version)
		return e;
	return artifact_store_find_member(q->db, v->project_id, v->collection_id, v->version,
					  &t->member);
}

err_t artifact_target_number(struct request *q, const struct artifact_id *id, enum access access,
			     struct artifact_target *ret_target)
{
	struct artifact_target t = { .member = NULL };
	err_t e = ask_project(q, id->project_id, access);

	if (!e)
		e = artifact_store_find(q->db, id->project_id, id->number, &t.artifact);
	if (!e && (!t.artifact || !sees(q->target, t.artifact)))
		return not_found(q);
	if (!e)
		e = artifact_target_sequence(q, &t);
	if (!e)
		*ret_target = t;
	return e;
}

err_t artifact_target_id(struct request *q, struct str id, enum access access,
			 struct artifact_target *ret_target)
{
	struct artifact_id number;

	if (!artifact_id_read(ARTIFACT_ID_VERSION, id, &number))
		return not_found(q);
	return artifact_target_number(q, &number, access, ret_target);
}

err_t artifact_target_client(struct request *q, struct str client, enum access access,
			     struct artifact_target *ret_target)
{
	struct artifact_client *known;
	err_t e = artifact_client_check(q->arena, "clientID", client);

	if (!e)
		e = artifact_store_find_client(q->db, ARTIFACT_CLIENT_VERSION, client, &known);
	if (e)
		return e;
	if (!known)
		return not_found(q);
	return artifact_target_number(q,
				      &(struct artifact_id){ known->project_id, known->target_id },
				      access, ret_target);
}

err_t artifact_target_collection_id(struct request *q, struct str id, enum access access,
				    struct artifact_target *ret_target)
{
	struct artifact_target t = { .artifact = NULL };
	struct artifact_id number;
	err_t e;

	if (!artifact_id_read(ARTIFACT_ID_COLLECTION, id, &number))
		return not_found(q);
	e = ask_project(q, number.project_id, access);
	if (!e)
		e = artifact_store_get_collection(q->db, number.project_id, number.number,
						  &t.collection);
	if (!e && !t.collection)
		return not_found(q);
	if (!e)
		e = see_collection(q, t.collection);
	if (!e)
		*ret_target = t;
	return e;
}

/* ---- by names ------------------------------------------------------------------------------------- */

err_t artifact_target_name(struct request *q, const struct artifact_name *name, enum access access,
			   struct artifact_target *ret_target)
{
	const struct auth_ask ask = {
		.access = access,
		.entity = name->entity,
		.project = name->project,
	};
	err_t e = auth_ask(q, &ask);

	return e ? e : artifact_target_here(q, name->collection, name->alias, ret_target);
}

static err_t find_version(struct request *q, struct str alias, struct artifact_target *t)
{
	const struct target *source;
	err_t e = artifact_store_resolve(q->db, t->collection, alias,
					 artifact_target_sees(q->target), &t->member);

	if (!e && !t->member)
		return not_found(q);
	if (!e)
		e = may_read_source(q, t->member->source_id, &source);
	if (!e)
		e = artifact_store_find(q->db, t->member->source_id, t->member->artifact_id,
					&t->artifact);
	if (!e && (!t->artifact || t->artifact->state != ARTIFACT_COMMITTED ||
		   !sees(source, t->artifact)))
		return not_found(q);
	return e;
}

err_t artifact_target_here(struct request *q, struct str collection, struct str alias,
			   struct artifact_target *ret_target)
{
	struct artifact_target t = { .artifact = NULL };
	err_t e;

	if (!q->target->project_id)
		return not_found(q);
	e = artifact_store_find_collection(q->db, q->target->project_id, collection, &t.collection);
	if (!e && !t.collection)
		return not_found(q);
	if (!e)
		e = alias.len ? find_version(q, alias, &t) : see_collection(q, t.collection);
	if (!e)
		*ret_target = t;
	return e;
}

err_t artifact_target_draft(struct request *q, struct str collection, struct str id,
			    struct artifact **ret_draft)
{
	struct artifact_id number;
	err_t e;

	if (!artifact_id_read(ARTIFACT_ID_VERSION, id, &number) ||
	    number.project_id != q->target->project_id)
		return not_found(q);
	e = artifact_store_find(q->db, number.project_id, number.number, ret_draft);
	if (!e && (!*ret_draft || !str_equal((*ret_draft)->collection, collection) ||
		   !sees(q->target, *ret_draft)))
		return not_found(q);
	if (!e && (*ret_draft)->state == ARTIFACT_DELETED)
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	return e;
}

err_t artifact_target_source(struct request *q, enum access access, struct artifact_target *target)
{
	struct artifact_target source = { .artifact = target->artifact };
	err_t e = NULL;

	if (source.artifact->project_id != q->target->project_id)
		e = ask_project(q, source.artifact->project_id, access);
	if (!e)
		e = artifact_target_sequence(q, &source);
	if (!e)
		*target = source;
	return e;
}

struct str artifact_target_words(struct request *q, const struct artifact_target *target)
{
	struct str name = target->collection->name;

	if (!target->artifact)
		return name;
	if (!target->member)
		return str_of(arena_printf(q->arena, "%.*s (a draft)", STR_ARG(name)));
	return str_of(arena_printf(q->arena, "%.*s:v%d", STR_ARG(name), target->member->version));
}

err_t artifact_target_committed(struct request *q, const struct artifact_target *target)
{
	if (target->artifact->state == ARTIFACT_COMMITTED)
		return NULL;
	if (target->artifact->state == ARTIFACT_DELETED)
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	return err_new(q->arena, ERR_CONFLICT, "the artifact has not been committed");
}

/* ---- transactions ----------------------------------------------------------------------------------- */

static err_t wait_in_turn(struct request *q, artifact_transaction_fn *run, const void *arg)
{
	err_t e;

	if (!artifact_turn_begin(q->app, ARTIFACT_WAITS))
		return err_new(q->arena, ERR_BUSY, "too many requests wait for the same artifacts");
	e = run(q, arg, LONG_WAIT_MS);
	artifact_turn_end(q->app, ARTIFACT_WAITS);
	return e;
}

/* A new number may be another's already (id_snowflake()): the next one is not. */
err_t artifact_in_own_transaction(struct request *q, artifact_transaction_fn *run, const void *arg)
{
	err_t e = run(q, arg, SHORT_WAIT_MS);

	if (db_err_is(e, DB_UNIQUE_VIOLATION))
		e = run(q, arg, SHORT_WAIT_MS);
	return db_err_is(e, DB_LOCK_NOT_AVAILABLE) ? wait_in_turn(q, run, arg) : e;
}

struct change {
	artifact_change_fn *make;
	const void *arg;
};

static err_t make_change(struct request *q, const void *arg, int lock_timeout_ms)
{
	const struct change *change = arg;
	err_t e = server_store_begin_waiting(q->db, (int)request_left_ms(q), lock_timeout_ms,
					     &q->now);

	if (!e)
		e = change->make(q, change->arg);
	if (!e)
		e = db_commit(q->db);
	if (e)
		db_rollback(q->db);
	return e;
}

err_t artifact_in_transaction(struct request *q, artifact_change_fn *change, const void *arg)
{
	return artifact_in_own_transaction(q, make_change, &(struct change){ change, arg });
}
