#include "session_json.h"

#include "json_in.h"
#include "json_out.h"
#include "name.h"
#include "password.h"
#include "reply.h"

enum { TOKEN_MAX = 256 };

static struct str new_password(struct json_in *in, const char *key)
{
	struct str password = json_in_text(in, key, PASSWORD_MAX);

	if (password.len < PASSWORD_MIN)
		json_in_refuse(in, key, "must have at least %d bytes", PASSWORD_MIN);
	return password;
}

err_t session_json_read(struct request *q, struct sign_in *ret_sign_in)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_sign_in->name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	ret_sign_in->password = json_in_text(&in, "password", PASSWORD_MAX);
	return json_in_end(&in);
}

err_t session_json_read_first(struct request *q, struct first_admin *ret_first)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_first->who.name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	ret_first->who.password = new_password(&in, "password");
	ret_first->token = json_in_text(&in, "token", TOKEN_MAX);
	e = json_in_end(&in);
	return e ? e : name_check(q->arena, NAME_ENTITY, "name", ret_first->who.name);
}

err_t session_json_read_change(struct request *q, struct password_change *ret_change)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_change->old_password = json_in_text(&in, "old_password", PASSWORD_MAX);
	ret_change->new_password = new_password(&in, "new_password");
	return json_in_end(&in);
}

void session_json_reply_state(struct request *q, const struct session *session, bool has_users)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	if (session)
		json_out_put_text(&out, "name", session->user);
	else
		json_out_put_null(&out, "name");
	json_out_put_bool(&out, "admin", session && session->is_admin);
	json_out_put_bool(&out, "has_users", has_users);
	json_out_object_end(&out);
}

void session_json_reply(struct request *q, struct str name, const struct session *session)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "name", name);
	json_out_put_time(&out, "created_at", session->created_at);
	json_out_put_time(&out, "ends_at", session->ends_at);
	json_out_object_end(&out);
}
