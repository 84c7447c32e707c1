#include "entity_json.h"

#include "app.h"
#include "json_in.h"
#include "quota.h"

static void write_role(struct json_out *o, const struct entity *entity)
{
	json_out_put_text(o, "name", entity->name);
	json_out_put_text(o, "kind", str_of(entity_kind_name((enum entity_kind)entity->kind)));
	json_out_put_text(o, "role", str_of(entity_role_name((enum entity_role)entity->role)));
}

void entity_json_write_role(struct json_out *o, const struct entity *entity)
{
	json_out_object(o);
	write_role(o, entity);
	json_out_object_end(o);
}

void entity_json_write(struct json_out *o, const struct request *q, const struct entity *entity)
{
	int64_t limit = quota_limit(entity->quota_bytes, q->app->config->entity_quota);

	json_out_object(o);
	write_role(o, entity);
	json_out_put_int(o, "bytes", entity->size_bytes);
	json_out_put_int(o, "deleted_bytes", entity->deleted_bytes);
	json_out_put_int_or_null(o, "quota_bytes", entity->quota_bytes != QUOTA_STANDARD,
				 entity->quota_bytes);
	json_out_put_int_or_null(o, "limit_bytes", limit != QUOTA_NONE, limit);
	json_out_object_end(o);
}

err_t entity_json_read_quota(struct request *q, int64_t *ret_bytes)
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
