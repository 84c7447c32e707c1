/*
 * A user who changes the password must send the old one, with a key or a cookie: another person may have
 * either for a moment. All other sessions end; keys stay valid and are revoked separately.
 */
#include "password_api.h"

#include <inttypes.h>

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "auth_session.h"
#include "json_in.h"
#include "key.h"
#include "link_store.h"
#include "password.h"
#include "reply.h"
#include "server_store.h"
#include "session_store.h"

/* ---- checking a password ---------------------------------------------------------------------- */

err_t password_api_wrong(struct request *q)
{
	struct err *e = err_new(q->arena, ERR_UNAUTHORIZED, "wrong name or password");

	e->hint = "an admin of the server can send you a link to set a password, or set one on the "
		  "server's host: cairnd user passwd NAME";
	return e;
}

static struct sign_in_try try_of(struct request *q, const struct sign_in *in)
{
	return (struct sign_in_try){ in->name, q->client_address, auth_device(q, in->name) };
}

/* No transaction is open meanwhile: it takes long. */
static err_t look_at_password(struct request *q, const struct sign_in *in,
			      struct account_password **ret_found)
{
	struct account_password *found;
	err_t e = account_store_find_password(q->db, in->name, &found);

	if (e)
		return e;
	if (!password_matches(in->password, found ? found->password_hash.at : NULL))
		return password_api_wrong(q);
	*ret_found = found;
	return NULL;
}

err_t password_api_try_begin(struct request *q, const struct sign_in_try *t)
{
	int64_t wait_s;
	err_t e = sign_in_gate_enter(q->app->sign_in_gate, q->arena, t, clock_mono_us(), &wait_s);

	if (e)
		reply_header(q, "Retry-After", arena_printf(q->arena, "%" PRId64, wait_s));
	return e;
}

err_t password_api_try_end(struct request *q, const struct sign_in_try *t, err_t e)
{
	bool is_wrong = e && e->kind == ERR_UNAUTHORIZED;
	err_t failed;

	sign_in_gate_leave(q->app->sign_in_gate, t, is_wrong ? SIGN_IN_WRONG : SIGN_IN_RIGHT);
	failed = is_wrong ? audit_note_refused(q, t->name) : NULL;
	return failed ? failed : e;
}

err_t password_api_try(struct request *q, const struct sign_in *in,
		       struct account_password **ret_found)
{
	const struct sign_in_try t = try_of(q, in);
	err_t e = password_api_try_begin(q, &t);

	return e ? e : password_api_try_end(q, &t, look_at_password(q, in, ret_found));
}

err_t password_api_try_hash(struct request *q, const struct sign_in *in, const char **ret_hash)
{
	const struct sign_in_try t = try_of(q, in);
	err_t e = password_api_try_begin(q, &t);

	return e ? e : password_api_try_end(q, &t, password_hash(q->arena, in->password, ret_hash));
}

/* ---- changing a password ---------------------------------------------------------------------- */

struct password_change {
	struct str old_password;
	struct str new_password;
};

struct str password_api_read_new(struct json_in *in, const char *key)
{
	struct str password = json_in_text(in, key, PASSWORD_MAX);

	if (password.len < PASSWORD_MIN)
		json_in_refuse(in, key, "must have at least %d bytes", PASSWORD_MIN);
	return password;
}

static err_t read_change(struct request *q, struct password_change *ret_change)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_change->old_password = json_in_text(&in, "old_password", PASSWORD_MAX);
	ret_change->new_password = password_api_read_new(&in, "new_password");
	return json_in_end(&in);
}

/* One that is signed in stays so: 401 would have a page ask them to sign in again. */
static err_t try_old(struct request *q, struct str old, struct account_password **ret_found)
{
	const struct sign_in in = { q->identity->name, old };
	err_t e = password_api_try(q, &in, ret_found);

	if (e && e->kind == ERR_UNAUTHORIZED)
		return err_field(q->arena, ERR_FORBIDDEN, "old_password", "wrong old password");
	return e;
}

static err_t make_hash(struct request *q, struct str password, const char **ret_hash)
{
	const struct sign_in in = { q->identity->name, password };

	return password_api_try_hash(q, &in, ret_hash);
}

static err_t store(struct request *q, const struct account_password *account, const char *hash)
{
	struct str token = auth_cookie(q);
	const struct audit_event event = {
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
		e = link_store_remove_user(q->db, account->user_id);
	if (!e)
		e = audit_note(q, &event);
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
	err_t e = read_change(q, &change);

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
