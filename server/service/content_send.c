#include "content_send.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "app.h"
#include "auth_session.h"
#include "content.h"
#include "etag.h"
#include "file_name.h"
#include "file_type.h"
#include "reply.h"

enum { TAG_BYTES = 16, TAG_SIZE = 2 * TAG_BYTES + 3 };

/* In a frame the file may use what is in it, and nothing that it requests. */
static const char *const policies[] = {
	[FILE_USE_SAVED] = "default-src 'none'; img-src 'self'; media-src 'self'; "
			   "style-src 'unsafe-inline'; sandbox",
	[FILE_USE_FRAMED] = "default-src 'none'; img-src data:; media-src data:; font-src data:; "
			    "style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
	[FILE_USE_RUN] = "default-src 'none'; img-src data: blob:; media-src data: blob:; "
			 "font-src data:; style-src 'unsafe-inline'; worker-src blob:; "
			 "script-src 'unsafe-inline' 'unsafe-eval' data: blob:; "
			 "frame-ancestors 'self'; sandbox allow-scripts",
};

/* ---- headers ---------------------------------------------------------------------------------- */

static const char *tag_of(struct request *q, const struct sent_content *content)
{
	char *tag = arena_alloc(q->arena, TAG_SIZE);

	tag[0] = '"';
	sodium_bin2hex(tag + 1, TAG_SIZE - 1, (const unsigned char *)content->hash.at, TAG_BYTES);
	memcpy(tag + TAG_SIZE - 2, "\"", 2);
	return tag;
}

