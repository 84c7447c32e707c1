#include "file_put.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "content.h"
#include "replica.h"
#include "run_store.h"
#include "server_store.h"
#include "upload.h"
#include "upload_room.h"

struct file_sink {
	struct upload_sink sink; /* first */
	struct file_destination destination;
	struct content_coming *coming;
	struct content_sums sums;
	struct arena *arena;
	struct upload_claim *claim;
	struct quota_use uses[QUOTA_LEVELS]; /* when it began; when it ends, then */
	struct upload_others others;
	int64_t came_bytes;
};

/* ---- before and while it comes ----------------------------------------------------------------- */

enum { SETTLING_WAIT_MS = 2000 };

typedef enum upload_answer claim_fn(struct upload_claim *claim, const struct upload_ask *ask,
				    struct upload_others *ret_others);

_Static_assert((int)QUOTA_OF_ENTITY == (int)UPLOAD_OF_ENTITY &&
		       (int)QUOTA_OF_PROJECT == (int)UPLOAD_OF_PROJECT &&
		       (int)QUOTA_LEVELS == (int)UPLOAD_LEVELS,
	       "the levels of both are the same");

/* Uploads in progress may break off and free their room, so the client is asked to try again. */
static err_t told(struct file_sink *s, enum upload_answer answer, int64_t bytes)
{
	const struct quota_more more = { bytes, "file", "files" };
	struct quota_use use = s->uses[s->others.level];
	err_t e;

	if (answer == UPLOAD_FITS)
		return NULL;
	if (answer == UPLOAD_LATE)
		return err_new(s->arena, ERR_BUSY,
			       "uploads of other files of \"%.*s\" take too long",
			       STR_ARG(s->destination.scope.entity));
	e = quota_check_more(s->arena, &use, &more);
	if (e)
		return e;
	use.coming = s->others.bytes;
	e = quota_check_more(s->arena, &use, &more);
	return e ? err_new(s->arena, ERR_BUSY, "%s", e->message) : NULL;
}

/* A worker waits here, so not for as long as the request may take. */
static int64_t settling_wait_ms(const struct request *q)
{
	int64_t left_ms = request_left_ms(q);

	return left_ms < SETTLING_WAIT_MS ? left_ms : SETTLING_WAIT_MS;
}

/* False: nothing limits it. */
static bool find_free(const struct file_sink *s, struct upload_ask *ask)
{
	bool is_limited = false;

	for (size_t i = 0; i < QUOTA_LEVELS; i++) {
		const struct quota_use *use = &s->uses[i];

		ask->free_bytes[i] = use->limit == QUOTA_NONE ? INT64_MAX : use->limit - use->used;
		is_limited |= use->limit != QUOTA_NONE;
	}
	return is_limited;
}

/* For a file of so many bytes. */
static err_t claim(struct request *q, struct file_sink *s, claim_fn *ask_for, int64_t bytes)
{
	struct upload_ask ask = { .bytes = bytes };
	enum upload_answer answer;

	do {
		err_t e;

		ask.seen = upload_claim_seen(s->claim);
		e = quota_room_read(q, &s->destination.scope, s->uses);
		if (e || !find_free(s, &ask))
			return e;
		ask.deadline_ms = settling_wait_ms(q);
		answer = ask_for(s->claim, &ask, &s->others);
	} while (answer == UPLOAD_ASK_AGAIN);
	return told(s, answer, bytes);
}

/* An upload without a size is stopped where it gets too large. */
static err_t grow(struct file_sink *s)
{
	struct upload_ask ask = { .bytes = s->came_bytes };

	if (!find_free(s, &ask))
		return NULL;
	return told(s, upload_claim_grow(s->claim, &ask, &s->others), ask.bytes);
}

static err_t sink_add(struct upload_sink *sink, struct str piece)
{
	struct file_sink *s = (struct file_sink *)sink;
	err_t e;

	s->came_bytes += (int64_t)piece.len;
	e = grow(s);
	return e ? e : content_add(s->coming, piece);
}

