#include "viewer_api.h"

#include <string.h>

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "auth_session.h"
#include "entity_api.h"
#include "entity_store.h"
#include "reply.h"
#include "session_store.h"

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
		entity_api_write_role(o, &entities[i]);
	json_out_array_end(o);
	json_out_object_end(o);
}

err_t viewer_api_show(struct request *q)
{
	const struct entity_ask ask = {
		.user_id = q->identity->user_id,
		.after = STR(""),
		.limit = VIEWER_ENTITIES_MAX,
	};
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
		e = entity_store_list(q->db, &ask, &entities, &count);
	if (e)
		return e;
	write_viewer(&out, account, entities, count);
	return NULL;
}

/* ---- sessions -------------------------------------------------------------------------------------- */

/* Returns the hash of the cookie's token. A request with a key has none: all zeros, which no token hashes to. */
static bool hash_own(struct request *q, unsigned char ret_hash[static KEY_HASH_SIZE])
{
	struct str token = auth_cookie(q);

	memset(ret_hash, 0, KEY_HASH_SIZE);
	if (token.len)
		session_hash(&q->app->secret, token, ret_hash);
	return token.len;
}

static void put_session(struct json_out *o, const struct session_row *row)
{
	json_out_object(o);
	json_out_put_text(o, "id", row->id);
	json_out_put_bool(o, "current", row->is_current);
	json_out_put_time(o, "created_at", row->created_at);
	json_out_put_time(o, "seen_at", row->seen_at);
	json_out_put_time(o, "ends_at", row->ends_at);
	json_out_object_end(o);
}

err_t viewer_api_list_sessions(struct request *q)
{
	unsigned char own[KEY_HASH_SIZE];
	struct session_row *rows;
	struct json_out out;
	size_t count;
	err_t e;

	hash_own(q, own);
	e = session_store_list(q->db, q->identity->user_id, q->now, own, &rows, &count);
	if (e)
		return e;
	out = reply_json(q);
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < count; i++)
		put_session(&out, &rows[i]);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return NULL;
}

static err_t note_end(struct request *q, struct str id, struct str detail)
{
	const struct audit_event event = {
		.action = AUDIT_SESSION_END,
		.subject = id,
		.detail = detail,
	};
	err_t e = audit_note(q, &event);

	if (!e)
		e = db_commit(q->db);
	if (!e)
		auth_forget_all(q->app->auth);
	return e;
}

err_t viewer_api_end_other_sessions(struct request *q)
{
	unsigned char own[KEY_HASH_SIZE];
	int64_t user_id = q->identity->user_id;
	int64_t ended = 0;
	err_t e;

	e = hash_own(q, own) ? session_store_end_others(q->db, user_id, own, &ended)
			     : session_store_end_all(q->db, user_id, &ended);
	return e || !ended ? e : note_end(q, STR(""), STR("all others"));
}

err_t viewer_api_end_session(struct request *q)
{
	bool found;
	err_t e = session_store_end_one(q->db, q->identity->user_id, request_param(q, "session"),
					&found);

	if (e)
		return e;
	if (!found)
		return err_new(q->arena, ERR_NOT_FOUND, "you have no session with this id");
	return note_end(q, request_param(q, "session"), STR(""));
}
