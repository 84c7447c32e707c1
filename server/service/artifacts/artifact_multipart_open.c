/* Files in parts of a client that names its draft, and goes on with the parts that came before it broke off. */
#include "artifact_multipart.h"

#include "artifact_draft.h"
#include "artifact_path.h"
#include "artifact_target.h"
#include "id.h"

enum { PARTS_AT_ONCE = 1000 };

struct opening {
	struct artifact_multipart made; /* unless there is one */
	struct artifact_multipart *found;
};

static err_t find_or_make(struct request *q, const void *arg)
{
	struct opening *opening = *(struct opening *const *)arg;
	struct artifact_multipart *made = &opening->made;
	struct artifact *draft;
	int64_t open = 0;
	err_t e = artifact_draft_hold(q, made->project_id, made->artifact_id, &draft);

	if (!e)
		e = blob_store_find_multipart_like(q->db, made, &opening->found);
	if (e || opening->found)
		return e;
	e = blob_store_count_multiparts(q->db, made->project_id, made->artifact_id, &open);
	if (!e)
		e = artifact_multipart_check_count(q, open);
	if (e)
		return e;
	made->upload_id = (int64_t)id_snowflake();
	made->heard_at = q->now;
	opening->found = made;
	return blob_store_make_multipart(q->db, made);
}

static err_t list_parts(struct request *q, struct artifact_multipart_parts *open)
{
	const struct artifact_multipart *u = open->upload;
	struct artifact_part *page;
	int32_t after = 0;
	size_t count;
	err_t e;

	open->parts = arena_new_array(q->arena, struct artifact_part, (size_t)u->part_count + 1);
	open->count = 0;
	do {
		e = blob_store_list_parts(q->db, u->project_id, u->upload_id, after, PARTS_AT_ONCE,
					  &page, &count);
		for (size_t i = 0; i < count && !e; i++) {
			if (open->count < (size_t)u->part_count)
				open->parts[open->count++] = page[i];
			after = page[i].part;
		}
	} while (!e && count == PARTS_AT_ONCE);
	return e;
}

err_t artifact_multipart_open(struct request *q, const struct artifact *draft,
			      const struct artifact_wanted *wanted,
			      struct artifact_multipart_parts *ret_open)
{
	struct opening *opening = arena_new_of(q->arena, struct opening);
	err_t e = artifact_path_check(q->arena, "path", wanted->path);

	if (e)
		return e;
	opening->made = (struct artifact_multipart){
		.project_id = draft->project_id,
		.artifact_id = draft->artifact_id,
		.path = wanted->path,
		.md5 = wanted->md5,
		.part_count = wanted->part_count,
		.state = MULTIPART_COMES,
	};
	e = artifact_in_transaction(q, find_or_make, &opening);
	if (!e)
		e = artifact_draft_keep(q, draft);
	if (e)
		return e;
	ret_open->upload = opening->found;
	return list_parts(q, ret_open);
}

/* The content is in the project since: it is found by its MD5. */
static err_t take(struct request *q, const struct artifact *draft,
		  const struct artifact_wanted *file)
{
	struct artifact_told *told;
	err_t e = artifact_upload_ask(q, draft, file, 1, &told);

	if (!e && told->url.at)
		e = err_new(q->arena, ERR_CONFLICT, "the content of \"%.*s\" must be sent again",
			    STR_ARG(file->path));
	return e;
}

err_t artifact_multipart_finish(struct request *q, const struct artifact *draft, int64_t upload_id,
				struct artifact_wanted *ret_file)
{
	struct artifact_multipart *upload;
	struct str md5;
	err_t e = blob_store_find_multipart(q->db, draft->project_id, upload_id, &upload);

	if (!e && !upload)
		e = err_new(q->arena, ERR_GONE, "the upload was given up");
	if (!e)
		e = artifact_multipart_complete(q, upload_id, NULL, 0, &md5);
	if (e)
		return e;
	*ret_file = (struct artifact_wanted){ .path = upload->path, .md5 = upload->md5 };
	if (upload->artifact_id == draft->artifact_id)
		return artifact_draft_keep(q, draft);
	return take(q, draft, ret_file);
}
