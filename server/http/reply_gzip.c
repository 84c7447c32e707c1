/* Compression of answers that are in memory: a fast level, for the client waits. */
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "exchange.h"

enum { WORTH_BYTES = 1024, QUICK_LEVEL = 1 };

static bool is_gzip(struct str name)
{
	return name.len == 4 && strncasecmp(name.at, "gzip", 4) == 0;
}

/* A weight for gzip itself takes precedence over that of "*". */
static bool accepts_gzip(struct str accept_encoding)
{
	struct header_item item;
	bool accepts = false;

	while (headers_next_item(&accept_encoding, &item)) {
		if (is_gzip(item.name))
			return item.weight > 0;
		if (str_is(item.name, "*"))
			accepts = item.weight > 0;
	}
	return accepts;
}

bool reply_takes_gzip(const struct request *q)
{
	return accepts_gzip(request_header_list(q, "Accept-Encoding"));
}

bool reply_deflate(struct str body, int level, struct buf *b)
{
	z_stream z = { 0 };
	int r;

	if (deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	z.next_in = (z_const Bytef *)(uintptr_t)body.at;
	z.avail_in = (uInt)body.len;
	z.avail_out = (uInt)deflateBound(&z, (uLong)body.len);
	z.next_out = (Bytef *)buf_reserve(b, z.avail_out);
	r = deflate(&z, Z_FINISH);
	b->len += z.total_out;
	deflateEnd(&z);
	return r == Z_STREAM_END;
}

static void mark_tag(struct request *q)
{
	for (struct reply_header *h = q->reply->headers; h; h = h->next) {
		if (strcasecmp(h->name, "ETag") == 0)
			h->value = arena_printf(q->arena, "%.*s" REPLY_GZIP_TAG_END,
						(int)strlen(h->value) - 1, h->value);
	}
}

static bool is_worth(const struct reply *r)
{
	return r->content_type && !r->next && r->body.len > WORTH_BYTES &&
	       r->body.len < UINT32_MAX / 2 && !reply_header_find(r, "Content-Encoding");
}

void reply_compress(struct request *q)
{
	struct reply *r = q->reply;
	struct buf *b;

	if (!is_worth(r))
		return;
	reply_header(q, "Vary", "Accept-Encoding");
	if (!reply_takes_gzip(q))
		return;
	b = buf_new(q->arena);
	if (!reply_deflate(r->body, QUICK_LEVEL, b) || b->len >= r->body.len)
		return;
	r->body = buf_str(b);
	r->holder = b;
	r->is_compressed = true;
	mark_tag(q);
	reply_header(q, "Content-Encoding", "gzip");
}
