#include "signed_link.h"

#include <inttypes.h>
#include <string.h>

#include "app.h"
#include "auth.h"
#include "name.h"
#include "path.h"
#include "server_store.h"

#define BY_KEY "key-"
#define BY_SESSION "session-"

/* ---- to make one ------------------------------------------------------------------------------ */

int64_t signed_link_expiry(const struct request *q)
{
	return q->now.us / 1000000 + q->app->config->link_expiry_s;
}

err_t signed_link_base(struct request *q, struct str *ret_base)
{
	struct err *e;

	*ret_base = request_base(q);
	if (ret_base->len)
		return NULL;
	e = err_new(q->arena, ERR_INVALID, "cannot determine the URL of this server");
	e->hint = "send the header \"Host\", or set the server's public_url";
	return e;
}

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

err_t signed_link_issue(struct request *q, struct signed_url *url)
{
	err_t e = q->now.us ? NULL : server_store_now(q->db, &q->now);

	if (e)
		return e;
	url->user_id = q->identity ? q->identity->user_id : 0;
	url->by = by_of(q);
	url->expires_s = signed_link_expiry(q);
	return NULL;
}

void signed_link_write_query(struct buf *b, const struct request *q, const struct signed_url *url)
{
	char signature[SIGNED_URL_TEXT_SIZE + 1];

	signed_url_sign(&q->app->secret, url, signature);
	buf_printf(b, "?expires=%" PRId64 "&user=%" PRId64, url->expires_s, url->user_id);
	if (url->by.len)
		buf_printf(b, "&by=%.*s", STR_ARG(url->by));
	if (url->client.len) {
		buf_add_text(b, "&client=");
		path_encode(b, url->client);
	}
	buf_printf(b, "&signature=%s", signature);
}

/* ---- requests that come by one ---------------------------------------------------------------- */

err_t signed_link_forged(struct request *q)
{
	return signed_url_check(
		q->arena, &q->app->secret,
		&(struct signed_url){ .name = STR(""), .by = STR(""), .client = STR("") }, STR(""),
		q->now);
}

static struct str text_of(const struct request *q, const char *name)
{
	struct str text = request_query(q, name);

	return text.at ? text : STR("");
}

err_t signed_link_read(struct request *q, struct signed_url *url)
{
	url->by = text_of(q, "by");
	url->client = text_of(q, "client");
	if (!str_to_int64(request_query(q, "expires"), 0, INT64_MAX, &url->expires_s) ||
	    !str_to_int64(request_query(q, "user"), 0, INT64_MAX, &url->user_id) ||
	    (url->client.len && !name_is_valid(NAME_CLIENT, url->client)))
		return signed_link_forged(q);
	return NULL;
}

err_t signed_link_check(struct request *q, const struct signed_url *url)
{
	return signed_url_check(q->arena, &q->app->secret, url, request_query(q, "signature"),
				q->now);
}

struct signed_link_by signed_link_by(const struct signed_url *url)
{
	struct signed_link_by made = { .session = STR("") };
	struct str by = url->by;

	if (str_starts(by, BY_KEY))
		str_to_int64((struct str){ by.at + strlen(BY_KEY), by.len - strlen(BY_KEY) }, 1,
			     INT64_MAX, &made.key_id);
	else if (str_starts(by, BY_SESSION))
		made.session =
			(struct str){ by.at + strlen(BY_SESSION), by.len - strlen(BY_SESSION) };
	return made;
}

err_t signed_link_may(struct request *q, const struct signed_url *url,
		      const struct access_facts *facts)
{
	enum access_right needed = signed_use_writes(url->use) ? ACCESS_RIGHT_WRITE
							       : ACCESS_RIGHT_READ;

	if ((!url->user_id || facts->signed_in) && access_right(facts) >= needed)
		return NULL;
	return err_new(q->arena, ERR_FORBIDDEN,
		       "the user this link was issued to no longer has permission");
}
