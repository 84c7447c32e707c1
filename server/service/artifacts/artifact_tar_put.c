/*
 * A disk thread writes the files, and has no database. So content is kept before it is claimed, and may be removed in between:
 * that is looked for after the claim, and the client is asked to try again. It is rare, for only content that was there before,
 * and lost its last name an hour ago, is removed.
 */
#include <stdlib.h>

#include "app.h"
#include "artifact_draft.h"
#include "artifact_path.h"
#include "artifact_tar.h"
#include "artifact_target.h"
#include "blob_store.h"
#include "content.h"
#include "file_store.h"
#include "quota_claim.h"
#include "replica.h"
#include "tar_read.h"
#include "upload.h"
#include "upload_room.h"

/* Files that wait to be made durable together. */
enum { WAITING_MAX = 256 };
#define WAITING_MAX_BYTES (INT64_C(64) << 20)

struct member {
	struct str path;
	size_t number;
	struct content_sums sums;
};

struct tar_sink {
	struct upload_sink sink; /* first */
	struct artifact_tar_destination destination;
	struct request *q;
	struct tar_read *tar;
	struct quota_claim *claim;
	int64_t came_bytes;

	struct member *members;
	size_t count;
	size_t size;
	struct arena *member;                        /* of `waiting` */
	struct content_coming *waiting[WAITING_MAX]; /* the last one may be coming still */
	size_t waiting_count;
	int64_t waiting_bytes;
	size_t taken; /* of the open files that uploads may hold */
};

/* ---- while it comes, on a disk thread ------------------------------------------------------------------- */

/* "./a", as "tar c ." writes it, is "a". */
static struct str plain(struct str name)
{
	while (str_starts(name, "./")) {
		name.at += 2;
		name.len -= 2;
	}
	return name;
}

static err_t begin_member(void *state, struct str name, int64_t size)
{
	struct tar_sink *s = state;
	struct str path = plain(name);
	err_t e = artifact_path_check(s->q->arena, "path", path);

	(void)size;
	if (!e && s->count == ARTIFACT_TAR_FILES_MAX)
		return err_new(s->q->arena, ERR_UNPROCESSABLE, "a tar has at most %d files",
			       ARTIFACT_TAR_FILES_MAX);
	if (e)
		return e;
	if (s->count == s->size)
		s->members = arena_grow(s->q->arena, s->members, &s->size, sizeof(struct member));
	s->members[s->count] = (struct member){
		.path = { arena_copy(s->q->arena, path.at, path.len), path.len },
		.number = s->count,
	};
	return content_begin(s->q->app->content, s->member, &s->waiting[s->waiting_count]);
}

static err_t add_to_member(void *state, struct str piece)
{
	struct tar_sink *s = state;

	return content_add(s->waiting[s->waiting_count], piece);
}

static void give_files(void *state)
{
	struct tar_sink *s = state;

	upload_room_give_files(s->q->app->upload_room, s->taken);
	s->taken = 0;
}

static err_t keep_waiting(struct tar_sink *s)
{
	err_t e = content_keep_all(s->q->app->content, s->q->arena, s->waiting, s->waiting_count);

	if (e)
		return e;
	give_files(s);
	s->waiting_count = 0;
	s->waiting_bytes = 0;
	arena_reset(s->member);
	return NULL;
}

static err_t keep_alone(struct tar_sink *s, struct content_sums *sums)
{
	err_t e = content_end(s->waiting[0], sums);

	if (!e)
		e = content_keep(s->waiting[0]);
	if (!e)
		arena_reset(s->member);
	return e;
}

/* Others may hold all the files that may wait. */
static err_t end_member(void *state)
{
	struct tar_sink *s = state;
	struct content_sums *sums = &s->members[s->count++].sums;
	bool may_wait = upload_room_take_file(s->q->app->upload_room);

	s->taken += may_wait;
	if (!may_wait && !s->waiting_count)
		return keep_alone(s, sums);
	content_end_later(s->waiting[s->waiting_count++], sums);
	s->waiting_bytes += sums->size_bytes;
	if (may_wait && s->waiting_count < WAITING_MAX && s->waiting_bytes < WAITING_MAX_BYTES)
		return NULL;
	return keep_waiting(s);
}

static const struct tar_read_calls calls = { begin_member, add_to_member, end_member };

static err_t sink_add(struct upload_sink *sink, struct str piece)
{
	struct tar_sink *s = (struct tar_sink *)sink;
	err_t e;

	s->came_bytes += (int64_t)piece.len;
	e = quota_claim_grow(s->claim, s->came_bytes);
	return e ? e : tar_read_add(s->tar, piece);
}

static err_t sink_end(struct upload_sink *sink)
{
	struct tar_sink *s = (struct tar_sink *)sink;
	err_t e = tar_read_end(s->tar);

	return e ? e : keep_waiting(s);
}

static void free_arena(void *p)
{
	arena_free(p);
}

err_t artifact_tar_begin(struct request *q, const struct artifact_tar_destination *destination)
{
	struct tar_sink *s = arena_new_of(q->arena, struct tar_sink);
	int64_t expected = q->length > 0 ? q->length : 0;
	struct artifact *draft;
	err_t e = artifact_draft_find(q, destination->scope.project_id, destination->artifact_id,
				      &draft);

	if (!e && draft->state == ARTIFACT_COMMITTED)
		e = artifact_draft_is_committed(q, draft);
	if (!e)
		e = quota_claim_begin(q, &destination->scope, expected, &s->claim);
	if (!e)
		e = content_has_room(q->app->content, q->arena, expected);
	if (e)
		return e;
	s->sink = (struct upload_sink){ sink_add, sink_end };
	s->destination = *destination;
	s->q = q;
	s->tar = tar_read_new(q->arena, &calls, s);
	s->member = arena_new_beside(q->arena, 4096);
	arena_defer(q->arena, give_files, s);
	arena_defer(q->arena, free_arena, s->member);
	q->sink = &s->sink;
	return NULL;
}

