/* Content that is stored already need not be sent: it is found by its MD5, where the caller may read it. */
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "artifact_draft.h"
#include "artifact_multipart.h"
#include "artifact_path.h"
#include "artifact_upload.h"
#include "artifact_url.h"
#include "auth.h"
#include "entry_store.h"
#include "file_store.h"
#include "id.h"

/* Content of other projects that one request takes over; more is sent again. */
enum { ELSEWHERE_MAX = 1000 }; /* contents of other projects that a request takes */

struct asking {
	const struct artifact *draft;
	const struct artifact_wanted *wanted;
	size_t count;
	struct str *md5s;
	struct artifact_told *told;
	struct artifact_upload *uploads; /* what is there, of the draft from now on */
	size_t upload_count;
	int64_t open_count; /* uploads in parts, of the draft */
};

/* ---- the request ------------------------------------------------------------------------------------- */

static err_t check_wanted(struct request *q, const struct artifact_wanted *wanted, size_t i)
{
	const char *field = arena_printf(q->arena, "files[%zu]", i);

	if (wanted->part_count < 0 || wanted->part_count > ARTIFACT_PARTS_MAX)
		return err_field(q->arena, ERR_INVALID, field, "a file has at most %d parts",
				 ARTIFACT_PARTS_MAX);
	return artifact_path_check(q->arena, field, wanted->path);
}

static err_t check_all(struct request *q, const struct artifact_wanted *wanted, size_t count)
{
	err_t e = NULL;

	if (count > ARTIFACT_FILES_MAX)
		return err_field(q->arena, ERR_INVALID, "files",
				 "a request can name %d files at most", ARTIFACT_FILES_MAX);
	for (size_t i = 0; i < count && !e; i++)
		e = check_wanted(q, &wanted[i], i);
	return e;
}

/* ---- content that is there ----------------------------------------------------------------------------- */

static int by_md5(const void *a, const void *b)
{
	return str_compare(((const struct artifact_blob *)a)->md5,
			   ((const struct artifact_blob *)b)->md5);
}

/* The blob with the MD5; NULL: there is none, or there are several, and only the bytes can tell which is meant. */
static const struct artifact_blob *only_blob(const struct artifact_blob *blobs, size_t count,
					     struct str md5)
{
	const struct artifact_blob like = { .md5 = md5 };
	const struct artifact_blob *blob =
		count ? bsearch(&like, blobs, count, sizeof(*blobs), by_md5) : NULL;

	if (!blob || (blob > blobs && !by_md5(blob - 1, blob)) ||
	    (blob + 1 < blobs + count && !by_md5(blob, blob + 1)))
		return NULL;
	return blob;
}

static void take(struct asking *ask, size_t i, const struct artifact_blob *blob)
{
	ask->uploads[ask->upload_count++] = (struct artifact_upload){
		.path = ask->wanted[i].path,
		.blob_id = blob->blob_id,
	};
	ask->told[i].birth_id = blob->birth_id;
}

static err_t take_from_project(struct request *q, struct asking *ask, struct str *missing,
			       size_t *ret_missing)
{
	const int64_t project_id = ask->draft->project_id;
	const timestamp_us until = { q->now.us + ARTIFACT_BLOB_HELD_US };
	struct artifact_blob *blobs;
	size_t blob_count;
	err_t e = blob_store_hold(q->db, project_id, ask->md5s, ask->count, until);

	if (!e)
		e = blob_store_find_md5(q->db, project_id, ask->md5s, ask->count, &blobs,
					&blob_count);
	*ret_missing = 0;
	for (size_t i = 0; i < ask->count && !e; i++) {
		const struct artifact_blob *blob = only_blob(blobs, blob_count, ask->md5s[i]);

		if (blob)
			take(ask, i, blob);
		else if (!blob_count || !bsearch(&(struct artifact_blob){ .md5 = ask->md5s[i] },
						 blobs, blob_count, sizeof(*blobs), by_md5))
			missing[(*ret_missing)++] = ask->md5s[i];
	}
	return e;
}

/* Content that exceeds a quota is asked for, so that the upload tells why. */
static err_t has_room(struct request *q, const struct artifact_blob *blobs, size_t count,
		      bool *ret_has_room)
{
	const struct quota_scope scope = quota_scope_of(q->target);
	int64_t bytes = 0;
	err_t e;

	for (size_t i = 0; i < count; i++)
		bytes += blobs[i].size_bytes;
	e = quota_room_check(q, &scope, bytes);
	*ret_has_room = !e;
	return e && e->kind == ERR_FORBIDDEN ? NULL : e;
}

