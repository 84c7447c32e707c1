/*
 * Who changes their password says the old one, whoever they are by key or cookie: both may be in somebody
 * else's hands for a moment. All other sessions end with it; keys do not, they are revoked by themselves.
 */
#include "password_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "auth_session.h"
#include "key.h"
#include "password_try.h"
#include "server_store.h"
#include "session_store.h"

/* One that is signed in stays so: 401 would have a page ask them to sign in again. */
static err_t try_old(struct request *q, struct str old, struct account_password **ret_found)
{
	const struct sign_in in = { q->identity->name, old };
	err_t e = password_try(q, &in, ret_found);

	if (e && e->kind == ERR_UNAUTHORIZED)
		return err_field(q->arena, ERR_FORBIDDEN, "old_password", "wrong old password");
	return e;
}

static err_t make_hash(struct request *q, struct str password, const char **ret_hash)
{
	const struct sign_in in = { q->identity->name, password };

	return password_try_hash(q, &in, ret_hash);
}

static err_t store(struct request *q, const struct account_password *account, const char *hash)
{
	struct str token = auth_cookie(q);
	const struct audit_deed deed = {
		.action = AUDIT_PASSWORD,
		.subject = q->identity->name,
		.detail = STR("all other sessions ended"),
	};
	unsigned char own[KEY_HASH_SIZE] = { 0 };
	bool changed;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (token.len)
		session_hash(&q->app->secret, token, own);
	if (!e)
		e = account_store_change_password(q->db, account, hash, &changed);
	if (!e && !changed)
		e = err_new(q->arena, ERR_CONFLICT, "the password was changed by another request");
	if (!e)
		e = session_store_end_others(q->db, account->user_id, own, NULL);
	if (!e)
		e = audit_note(q, &deed);
	if (!e)
		e = db_commit(q->db);
	if (e)
		db_rollback(q->db);
	return e;
}

err_t password_api_put(struct request *q)
{
	struct account_password *account;
	struct password_change change;
	const char *hash;
	err_t e = session_json_read_change(q, &change);

	if (!e)
		e = try_old(q, change.old_password, &account);
	if (!e)
		e = make_hash(q, change.new_password, &hash);
	if (!e)
		e = store(q, account, hash);
	if (!e)
		auth_forget_all(q->app->auth);
	return e;
}
