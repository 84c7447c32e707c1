/*
 * Signing in and out. A name that nobody has, a user without a password or disabled, and a wrong password
 * get one answer, after the same work: who tries learns nothing of who there is.
 */
#include "session_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "auth_session.h"
#include "db.h"
#include "entity_store.h"
#include "json_in.h"
#include "json_out.h"
#include "name.h"
#include "password.h"
#include "password_api.h"
#include "reply.h"
#include "server_store.h"
#include "session_store.h"
#include "static_files.h"

/* ---- JSON --------------------------------------------------------------------------------------- */

static err_t read_sign_in(struct request *q, struct sign_in *ret_sign_in)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_sign_in->name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	ret_sign_in->password = json_in_text(&in, "password", PASSWORD_MAX);
	return json_in_end(&in);
}

/* Nobody is signed in when `session` is NULL. */
static void reply_state(struct request *q, const struct session *session, bool has_users)
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

void session_api_reply(struct request *q, struct str name, const struct session *session)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "name", name);
	json_out_put_time(&out, "created_at", session->created_at);
	json_out_put_time(&out, "ends_at", session->ends_at);
	json_out_object_end(&out);
}

/* ---- finding the session ---------------------------------------------------------------------- */

static err_t find_session(struct request *q, struct session **ret_session)
{
	struct str token = auth_cookie(q);
	unsigned char hash[KEY_HASH_SIZE];

	*ret_session = NULL;
	if (!token.len)
		return NULL;
	session_hash(&q->app->secret, token, hash);
	return session_store_find(q->db, hash, q->now, ret_session);
}

err_t session_api_show(struct request *q)
{
	struct session *session;
	bool has_users;
	err_t e = find_session(q, &session);

	if (!e)
		e = account_store_exists(q->db, &has_users);
	if (!e)
		reply_state(q, session, has_users);
	return e;
}

/* ---- signing in ---------------------------------------------------------------------------------- */

err_t session_api_begin(struct request *q, const struct account_password *account,
			struct session *ret_session)
{
	struct session session = { .user_id = account->user_id };
	char token[SESSION_TEXT_SIZE + 1];
	unsigned char hash[KEY_HASH_SIZE];
	bool made;
	err_t e;

	session_make(token);
	session_begin(&session, auth_session_limits(q->app->auth), q->now);
	session_hash(&q->app->secret, str_of(token), hash);
	e = session_store_insert(q->db, hash, &session, account->password_hash, &made);
	if (e)
		return e;
	if (!made)
		return password_api_wrong(q);
	auth_set_cookie(q, token, q->app->config->session_max_s);
	*ret_session = session;
	return NULL;
}

err_t session_api_post(struct request *q)
{
	const struct audit_event event = { .action = AUDIT_SIGN_IN };
	struct account_password *account;
	struct session session;
	struct sign_in in;
	err_t e = read_sign_in(q, &in);

	if (!e)
		e = auth_refuse_foreign(q);
	if (!e)
		e = password_api_try(q, &in, &account);
	if (!e)
		e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);
	if (!e)
		auth_set_device(q, in.name);
	if (!e)
		e = session_api_begin(q, account, &session);
	if (!e)
		e = audit_note_of(q, &event, in.name);
	if (e)
		return e;
	session_api_reply(q, in.name, &session);
	return NULL;
}

/* ---- signing out --------------------------------------------------------------------------------- */

/* One that had ended is not written down again. */
static err_t end_session(struct request *q, const unsigned char *hash)
{
	const struct audit_event event = { .action = AUDIT_SIGN_OUT };
	struct session *session;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = session_store_find(q->db, hash, q->now, &session);
	if (!e)
		e = session_store_end(q->db, hash);
	if (!e && session)
		e = audit_note_of(q, &event, session->user);
	return e ? e : db_commit(q->db);
}

/* Whether it worked any more does not matter: it does not now. */
err_t session_api_delete(struct request *q)
{
	struct str token = auth_cookie(q);
	unsigned char hash[KEY_HASH_SIZE];
	err_t e = auth_refuse_foreign(q);

	if (e)
		return e;
	auth_set_cookie(q, NULL, 0);
	if (!token.len)
		return NULL;
	session_hash(&q->app->secret, token, hash);
	e = end_session(q, hash);
	if (!e)
		auth_forget_all(q->app->auth);
	return e;
}

err_t session_api_show_page(struct request *q)
{
	static_files_reply_page(q, "index.html");
	return NULL;
}
