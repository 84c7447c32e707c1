/*
 * Users, as admins of the server manage them. Users are disabled and never deleted: runs, views and the audit log name
 * them. Nobody can take their own access away, and the server keeps an admin, which could otherwise be repaired only on
 * its host.
 */
#include "user_api.h"

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "entity_api.h"
#include "json_in.h"
#include "link_store.h"
#include "name.h"
#include "page.h"
#include "reply.h"
#include "session_store.h"
#include "viewer_key_api.h"

static void write_time(struct json_out *o, const char *key, timestamp_us t)
{
	if (t.us)
		json_out_put_time(o, key, t);
	else
		json_out_put_null(o, key);
}

static void write_user(struct json_out *o, const struct account_seen *account)
{
	json_out_object(o);
	json_out_put_text(o, "name", account->name);
	json_out_put_bool(o, "admin", account->is_admin);
	json_out_put_bool(o, "service", account->is_service);
	json_out_put_bool(o, "has_password", account->has_password);
	json_out_put_int(o, "keys", account->keys);
	json_out_put_raw(o, "teams", account->teams);
	json_out_put_time(o, "created_at", account->created_at);
	write_time(o, "seen_at", account->seen_at);
	write_time(o, "disabled_at", account->disabled_at);
	json_out_object_end(o);
}

err_t user_api_list(struct request *q)
{
	struct account_seen *accounts;
	struct page page;
	size_t count;
	err_t e = page_read(q, &page);

	if (!e)
		e = account_store_list_seen(q->db, page.after, page.limit + 1, &accounts, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_user(&page.out, &accounts[i]);
	if (page.has_more)
		page_set_cursor(q, &page, "%.*s", STR_ARG(accounts[page.shown - 1].name));
	page_end(q, &page);
	return NULL;
}

static err_t missing(struct request *q, const char *field, struct str name)
{
	return err_field(q->arena, ERR_NOT_FOUND, field, "the user \"%.*s\" does not exist",
			 STR_ARG(name));
}

err_t user_api_find(struct request *q, const char *field, struct str name,
		    struct account **ret_account)
{
	err_t e = name_check(q->arena, NAME_ENTITY, field, name);

	if (!e)
		e = account_store_find(q->db, name, ret_account);
	return e || *ret_account ? e : missing(q, field, name);
}

static err_t find(struct request *q, struct account **ret_account)
{
	return user_api_find(q, "user", request_param(q, "user"), ret_account);
}

static err_t reply_user(struct request *q, struct str name)
{
	struct account_seen *account;
	struct json_out out;
	err_t e = account_store_find_seen_all(q->db, name, &account);

	if (e)
		return e;
	if (!account)
		return missing(q, "user", name);
	out = reply_json(q);
	write_user(&out, account);
	return NULL;
}

err_t user_api_show(struct request *q)
{
	struct account *account;
	err_t e = find(q, &account);

	return e ? e : reply_user(q, account->name);
}

/* ---- a new user ----------------------------------------------------------------------------------- */

static err_t no_service_admin(struct request *q)
{
	return err_field(q->arena, ERR_UNPROCESSABLE, "admin",
			 "a service account cannot be an admin of the server");
}

static bool read_flag(struct json_in *in, const char *key)
{
	return json_in_has(in, key) && json_in_bool(in, key);
}

static err_t read_new(struct request *q, struct account_new *ret_account)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	ret_account->name = json_in_text(&in, "name", NAME_ENTITY_MAX);
	ret_account->is_admin = read_flag(&in, "admin");
	ret_account->is_service = read_flag(&in, "service");
	e = json_in_end(&in);
	if (!e)
		e = name_check(q->arena, NAME_ENTITY, "name", ret_account->name);
	if (!e && ret_account->is_admin && ret_account->is_service)
		e = no_service_admin(q);
	return e;
}

/* Another request may have taken the caller's rights since this one was authorized. Needs the account's lock. */
static err_t check_caller(struct request *q)
{
	struct account *caller;
	err_t e = account_store_find_id(q->db, q->identity->user_id, &caller);

	if (e || (caller && caller->is_admin && !caller->disabled_at.us))
		return e;
	return err_new(q->arena, ERR_FORBIDDEN, "you are not an admin of the server any more");
}

static err_t lock_caller(struct request *q)
{
	err_t e = account_store_lock(q->db, q->identity->user_id);

	return e ? e : check_caller(q);
}

err_t user_api_post(struct request *q)
{
	struct account_new account;
	struct audit_event event = { .action = AUDIT_USER_MAKE };
	int64_t user_id;
	err_t e = read_new(q, &account);

	if (!e)
		e = lock_caller(q);
	if (!e)
		e = entity_api_taken(q, entity_store_add_user(q->db, &account, q->now, &user_id));
	if (e)
		return e;
	event.subject = account.name;
	event.detail = account.is_admin     ? STR("admin of the server")
		       : account.is_service ? STR("service account")
					    : STR("");
	e = audit_note(q, &event);
	if (!e)
		e = reply_user(q, account.name);
	if (!e)
		reply_status(q, 201);
	return e;
}

/* ---- changing ------------------------------------------------------------------------------------- */

