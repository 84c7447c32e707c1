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
#include "password_try.h"
#include "reply.h"
#include "server_store.h"
#include "session_json.h"
#include "session_store.h"

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
		session_json_reply_state(q, session, has_users);
	return e;
}

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
		return password_try_wrong(q);
	auth_set_cookie(q, token, q->app->config->session_max_s);
	*ret_session = session;
	return NULL;
}

err_t session_api_post(struct request *q)
{
	const struct audit_deed deed = { .action = AUDIT_SIGN_IN };
	struct account_password *account;
	struct session session;
	struct sign_in in;
	err_t e = session_json_read(q, &in);

	if (!e)
		e = auth_refuse_foreign(q);
	if (!e)
		e = password_try(q, &in, &account);
	if (!e)
		e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);
	if (!e)
		auth_set_device(q, in.name);
	if (!e)
		e = session_api_begin(q, account, &session);
	if (!e)
		e = audit_note_of(q, &deed, in.name);
	if (e)
		return e;
	session_json_reply(q, in.name, &session);
	return NULL;
}

/* One that had ended is not written down again. */
static err_t end_session(struct request *q, const unsigned char *hash)
{
	const struct audit_deed deed = { .action = AUDIT_SIGN_OUT };
	struct session *session;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = session_store_find(q->db, hash, q->now, &session);
	if (!e)
		e = session_store_end(q->db, hash);
	if (!e && session)
		e = audit_note_of(q, &deed, session->user);
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
