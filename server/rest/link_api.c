/*
 * One-time links (account_link.h). A link that never existed, was used, was revoked or has expired gets one answer. Tries
 * are limited as those to sign in are; a link cannot be guessed, but setting a password takes as much memory.
 */
#include "link_api.h"

#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "auth_session.h"
#include "entity_api.h"
#include "json_in.h"
#include "link_store.h"
#include "name.h"
#include "page.h"
#include "password.h"
#include "password_api.h"
#include "reply.h"
#include "server_store.h"
#include "session_api.h"
#include "session_store.h"
#include "user_api.h"

enum { TOKEN_MAX = 256 };
#define HOUR_US (INT64_C(3600) * 1000000)

static const char *const roles[] = { "viewer", "member", "admin", NULL };

/* ---- JSON ----------------------------------------------------------------------------------------- */

/* The members that its holder gets, too. */
static void put_purpose(struct json_out *o, const struct account_link *link)
{
	json_out_put_text(o, "kind",
			  str_of(account_link_kind_name((enum account_link_kind)link->kind)));
	json_out_put_text_or_null(o, "user", link->user);
	json_out_put_bool(o, "admin", link->is_admin);
	json_out_put_text_or_null(o, "team", link->team);
	json_out_put_text_or_null(
		o, "role",
		link->role ? str_of(entity_role_name((enum entity_role)link->role)) : STR(""));
	json_out_put_text_or_null(o, "made_by", link->maker);
	json_out_put_time(o, "ends_at", link->ends_at);
}

/* url: only of one that was just made. */
static void write_link(struct json_out *o, const struct account_link *link, const char *url)
{
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, link->link_id);
	json_out_object(o);
	json_out_put_text(o, "id", str_of(id));
	put_purpose(o, link);
	json_out_put_text(o, "note", link->note);
	json_out_put_time(o, "created_at", link->created_at);
	if (url)
		json_out_put_text(o, "url", str_of(url));
	json_out_object_end(o);
}

err_t link_api_list(struct request *q)
{
	struct account_link *links;
	struct page page;
	int64_t after = 0;
	size_t count;
	err_t e = page_read(q, &page);

	if (e)
		return e;
	if (page.after.len && !str_to_int64(page.after, 0, INT64_MAX, &after))
		return page_bad_cursor(q);
	e = link_store_list(q->db, q->now, after, page.limit + 1, &links, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_link(&page.out, &links[i], NULL);
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64, links[page.shown - 1].link_id);
	page_end(q, &page);
	return NULL;
}

/* ---- a new link ----------------------------------------------------------------------------------- */

static err_t find_team(struct request *q, struct account_link *link)
{
	struct entity *team;
	err_t e = name_check(q->arena, NAME_ENTITY, "team", link->team);

	if (!e)
		e = entity_store_find(q->db, link->team, &team);
	if (e)
		return e;
	if (!team || team->kind != ENTITY_TEAM)
		return err_field(q->arena, ERR_NOT_FOUND, "team",
				 "the team \"%.*s\" does not exist", STR_ARG(link->team));
	link->team_id = team->entity_id;
	return NULL;
}

static void read_team(struct json_in *in, struct account_link *link)
{
	int role = json_in_choice_or(in, "role", roles, -1);

	link->team = json_in_text_or(in, "team", NAME_ENTITY_MAX, STR(""));
	if (link->team.len)
		link->role = (int16_t)(role < 0 ? ENTITY_ROLE_MEMBER : ENTITY_ROLE_VIEWER + role);
	else if (role >= 0)
		json_in_refuse(in, "role", "requires a team");
}

static err_t read_invitation(struct request *q, struct json_in *in, struct account_link *link)
{
	err_t e;

	link->kind = ACCOUNT_LINK_INVITATION;
	link->is_admin = json_in_has(in, "admin") && json_in_bool(in, "admin");
	link->note = json_in_text_or(in, "note", name_max_bytes(NAME_NOTE), STR(""));
	read_team(in, link);
	e = json_in_end(in);
	if (!e)
		e = name_check(q->arena, NAME_NOTE, "note", link->note);
	return e || !link->team.len ? e : find_team(q, link);
}