/* Claimed first: the content is not removed before the blob names it. */
static err_t adopt(struct request *q, int64_t project_id, struct artifact_blob *blob)
{
	const struct file_content content = { blob->content, blob->size_bytes };
	err_t e = file_store_claim(q->db, &content, q->now);

	blob->came_at = q->now;
	return e ? e : blob_store_put(q->db, project_id, blob, &blob->blob_id);
}

static int by_blob(const void *a, const void *b)
{
	const struct artifact_blob *x = a;
	const struct artifact_blob *y = b;

	return (x->blob_id > y->blob_id) - (x->blob_id < y->blob_id);
}

/* Takes blobs whose MD5 is theirs alone, in the order in which rows are locked. It is the same in all projects: by content. */
static err_t adopt_all(struct request *q, const struct asking *ask, struct artifact_blob *blobs,
		       size_t count)
{
	struct artifact_blob *ordered = arena_new_array(q->arena, struct artifact_blob, count + 1);
	size_t taken = 0;
	err_t e = NULL;

	for (size_t i = 0; i < count; i++) {
		blobs[i].birth_id = ask->draft->artifact_id;
		if (only_blob(blobs, count, blobs[i].md5))
			ordered[taken++] = blobs[i];
	}
	if (taken)
		qsort(ordered, taken, sizeof(ordered[0]), by_blob);
	for (size_t i = 0; i < taken && !e; i++)
		e = adopt(q, ask->draft->project_id, &ordered[i]);
	return e;
}

static err_t take_from_elsewhere(struct request *q, struct asking *ask, const struct str *md5s,
				 size_t count)
{
	const struct blob_elsewhere_ask elsewhere = {
		.entity_id = q->target->entity_id,
		.project_id = ask->draft->project_id,
		.sees_private = q->target->sees_private,
		.md5s = md5s,
		.count = count < ELSEWHERE_MAX ? count : ELSEWHERE_MAX,
	};
	struct artifact_blob *blobs;
	size_t blob_count;
	bool fits = false;
	err_t e;

	if (!count)
		return NULL;
	e = blob_store_find_elsewhere(q->db, &elsewhere, &blobs, &blob_count);
	if (!e && blob_count)
		e = has_room(q, blobs, blob_count, &fits);
	if (e || !fits)
		return e;
	qsort(blobs, blob_count, sizeof(*blobs), by_md5);
	e = adopt_all(q, ask, blobs, blob_count);
	for (size_t i = 0; i < ask->count && !e; i++) {
		const struct artifact_blob *blob = only_blob(blobs, blob_count, ask->md5s[i]);

		if (blob && !ask->told[i].birth_id)
			take(ask, i, blob);
	}
	return e;
}

/* ---- files in parts ------------------------------------------------------------------------------------- */

/* A repeated request gets the upload that is open, with the parts that have come. */
static err_t open_multipart(struct request *q, struct asking *ask, size_t i)
{
	struct artifact_multipart made = {
		.project_id = ask->draft->project_id,
		.upload_id = (int64_t)id_snowflake(),
		.artifact_id = ask->draft->artifact_id,
		.path = ask->wanted[i].path,
		.md5 = ask->wanted[i].md5,
		.part_count = ask->wanted[i].part_count,
		.state = MULTIPART_COMES,
		.heard_at = q->now,
	};
	struct artifact_multipart *open;
	bool is_open;
	err_t e = blob_store_find_multipart_of(q->db, &made, &open);

	is_open = !e && open && open->state == MULTIPART_COMES;
	if (!e && !is_open)
		e = artifact_multipart_check_count(q, ask->open_count++);
	if (!e && !is_open)
		e = blob_store_make_multipart(q->db, &made);
	if (!e)
		ask->told[i].upload_id = is_open ? open->upload_id : made.upload_id;
	return e;
}

static err_t open_multiparts(struct request *q, struct asking *ask)
{
	bool is_counted = false;
	err_t e = NULL;

	for (size_t i = 0; i < ask->count && !e; i++) {
		if (!ask->wanted[i].part_count || ask->told[i].birth_id)
			continue;
		if (!is_counted)
			e = blob_store_count_multiparts(q->db, ask->draft->project_id,
							ask->draft->artifact_id, &ask->open_count);
		is_counted = true;
		if (!e)
			e = open_multipart(q, ask, i);
	}
	return e;
}

static int by_upload_path(const void *a, const void *b)
{
	return str_compare(((const struct artifact_upload *)a)->path,
			   ((const struct artifact_upload *)b)->path);
}

