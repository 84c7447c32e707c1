/*
 * The first user of a server, made by who can read its log (setup_token.h). Two who come at the same moment, to
 * any of the servers, are put in order by the seed's row: the second finds a user.
 */
#include "first_admin_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth_session.h"
#include "entity_api.h"
#include "json_in.h"
#include "name.h"
#include "password.h"
#include "password_api.h"
#include "reply.h"
#include "server_store.h"
#include "session_api.h"
#include "setup_token.h"

enum { TOKEN_MAX = 256 };

struct first_admin {
	struct sign_in who;
	struct str token;
};

static err_t read_first(struct request *q, struct first_admin *ret_first)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_first->who.name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	ret_first->who.password = password_api_read_new(&in, "password");
	ret_first->token = json_in_text(&in, "token", TOKEN_MAX);
	e = json_in_end(&in);
	return e ? e : name_check(q->arena, NAME_ENTITY, "name", ret_first->who.name);
}

static err_t require_nobody(struct request *q)
{
	bool is_somebody;
	err_t e = account_store_exists(q->db, &is_somebody);
	struct err *refused;

	if (e || !is_somebody)
		return e;
	refused = err_new(q->arena, ERR_CONFLICT, "a user already exists");
	refused->hint =
		"an admin of the server adds more users, in the page or on the server's host: "
		"cairnd user add NAME";
	return refused;
}

static err_t check_token(struct request *q, struct str token)
{
	struct str seed;
	err_t e = server_store_setting(q->db, SETUP_TOKEN_SETTING, &seed);
	struct err *wrong;

	if (e || setup_token_matches(&q->app->secret, seed, token))
		return e;
	wrong = err_field(q->arena, ERR_UNAUTHORIZED, "token", "invalid token");
	wrong->hint = "the server writes the token to its log each time it starts without a user";
	return wrong;
}

/* No transaction is open meanwhile: it takes long. */
static err_t try_token(struct request *q, const struct first_admin *in, const char **ret_hash)
{
	const struct sign_in_try t = { in->who.name, q->client_address, STR("") };
	err_t e = password_api_try_begin(q, &t);

	if (e)
		return e;
	e = check_token(q, in->token);
	if (!e)
		e = password_hash(q->arena, in->who.password, ret_hash);
	return password_api_try_end(q, &t, e);
}

/* The only name that can be taken is a team's. */
static err_t add_user(struct request *q, struct str name, int64_t *ret_user_id)
{
	const struct account_new account = { .name = name, .is_admin = true };

	return entity_api_taken(q, entity_store_add_user(q->db, &account, q->now, ret_user_id));
}

static err_t store(struct request *q, struct str name, const char *hash,
		   struct session *ret_session)
{
	struct account_password account = { .password_hash = str_of(hash) };
	const struct audit_event event = {
		.action = AUDIT_USER_MAKE,
		.subject = name,
		.detail = STR("admin of the server, the first user"),
	};
	struct str seed;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = server_store_lock_setting(q->db, SETUP_TOKEN_SETTING, &seed);
	if (!e)
		e = require_nobody(q);
	if (!e)
		e = add_user(q, name, &account.user_id);
	if (!e)
		e = account_store_save_password(q->db, account.user_id, hash);
	if (!e)
		e = audit_note_of(q, &event, name);
	if (e)
		return e;
	auth_set_device(q, name);
	return session_api_begin(q, &account, ret_session);
}

err_t first_admin_api_post(struct request *q)
{
	struct first_admin in;
	struct session session;
	const char *hash;
	err_t e = read_first(q, &in);

	if (!e)
		e = auth_refuse_foreign(q);
	if (!e)
		e = require_nobody(q);
	if (!e)
		e = try_token(q, &in, &hash);
	if (!e)
		e = store(q, in.who.name, hash, &session);
	if (e)
		return e;
	reply_status(q, 201);
	session_api_reply(q, in.who.name, &session);
	return NULL;
}
