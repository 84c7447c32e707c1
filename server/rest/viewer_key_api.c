#include "viewer_key_api.h"

#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "json_in.h"
#include "key_store.h"
#include "name.h"
#include "page.h"
#include "reply.h"

enum { KEYS_MAX = 1000 }; /* valid keys of one user */

static const char *const scopes[] = { "read", "write", "admin", NULL };

/* Reads name and scope of a new key. */
static err_t read_key(struct request *q, struct key_new *ret_key)
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

/* text: the key itself if it was just made, otherwise empty. */
static void write_key(struct json_out *o, const struct key *key, struct str text)
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

err_t viewer_key_api_list_of(struct request *q, int64_t user_id)
{
	struct page page;
	struct key *keys;
	int64_t after = 0;
	size_t count;
	err_t e = page_read(q, &page);

	if (e)
		return e;
	if (page.after.len && !str_to_int64(page.after, 0, INT64_MAX, &after))
		return page_bad_cursor(q);
	e = key_store_list_own(q->db, user_id, after, page.limit + 1, &keys, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_key(&page.out, &keys[i], STR(""));
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64, keys[page.shown - 1].key_id);
	page_end(q, &page);
	return NULL;
}

static err_t check_count(struct request *q, const struct key_user *user)
{
	int64_t count;
	err_t e = key_store_count(q->db, user->user_id, &count);

	if (e || count < KEYS_MAX)
		return e;
	return err_new(q->arena, ERR_UNPROCESSABLE,
		       "\"%.*s\" has %d active keys, the limit: revoke some", STR_ARG(user->name),
		       KEYS_MAX);
}

/* The new key has an address below that of the request. */
static void reply_made(struct request *q, const struct key_new *made, int64_t key_id)
{
	struct json_out out = reply_json(q);
	struct key key = {
		.key_id = key_id,
		.name = made->name,
		.hint = key_hint(made->text),
		.scope = (int16_t)made->scope,
		.created_at = made->now,
	};

	reply_status(q, 201);
	reply_header(q, "Location",
		     arena_printf(q->arena, "%.*s%.*s/%" PRId64, STR_ARG(q->prefix),
				  STR_ARG(q->path), key_id));
	write_key(&out, &key, made->text);
}

/* Names the owner unless it is the caller. */
static err_t note_key(struct request *q, enum audit_action action, int64_t key_id,
		      const struct key_user *user, const char *scope)
{
	bool is_own = user->user_id == q->identity->user_id;
	const struct audit_event event = {
		.action = action,
		.subject = str_of(arena_printf(q->arena, "%" PRId64, key_id)),
		.detail = is_own ? str_of(scope)
				 : str_of(arena_printf(q->arena, "%s%sof %.*s", scope,
						       *scope ? ", " : "", STR_ARG(user->name))),
	};

	return audit_note(q, &event);
}

err_t viewer_key_api_post_of(struct request *q, const struct key_user *user)
{
	char text[KEY_TEXT_SIZE + 1];
	struct key_new key;
	int64_t key_id;
	err_t e = read_key(q, &key);

	if (!e)
		e = check_count(q, user);
	if (e)
		return e;
	key_make(text);
	key.text = str_of(text);
	key.user_id = user->user_id;
	key.now = q->now;
	e = key_store_insert(q->db, &q->app->secret, &key, &key_id);
	if (!e)
		e = note_key(q, AUDIT_KEY_MAKE, key_id, user, key_scope_name(key.scope));
	if (!e)
		reply_made(q, &key, key_id);
	return e;
}

err_t viewer_key_api_delete_of(struct request *q, const struct key_user *user)
{
	int64_t key_id;
	bool found = false;
	err_t e = NULL;

	if (str_to_int64(request_param(q, "key"), 1, INT64_MAX, &key_id))
		e = key_store_revoke_own(q->db, user->user_id, key_id, q->now, &found);
	if (e)
		return e;
	if (!found)
		return err_new(q->arena, ERR_NOT_FOUND,
			       "\"%.*s\" has no active key with this number", STR_ARG(user->name));
	e = note_key(q, AUDIT_KEY_REVOKE, key_id, user, "");
	if (!e)
		e = db_commit(q->db);
	if (!e)
		auth_forget_all(q->app->auth);
	return e;
}

/* ---- one's own ------------------------------------------------------------------------------------ */

static struct key_user own(const struct request *q)
{
	return (struct key_user){ q->identity->user_id, q->identity->name };
}

err_t viewer_key_api_list(struct request *q)
{
	return viewer_key_api_list_of(q, q->identity->user_id);
}

err_t viewer_key_api_post(struct request *q)
{
	const struct key_user user = own(q);

	return viewer_key_api_post_of(q, &user);
}

err_t viewer_key_api_delete(struct request *q)
{
	const struct key_user user = own(q);

	return viewer_key_api_delete_of(q, &user);
}
