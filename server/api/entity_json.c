#include "entity_json.h"

void entity_json_write(struct json_out *o, const struct entity *entity)
{
	json_out_object(o);
	json_out_put_text(o, "name", entity->name);
	json_out_put_text(o, "kind", str_of(entity_kind_name((enum entity_kind)entity->kind)));
	json_out_put_text(o, "role", str_of(entity_role_name((enum entity_role)entity->role)));
	json_out_object_end(o);
}
