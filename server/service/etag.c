#include "etag.h"

#include <sodium.h>
#include <string.h>

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

/* Returns whether it is the tag itself, or the one of the document as it was sent compressed. */
static bool is_of(struct str given, const char *tag)
{
	if (str_starts(given, "W/"))
		given = (struct str){ given.at + 2, given.len - 2 };
	if (given.len > TAG_SIZE - 1 && str_starts(given, "\""))
		return memcmp(given.at, tag, TAG_SIZE - 2) == 0 &&
		       str_is((struct str){ given.at + TAG_SIZE - 2, given.len - TAG_SIZE + 2 },
			      REPLY_GZIP_TAG_END);
	return str_is(given, tag);
}

/*
 * The two conditions compare differently (RFC 9110, 8.8.3.2). For a read a weak tag counts as the strong one of the same
 * name, since proxies that compress weaken tags. An edit needs a strong tag.
 */
struct condition {
	const char *header;
	bool weak_counts;
};
static const struct condition if_match = { "If-Match", false };
static const struct condition if_none_match = { "If-None-Match", true };

/* Returns whether the header, a list of tags or "*", names the document. *ret_named: the tag by which it does. */
static bool names_tag(const struct request *q, const struct condition *condition, const char *tag,
		      struct str *ret_named)
{
	struct str list = request_header_list(q, condition->header);

	while (list.len) {
		struct str one = str_trim(str_cut(&list, ','));
		bool is_any = str_is(one, "*");

		if (str_starts(one, "W/") && !condition->weak_counts)
			continue;
		if (is_any || is_of(one, tag)) {
			*ret_named = is_any ? str_of(tag) : one;
			return true;
		}
	}
	return false;
}

/* The condition does not apply to a request that changed the document (RFC 9110, 13.1.2): the change is done. */
static bool is_read(const struct request *q)
{
	return q->method == GET;
}

err_t etag_reply(struct request *q, const char *content_type, struct buf *document)
{
	return etag_reply_version(q, content_type, document, buf_str(document));
}

err_t etag_reply_version(struct request *q, const char *content_type, struct buf *document,
			 struct str version)
{
	char tag[TAG_SIZE];
	struct str named;

	make_tag(version, tag);
	if (is_read(q) && names_tag(q, &if_none_match, tag, &named)) {
		reply_header(q, "ETag", str_copy(q->arena, named));
		reply_status(q, 304);
		return NULL;
	}
	reply_header(q, "ETag", tag);
	reply_status(q, 200);
	reply_body(q, content_type, document);
	return NULL;
}

void etag_put(struct request *q, struct str version)
{
	char tag[TAG_SIZE];

	make_tag(version, tag);
	reply_header(q, "ETag", tag);
}

bool etag_is_known(const struct request *q, const char *tag)
{
	struct str named;

	return names_tag(q, &if_none_match, tag, &named);
}

err_t etag_require(struct request *q, struct str document)
{
	char tag[TAG_SIZE];
	struct str named;
	struct err *e;

	make_tag(document, tag);
	if (!request_header(q, "If-Match").len || names_tag(q, &if_match, tag, &named))
		return NULL;
	e = err_new(q->arena, ERR_PRECONDITION, "the document has changed");
	e->hint = "read it again and send its ETag in \"If-Match\"";
	return e;
}
