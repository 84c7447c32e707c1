#include "etag.h"

#include <sodium.h>

#include "reply.h"

enum { HASH_SIZE = 16, TAG_SIZE = 2 + 2 * HASH_SIZE + 1 };

static void make_tag(struct str document, char tag[static TAG_SIZE])
{
	unsigned char hash[HASH_SIZE];

	crypto_generichash(hash, sizeof(hash), (const unsigned char *)document.at, document.len,
			   NULL, 0);
	tag[0] = '"';
	sodium_bin2hex(tag + 1, TAG_SIZE - 1, hash, sizeof(hash));
	tag[TAG_SIZE - 2] = '"';
	tag[TAG_SIZE - 1] = '\0';
}

/* A list of tags, or "*"; a weak one counts as the strong one of the same name. */
static bool names_tag(struct str list, const char *tag)
{
	while (list.len) {
		struct str one = str_trim(str_cut(&list, ','));

		if (str_starts(one, "W/"))
			one = (struct str){ one.at + 2, one.len - 2 };
		if (str_is(one, "*") || str_is(one, tag))
			return true;
	}
	return false;
}

/* To what changes the document the condition does not apply (RFC 9110, 13.1.2): it has been done. */
static bool is_read(const struct request *q)
{
	return q->method == GET;
}

err_t etag_reply(struct request *q, const char *content_type, struct buf *document)
{
	char tag[TAG_SIZE];

	make_tag(buf_str(document), tag);
	reply_header(q, "ETag", tag);
	if (is_read(q) && names_tag(request_header(q, "If-None-Match"), tag)) {
		reply_status(q, 304);
		return NULL;
	}
	reply_status(q, 200);
	reply_body(q, content_type, document);
	return NULL;
}

err_t etag_require(struct request *q, struct str document)
{
	struct str list = request_header(q, "If-Match");
	char tag[TAG_SIZE];
	struct err *e;

	make_tag(document, tag);
	if (!list.len || names_tag(list, tag))
		return NULL;
	e = err_new(q->arena, ERR_PRECONDITION, "the document is another version by now");
	e->hint = "read it again, and send its ETag in \"If-Match\"";
	return e;
}
