/* Compression of answers that are in memory; level 1, for it is done while the client waits. */
#include <strings.h>
#include <zlib.h>

#include "exchange.h"

enum { WORTH_BYTES = 1024, LEVEL = 1 };

static bool is_gzip(struct str name)
{
	name = str_trim(name);
	return (name.len == 4 && strncasecmp(name.at, "gzip", 4) == 0) || str_is(name, "*");
}

/* "q=0", "q=0.0": explicitly not wanted. */
static bool is_refused(struct str parameters)
{
	double weight = 1;

	while (parameters.len) {
		struct str value = str_trim(str_cut(&parameters, ';'));
		struct str name = str_trim(str_cut(&value, '='));

		if (str_is(name, "q") && !str_to_double(str_trim(value), &weight))
			return true;
	}
	return weight <= 0;
}

static bool accepts_gzip(struct str accept_encoding)
{
	while (accept_encoding.len) {
		struct str parameters = str_cut(&accept_encoding, ',');
		struct str name = str_cut(&parameters, ';');

		if (is_gzip(name))
			return !is_refused(parameters);
	}
	return false;
}

static bool deflate_into(struct str body, struct buf *b)
{
	z_stream z = { 0 };
	int r;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
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
	if (!accepts_gzip(request_header(q, "Accept-Encoding")))
		return;
	b = buf_new(q->arena);
	if (!deflate_into(r->body, b) || b->len >= r->body.len)
		return;
	r->body = buf_str(b);
	r->is_compressed = true;
	reply_header(q, "Content-Encoding", "gzip");
}