static err_t find_user(struct request *q, struct account_link *link)
{
	struct account *account;
	err_t e = user_api_find(q, "user", link->user, &account);

	if (e)
		return e;
	if (account->is_service)
		return err_field(
			q->arena, ERR_UNPROCESSABLE, "user",
			"\"%.*s\" is a service account, which has no password: create a key for it",
			STR_ARG(account->name));
	if (account->disabled_at.us)
		return err_field(q->arena, ERR_CONFLICT, "user",
				 "the user \"%.*s\" is disabled: enable the user first",
				 STR_ARG(account->name));
	link->user_id = account->user_id;
	return NULL;
}

static err_t read_password_link(struct request *q, struct json_in *in, struct account_link *link)
{
	err_t e;

	link->kind = ACCOUNT_LINK_PASSWORD;
	link->user = json_in_text(in, "user", NAME_ENTITY_MAX);
	e = json_in_end(in);
	return e ? e : find_user(q, link);
}

static err_t read_new(struct request *q, struct account_link *link)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);
	bool is_password;
	int64_t hours;

	if (e)
		return e;
	is_password = json_in_has(&in, "user");
	hours = json_in_int_or(&in, "hours", 1, ACCOUNT_LINK_HOURS_MAX,
			       is_password ? ACCOUNT_LINK_HOURS_PASSWORD
					   : ACCOUNT_LINK_HOURS_INVITATION);
	link->ends_at.us = q->now.us + hours * HOUR_US;
	return is_password ? read_password_link(q, &in, link) : read_invitation(q, &in, link);
}

static err_t note_link(struct request *q, enum audit_action action, const struct account_link *link)
{
	const struct audit_event event = {
		.action = action,
		.entity = link->team,
		.subject = str_of(arena_printf(q->arena, "%" PRId64, link->link_id)),
		.detail = account_link_words(q->arena, link),
	};

	return audit_note(q, &event);
}

err_t link_api_post(struct request *q)
{
	struct account_link link = {
		.made_by = q->identity->user_id,
		.maker = q->identity->name,
		.note = STR(""),
		.created_at = q->now,
	};
	char token[ACCOUNT_LINK_TEXT_SIZE + 1];
	unsigned char hash[KEY_HASH_SIZE];
	struct json_out out;
	err_t e = read_new(q, &link);

	if (e)
		return e;
	account_link_make(token);
	account_link_hash(&q->app->secret, str_of(token), hash);
	e = link_store_insert(q->db, hash, &link);
	if (!e)
		e = note_link(q, AUDIT_LINK_MAKE, &link);
	if (e)
		return e;
	out = reply_json(q);
	reply_status(q, 201);
	write_link(&out, &link, account_link_url(q->arena, request_base(q), token));
	return NULL;
}

err_t link_api_delete(struct request *q)
{
	struct str number = request_param(q, "link");
	struct account_link *link = NULL;
	bool removed = false;
	int64_t link_id;
	err_t e = NULL;

	if (str_to_int64(number, 1, INT64_MAX, &link_id))
		e = link_store_find_id(q->db, link_id, q->now, &link);
	if (!e && link)
		e = link_store_remove(q->db, link_id, &removed);
	if (e)
		return e;
	if (!removed)
		return err_new(q->arena, ERR_NOT_FOUND,
			       "link %.*s does not exist, was used or has expired: list the links",
			       STR_ARG(number));
	return note_link(q, AUDIT_LINK_REVOKE, link);
}

/* ---- its holder ----------------------------------------------------------------------------------- */

struct link_use {
	struct str token;
	struct str name; /* empty: none was sent */
	struct str password;
};

static err_t not_valid(struct request *q, enum err_kind kind)
{
	struct err *e = err_new(q->arena, kind,
				"this link is not valid: it was used, was revoked or has expired");

	e->hint = "ask an admin of the server for a new link";
	return e;
}

