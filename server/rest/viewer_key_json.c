#include "viewer_key_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "json_in.h"
#include "name.h"

static const char *const scopes[] = { "read", "write", "admin", NULL };

err_t viewer_key_json_read(struct request *q, struct key_new *ret_key)
{
	struct key_new key = { .user_id = 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	key.name = json_in_text_or(&in, "name", name_max_bytes(NAME_API_KEY), STR(""));
	key.scope = (enum key_scope)(KEY_SCOPE_READ + json_in_choice_or(&in, "scope", scopes, 2));
	e = json_in_end(&in);
	if (!e)
		e = name_check(q->arena, NAME_API_KEY, "name", key.name);
	if (e)
		return e;
	*ret_key = key;
	return NULL;
}

void viewer_key_json_write(struct json_out *o, const struct key *key, struct str text)
{
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, key->key_id);
	json_out_object(o);
	json_out_put_text(o, "id", str_of(id));
	json_out_put_text(o, "name", key->name);
	json_out_put_text(o, "scope", str_of(key_scope_name((enum key_scope)key->scope)));
	json_out_put_text(o, "ends_with", key->hint);
	json_out_put_time(o, "created_at", key->created_at);
	json_out_put_time(o, "last_used_at", key->last_used_at);
	json_out_put_text_or_null(o, "last_address", key->last_address);
	if (text.len)
		json_out_put_text(o, "key", text);
	json_out_object_end(o);
}
