#include "artifact_multipart.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "artifact_digest.h"
#include "artifact_draft.h"
#include "artifact_target.h"
#include "auth.h"
#include "blob_store.h"
#include "content.h"
#include "content_put.h"
#include "file_store.h"
#include "replica.h"
#include "server_store.h"
#include "upload_room.h"

enum { READ_BYTES = 1 << 20, PARTS_AT_ONCE = 1000, JOIN_TIME_MS = 60000 };
/* A server that joins says so this often; after the second time it is taken for dead. */
#define HEARD_EVERY_US (INT64_C(30) * 1000000)
#define DEAD_AFTER_US (INT64_C(300) * 1000000)

err_t artifact_multipart_check_count(struct request *q, int64_t open)
{
	if (open < ARTIFACT_OPEN_UPLOADS_MAX)
		return NULL;
	return err_hint(q->arena,
			err_new(q->arena, ERR_UNPROCESSABLE,
				"%d files of the draft are being uploaded in parts already",
				ARTIFACT_OPEN_UPLOADS_MAX),
			"complete or abort some of them first");
}

static err_t find(struct request *q, int64_t project_id, int64_t upload_id,
		  struct artifact_multipart **ret_upload)
{
	err_t e = blob_store_find_multipart(q->db, project_id, upload_id, ret_upload);

	if (!e && !*ret_upload)
		return err_new(q->arena, ERR_GONE, "the upload was given up");
	return e;
}

static err_t find_coming(struct request *q, int64_t project_id, int64_t upload_id,
			 struct artifact_multipart **ret_upload)
{
	err_t e = find(q, project_id, upload_id, ret_upload);

	if (!e && (*ret_upload)->state != MULTIPART_COMES)
		return err_new(q->arena, ERR_CONFLICT, "the upload is complete");
	return e;
}

/* ---- a part --------------------------------------------------------------------------------------------- */

err_t artifact_part_begin(struct request *q, const struct part_destination *destination)
{
	struct part_destination *kept = arena_new_of(q->arena, struct part_destination);
	struct artifact_multipart *upload;
	struct artifact *draft;
	err_t e = find_coming(q, destination->scope.project_id, destination->upload_id, &upload);

	if (!e && destination->part > upload->part_count)
		return err_field(q->arena, ERR_INVALID, "part", "the upload has %d parts",
				 (int)upload->part_count);
	if (!e)
		e = artifact_draft_find(q, upload->project_id, upload->artifact_id, &draft);
	if (e)
		return e;
	*kept = *destination;
	return content_put_begin(q, &kept->scope, kept);
}

/* An upload that is completed meanwhile does not get the part: its row is locked, and read again. */
static err_t record_locked(struct request *q, timestamp_us now)
{
	const struct part_destination *destination = content_put_what(q);
	const int64_t project_id = destination->scope.project_id;
	const struct content_sums *sums = content_put_sums(q);
	const struct artifact_part part = {
		.part = destination->part,
		.content = { (const char *)sums->hash, CONTENT_HASH_SIZE },
		.md5 = { (const char *)sums->md5, CONTENT_MD5_SIZE },
		.size_bytes = sums->size_bytes,
	};
	struct artifact_multipart *upload;
	err_t e = blob_store_put_part(q->db, project_id, destination->upload_id, &part, now);

	return e ? e : find_coming(q, project_id, destination->upload_id, &upload);
}

static err_t record(struct request *q)
{
	timestamp_us now;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &now);

	if (!e)
		e = record_locked(q, now);
	if (!e)
		return db_commit(q->db);
	db_rollback(q->db);
	return e;
}

err_t artifact_part_end(struct request *q, const char **ret_etag)
{
	const struct content_sums *sums = content_put_sums(q);
	const struct str md5 = { (const char *)sums->md5, CONTENT_MD5_SIZE };
	err_t e = content_put_end(q);

	if (!e)
		e = record(q);
	content_put_release(q);
	if (e)
		return e;
	replica_tell_written(q, db_written(q->db));
	*ret_etag =
		arena_printf(q->arena, "\"%.*s\"", STR_ARG(artifact_md5_write_hex(q->arena, md5)));
	return NULL;
}

/* ---- the parts of an upload -------------------------------------------------------------------------------- */

struct joining {
	struct request *q;
	const char *field; /* of the request that names the parts */
	struct artifact_multipart upload;
	struct artifact_part *parts;
	int64_t size_bytes;
	struct arena *reading; /* of one part */
	char *bytes;
	struct content_coming *coming;
	struct content_sums sums;
	int64_t heard_us; /* monotonic */
};

static err_t list_parts(struct joining *j)
{
	const struct artifact_multipart *u = &j->upload;
	size_t got = 0;
	err_t e = NULL;

	j->parts = arena_new_array(j->q->arena, struct artifact_part, (size_t)u->part_count);
	while (!e && got < (size_t)u->part_count) {
		struct artifact_part *page;
		size_t count;

		e = blob_store_list_parts(j->q->db, u->project_id, u->upload_id, (int32_t)got,
					  PARTS_AT_ONCE, &page, &count);
		for (size_t i = 0; i < count && !e; i++) {
			if (page[i].part != (int32_t)got + 1)
				count = 0;
			else
				j->parts[got++] = page[i];
		}
		if (!e && !count)
			return err_field(j->q->arena, ERR_UNPROCESSABLE, j->field,
					 "part %zu of \"%.*s\" was not sent", got + 1,
					 STR_ARG(u->path));
	}
	for (size_t i = 0; i < got && !e; i++)
		j->size_bytes += j->parts[i].size_bytes;
	return e;
}

