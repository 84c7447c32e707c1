/* Content of artifacts by signed links: files, and manifests as the SDK reads and writes them. */
#include "artifact_storage_api.h"

#include "artifact_draft.h"
#include "artifact_multipart.h"
#include "artifact_upload.h"
#include "artifact_url.h"
#include "content_send.h"
#include "entry_store.h"
#include "manifest_send.h"
#include "manifest_stage.h"
#include "reply.h"

static struct quota_scope scope_of(const struct artifact_owner *owner)
{
	return (struct quota_scope){ owner->entity_id, owner->project_id, owner->entity,
				     owner->project };
}

/* ---- files ---------------------------------------------------------------------------------------------- */

/* A link works no longer than a version has what it was made from. It is given only to users who see that version. */
err_t artifact_storage_api_show(struct request *q)
{
	struct artifact_entry *entry;
	struct artifact_owner *owner;
	struct sent_content content;
	struct artifact_url url;
	err_t e = artifact_url_read(q, SIGNED_ARTIFACT_READ, &url, &owner);

	if (!e)
		e = entry_store_find_content(q->db,
					     &(struct entry_content_ask){
						     .project_id = url.project_id,
						     .md5 = url.md5,
						     .birth_id = url.number,
						     .name = url.path,
						     .sees = ARTIFACT_SEES_PRIVATE,
					     },
					     &entry);
	if (e)
		return e;
	if (!entry)
		return err_new(q->arena, ERR_NOT_FOUND, "no version has the file \"%.*s\"",
			       STR_ARG(url.path));
	content = (struct sent_content){ entry->content, entry->size_bytes, url.path };
	return content_send(q, &content, FILE_USE_SAVED);
}

err_t artifact_storage_api_put_begin(struct request *q)
{
	struct artifact_destination destination;
	struct artifact_owner *owner;
	struct artifact_url url;
	struct artifact *draft;
	err_t e = artifact_url_read(q, SIGNED_ARTIFACT_WRITE, &url, &owner);

	if (!e)
		e = artifact_draft_find(q, owner->project_id, url.number, &draft);
	if (e)
		return e;
	destination = (struct artifact_destination){
		.scope = scope_of(owner),
		.path = url.path,
		.md5 = url.md5,
	};
	return artifact_upload_begin(q, draft, &destination);
}

/* The link was checked before the body came: it may expire on the way, the right it was made from may not. */
err_t artifact_storage_api_put(struct request *q)
{
	struct artifact_upload upload;
	err_t e = artifact_url_still(q, SIGNED_ARTIFACT_WRITE);

	return e ? e : artifact_upload_end(q, &upload);
}

/* ---- manifests -------------------------------------------------------------------------------------------- */

err_t artifact_storage_api_show_manifest(struct request *q)
{
	struct artifact_manifest *manifest;
	struct artifact_owner *owner;
	struct artifact *artifact;
	struct artifact_url url;
	err_t e = artifact_url_read(q, SIGNED_MANIFEST_READ, &url, &owner);

	if (!e)
		e = entry_store_find_manifest(q->db, url.project_id, url.number, &manifest);
	if (!e && !manifest)
		return err_new(q->arena, ERR_GONE, "the version of this manifest was deleted");
	if (!e)
		e = artifact_store_find(q->db, url.project_id, manifest->artifact_id, &artifact);
	if (e)
		return e;
	if (!artifact || artifact->state == ARTIFACT_DELETED)
		return err_new(q->arena, ERR_GONE, "the version of this manifest was deleted");
	return manifest_send(q, manifest, MANIFEST_WANDB);
}

err_t artifact_storage_api_put_manifest_begin(struct request *q)
{
	struct manifest_destination destination;
	struct artifact_owner *owner;
	struct artifact_url url;
	err_t e = artifact_url_read(q, SIGNED_MANIFEST_WRITE, &url, &owner);

	if (e)
		return e;
	destination = (struct manifest_destination){ scope_of(owner), url.number };
	return manifest_stage_begin(q, &destination);
}

err_t artifact_storage_api_put_manifest(struct request *q)
{
	err_t e = artifact_url_still(q, SIGNED_MANIFEST_WRITE);

	return e ? e : manifest_stage_end(q);
}

/* ---- parts of files ------------------------------------------------------------------------------------------ */

err_t artifact_storage_api_put_part_begin(struct request *q)
{
	struct part_destination destination;
	struct artifact_owner *owner;
	struct artifact_url url;
	err_t e = artifact_url_read(q, SIGNED_PART_WRITE, &url, &owner);

	if (e)
		return e;
	destination = (struct part_destination){ scope_of(owner), url.number, url.part };
	return artifact_part_begin(q, &destination);
}

/* The client names the part by its ETag when it completes the file. */
err_t artifact_storage_api_put_part(struct request *q)
{
	const char *etag;
	err_t e = artifact_url_still(q, SIGNED_PART_WRITE);

	if (!e)
		e = artifact_part_end(q, &etag);
	if (e)
		return e;
	reply_header(q, "ETag", etag);
	reply_status(q, 204);
	return NULL;
}