/* RFC 8187: any name, in bytes that are safe everywhere. */
const char *content_disposition(struct arena *a, const char *how, struct str name)
{
	struct buf *b = buf_new(a);

	buf_printf(b, "%s; filename*=UTF-8''", how);
	for (size_t i = 0; i < name.len; i++) {
		unsigned char c = (unsigned char)name.at[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				(c >= '0' && c <= '9') || (c && strchr("-._~", c));

		buf_printf(b, is_plain ? "%c" : "%%%02X", c);
	}
	buf_add_byte(b, '\0');
	return b->at;
}

static const char *disposition(struct request *q, struct str name, enum file_use use)
{
	bool is_shown = use != FILE_USE_SAVED || file_type_of(name).is_inert;

	return content_disposition(q->arena, is_shown ? "inline" : "attachment",
				   file_name_base(name));
}

static void add_headers(struct request *q, const struct sent_content *content, const char *tag,
			enum file_use use)
{
	reply_header(q, "ETag", tag);
	reply_header(q, "Accept-Ranges", "bytes");
	/* A page of its own must not find in the cache what a frame may run. */
	reply_header(q, "Cache-Control", use == FILE_USE_RUN ? "no-store" : "private, no-cache");
	reply_header(q, "Content-Disposition", disposition(q, content->name, use));
	reply_header(q, "Content-Security-Policy", policies[use]);
}

/* ---- parts ------------------------------------------------------------------------------------ */

enum range { RANGE_NONE, RANGE_PART, RANGE_OUTSIDE };

struct part {
	int64_t first;
	int64_t length;
};

/* "500-999", "500-", "-500" (the last 500). An invalid range is ignored (RFC 9110, 14.2). */
static enum range read_part(struct str text, int64_t size, struct part *ret_part)
{
	struct str from = str_trim(str_cut(&text, '-'));
	struct str to = str_trim(text);
	int64_t first;
	int64_t last = INT64_MAX;

	if (!from.len) {
		if (!str_to_int64(to, 0, INT64_MAX, &last))
			return RANGE_NONE;
		last = last < size ? last : size;
		*ret_part = (struct part){ size - last, last };
		return last ? RANGE_PART : RANGE_OUTSIDE;
	}
	if (!str_to_int64(from, 0, INT64_MAX, &first) ||
	    (to.len && !str_to_int64(to, first, INT64_MAX, &last)))
		return RANGE_NONE;
	if (first >= size)
		return RANGE_OUTSIDE;
	last = last < size ? last : size - 1;
	*ret_part = (struct part){ first, last - first + 1 };
	return RANGE_PART;
}

/* A request for several parts is answered with the whole file, which is allowed and simpler. */
static enum range find_part(const struct request *q, const char *tag, int64_t size,
			    struct part *ret_part)
{
	struct str range = request_header(q, "Range");
	struct str only_if = request_header(q, "If-Range");

	if (!str_starts(range, "bytes=") || memchr(range.at, ',', range.len))
		return RANGE_NONE;
	if (only_if.len && !str_is(only_if, tag))
		return RANGE_NONE;
	range.at += strlen("bytes=");
	range.len -= strlen("bytes=");
	if (!range.len || !memchr(range.at, '-', range.len))
		return RANGE_NONE;
	return read_part(range, size, ret_part);
}

/* ---- the use ---------------------------------------------------------------------------------- */

err_t content_use_read(struct request *q, enum file_use *ret_use)
{
	bool is_framed;
	bool has_scripts;
	err_t e = request_query_bool(q, "framed", &is_framed);

	if (!e)
		e = request_query_bool(q, "scripts", &has_scripts);
	if (e)
		return e;
	if (has_scripts && !is_framed)
		return err_field(q->arena, ERR_INVALID, "scripts",
				 "\"scripts\" requires \"framed\": scripts run only in a frame");
	*ret_use = has_scripts ? FILE_USE_RUN : is_framed ? FILE_USE_FRAMED : FILE_USE_SAVED;
	return NULL;
}

/* ---- the answer ------------------------------------------------------------------------------- */

struct sent_reader {
	struct reply_file file; /* first */
	struct content_reader *reader;
};

static err_t read_content(struct reply_file *file, int64_t offset, char *bytes, size_t size,
			  size_t *ret_count)
{
	return content_read(((struct sent_reader *)file)->reader, offset, bytes, size, ret_count);
}

static size_t read_content_now(struct reply_file *file, int64_t offset, char *bytes, size_t size)
{
	return content_read_now(((struct sent_reader *)file)->reader, offset, bytes, size);
}

err_t content_open_sent(struct request *q, struct arena *a, const struct sent_content *content,
			struct content_reader **ret_reader)
{
	err_t e = content_open(q->app->content, a, content->hash, ret_reader);

	if (e && e->kind == ERR_NOT_FOUND)
		return err_new(q->arena, ERR_INTERNAL, "the content of \"%.*s\" is missing: %s",
			       STR_ARG(content->name), e->message);
	if (!e && content_size(*ret_reader) != content->size_bytes)
		return err_new(q->arena, ERR_INTERNAL, "the content of \"%.*s\" has a wrong size",
			       STR_ARG(content->name));
	return e;
}

static err_t send_part(struct request *q, const struct sent_content *content, const char *tag,
		       enum file_use use)
{
	struct sent_reader *sent = arena_new_of(q->arena, struct sent_reader);
	struct part part = { 0, content->size_bytes };
	enum range range = find_part(q, tag, content->size_bytes, &part);
	err_t e;

	if (range == RANGE_OUTSIDE) {
		reply_no_range(q, content->size_bytes);
		return NULL;
	}
	e = content_open_sent(q, q->arena, content, &sent->reader);
	if (e)
		return e;
	sent->file.read = read_content;
	sent->file.read_now = read_content_now;
	sent->file.has_fd =
		content_is_in_memory(sent->reader, part.first, part.length, &sent->file.fd);
	add_headers(q, content, tag, use);
	reply_status(q, range == RANGE_PART ? 206 : 200);
	if (range == RANGE_PART)
		reply_header(q, "Content-Range",
			     arena_printf(q->arena, "bytes %" PRId64 "-%" PRId64 "/%" PRId64,
					  part.first, part.first + part.length - 1,
					  content->size_bytes));
	reply_file(q, file_type_of(content->name).media_type, &sent->file, part.first, part.length);
	return NULL;
}

/*
 * Over plain http browsers do not send Sec-Fetch-Dest. A link to a file whose scripts run would be a page under our address,
 * so there one of our pages must be named as the one that requests it: links that users write name none.
 */
static enum file_use use_in(const struct request *q, enum file_use use)
{
	struct str destination = request_header(q, "Sec-Fetch-Dest");

	if (destination.len)
		return str_is(destination, "iframe") ? use : FILE_USE_SAVED;
	return use == FILE_USE_RUN && !auth_is_from_our_page(q) ? FILE_USE_FRAMED : use;
}

err_t content_send(struct request *q, const struct sent_content *content, enum file_use use)
{
	const char *tag = tag_of(q, content);

	use = use_in(q, use);
	if (use == FILE_USE_RUN || !etag_is_known(q, tag))
		return send_part(q, content, tag, use);
	reply_header(q, "ETag", tag);
	reply_status(q, 304);
	return NULL;
}