static bool is_of(struct str etag, const struct artifact_part *part)
{
	unsigned char md5[ARTIFACT_MD5_SIZE];

	if (etag.len >= 2 && etag.at[0] == '"' && etag.at[etag.len - 1] == '"')
		etag = (struct str){ etag.at + 1, etag.len - 2 };
	return artifact_md5_read_hex(etag, md5) &&
	       str_equal(part->md5, (struct str){ (const char *)md5, sizeof(md5) });
}

static err_t check_sent(struct joining *j, const struct sent_part *sent, size_t count)
{
	struct arena *a = j->q->arena;

	if (count != (size_t)j->upload.part_count)
		return err_field(a, ERR_INVALID, "completedParts",
				 "the upload has %d parts, not %zu", (int)j->upload.part_count,
				 count);
	for (size_t i = 0; i < count; i++) {
		if (sent[i].part != (int64_t)i + 1)
			return err_field(a, ERR_INVALID, "completedParts",
					 "expected the parts in order, each one once");
		if (!is_of(sent[i].etag, &j->parts[i]))
			return err_field(a, ERR_INVALID, "completedParts",
					 "the ETag of part %zu differs from that of the part "
					 "that was received",
					 i + 1);
	}
	return NULL;
}

/* ---- joining: the state of the upload is the lock ----------------------------------------------------------- */

static err_t save_state(struct joining *j, enum multipart_state from, enum multipart_state to,
			bool *ret_saved)
{
	err_t e = server_store_now(j->q->db, &j->upload.heard_at);

	j->upload.state = (int16_t)to;
	j->heard_us = clock_mono_us();
	return e ? e : blob_store_save_multipart(j->q->db, &j->upload, from, ret_saved);
}

/* Another request joins it, unless its server died. */
static err_t begin_join(struct joining *j)
{
	enum multipart_state from = (enum multipart_state)j->upload.state;
	timestamp_us now;
	bool saved = false;
	err_t e = server_store_now(j->q->db, &now);

	if (!e && (from == MULTIPART_COMES || now.us - j->upload.heard_at.us > DEAD_AFTER_US))
		e = save_state(j, from, MULTIPART_JOINS, &saved);
	if (!e && !saved)
		return err_new(j->q->arena, ERR_BUSY, "the parts of \"%.*s\" are being joined",
			       STR_ARG(j->upload.path));
	return e;
}

/* A large file takes longer than requests usually may. */
static err_t go_on(struct joining *j)
{
	int64_t now_us = clock_mono_us();
	bool saved;
	err_t e = NULL;

	j->q->deadline_us = now_us + JOIN_TIME_MS * INT64_C(1000);
	db_set_deadline(j->q->db, j->q->deadline_us);
	if (now_us - j->heard_us > HEARD_EVERY_US) {
		e = save_state(j, MULTIPART_JOINS, MULTIPART_JOINS, &saved);
		if (!e && !saved)
			e = err_new(j->q->arena, ERR_GONE, "the upload was given up");
	}
	return e;
}

static err_t copy_part(struct joining *j, const struct artifact_part *part)
{
	struct content_reader *reader;
	int64_t offset = 0;
	size_t count;
	err_t e = content_open(j->q->app->content, j->reading, part->content, &reader);

	do {
		if (!e)
			e = content_read(reader, offset, j->bytes, READ_BYTES, &count);
		if (!e)
			e = content_add(j->coming, (struct str){ j->bytes, count });
		if (!e)
			e = go_on(j);
		if (e)
			return err_copy(j->q->arena, e);
		offset += (int64_t)count;
	} while (count == READ_BYTES);
	arena_reset(j->reading);
	return NULL;
}

static err_t copy_parts(struct joining *j)
{
	struct content_store *store = j->q->app->content;
	err_t e = content_has_room(store, j->q->arena, j->size_bytes);

	if (!e)
		e = content_begin(store, j->q->arena, &j->coming);
	for (int32_t i = 0; i < j->upload.part_count && !e; i++)
		e = copy_part(j, &j->parts[i]);
	if (!e)
		e = content_end(j->coming, &j->sums);
	return e;
}

static err_t check_md5(const struct joining *j)
{
	const struct str md5 = { (const char *)j->sums.md5, CONTENT_MD5_SIZE };

	if (str_equal(md5, j->upload.md5))
		return NULL;
	return err_field(j->q->arena, ERR_INVALID, "md5",
			 "\"%.*s\" has the MD5 %.*s, expected %.*s", STR_ARG(j->upload.path),
			 STR_ARG(artifact_md5_write_hex(j->q->arena, md5)),
			 STR_ARG(artifact_md5_write_hex(j->q->arena, j->upload.md5)));
}

