#ifndef ARTIFACT_URL_H
#define ARTIFACT_URL_H

#include "artifact_store.h"
#include "request.h"
#include "signed_url.h"

/*
 * Signed URLs of artifacts' content, absolute (signed_link.h):
 *
 *	files      {base}/storage/wandb_artifacts/{project}/{artifact}/{md5 in hex}/{path}?…
 *	manifests  {base}/storage/manifests/{project}/{manifest}/wandb_manifest.json?…
 *	parts      {base}/storage/parts/{project}/{upload}/{part}?…
 *
 * {project} is its number. To read a file, {artifact} is the one that sent the content first (birth_id), which may be deleted;
 * to write it, the draft. The SDK requires that URLs of files contain their storage path, and that those of manifests do not
 * contain "wandb_artifacts/".
 */
struct artifact_url {
	enum signed_use use; /* SIGNED_ARTIFACT_READ and those after it */
	int64_t project_id;
	int64_t number;  /* of the artifact, the manifest or the upload */
	struct str md5;  /* of a file: 16 bytes */
	struct str path; /* of a file */
	int32_t part;    /* of an upload */
};

/* Makes URLs for q->identity, by q->now if the route has it, otherwise by the database's clock. */
err_t artifact_url(struct request *q, const struct artifact_url *url, struct str *ret_url)
	__attribute__((warn_unused_result));
/* "wandb_artifacts/{project}/{artifact}/{md5}": the file's storagePath. */
struct str artifact_url_storage_path(struct arena *a, const struct artifact_url *url);
/* The project, artifact and MD5 of a storagePath; false: it is not one. */
bool artifact_url_read_storage_path(struct arena *a, struct str text, struct artifact_url *ret_url);

/*
 * Checks the URL of the request and finds the owner of its project; the right of its user is looked up each time. ERR_FORBIDDEN
 * as file_link_read(). ERR_GONE: the project is deleted. The route has ROUTE_NOW and SIGNED_LINK_QUERY.
 */
err_t artifact_url_read(struct request *q, enum signed_use use, struct artifact_url *ret_url,
			struct artifact_owner **ret_owner) __attribute__((warn_unused_result));
/* Checks the right again after the body arrived; the URL may have expired by then. */
err_t artifact_url_still(struct request *q, enum signed_use use)
	__attribute__((warn_unused_result));

#endif
