#include "artifact_url.h"

#include <inttypes.h>

#include "artifact_digest.h"
#include "artifact_path.h"
#include "path.h"
#include "signed_link.h"

#define FILES "wandb_artifacts/"

/* ---- to make one ------------------------------------------------------------------------------ */

struct str artifact_url_storage_path(struct arena *a, const struct artifact_url *url)
{
	return str_of(arena_printf(a, FILES "%" PRId64 "/%" PRId64 "/%.*s", url->project_id,
				   url->number, STR_ARG(artifact_md5_write_hex(a, url->md5))));
}

/* The path of the URL behind "/storage/", without escapes: it is what is signed, next to the use. */
static struct str name_of(struct arena *a, const struct artifact_url *url)
{
	switch (url->use) {
	case SIGNED_ARTIFACT_READ:
	case SIGNED_ARTIFACT_WRITE:
		return str_of(arena_printf(a, "%.*s/%.*s",
					   STR_ARG(artifact_url_storage_path(a, url)),
					   STR_ARG(url->path)));
	case SIGNED_PART_WRITE:
		return str_of(arena_printf(a, "parts/%" PRId64 "/%" PRId64 "/%d", url->project_id,
					   url->number, (int)url->part));
	default:
		return str_of(arena_printf(a,
					   "manifests/%" PRId64 "/%" PRId64 "/wandb_manifest.json",
					   url->project_id, url->number));
	}
}

static struct signed_url signed_of(struct arena *a, const struct artifact_url *url)
{
	return (struct signed_url){
		.use = url->use,
		.number = url->project_id,
		.name = name_of(a, url),
		.by = STR(""),
		.client = STR(""),
	};
}

err_t artifact_url(struct request *q, const struct artifact_url *url, struct str *ret_url)
{
	struct signed_url link = signed_of(q->arena, url);
	struct buf *b = buf_new(q->arena);
	struct str base;
	err_t e = signed_link_base(q, &base);

	if (!e)
		e = signed_link_issue(q, &link);
	if (e)
		return e;
	buf_add_str(b, base);
	buf_add_text(b, "/storage/");
	path_encode(b, link.name);
	signed_link_write_query(b, q, &link);
	*ret_url = buf_str(b);
	return NULL;
}

/* ---- requests that come by one ---------------------------------------------------------------- */

static bool read_md5(struct arena *a, struct str hex, struct str *ret_md5)
{
	unsigned char *md5 = arena_alloc(a, ARTIFACT_MD5_SIZE);

	*ret_md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
	return artifact_md5_read_hex(hex, md5);
}

bool artifact_url_read_storage_path(struct arena *a, struct str text, struct artifact_url *ret_url)
{
	struct artifact_url url = { .path = STR("") };
	struct str rest = text;

	if (!str_starts(text, FILES))
		return false;
	str_cut(&rest, '/');
	if (!str_to_int64(str_cut(&rest, '/'), 1, INT64_MAX, &url.project_id) ||
	    !str_to_int64(str_cut(&rest, '/'), 1, INT64_MAX, &url.number) ||
	    !read_md5(a, rest, &url.md5))
		return false;
	*ret_url = url;
	return true;
}

static bool read_file(struct request *q, struct artifact_url *url)
{
	url->path = request_param(q, "path");
	return str_to_int64(request_param(q, "artifact"), 1, INT64_MAX, &url->number) &&
	       read_md5(q->arena, request_param(q, "md5"), &url->md5) &&
	       !artifact_path_check(q->arena, "path", url->path);
}

static bool read_part(struct request *q, struct artifact_url *url)
{
	int64_t part;

	if (!str_to_int64(request_param(q, "upload"), 1, INT64_MAX, &url->number) ||
	    !str_to_int64(request_param(q, "part"), 1, INT32_MAX, &part))
		return false;
	url->part = (int32_t)part;
	return true;
}

static bool read_params(struct request *q, struct artifact_url *url)
{
	if (!str_to_int64(request_param(q, "number"), 1, INT64_MAX, &url->project_id))
		return false;
	switch (url->use) {
	case SIGNED_ARTIFACT_READ:
	case SIGNED_ARTIFACT_WRITE:
		return read_file(q, url);
	case SIGNED_PART_WRITE:
		return read_part(q, url);
	default:
		return str_to_int64(request_param(q, "manifest"), 1, INT64_MAX, &url->number);
	}
}

static err_t read_link(struct request *q, enum signed_use use, struct artifact_url *ret_url,
		       struct signed_url *ret_link)
{
	struct artifact_url url = { .use = use, .path = STR("") };

	if (!read_params(q, &url))
		return signed_link_forged(q);
	*ret_url = url;
	*ret_link = signed_of(q->arena, &url);
	return signed_link_read(q, ret_link);
}

static struct artifact_owner_ask ask_of(const struct request *q, const struct signed_url *link)
{
	struct signed_link_by by = signed_link_by(link);

	return (struct artifact_owner_ask){
		.project_id = link->number,
		.user_id = link->user_id,
		.key_id = by.key_id,
		.session = by.session,
		.now = q->now,
	};
}

static err_t find_owner(struct request *q, const struct signed_url *link,
			struct artifact_owner **ret_owner)
{
	const struct artifact_owner_ask ask = ask_of(q, link);
	struct artifact_owner *owner;
	struct access_facts facts;
	err_t e = artifact_store_owner(q->db, &ask, &owner);

	if (!e && !owner)
		return err_new(q->arena, ERR_GONE, "the project of this link was deleted");
	if (e)
		return e;
	facts = (struct access_facts){
		.signed_in = owner->is_known,
		.server_admin = owner->is_admin,
		.scope = (enum key_scope)owner->scope,
		.role = (enum entity_role)owner->role,
		.project = (enum visibility)owner->visibility,
	};
	*ret_owner = owner;
	return signed_link_may(q, link, &facts);
}

err_t artifact_url_read(struct request *q, enum signed_use use, struct artifact_url *ret_url,
			struct artifact_owner **ret_owner)
{
	struct signed_url link;
	err_t e = read_link(q, use, ret_url, &link);

	if (!e)
		e = signed_link_check(q, &link);
	return e ? e : find_owner(q, &link, ret_owner);
}

err_t artifact_url_still(struct request *q, enum signed_use use)
{
	struct artifact_owner *owner;
	struct artifact_url url;
	struct signed_url link;
	err_t e = read_link(q, use, &url, &link);

	return e ? e : find_owner(q, &link, &owner);
}
