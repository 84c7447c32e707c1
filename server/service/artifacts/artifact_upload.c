#include "artifact_upload.h"

#include <string.h>

#include "artifact_digest.h"
#include "artifact_draft.h"
#include "artifact_path.h"
#include "artifact_target.h"
#include "content_put.h"
#include "entry_store.h"
#include "replica.h"
#include "upload.h"

/* ---- a body for a version that is committed ---------------------------------------------------------- */

/* A client repeats what was answered too late for it: the content is there, so the body is dropped. */
struct drop_sink {
	struct upload_sink sink; /* first */
	struct artifact_upload upload;
};

static err_t drop(struct upload_sink *sink, struct str piece)
{
	(void)sink;
	(void)piece;
	return NULL;
}

static err_t end_drop(struct upload_sink *sink)
{
	(void)sink;
	return NULL;
}

static err_t begin_drop(struct request *q, const struct artifact *version,
			const struct artifact_destination *destination)
{
	struct drop_sink *s = arena_new_of(q->arena, struct drop_sink);
	struct artifact_entry *entry;
	err_t e = entry_store_find(q->db, version->project_id, version->manifest_id,
				   destination->path, &entry);

	if (e)
		return e;
	if (!entry || !entry->blob_id || !str_equal(entry->md5, destination->md5))
		return artifact_draft_is_committed(q, version);
	s->sink = (struct upload_sink){ drop, end_drop };
	s->upload = (struct artifact_upload){
		.path = destination->path,
		.blob_id = entry->blob_id,
		.md5 = entry->md5,
		.content = entry->content,
		.size_bytes = entry->size_bytes,
		.birth_id = entry->birth_id,
	};
	q->sink = &s->sink;
	return NULL;
}

/* ---- a body for a draft ------------------------------------------------------------------------------- */

struct coming {
	const struct artifact *draft;
	struct artifact_destination destination;
};

err_t artifact_upload_begin(struct request *q, const struct artifact *draft,
			    const struct artifact_destination *destination)
{
	struct coming *coming = arena_new_of(q->arena, struct coming);
	err_t e = artifact_path_check(q->arena, "path", destination->path);

	if (!e)
		e = artifact_draft_keep(q, draft);
	if (e)
		return e;
	if (draft->state == ARTIFACT_COMMITTED)
		return begin_drop(q, draft, destination);
	*coming = (struct coming){ draft, *destination };
	return content_put_begin(q, &coming->destination.scope, coming);
}

static err_t check_md5(struct request *q, const struct artifact_destination *destination,
		       struct str md5)
{
	if (!destination->md5.len || str_equal(md5, destination->md5))
		return NULL;
	return err_field(q->arena, ERR_INVALID, "md5", "\"%.*s\" has the MD5 %.*s, expected %.*s",
			 STR_ARG(destination->path), STR_ARG(artifact_md5_write_hex(q->arena, md5)),
			 STR_ARG(artifact_md5_write_hex(q->arena, destination->md5)));
}

/* The draft was committed or deleted while the body came: the error says which. */
static err_t not_taken(struct request *q, const struct coming *coming)
{
	struct artifact *now;
	err_t e = artifact_draft_find(q, coming->destination.scope.project_id,
				      coming->draft->artifact_id, &now);

	return e ? e : artifact_draft_is_committed(q, now);
}

static err_t take(struct request *q, const void *arg, int lock_timeout_ms)
{
	struct artifact_upload *upload = *(struct artifact_upload *const *)arg;
	const struct coming *coming = content_put_what(q);
	const struct artifact_upload_new new = {
		.project_id = coming->destination.scope.project_id,
		.artifact_id = coming->draft->artifact_id,
		.path = upload->path,
		.blob = { .content = upload->content,
			  .md5 = upload->md5,
			  .size_bytes = upload->size_bytes,
			  .birth_id = upload->birth_id,
			  .came_at = q->now },
		.timeout_ms = (int)request_left_ms(q),
		.lock_timeout_ms = lock_timeout_ms,
	};
	bool is_draft;
	err_t e = blob_store_take_upload(q->db, &new, &is_draft, &upload->blob_id);

	return e || is_draft ? e : not_taken(q, coming);
}

err_t artifact_upload_end(struct request *q, struct artifact_upload *ret_upload)
{
	const struct content_sums *sums;
	const struct coming *coming;
	err_t e;

	if (q->sink->add == drop) {
		*ret_upload = ((struct drop_sink *)q->sink)->upload;
		return NULL;
	}
	coming = content_put_what(q);
	sums = content_put_sums(q);
	*ret_upload = (struct artifact_upload){
		.path = coming->destination.path,
		.md5 = { (const char *)sums->md5, CONTENT_MD5_SIZE },
		.content = { (const char *)sums->hash, CONTENT_HASH_SIZE },
		.size_bytes = sums->size_bytes,
		.birth_id = coming->draft->artifact_id,
	};
	e = check_md5(q, &coming->destination, ret_upload->md5);
	if (!e)
		e = content_put_end(q);
	if (!e)
		e = artifact_in_own_transaction(q, take, &ret_upload);
	content_put_release(q);
	if (!e)
		replica_tell_written(q, db_written(q->db));
	return e;
}