static err_t sink_end(struct upload_sink *sink)
{
	struct file_sink *s = (struct file_sink *)sink;

	return content_end(s->coming, &s->sums);
}

err_t file_put_begin(struct request *q, const struct file_destination *destination)
{
	struct file_sink *s = arena_new_of(q->arena, struct file_sink);
	const int64_t ids[] = { destination->scope.entity_id, destination->scope.project_id };
	int64_t expected = q->length > 0 ? q->length : 0;
	err_t e;

	s->sink = (struct upload_sink){ sink_add, sink_end };
	s->destination = *destination;
	s->arena = q->arena;
	s->claim = upload_claim_new(q->app->upload_room, q->arena, ids);
	e = claim(q, s, upload_claim_begin, expected);
	if (!e)
		e = content_has_room(q->app->content, q->arena, expected);
	if (!e)
		e = content_begin(q->app->content, q->arena, &s->coming);
	if (!e)
		q->sink = &s->sink;
	return e;
}

/* ---- when it has come -------------------------------------------------------------------------- */

/* Checks Content-MD5 (RFC 1864), if the client sent it. */
static err_t check_md5(struct request *q, const struct content_sums *sums)
{
	struct str text = request_header(q, "Content-MD5");
	unsigned char md5[CONTENT_MD5_SIZE];
	size_t len;

	if (!text.len)
		return NULL;
	if (!sodium_base642bin(md5, sizeof(md5), text.at, text.len, NULL, &len, NULL,
			       sodium_base64_VARIANT_ORIGINAL) &&
	    len == sizeof(md5) && !memcmp(md5, sums->md5, sizeof(md5)))
		return NULL;
	return err_field(q->arena, ERR_INVALID, "Content-MD5",
			 "the file does not match the MD5 that was sent");
}

static err_t keep(struct request *q, const struct file_sink *s)
{
	struct file_content content = {
		.content = { (const char *)s->sums.hash, CONTENT_HASH_SIZE },
		.size_bytes = s->sums.size_bytes,
	};
	timestamp_us now;
	err_t e = server_store_now(q->db, &now);

	if (!e)
		e = file_store_claim(q->db, &content, now);
	return e ? e : content_keep(s->coming);
}

static err_t put_locked(struct request *q, const struct file_sink *s, timestamp_us now)
{
	const struct run_file file = {
		.name = s->destination.name,
		.size_bytes = s->sums.size_bytes,
		.md5 = { (const char *)s->sums.md5, CONTENT_MD5_SIZE },
		.content = { (const char *)s->sums.hash, CONTENT_HASH_SIZE },
		.user_id = s->destination.user_id,
		.client = s->destination.client,
		.updated_at = now,
	};
	struct run *run;
	err_t e = run_store_lock(q->db, s->destination.run_id, &run);

	return e ? e : file_store_put(q->db, run, &file);
}

static err_t put(struct request *q, const struct file_sink *s)
{
	timestamp_us now;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &now);

	if (!e)
		e = put_locked(q, s, now);
	if (!e)
		return db_commit(q->db);
	db_rollback(q->db);
	return e;
}

err_t file_put_end(struct request *q, struct run_file **ret_file)
{
	struct file_sink *s = (struct file_sink *)q->sink;
	err_t e = check_md5(q, &s->sums);

	if (!e)
		e = claim(q, s, upload_claim_settle, s->sums.size_bytes);
	if (!e)
		e = keep(q, s);
	if (!e)
		e = put(q, s);
	upload_claim_release(s->claim);
	if (e)
		return e;
	replica_tell_written(q, db_written(q->db));
	e = file_store_find(q->db, s->destination.run_id, s->destination.name, ret_file);
	if (!e && !*ret_file)
		return err_new(q->arena, ERR_CONFLICT, "the file was deleted during the upload");
	return e;
}
