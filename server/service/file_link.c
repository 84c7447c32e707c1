#include "file_link.h"

#include <inttypes.h>

#include "auth.h"
#include "file_name.h"
#include "path.h"
#include "run_store.h"
#include "signed_link.h"

static void write_link(struct buf *b, const struct request *q, const struct signed_url *url)
{
	buf_printf(b, "/storage/%" PRId64 "/", url->number);
	path_encode(b, url->name);
	signed_link_write_query(b, q, url);
}

err_t file_link(struct request *q, const struct file_link_ask *ask, struct str *ret_link)
{
	struct signed_url url = {
		.use = ask->use,
		.number = ask->run_id,
		.name = ask->name,
		.client = ask->client,
	};
	struct buf *b = buf_new(q->arena);
	struct str base;
	err_t e = signed_link_base(q, &base);

	if (!e)
		e = signed_link_issue(q, &url);
	if (e)
		return e;
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
	err_t e = signed_link_base(q, &base);

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

static struct file_owner_ask ask_of(const struct request *q, const struct signed_url *url)
{
	struct signed_link_by by = signed_link_by(url);

	return (struct file_owner_ask){
		.run_id = url->number,
		.user_id = url->user_id,
		.key_id = by.key_id,
		.session = by.session,
		.now = q->now,
	};
}

static struct access_facts facts_of(const struct file_owner *owner, const struct run_info *info)
{
	return (struct access_facts){
		.signed_in = owner->is_known,
		.server_admin = owner->is_admin,
		.scope = (enum key_scope)owner->scope,
		.role = (enum entity_role)owner->role,
		.project = (enum visibility)owner->visibility,
		.run = (enum visibility)info->visibility,
	};
}

static err_t find_owner(struct request *q, const struct signed_url *url,
			struct file_owner **ret_owner)
{
	const struct file_owner_ask ask = ask_of(q, url);
	struct access_facts facts;
	struct run_info *info;
	size_t count = 0;
	err_t e = file_store_owner(q->db, &ask, ret_owner);

	if (!e && *ret_owner)
		e = run_store_list_info(q->db, (*ret_owner)->project_id, &url->number, 1, &info,
					&count);
	if (!e && !count)
		return err_new(q->arena, ERR_GONE, "the run of this link was deleted");
	if (e)
		return e;
	facts = facts_of(*ret_owner, info);
	return signed_link_may(q, url, &facts);
}

static err_t read_url(struct request *q, enum signed_use use, struct signed_url *ret_url)
{
	struct signed_url url = { .use = use };
	err_t e = file_name_read(q->arena, "name", request_param(q, "name"), &url.name);

	if (e)
		return e;
	if (!str_to_int64(request_param(q, "number"), 1, INT64_MAX, &url.number))
		return signed_link_forged(q);
	e = signed_link_read(q, &url);
	if (!e)
		*ret_url = url;
	return e;
}

err_t file_link_read(struct request *q, enum signed_use use, struct signed_url *ret_url,
		     struct file_owner **ret_owner)
{
	err_t e = read_url(q, use, ret_url);

	if (!e)
		e = signed_link_check(q, ret_url);
	return e ? e : find_owner(q, ret_url, ret_owner);
}

err_t file_link_still(struct request *q, enum signed_use use)
{
	struct file_owner *owner;
	struct signed_url url;
	err_t e = read_url(q, use, &url);

	return e ? e : find_owner(q, &url, &owner);
}
