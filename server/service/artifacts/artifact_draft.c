#include "artifact_draft.h"

/* Requests of one draft come at the same time, and do not wait for each other to say so. */
#define KEEP_EVERY_US (INT64_C(3600) * 1000000)

err_t artifact_draft_keep(struct request *q, const struct artifact *draft)
{
	bool is_draft;

	if (draft->state != ARTIFACT_PENDING || q->now.us - draft->heard_at.us < KEEP_EVERY_US)
		return NULL;
	return artifact_store_hear(q->db, draft, q->now, &is_draft);
}

err_t artifact_draft_is_committed(struct request *q, const struct artifact *artifact)
{
	return err_hint(q->arena,
			err_new(q->arena, ERR_CONFLICT, "\"%.*s:v%d\" is committed",
				STR_ARG(artifact->collection), (int)artifact->version),
			"log a new version: the files of a version do not change");
}

static err_t check_there(struct request *q, const struct artifact *draft)
{
	if (!draft)
		return err_new(q->arena, ERR_NOT_FOUND, "the draft does not exist");
	if (draft->state == ARTIFACT_DELETED)
		return err_new(q->arena, ERR_GONE, "the draft was deleted");
	return NULL;
}

err_t artifact_draft_find(struct request *q, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_draft)
{
	err_t e = artifact_store_find(q->db, project_id, artifact_id, ret_draft);

	if (!e)
		e = check_there(q, *ret_draft);
	return e ? e : artifact_draft_keep(q, *ret_draft);
}

err_t artifact_draft_hold(struct request *q, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_draft)
{
	err_t e = artifact_store_hold(q->db, project_id, artifact_id, ret_draft);

	if (!e)
		e = check_there(q, *ret_draft);
	if (!e && (*ret_draft)->state != ARTIFACT_PENDING)
		e = artifact_draft_is_committed(q, *ret_draft);
	return e;
}
