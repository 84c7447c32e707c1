#include "file_put.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "content.h"
#include "quota.h"
#include "replica.h"
#include "run_store.h"
#include "server_store.h"
#include "upload.h"
#include "usage_store.h"

struct file_sink {
	struct upload_sink sink; /* first */
	struct file_place place;
	struct content_coming *coming;
	struct content_sums sums;
};

/* ---- before and while it comes ----------------------------------------------------------------- */

static err_t check_quota(struct request *q, const struct file_place *place, int64_t bytes)
{
	struct entity_usage *usage;
	err_t e = usage_store_of_entity(q->db, place->entity_id, &usage);

	if (e || !usage)
		return e;
	return quota_check_more(q->arena, place->entity,
				quota_limit(usage->quota_bytes, q->app->config->entity_quota),
				usage->size_bytes, bytes);
}

static err_t sink_add(struct upload_sink *sink, struct str piece)
{
	return content_add(((struct file_sink *)sink)->coming, piece);
}

static err_t sink_end(struct upload_sink *sink)
{
	struct file_sink *s = (struct file_sink *)sink;

	return content_end(s->coming, &s->sums);
}

err_t file_put_begin(struct request *q, const struct file_place *place)
{
	struct file_sink *s = arena_new_of(q->arena, struct file_sink);
	int64_t expected = q->length > 0 ? q->length : 0;
	err_t e = check_quota(q, place, expected);

	if (!e)
		e = content_has_room(q->app->content, q->arena, expected);
	if (!e)
		e = content_begin(q->app->content, q->arena, &s->coming);
	if (e)
		return e;
	s->sink = (struct upload_sink){ sink_add, sink_end };
	s->place = *place;
	q->sink = &s->sink;
	return NULL;
}

/* ---- when it has come -------------------------------------------------------------------------- */

/* Content-MD5 (RFC 1864), for those who send it. */
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
			 "the file that came is not the one whose MD5 was sent");
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
		.name = s->place.name,
		.size_bytes = s->sums.size_bytes,
		.md5 = { (const char *)s->sums.md5, CONTENT_MD5_SIZE },
		.content = { (const char *)s->sums.hash, CONTENT_HASH_SIZE },
		.user_id = s->place.user_id,
		.client = s->place.client,
		.updated_at = now,
	};
	struct run *run;
	err_t e = run_store_lock(q->db, s->place.run_id, &run);

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
		e = check_quota(q, &s->place, s->sums.size_bytes);
	if (!e)
		e = keep(q, s);
	if (!e)
		e = put(q, s);
	if (e)
		return e;
	replica_tell_written(q, db_written(q->db));
	e = file_store_find(q->db, s->place.run_id, s->place.name, ret_file);
	if (!e && !*ret_file)
		return err_new(q->arena, ERR_CONFLICT, "the file was deleted as it came");
	return e;
}
