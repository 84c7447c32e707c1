#include "entity_api.h"

#include "auth.h"
#include "entity_json.h"
#include "entity_store.h"
#include "page.h"
#include "reply.h"

/* An admin of the server is admin of every entity. */
static void settle_role(const struct request *q, struct entity *entity)
{
	if (q->identity->is_admin)
		entity->role = ENTITY_ROLE_ADMIN;
}

err_t entity_api_list(struct request *q)
{
	static const char *const parameters[] = { "limit", "cursor", NULL };
	enum entity_list which = q->identity->is_admin ? ENTITY_LIST_ALL : ENTITY_LIST_OWN;
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct entity *entities;
	struct page page;
	size_t count, shown;
	err_t e = request_query_only(q, parameters);

	if (!e)
		e = page_read(q, &page);
	if (!e)
		e = entity_store_list(q->db, q->identity->user_id, which, page.after,
				      page.limit + 1, &entities, &count);
	if (e)
		return e;
	shown = count > (size_t)page.limit ? (size_t)page.limit : count;
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < shown; i++) {
		settle_role(q, &entities[i]);
		entity_json_write(&out, &entities[i]);
	}
	json_out_array_end(&out);
	page_put_next(&out, q, count > shown ? entities[shown - 1].name : STR(""));
	json_out_object_end(&out);
	reply_status(q, 200);
	reply_body(q, "application/json", body);
	return NULL;
}

err_t entity_api_show(struct request *q)
{
	static const char *const parameters[] = { NULL };
	struct target *t = q->target;
	struct entity entity = {
		.name = t->entity,
		.kind = (int16_t)t->entity_kind,
		.role = (int16_t)t->role,
	};
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	err_t e = request_query_only(q, parameters);

	if (e)
		return e;
	if (!t->sees_private)
		return err_new(q->arena, ERR_NOT_FOUND,
			       "the entity \"%.*s\" is not there, or not yours to see",
			       STR_ARG(t->entity));
	settle_role(q, &entity);
	entity_json_write(&out, &entity);
	reply_status(q, 200);
	reply_body(q, "application/json", body);
	return NULL;
}
