#include "file_link.h"

#include <inttypes.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "auth.h"
#include "file_name.h"
#include "name.h"
#include "path.h"
#include "run_store.h"
#include "server_store.h"

int64_t file_link_expiry(const struct request *q)
{
	return q->now.us / 1000000 + q->app->config->link_expiry_s;
}

static err_t read_base(struct request *q, struct str *ret_base)
{
	struct err *e;

	*ret_base = request_base(q);
	if (ret_base->len)
		return NULL;
	e = err_new(q->arena, ERR_INVALID, "cannot determine the URL of this server");
	e->hint = "send the header \"Host\", or set the server's public_url";
	return e;
}

static void write_link(struct buf *b, struct request *q, const struct signed_url *url)
{
	char signature[SIGNED_URL_TEXT_SIZE + 1];

	signed_url_sign(&q->app->secret, url, signature);
	buf_printf(b, "/storage/%" PRId64 "/", url->run_id);
	path_encode(b, url->name);
	buf_printf(b, "?expires=%" PRId64 "&user=%" PRId64, url->expires_s, url->user_id);
	if (url->by.len)
		buf_printf(b, "&by=%.*s", STR_ARG(url->by));
	if (url->client.len) {
		buf_add_text(b, "&client=");
		path_encode(b, url->client);
	}
	buf_printf(b, "&signature=%s", signature);
}

#define BY_KEY "key-"
#define BY_SESSION "session-"

/* The key or session of the caller: the link ends with it. */
static struct str by_of(const struct request *q)
{
	const struct identity *identity = q->identity;

	if (!identity)
		return STR("");
	if (identity->key_id)
		return str_of(arena_printf(q->arena, BY_KEY "%" PRId64, identity->key_id));
	return str_of(arena_printf(q->arena, BY_SESSION "%.*s", STR_ARG(identity->session)));
}

err_t file_link(struct request *q, const struct file_link_ask *ask, struct str *ret_link)
{
	struct signed_url url = {
		.use = ask->use,
		.run_id = ask->run_id,
		.name = ask->name,
		.user_id = q->identity ? q->identity->user_id : 0,
		.by = by_of(q),
		.client = ask->client,
	};
	struct buf *b = buf_new(q->arena);
	struct str base;
	err_t e = read_base(q, &base);

	if (!e && !q->now.us)
		e = server_store_now(q->db, &q->now);
	if (e)
		return e;
	url.expires_s = file_link_expiry(q);
	buf_add_str(b, base);
	write_link(b, q, &url);
	*ret_link = buf_str(b);
	return NULL;
}

err_t file_link_url(struct request *q, struct str name, struct str *ret_url)
{
	const struct target *t = q->target;
	struct buf *b = buf_new(q->arena);
	struct str base;
	err_t e = read_base(q, &base);

	if (e)
		return e;
	buf_printf(b, "%.*s/files/%.*s/", STR_ARG(base), STR_ARG(t->entity));
	path_encode(b, t->project);
	buf_add_byte(b, '/');
	path_encode(b, t->run);
	buf_add_byte(b, '/');
	path_encode(b, name);
	*ret_url = buf_str(b);
	return NULL;
}

/* ---- requests that come by one ---------------------------------------------------------------- */

/* A text that is not a link is answered as a forged link. */
static err_t no_link(struct request *q)
{
	return signed_url_check(
		q->arena, &q->app->secret,
		&(struct signed_url){ .name = STR(""), .by = STR(""), .client = STR("") }, STR(""),
		q->now);
}

static bool read_numbers(struct request *q, struct signed_url *url)
{
	return str_to_int64(request_param(q, "number"), 1, INT64_MAX, &url->run_id) &&
	       str_to_int64(request_query(q, "expires"), 0, INT64_MAX, &url->expires_s) &&
	       str_to_int64(request_query(q, "user"), 0, INT64_MAX, &url->user_id);
}

/*
 * A link has only the permissions of the user it was issued to, with the key or session it was issued by. It is refused,
 * as a key would be, if the user was disabled, left, or may no longer see the run, or if the key was revoked or the
 * session ended.
 */
static bool still_may(const struct signed_url *url, const struct file_owner *owner,
		      const struct run_info *info)
{
	const struct access_facts facts = {
		.signed_in = owner->is_known,
		.server_admin = owner->is_admin,
		.scope = (enum key_scope)owner->scope,
		.role = (enum entity_role)owner->role,
		.project = (enum visibility)owner->visibility,
		.run = (enum visibility)info->visibility,
	};

	if (url->user_id && !owner->is_known)
		return false;
	return access_right(&facts) >=
	       (url->use == SIGNED_WRITE ? ACCESS_RIGHT_WRITE : ACCESS_RIGHT_READ);
}

static struct file_owner_ask ask_of(const struct request *q, const struct signed_url *url)
{
	struct file_owner_ask ask = {
		.run_id = url->run_id,
		.user_id = url->user_id,
		.session = STR(""),
		.now = q->now,
	};
	struct str by = url->by;

	if (str_starts(by, BY_KEY))
		str_to_int64((struct str){ by.at + strlen(BY_KEY), by.len - strlen(BY_KEY) }, 1,
			     INT64_MAX, &ask.key_id);
	else if (str_starts(by, BY_SESSION))
		ask.session =
			(struct str){ by.at + strlen(BY_SESSION), by.len - strlen(BY_SESSION) };
	return ask;
}

static err_t find_owner(struct request *q, const struct signed_url *url,
			struct file_owner **ret_owner)
{
	const struct file_owner_ask ask = ask_of(q, url);
	struct run_info *info;
	size_t count = 0;
	err_t e = file_store_owner(q->db, &ask, ret_owner);

	if (!e && *ret_owner)
		e = run_store_list_info(q->db, (*ret_owner)->project_id, &url->run_id, 1, &info,
					&count);
	if (!e && !count)
		return err_new(q->arena, ERR_GONE, "the run of this link was deleted");
	if (!e && !still_may(url, *ret_owner, info))
		return err_new(q->arena, ERR_FORBIDDEN,
			       "the user this link was issued to no longer has permission");
	return e;
}

static err_t read_url(struct request *q, enum signed_use use, struct signed_url *ret_url)
{
	struct signed_url url = {
		.use = use,
		.by = request_query(q, "by"),
		.client = request_query(q, "client"),
	};
	err_t e = file_name_read(q->arena, "name", request_param(q, "name"), &url.name);

	if (e)
		return e;
	if (!read_numbers(q, &url) || (url.client.len && !name_is_valid(NAME_CLIENT, url.client)))
		return no_link(q);
	if (!url.by.at)
		url.by = STR("");
	if (!url.client.at)
		url.client = STR("");
	*ret_url = url;
	return NULL;
}

err_t file_link_read(struct request *q, enum signed_use use, struct signed_url *ret_url,
		     struct file_owner **ret_owner)
{
	err_t e = read_url(q, use, ret_url);

	if (!e)
		e = signed_url_check(q->arena, &q->app->secret, ret_url,
				     request_query(q, "signature"), q->now);
	return e ? e : find_owner(q, ret_url, ret_owner);
}

err_t file_link_still(struct request *q, enum signed_use use)
{
	struct file_owner *owner;
	struct signed_url url;
	err_t e = read_url(q, use, &url);

	return e ? e : find_owner(q, &url, &owner);
}
