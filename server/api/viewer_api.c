#include "viewer_api.h"

#include "auth.h"
#include "entity_json.h"
#include "entity_store.h"
#include "reply.h"

enum { VIEWER_ENTITIES_MAX = 1000 }; /* more are in GET /entities, page by page */

static void write_viewer(struct json_out *o, const struct account *account,
			 const struct entity *entities, size_t count)
{
	json_out_object(o);
	json_out_put_text(o, "name", account->name);
	json_out_put_bool(o, "admin", account->is_admin);
	json_out_put_text(o, "default_entity", account->default_entity);
	json_out_key(o, "entities");
	json_out_array(o);
	for (size_t i = 0; i < count; i++)
		entity_json_write_role(o, &entities[i]);
	json_out_array_end(o);
	json_out_object_end(o);
}

err_t viewer_api_show(struct request *q)
{
	struct json_out out = reply_json(q);
	struct account *account;
	struct entity *entities;
	size_t count;
	err_t e;

	e = account_store_find(q->db, q->identity->name, &account);
	if (!e && !account)
		e = err_new(q->arena, ERR_UNAUTHORIZED,
			    "the user of this key does not exist any more");
	if (!e)
		e = entity_store_list(q->db, q->identity->user_id, ENTITY_LIST_OWN, STR(""),
				      VIEWER_ENTITIES_MAX, &entities, &count);
	if (e)
		return e;
	write_viewer(&out, account, entities, count);
	return NULL;
}