/* ---- when it has come ------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;
	int order = str_compare(x->path, y->path);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static void keep_last_of_each(struct tar_sink *s)
{
	size_t count = 0;

	if (!s->count)
		return;
	qsort(s->members, s->count, sizeof(s->members[0]), by_path);
	for (size_t i = 0; i < s->count; i++) {
		if (count && str_equal(s->members[count - 1].path, s->members[i].path))
			count--;
		s->members[count++] = s->members[i];
	}
	s->count = count;
}

static struct str hash_of(const struct member *m)
{
	return (struct str){ (const char *)m->sums.hash, CONTENT_HASH_SIZE };
}

static int by_hash(const void *a, const void *b)
{
	return str_compare(((const struct file_content *)a)->content,
			   ((const struct file_content *)b)->content);
}

/* Other transactions may claim some of the same: rows are locked in order. */
static struct file_content *in_order_of_hash(const struct tar_sink *s)
{
	struct file_content *contents =
		arena_new_array(s->q->arena, struct file_content, s->count + 1);

	for (size_t i = 0; i < s->count; i++)
		contents[i] = (struct file_content){ hash_of(&s->members[i]),
						     s->members[i].sums.size_bytes };
	if (s->count)
		qsort(contents, s->count, sizeof(*contents), by_hash);
	return contents;
}

/* Memory of statements is freed one by one: there are many. */
static err_t claim_all(struct request *q, const void *arg)
{
	struct tar_sink *s = (struct tar_sink *)q->sink;
	const struct file_content *contents = in_order_of_hash(s);
	err_t e = NULL;

	(void)arg;
	db_set_arena(q->db, s->member);
	for (size_t i = 0; i < s->count && !e; i++) {
		e = file_store_claim(q->db, &contents[i], q->now);
		if (!e)
			arena_reset(s->member);
	}
	db_set_arena(q->db, q->arena);
	return e;
}

static err_t check_there(struct tar_sink *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct content_reader *reader;
		err_t e = content_open(s->q->app->content, s->member, hash_of(&s->members[i]),
				       &reader);

		if (e && e->kind == ERR_NOT_FOUND)
			return err_new(s->q->arena, ERR_BUSY,
				       "the content of \"%.*s\" was removed during the upload",
				       STR_ARG(s->members[i].path));
		if (e)
			return e;
		arena_reset(s->member);
	}
	return NULL;
}

struct numbered {
	int64_t blob_id;
	size_t member;
};

static int by_blob(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;

	return (x->blob_id > y->blob_id) - (x->blob_id < y->blob_id);
}

static struct numbered *in_order_of_blob(const struct tar_sink *s)
{
	struct numbered *numbered = arena_new_array(s->q->arena, struct numbered, s->count + 1);

	for (size_t i = 0; i < s->count; i++)
		numbered[i] = (struct numbered){ blob_store_number(hash_of(&s->members[i])), i };
	if (s->count)
		qsort(numbered, s->count, sizeof(*numbered), by_blob);
	return numbered;
}

static err_t put_blob(struct tar_sink *s, const struct member *m, struct artifact_upload *upload)
{
	const struct artifact_blob blob = {
		.content = hash_of(m),
		.md5 = { (const char *)m->sums.md5, CONTENT_MD5_SIZE },
		.size_bytes = m->sums.size_bytes,
		.birth_id = s->destination.artifact_id,
		.came_at = s->q->now,
	};

	upload->path = m->path;
	return blob_store_put(s->q->db, s->destination.scope.project_id, &blob, &upload->blob_id);
}

static err_t put_blobs(struct tar_sink *s, struct artifact_upload *uploads)
{
	const struct numbered *numbered = in_order_of_blob(s);
	err_t e = NULL;

	db_set_arena(s->q->db, s->member);
	for (size_t i = 0; i < s->count && !e; i++) {
		size_t member = numbered[i].member;

		e = put_blob(s, &s->members[member], &uploads[member]);
		if (!e)
			arena_reset(s->member);
	}
	db_set_arena(s->q->db, s->q->arena);
	return e;
}

static err_t record(struct request *q, const void *arg)
{
	struct tar_sink *s = (struct tar_sink *)q->sink;
	const int64_t project_id = s->destination.scope.project_id;
	struct artifact_upload *uploads =
		arena_new_array(q->arena, struct artifact_upload, s->count + 1);
	struct artifact *draft;
	err_t e = artifact_draft_hold(q, project_id, s->destination.artifact_id, &draft);

	(void)arg;
	if (!e)
		e = put_blobs(s, uploads);
	return e ? e
		 : blob_store_save_uploads(q->db, project_id, s->destination.artifact_id, uploads,
					   s->count, q->now);
}

err_t artifact_tar_end(struct request *q, struct artifact_tar_sum *ret_sum)
{
	struct tar_sink *s = (struct tar_sink *)q->sink;
	struct artifact_tar_sum sum = { 0, 0 };
	err_t e;

	keep_last_of_each(s);
	for (size_t i = 0; i < s->count; i++) {
		sum.count++;
		sum.size_bytes += s->members[i].sums.size_bytes;
	}
	e = quota_claim_settle(q, s->claim, sum.size_bytes);
	if (!e)
		e = artifact_in_transaction(q, claim_all, NULL);
	if (!e)
		e = check_there(s);
	if (!e)
		e = artifact_in_transaction(q, record, NULL);
	quota_claim_release(s->claim);
	if (e)
		return e;
	replica_tell_written(q, db_written(q->db));
	*ret_sum = sum;
	return NULL;
}
