/*
 * An MD5 grants nothing: it is looked for only where the caller may read. That
 * is the project of the version in the address, that of the version that sent
 * the content first (the collection may be a portfolio in another project), and
 * the project that is named; an address that names none of them means all
 * projects of the entity.
 */
#include "wandb_artifact_get.h"

#include <string.h>

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_id.h"
#include "artifact_target.h"
#include "auth.h"
#include "blob_store.h"
#include "content_send.h"
#include "entry_store.h"

enum { PARTS_MAX = 8 };

struct asked {
	struct str entity;
	struct str project; /* empty: not named */
	struct str ids[2];  /* of versions; empty: none */
	struct str md5;     /* 16 bytes */
	struct str name;    /* of the file, for the answer */
};

static err_t nothing(struct request *q)
{
	return err_new(q->arena, ERR_NOT_FOUND,
		       "the file does not exist, or you do not have access");
}

static bool is_absent(err_t e)
{
	return e && (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_INVALID ||
		     e->kind == ERR_FORBIDDEN);
}

/* ---- where
 * ----------------------------------------------------------------------------------------
 */

static err_t send_entry(struct request *q, const struct asked *asked,
			const struct artifact_entry *entry, bool *ret_sent)
{
	const struct sent_content content = { entry->content, entry->size_bytes, asked->name };

	*ret_sent = true;
	return content_send(q, &content, FILE_USE_SAVED);
}

static err_t try_here(struct request *q, const struct asked *asked, bool *ret_sent)
{
	struct entry_content_ask ask = {
		.project_id = q->target->project_id,
		.md5 = asked->md5,
		.name = asked->name,
		.sees = artifact_target_sees(q->target),
	};
	struct artifact_entry *entry;
	struct artifact_id birth;
	err_t e;

	if (artifact_id_read(ARTIFACT_ID_VERSION, asked->ids[1], &birth) &&
	    birth.project_id == ask.project_id)
		ask.birth_id = birth.number;
	e = entry_store_find_content(q->db, &ask, &entry);
	return e || !entry ? e : send_entry(q, asked, entry, ret_sent);
}

static err_t try_id(struct request *q, const struct asked *asked, struct str id, bool *ret_sent)
{
	struct artifact_target found;
	err_t e;

	if (*ret_sent || !id.len)
		return NULL;
	e = artifact_target_id(q, id, ACCESS_READ, &found);
	if (is_absent(e))
		return NULL;
	return e ? e : try_here(q, asked, ret_sent);
}

static err_t try_project(struct request *q, const struct asked *asked, bool *ret_sent)
{
	const struct auth_ask ask = { .access = ACCESS_READ,
				      .entity = asked->entity,
				      .project = asked->project };
	err_t e;

	if (*ret_sent || !asked->project.len)
		return NULL;
	e = auth_ask(q, &ask);
	if (is_absent(e))
		return NULL;
	return e ? e : try_here(q, asked, ret_sent);
}

static err_t try_entity(struct request *q, const struct asked *asked, bool *ret_sent)
{
	const struct auth_ask ask = { .access = ACCESS_READ, .entity = asked->entity };
	struct blob_elsewhere_ask elsewhere = { .md5s = &asked->md5,
						.count = 1,
						.is_committed = true };
	struct artifact_blob *blobs;
	size_t count = 0;
	err_t e;

	if (*ret_sent || asked->project.len)
		return NULL;
	e = auth_ask(q, &ask);
	if (is_absent(e))
		return NULL;
	if (e)
		return e;
	elsewhere.entity_id = q->target->entity_id;
	elsewhere.sees_private = q->target->sees_private;
	e = blob_store_find_elsewhere(q->db, &elsewhere, &blobs, &count);
	if (e || count != 1)
		return e;
	*ret_sent = true;
	return content_send(
		q, &(struct sent_content){ blobs[0].content, blobs[0].size_bytes, asked->name },
		FILE_USE_SAVED);
}

static err_t send(struct request *q, const struct asked *asked)
{
	bool sent = false;
	err_t e = NULL;

	for (size_t i = 0; i < sizeof(asked->ids) / sizeof(asked->ids[0]) && !e; i++)
		e = try_id(q, asked, asked->ids[i], &sent);
	if (!e)
		e = try_project(q, asked, &sent);
	if (!e)
		e = try_entity(q, asked, &sent);
	return e || sent ? e : nothing(q);
}

/* ---- addresses
 * ------------------------------------------------------------------------------------
 */

static bool read_md5(struct arena *a, struct str hex, struct asked *asked)
{
	unsigned char *md5 = arena_alloc(a, ARTIFACT_MD5_SIZE);

	asked->md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
	if (!asked->name.len)
		asked->name = hex;
	return artifact_md5_read_hex(hex, md5);
}

/* The name is the last part. It has no "/", but it may be cut or missing. */
static size_t cut_parts(struct str rest, struct str parts[static PARTS_MAX])
{
	size_t count = 0;

	while (count < PARTS_MAX && rest.at) {
		bool is_last = !memchr(rest.at, '/', rest.len);

		parts[count++] = str_cut(&rest, '/');
		if (is_last)
			break;
	}
	return count;
}

err_t wandb_artifact_get_v2(struct request *q)
{
	struct str parts[PARTS_MAX];
	size_t count = cut_parts(request_param(q, "rest"), parts);
	struct asked asked = { .entity = parts[0] };
	struct str hex;

	switch (count) {
	case 3:
		asked.ids[1] = parts[1];
		hex = parts[2];
		break;
	case 6:
	case 7:
		asked.project = parts[1];
		asked.ids[0] = count == 7 ? parts[3] : STR("");
		asked.ids[1] = parts[count - 3];
		hex = parts[count - 2];
		asked.name = parts[count - 1];
		break;
	default:
		return nothing(q);
	}
	return read_md5(q->arena, hex, &asked) ? send(q, &asked) : nothing(q);
}

err_t wandb_artifact_get_v1(struct request *q)
{
	struct asked asked = { .entity = request_param(q, "owner") };

	return read_md5(q->arena, request_param(q, "hash"), &asked) ? send(q, &asked) : nothing(q);
}