/* Rights that are not in the request stay. */
struct user_change {
	bool has_disabled, disabled;
	bool has_admin, admin;
};

static err_t read_change(struct request *q, struct user_change *ret_change)
{
	struct user_change change = { .has_disabled = false };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	change.has_disabled = json_in_has(&in, "disabled");
	change.disabled = read_flag(&in, "disabled");
	change.has_admin = json_in_has(&in, "admin");
	change.admin = read_flag(&in, "admin");
	*ret_change = change;
	return json_in_end(&in);
}

static err_t check_self(struct request *q, const struct account *account,
			const struct user_change *change)
{
	if (account->user_id != q->identity->user_id)
		return NULL;
	if (change->disabled)
		return err_field(q->arena, ERR_CONFLICT, "disabled",
				 "you cannot disable yourself: ask another admin of the server");
	if (change->has_admin && !change->admin)
		return err_field(
			q->arena, ERR_CONFLICT, "admin",
			"you cannot take your own rights away: ask another admin of the server");
	return NULL;
}

static err_t check_last(struct request *q, const struct account *account,
			const struct user_change *change)
{
	bool goes = change->disabled || (change->has_admin && !change->admin);
	bool there = true;
	err_t e = NULL;

	if (account->is_admin && goes)
		e = account_store_has_other_admin(q->db, account->user_id, &there);
	if (e || there)
		return e;
	return err_new(q->arena, ERR_CONFLICT,
		       "\"%.*s\" is the last admin of the server: make another user an admin first",
		       STR_ARG(account->name));
}

static err_t note(struct request *q, enum audit_action action, struct str name, struct str detail)
{
	const struct audit_event event = {
		.action = action,
		.subject = name,
		.detail = detail,
	};

	return audit_note(q, &event);
}

static err_t disable(struct request *q, const struct account *account)
{
	bool changed;
	err_t e = account_store_disable(q->db, account->user_id, q->now, &changed);

	if (!e)
		e = session_store_end_all(q->db, account->user_id, NULL);
	if (!e)
		e = link_store_remove_all(q->db, account->user_id);
	return e || !changed ? e : note(q, AUDIT_USER_DISABLE, account->name, STR(""));
}

static err_t enable(struct request *q, const struct account *account)
{
	bool changed;
	err_t e = account_store_enable(q->db, account->user_id, &changed);

	return e || !changed ? e : note(q, AUDIT_USER_ENABLE, account->name, STR(""));
}

static err_t set_admin(struct request *q, const struct account *account, bool is_admin)
{
	bool changed;
	err_t e = is_admin && account->is_service ? no_service_admin(q) : NULL;

	if (!e)
		e = account_store_save_admin(q->db, account->user_id, is_admin, &changed);
	if (!e && !is_admin)
		e = link_store_remove_maker(q->db, account->user_id);
	if (e || !changed)
		return e;
	return note(q, AUDIT_USER_ADMIN, account->name, is_admin ? STR("given") : STR("taken"));
}

/*
 * Two admins cannot take each other away at the same time: the second waits, and is no admin then. *account is read
 * again under the lock.
 */
static err_t lock_accounts(struct request *q, struct account **account)
{
	int64_t user_id = (*account)->user_id;
	err_t e = account_store_lock_admins(q->db);

	if (!e)
		e = account_store_lock(q->db, user_id);
	if (!e)
		e = check_caller(q);
	return e ? e : account_store_find_id(q->db, user_id, account);
}

static err_t change_user(struct request *q, struct account *account,
			 const struct user_change *change)
{
	err_t e = lock_accounts(q, &account);

	if (!e)
		e = check_self(q, account, change);
	if (!e)
		e = check_last(q, account, change);
	if (!e && change->has_admin)
		e = set_admin(q, account, change->admin);
	if (!e && change->has_disabled)
		e = change->disabled ? disable(q, account) : enable(q, account);
	return e;
}

err_t user_api_patch(struct request *q)
{
	struct user_change change;
	struct account *account;
	err_t e = read_change(q, &change);

	if (!e)
		e = find(q, &account);
	if (!e)
		e = change_user(q, account, &change);
	if (!e)
		e = reply_user(q, account->name);
	if (!e)
		e = db_commit(q->db);
	if (!e)
		auth_forget_all(q->app->auth);
	return e;
}

/* ---- keys ----------------------------------------------------------------------------------------- */

err_t user_api_list_keys(struct request *q)
{
	struct account *account;
	err_t e = find(q, &account);

	return e ? e : viewer_key_api_list_of(q, account->user_id);
}

/* A key that an admin knows would let the admin act as that person. */
err_t user_api_post_key(struct request *q)
{
	struct account *account;
	err_t e = find(q, &account);

	if (e)
		return e;
	if (!account->is_service)
		return err_field(q->arena, ERR_UNPROCESSABLE, "user",
				 "\"%.*s\" is not a service account: people create their own keys",
				 STR_ARG(account->name));
	return viewer_key_api_post_of(q, &(struct key_user){ account->user_id, account->name });
}

err_t user_api_delete_key(struct request *q)
{
	struct account *account;
	err_t e = find(q, &account);

	if (e)
		return e;
	return viewer_key_api_delete_of(q, &(struct key_user){ account->user_id, account->name });
}