static err_t find_link(struct request *q, struct str token, struct account_link **ret_link)
{
	unsigned char hash[KEY_HASH_SIZE];
	err_t e = NULL;

	*ret_link = NULL;
	if (account_link_is_token(token)) {
		account_link_hash(&q->app->secret, token, hash);
		e = link_store_find(q->db, hash, q->now, ret_link);
	}
	return e || *ret_link ? e : not_valid(q, ERR_UNAUTHORIZED);
}

/*
 * Counts invalid tokens, and names that are taken: the holder of an invitation must not find out who has an account. An
 * error 401 would have a page ask its user to sign in again.
 */
static err_t end_try(struct request *q, const struct sign_in_try *t, err_t e)
{
	const struct audit_event event = {
		.action = AUDIT_SIGN_IN_REFUSED,
		.detail = STR("by link"),
	};
	bool is_wrong = e && (e->kind == ERR_UNAUTHORIZED || e->kind == ERR_CONFLICT);
	err_t failed;

	sign_in_gate_leave(q->app->sign_in_gate, t, is_wrong ? SIGN_IN_WRONG : SIGN_IN_RIGHT);
	if (!e || e->kind != ERR_UNAUTHORIZED)
		return e;
	failed = audit_note(q, &event);
	return failed ? failed : not_valid(q, ERR_GONE);
}

/* A token is not counted as the user name that it may be equal to. */
static struct sign_in_try try_of(const struct request *q, struct str token)
{
	struct str name = str_of(arena_printf(q->arena, "link:%.*s", STR_ARG(token)));

	return (struct sign_in_try){ name, q->client_address, STR("") };
}

static err_t try_to_find(struct request *q, struct str token, struct account_link **ret_link)
{
	const struct sign_in_try t = try_of(q, token);
	err_t e = password_api_try_begin(q, &t);

	return e ? e : end_try(q, &t, find_link(q, token, ret_link));
}

err_t link_api_read(struct request *q)
{
	struct account_link *link;
	struct json_in in;
	struct json_out out;
	struct str token;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	token = json_in_text(&in, "token", TOKEN_MAX);
	e = json_in_end(&in);
	if (!e)
		e = try_to_find(q, token, &link);
	if (e)
		return e;
	out = reply_json(q);
	json_out_object(&out);
	put_purpose(&out, link);
	json_out_object_end(&out);
	return NULL;
}

static err_t read_use(struct request *q, struct link_use *ret_use)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_use->token = json_in_text(&in, "token", TOKEN_MAX);
	ret_use->name = json_in_text_or(&in, "name", NAME_ENTITY_MAX, STR(""));
	ret_use->password = password_api_read_new(&in, "password");
	return json_in_end(&in);
}

static err_t check_free(struct request *q, struct str name)
{
	struct entity *entity;
	err_t e = entity_store_find(q->db, name, &entity);

	if (e || !entity)
		return e;
	return err_field(q->arena, ERR_CONFLICT, "name", "the name \"%.*s\" is taken",
			 STR_ARG(name));
}

/* Settles use->name. */
static err_t check_name(struct request *q, const struct account_link *link, struct link_use *use)
{
	if (link->kind == ACCOUNT_LINK_INVITATION) {
		err_t e = name_check(q->arena, NAME_ENTITY, "name", use->name);

		return e ? e : check_free(q, use->name);
	}
	if (use->name.len && !str_equal(use->name, link->user))
		return err_field(q->arena, ERR_INVALID, "name",
				 "this link sets the password of \"%.*s\"", STR_ARG(link->user));
	use->name = link->user;
	return NULL;
}

/* No transaction is open meanwhile: it takes long. */
static err_t try_use(struct request *q, struct link_use *use, const char **ret_hash)
{
	const struct sign_in_try t = try_of(q, use->token);
	struct account_link *link;
	err_t e = password_api_try_begin(q, &t);

	if (e)
		return e;
	e = find_link(q, use->token, &link);
	if (!e)
		e = check_name(q, link, use);
	if (!e)
		e = password_hash(q->arena, use->password, ret_hash);
	return end_try(q, &t, e);
}

