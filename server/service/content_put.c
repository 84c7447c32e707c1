#include "content_put.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "file_store.h"
#include "quota_claim.h"
#include "server_store.h"
#include "upload.h"

struct content_sink {
	struct upload_sink sink; /* first */
	const void *what;
	struct content_coming *coming;
	struct content_sums sums;
	struct quota_claim *claim;
	int64_t came_bytes;
};

static struct content_sink *sink_of(const struct request *q)
{
	return (struct content_sink *)q->sink;
}

/* ---- before and while it comes ----------------------------------------------------------------- */

static err_t sink_add(struct upload_sink *sink, struct str piece)
{
	struct content_sink *s = (struct content_sink *)sink;
	err_t e;

	s->came_bytes += (int64_t)piece.len;
	e = quota_claim_grow(s->claim, s->came_bytes);
	return e ? e : content_add(s->coming, piece);
}

static err_t sink_end(struct upload_sink *sink)
{
	struct content_sink *s = (struct content_sink *)sink;

	return content_end(s->coming, &s->sums);
}

err_t content_put_begin(struct request *q, const struct quota_scope *scope, const void *what)
{
	struct content_sink *s = arena_new_of(q->arena, struct content_sink);
	int64_t expected = q->length > 0 ? q->length : 0;
	err_t e;

	s->sink = (struct upload_sink){ sink_add, sink_end };
	s->what = what;
	e = quota_claim_begin(q, scope, expected, &s->claim);
	if (!e)
		e = content_has_room(q->app->content, q->arena, expected);
	if (!e)
		e = content_begin(q->app->content, q->arena, &s->coming);
	if (!e)
		q->sink = &s->sink;
	return e;
}

const void *content_put_what(const struct request *q)
{
	return sink_of(q)->what;
}

const struct content_sums *content_put_sums(const struct request *q)
{
	return &sink_of(q)->sums;
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

static err_t keep(struct request *q, const struct content_sink *s)
{
	struct file_content content = {
		.content = { (const char *)s->sums.hash, CONTENT_HASH_SIZE },
		.size_bytes = s->sums.size_bytes,
	};
	err_t e = q->now.us ? NULL : server_store_now(q->db, &q->now);

	if (!e)
		e = file_store_claim(q->db, &content, q->now);
	return e ? e : content_keep(s->coming);
}

err_t content_put_end(struct request *q)
{
	struct content_sink *s = sink_of(q);
	err_t e = check_md5(q, &s->sums);

	if (!e)
		e = quota_claim_settle(q, s->claim, s->sums.size_bytes);
	return e ? e : keep(q, s);
}

void content_put_release(struct request *q)
{
	quota_claim_release(sink_of(q)->claim);
}
