#include "entity_api.h"

#include "audit_note.h"
#include "auth.h"
#include "entity_json.h"
#include "entity_store.h"
#include "page.h"
#include "quota.h"
#include "reply.h"
#include "usage_store.h"

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
		entity_json_write(&page->out, q, &entities[i]);
	}
	if (page->has_more)
		page_set_place(q, page, "%.*s", STR_ARG(entities[page->shown - 1].name));
	page_end(q, page);
}

err_t entity_api_list(struct request *q)
{
	enum entity_list which = q->identity->is_admin ? ENTITY_LIST_ALL : ENTITY_LIST_OWN;
	struct entity *entities;
	struct page page;
	size_t count;
	err_t e;

	e = page_read(q, &page);
	if (!e)
		e = entity_store_list(q->db, q->identity->user_id, which, page.after,
				      page.limit + 1, &entities, &count);
	if (!e)
		reply_entities(q, &page, entities, count);
	return e;
}

static err_t reply_entity(struct request *q)
{
	struct json_out out = reply_json(q);
	struct entity *entity;
	err_t e = entity_store_find(q->db, q->target->entity, &entity);

	if (!e && !entity)
		e = err_new(q->arena, ERR_NOT_FOUND, "the entity is gone");
	if (e)
		return e;
	entity->role = (int16_t)q->target->role;
	settle_role(q, entity);
	entity_json_write(&out, q, entity);
	return NULL;
}

err_t entity_api_check_seen(struct request *q)
{
	const struct target *t = q->target;

	if (t->sees_private)
		return NULL;
	return err_new(q->arena, ERR_NOT_FOUND,
		       "the entity \"%.*s\" is not there, or not yours to see", STR_ARG(t->entity));
}

err_t entity_api_show(struct request *q)
{
	err_t e = entity_api_check_seen(q);

	return e ? e : reply_entity(q);
}

static err_t note_quota(struct request *q, int64_t quota_bytes)
{
	const struct audit_deed deed = {
		.action = AUDIT_QUOTA,
		.detail = quota_words(q->arena, quota_bytes),
	};

	return audit_note(q, &deed);
}

err_t entity_api_patch(struct request *q)
{
	int64_t quota_bytes;
	bool changed;
	err_t e = entity_json_read_quota(q, &quota_bytes);

	if (!e)
		e = usage_store_save_quota(q->db, q->target->entity_id, quota_bytes, &changed);
	if (!e && changed)
		e = note_quota(q, quota_bytes);
	return e ? e : reply_entity(q);
}