static err_t keep(struct joining *j)
{
	const struct file_content content = {
		.content = { (const char *)j->sums.hash, CONTENT_HASH_SIZE },
		.size_bytes = j->sums.size_bytes,
	};
	timestamp_us now;
	err_t e = server_store_now(j->q->db, &now);

	if (!e)
		e = file_store_claim(j->q->db, &content, now);
	return e ? e : content_keep(j->coming);
}

static err_t record_joined(struct request *q, const void *arg)
{
	struct joining *j = *(struct joining *const *)arg;
	const struct artifact_blob blob = {
		.content = { (const char *)j->sums.hash, CONTENT_HASH_SIZE },
		.md5 = { (const char *)j->sums.md5, CONTENT_MD5_SIZE },
		.size_bytes = j->sums.size_bytes,
		.birth_id = j->upload.artifact_id,
		.came_at = q->now,
	};
	struct artifact_upload made = { .path = j->upload.path };
	struct artifact_multipart joined = j->upload;
	struct artifact *draft;
	bool saved = false;
	err_t e = artifact_draft_hold(q, j->upload.project_id, j->upload.artifact_id, &draft);

	if (!e)
		e = blob_store_put(q->db, j->upload.project_id, &blob, &made.blob_id);
	if (!e)
		e = blob_store_save_uploads(q->db, j->upload.project_id, j->upload.artifact_id,
					    &made, 1, q->now);
	joined.blob_id = made.blob_id;
	joined.heard_at = q->now;
	joined.state = MULTIPART_JOINED;
	if (!e)
		e = blob_store_save_multipart(q->db, &joined, MULTIPART_JOINS, &saved);
	if (!e && !saved)
		e = err_new(q->arena, ERR_GONE, "the upload was given up");
	return e;
}

static err_t purge_parts(struct request *q, const void *arg)
{
	const struct joining *j = *(struct joining *const *)arg;
	bool more = true;
	err_t e = NULL;

	while (!e && more)
		e = blob_store_purge_parts(q->db, j->upload.project_id, j->upload.upload_id,
					   PARTS_AT_ONCE, q->now, &more);
	return e;
}

/* The parts have counted in the quotas since they came. */
static err_t join(struct joining *j)
{
	err_t e = copy_parts(j);

	if (!e)
		e = check_md5(j);
	if (!e)
		e = keep(j);
	return e ? e : artifact_in_transaction(j->q, record_joined, &j);
}

static void free_arena(void *p)
{
	arena_free(p);
}

static err_t join_all(struct joining *j)
{
	bool saved;
	err_t e = begin_join(j);

	if (e)
		return e;
	j->bytes = arena_alloc(j->q->arena, READ_BYTES);
	j->reading = arena_new_beside(j->q->arena, 4096);
	arena_defer(j->q->arena, free_arena, j->reading);
	e = join(j);
	if (e) {
		err_t again = save_state(j, MULTIPART_JOINS, MULTIPART_COMES, &saved);

		(void)again; /* then it is taken over later */
		return e;
	}
	return artifact_in_transaction(j->q, purge_parts, &j);
}

/* Other requests find a worker, however many large files are complete at once. */
static err_t join_in_turn(struct joining *j)
{
	struct app *app = j->q->app;
	const size_t limit = ((size_t)app->config->workers + 3) / 4;
	err_t e;

	if (!upload_room_begin_join(app->upload_room, limit))
		return err_new(j->q->arena, ERR_BUSY, "too many large files are being joined");
	e = join_all(j);
	upload_room_end_join(app->upload_room);
	return e;
}

err_t artifact_multipart_complete(struct request *q, int64_t upload_id,
				  const struct sent_part *parts, size_t count, struct str *ret_md5)
{
	struct joining *j = arena_new_of(q->arena, struct joining);
	struct artifact_multipart *upload;
	err_t e = find(q, q->target->project_id, upload_id, &upload);

	if (e)
		return e;
	j->q = q;
	j->field = parts ? "completedParts" : "parts";
	j->upload = *upload;
	*ret_md5 = upload->md5;
	if (upload->state == MULTIPART_JOINED)
		return NULL;
	e = list_parts(j);
	if (!e && parts)
		e = check_sent(j, parts, count);
	return e ? e : join_in_turn(j);
}

/* ---- giving up ------------------------------------------------------------------------------------------------ */

static err_t give_up(struct request *q, const void *arg)
{
	const struct artifact_multipart *upload = arg;
	bool more = true;
	err_t e = NULL;

	while (!e && more)
		e = blob_store_purge_multipart(q->db, upload->project_id, upload->upload_id,
					       PARTS_AT_ONCE, q->now, &more);
	return e;
}

err_t artifact_multipart_abort(struct request *q, int64_t upload_id)
{
	struct artifact_multipart *upload;
	err_t e = blob_store_find_multipart(q->db, q->target->project_id, upload_id, &upload);

	if (e || !upload)
		return e;
	if (upload->state != MULTIPART_COMES)
		return err_new(q->arena, ERR_CONFLICT, "the upload is complete");
	return artifact_in_transaction(q, give_up, upload);
}
