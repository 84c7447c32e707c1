#include "entity_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "entity_store.h"
#include "json_in.h"
#include "name.h"
#include "page.h"
#include "quota.h"
#include "reply.h"
#include "usage_store.h"

static void write_role(struct json_out *o, const struct entity *entity)
{
	json_out_put_text(o, "name", entity->name);
	json_out_put_text(o, "kind", str_of(entity_kind_name((enum entity_kind)entity->kind)));
	json_out_put_text(o, "role", str_of(entity_role_name((enum entity_role)entity->role)));
}

void entity_api_write_role(struct json_out *o, const struct entity *entity)
{
	json_out_object(o);
	write_role(o, entity);
	json_out_object_end(o);
}

/* Writes the entity with the caller's role in it, what it uses, and its limits by the server's settings. */
static void write_entity(struct json_out *o, const struct request *q, const struct entity *entity)
{
	int64_t limit = quota_limit(entity->quota_bytes, q->app->config->entity_quota);

	json_out_object(o);
	write_role(o, entity);
	json_out_put_int(o, "members", entity->members);
	json_out_put_int(o, "bytes", entity->size_bytes);
	json_out_put_int(o, "deleted_bytes", entity->deleted_bytes);
	json_out_put_int_or_null(o, "quota_bytes", entity->quota_bytes != QUOTA_STANDARD,
				 entity->quota_bytes);
	json_out_put_int_or_null(o, "limit_bytes", limit != QUOTA_NONE, limit);
	json_out_object_end(o);
}

/* Reads the quota: QUOTA_STANDARD for null. */
static err_t read_quota(struct request *q, int64_t *ret_bytes)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_bytes = json_in_null(&in, "quota_bytes")
			     ? QUOTA_STANDARD
			     : json_in_int(&in, "quota_bytes", 0, QUOTA_MAX);
	return json_in_end(&in);
}

/* An admin of the server is admin of every entity. */
static void settle_role(const struct request *q, struct entity *entity)
{
	if (q->identity->is_admin)
		entity->role = ENTITY_ROLE_ADMIN;
}

static void reply_entities(struct request *q, struct page *page, struct entity *entities,
			   size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++) {
		settle_role(q, &entities[i]);
		write_entity(&page->out, q, &entities[i]);
	}
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(entities[page->shown - 1].name));
	page_end(q, page);
}

/* Reads the kind of the entities to list; 0: all. */
static err_t read_kind(struct request *q, int16_t *ret_kind)
{
	struct str word = request_query(q, "kind");

	*ret_kind = str_is(word, "user") ? ENTITY_USER : str_is(word, "team") ? ENTITY_TEAM : 0;
	if (*ret_kind || !word.at)
		return NULL;
	return err_field(q->arena, ERR_INVALID, "kind", "the kind must be user or team");
}

err_t entity_api_list(struct request *q)
{
	struct entity_ask ask = {
		.user_id = q->identity->user_id,
		.which = q->identity->is_admin ? ENTITY_LIST_ALL : ENTITY_LIST_OWN,
	};
	struct entity *entities;
	struct page page;
	size_t count;
	err_t e;

	e = page_read(q, &page);
	if (!e)
		e = read_kind(q, &ask.kind);
	if (e)
		return e;
	ask.after = page.after;
	ask.limit = page.limit + 1;
	e = entity_store_list(q->db, &ask, &entities, &count);
	if (!e)
		reply_entities(q, &page, entities, count);
	return e;
}

/* ---- a new team ----------------------------------------------------------------------------------- */

static err_t read_name(struct request *q, struct str *ret_name)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	e = json_in_end(&in);
	return e ? e : name_check(q->arena, NAME_ENTITY, "name", *ret_name);
}

err_t entity_api_taken(struct request *q, err_t e)
{
	if (!e || e->kind != ERR_CONFLICT)
		return e;
	return err_field(q->arena, ERR_CONFLICT, "name", "%s", e->message);
}

static void reply_made(struct request *q, struct str name)
{
	struct entity made = {
		.name = name,
		.kind = ENTITY_TEAM,
		.role = ENTITY_ROLE_ADMIN,
		.quota_bytes = QUOTA_STANDARD,
	};
	struct json_out out = reply_json(q);

	reply_status(q, 201);
	write_entity(&out, q, &made);
}

err_t entity_api_post(struct request *q)
{
	struct audit_event event = { .action = AUDIT_TEAM_MAKE };
	int64_t team_id;
	err_t e = read_name(q, &event.entity);

	if (!e)
		e = entity_api_taken(q,
				     entity_store_add_team(q->db, event.entity, q->now, &team_id));
	if (!e)
		e = audit_note(q, &event);
	if (!e)
		reply_made(q, event.entity);
	return e;
}

static err_t reply_entity(struct request *q)
{
	struct json_out out = reply_json(q);
	struct entity *entity;
	err_t e = entity_store_find(q->db, q->target->entity, &entity);

	if (!e && !entity)
		e = err_new(q->arena, ERR_NOT_FOUND, "the entity does not exist any more");
	if (e)
		return e;
	entity->role = (int16_t)q->target->role;
	settle_role(q, entity);
	write_entity(&out, q, entity);
	return NULL;
}

err_t entity_api_check_seen(struct request *q)
{
	const struct target *t = q->target;

	if (t->sees_private)
		return NULL;
	return err_new(q->arena, ERR_NOT_FOUND,
		       "the entity \"%.*s\" does not exist, or you do not have access",
		       STR_ARG(t->entity));
}

err_t entity_api_show(struct request *q)
{
	err_t e = entity_api_check_seen(q);

	return e ? e : reply_entity(q);
}

static err_t note_quota(struct request *q, int64_t quota_bytes)
{
	const struct audit_event event = {
		.action = AUDIT_QUOTA,
		.detail = quota_words(q->arena, quota_bytes),
	};

	return audit_note(q, &event);
}

err_t entity_api_patch(struct request *q)
{
	int64_t quota_bytes;
	bool changed;
	err_t e = read_quota(q, &quota_bytes);

	if (!e)
		e = usage_store_save_quota(q->db, q->target->entity_id, quota_bytes, &changed);
	if (!e && changed)
		e = note_quota(q, quota_bytes);
	return e ? e : reply_entity(q);
}