/* Accounts are locked before links. */
static err_t lock_user(struct request *q, int64_t user_id)
{
	struct account *account;
	err_t e = account_store_lock(q->db, user_id);

	if (!e)
		e = account_store_find_id(q->db, user_id, &account);
	if (e)
		return e;
	return account && !account->disabled_at.us ? NULL : not_valid(q, ERR_GONE);
}

/* If several requests use one link, the first removes it. */
static err_t take_link(struct request *q, struct str token, struct account_link **ret_link)
{
	bool removed = false;
	err_t e = find_link(q, token, ret_link);

	if (e && e->kind == ERR_UNAUTHORIZED)
		return not_valid(q, ERR_GONE);
	if (!e && (*ret_link)->kind == ACCOUNT_LINK_PASSWORD)
		e = lock_user(q, (*ret_link)->user_id);
	if (!e)
		e = link_store_remove(q->db, (*ret_link)->link_id, &removed);
	return e || removed ? e : not_valid(q, ERR_GONE);
}

static err_t add_to_team(struct request *q, const struct account_link *link, int64_t user_id,
			 struct str name)
{
	enum entity_role role = (enum entity_role)link->role;
	const struct audit_event event = {
		.action = AUDIT_MEMBER_SAVE,
		.entity = link->team,
		.subject = name,
		.detail = str_of(entity_role_name(role)),
	};
	bool changed;
	err_t e = entity_store_lock(q->db, link->team_id);

	if (!e)
		e = entity_store_save_member(q->db, link->team_id, user_id, role, q->now, &changed);
	return e ? e : audit_note_of(q, &event, name);
}

static err_t make_user(struct request *q, const struct account_link *link, struct str name,
		       int64_t *ret_user_id)
{
	const struct account_new account = { .name = name, .is_admin = link->is_admin };
	const struct audit_event event = {
		.action = AUDIT_USER_MAKE,
		.subject = name,
		.detail =
			str_of(arena_printf(q->arena, "by invitation %" PRId64 "%s", link->link_id,
					    link->is_admin ? ", admin of the server" : "")),
	};
	err_t e = entity_api_taken(q, entity_store_add_user(q->db, &account, q->now, ret_user_id));

	if (!e)
		e = audit_note_of(q, &event, name);
	return e || !link->team_id ? e : add_to_team(q, link, *ret_user_id, name);
}

static err_t end_sessions(struct request *q, const struct account_link *link)
{
	const struct audit_event event = {
		.action = AUDIT_PASSWORD,
		.subject = link->user,
		.detail = str_of(arena_printf(q->arena, "by link %" PRId64 ", all sessions ended",
					      link->link_id)),
	};
	err_t e = session_store_end_all(q->db, link->user_id, NULL);

	if (!e)
		e = link_store_remove_user(q->db, link->user_id);
	return e ? e : audit_note_of(q, &event, link->user);
}

static err_t store(struct request *q, const struct link_use *use, const char *hash,
		   struct session *ret_session)
{
	struct account_password account = { .password_hash = str_of(hash) };
	struct account_link *link;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &q->now);

	if (!e)
		e = take_link(q, use->token, &link);
	if (e)
		return e;
	account.user_id = link->user_id;
	e = link->kind == ACCOUNT_LINK_PASSWORD ? end_sessions(q, link)
						: make_user(q, link, use->name, &account.user_id);
	if (!e)
		e = account_store_save_password(q->db, account.user_id, hash);
	if (e)
		return e;
	auth_set_device(q, use->name);
	return session_api_begin(q, &account, ret_session);
}

err_t link_api_use(struct request *q)
{
	struct link_use use;
	struct session session;
	const char *hash;
	err_t e = read_use(q, &use);

	if (!e)
		e = auth_refuse_foreign(q);
	if (!e)
		e = server_store_now(q->db, &q->now);
	if (!e)
		e = try_use(q, &use, &hash);
	if (!e)
		e = store(q, &use, hash, &session);
	if (!e)
		e = db_commit(q->db);
	if (e)
		return e;
	auth_forget_all(q->app->auth);
	reply_status(q, 201);
	session_api_reply(q, use.name, &session);
	return NULL;
}
