#include "member_json.h"

#include "json_in.h"

static const char *const roles[] = { "viewer", "member", "admin", NULL };

void member_json_write(struct json_out *o, const struct team_member *member)
{
	json_out_object(o);
	json_out_put_text(o, "name", member->name);
	json_out_put_text(o, "role", str_of(entity_role_name((enum entity_role)member->role)));
	json_out_put_time(o, "created_at", member->created_at);
	json_out_object_end(o);
}

err_t member_json_read(struct request *q, enum entity_role *ret_role)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_role = (enum entity_role)(ENTITY_ROLE_VIEWER + json_in_choice(&in, "role", roles));
	return json_in_end(&in);
}