/* A path that is asked for twice is saved once. */
static err_t save_uploads(struct request *q, struct asking *ask)
{
	size_t count = 0;

	if (!ask->upload_count)
		return NULL;
	qsort(ask->uploads, ask->upload_count, sizeof(ask->uploads[0]), by_upload_path);
	for (size_t i = 0; i < ask->upload_count; i++) {
		if (!count || by_upload_path(&ask->uploads[count - 1], &ask->uploads[i]))
			ask->uploads[count++] = ask->uploads[i];
	}
	return blob_store_save_uploads(q->db, ask->draft->project_id, ask->draft->artifact_id,
				       ask->uploads, count, q->now);
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static err_t take_all(struct request *q, const void *arg)
{
	struct asking *ask = *(struct asking *const *)arg;
	struct str *missing = arena_new_array(q->arena, struct str, ask->count + 1);
	struct artifact *draft;
	size_t missing_count;
	err_t e = artifact_draft_hold(q, ask->draft->project_id, ask->draft->artifact_id, &draft);

	ask->upload_count = 0;
	memset(ask->told, 0, ask->count * sizeof(ask->told[0]));
	if (!e)
		e = take_from_project(q, ask, missing, &missing_count);
	if (!e)
		e = take_from_elsewhere(q, ask, missing, missing_count);
	if (!e)
		e = save_uploads(q, ask);
	return e ? e : open_multiparts(q, ask);
}

static err_t tell_part_urls(struct request *q, const struct asking *ask, struct artifact_told *told,
			    int32_t part_count)
{
	err_t e = NULL;

	told->part_count = part_count;
	told->part_urls = arena_new_array(q->arena, struct str, (size_t)part_count);
	for (int32_t i = 0; i < part_count && !e; i++) {
		const struct artifact_url url = {
			.use = SIGNED_PART_WRITE,
			.project_id = ask->draft->project_id,
			.number = told->upload_id,
			.part = i + 1,
		};

		e = artifact_url(q, &url, &told->part_urls[i]);
	}
	return e;
}

static err_t tell(struct request *q, const struct asking *ask, size_t i)
{
	struct artifact_told *told = &ask->told[i];
	struct artifact_url url = {
		.use = SIGNED_ARTIFACT_WRITE,
		.project_id = ask->draft->project_id,
		.md5 = ask->wanted[i].md5,
		.path = ask->wanted[i].path,
	};
	bool is_there = told->birth_id != 0;
	err_t e;

	if (!is_there)
		told->birth_id = ask->draft->artifact_id;
	url.number = told->birth_id;
	told->storage_path = artifact_url_storage_path(q->arena, &url);
	told->url = (struct str){ NULL, 0 };
	if (is_there)
		return NULL;
	e = artifact_url(q, &url, &told->url);
	return e || !told->upload_id ? e : tell_part_urls(q, ask, told, ask->wanted[i].part_count);
}

static int by_path(const void *path, const void *entry)
{
	return str_compare(*(const struct str *)path, ((const struct artifact_entry *)entry)->path);
}

/* The draft was committed since: it must have this content under each path. */
static err_t find_committed(struct request *q, const struct asking *ask)
{
	struct str *paths = arena_new_array(q->arena, struct str, ask->count + 1);
	struct artifact_entry *entries;
	size_t count;
	err_t e;

	for (size_t i = 0; i < ask->count; i++)
		paths[i] = ask->wanted[i].path;
	e = entry_store_find_named(q->db, ask->draft->project_id, ask->draft->manifest_id, paths,
				   ask->count, &entries, &count);
	for (size_t i = 0; i < ask->count && !e; i++) {
		const struct artifact_entry *entry =
			count ? bsearch(&paths[i], entries, count, sizeof(*entries), by_path)
			      : NULL;

		if (!entry || !str_equal(entry->md5, ask->md5s[i]))
			return artifact_draft_is_committed(q, ask->draft);
		ask->told[i].birth_id = entry->birth_id;
	}
	return e;
}

err_t artifact_upload_ask(struct request *q, const struct artifact *draft,
			  const struct artifact_wanted *wanted, size_t count,
			  struct artifact_told **ret_told)
{
	struct asking *ask = arena_new_of(q->arena, struct asking);
	err_t e = check_all(q, wanted, count);

	if (!e && draft->state == ARTIFACT_DELETED)
		e = err_new(q->arena, ERR_GONE, "the draft was deleted");
	if (e)
		return e;
	*ask = (struct asking){
		.draft = draft,
		.wanted = wanted,
		.count = count,
		.md5s = arena_new_array(q->arena, struct str, count + 1),
		.told = arena_new_array(q->arena, struct artifact_told, count + 1),
		.uploads = arena_new_array(q->arena, struct artifact_upload, count + 1),
	};
	for (size_t i = 0; i < count; i++)
		ask->md5s[i] = wanted[i].md5;
	e = draft->state == ARTIFACT_COMMITTED ? find_committed(q, ask)
					       : artifact_in_transaction(q, take_all, &ask);
	if (!e)
		e = artifact_draft_keep(q, draft);
	for (size_t i = 0; i < count && !e; i++)
		e = tell(q, ask, i);
	if (!e)
		*ret_told = ask->told;
	return e;
}
