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

err_t artifact_upload_begin(struct request *q, const struct artifact_destination *destination)
{
	struct artifact_destination *kept = arena_new_of(q->arena, struct artifact_destination);
	struct artifact *draft;
	err_t e = artifact_path_check(q->arena, "path", destination->path);

	if (!e)
		e = artifact_draft_find(q, destination->scope.project_id, destination->artifact_id,
					&draft);
	if (e)
		return e;
	if (draft->state == ARTIFACT_COMMITTED)
		return begin_drop(q, draft, destination);
	*kept = *destination;
	return content_put_begin(q, &kept->scope, kept);
}

static err_t check_md5(struct request *q, const struct artifact_destination *destination)
{
	struct str md5 = { (const char *)content_put_sums(q)->md5, CONTENT_MD5_SIZE };

	if (!destination->md5.len || str_equal(md5, destination->md5))
		return NULL;
	return err_field(q->arena, ERR_INVALID, "md5", "\"%.*s\" has the MD5 %.*s, expected %.*s",
			 STR_ARG(destination->path), STR_ARG(artifact_md5_write_hex(q->arena, md5)),
			 STR_ARG(artifact_md5_write_hex(q->arena, destination->md5)));
}

static err_t record(struct request *q, const void *arg)
{
	struct artifact_upload *upload = *(struct artifact_upload *const *)arg;
	const struct artifact_destination *destination = content_put_what(q);
	const int64_t project_id = destination->scope.project_id;
	const struct content_sums *sums = content_put_sums(q);
	const struct artifact_blob blob = {
		.content = { (const char *)sums->hash, CONTENT_HASH_SIZE },
		.md5 = { (const char *)sums->md5, CONTENT_MD5_SIZE },
		.size_bytes = sums->size_bytes,
		.birth_id = destination->artifact_id,
		.came_at = q->now,
	};
	struct artifact *draft;
	err_t e = artifact_draft_hold(q, project_id, destination->artifact_id, &draft);

	*upload = (struct artifact_upload){
		.path = destination->path,
		.md5 = blob.md5,
		.content = blob.content,
		.size_bytes = blob.size_bytes,
		.birth_id = blob.birth_id,
	};
	if (!e)
		e = blob_store_put(q->db, project_id, &blob, &upload->blob_id);
	return e ? e
		 : blob_store_save_uploads(q->db, project_id, destination->artifact_id, upload, 1,
					   q->now);
}

err_t artifact_upload_end(struct request *q, struct artifact_upload *ret_upload)
{
	err_t e;

	if (q->sink->add == drop) {
		*ret_upload = ((struct drop_sink *)q->sink)->upload;
		return NULL;
	}
	e = check_md5(q, content_put_what(q));
	if (!e)
		e = content_put_end(q);
	if (!e)
		e = artifact_in_transaction(q, record, &ret_upload);
	content_put_release(q);
	if (!e)
		replica_tell_written(q, db_written(q->db));
	return e;
}
