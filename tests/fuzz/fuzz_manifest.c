/*
 * Manifests as anybody may send them. In a small window they are what they are in a large one, or a member does not fit. What is
 * taken as an entry has a path that leads nowhere else, and texts that the database and the SDK can read.
 *
 * Input: the size of the window in a byte, the JSON.
 */
#include <string.h>

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_path.h"
#include "buf.h"
#include "fuzz.h"
#include "json_doc.h"
#include "json_members.h"
#include "manifest_entry.h"

static err_t read_text(void *source, char *bytes, size_t size, size_t *ret_count)
{
	struct str *left = source;

	*ret_count = size < left->len ? size : left->len;
	memcpy(bytes, left->at, *ret_count);
	left->at += *ret_count;
	left->len -= *ret_count;
	return NULL;
}

static void check_path(struct str path)
{
	FUZZ_CHECK(path.len && path.len <= ARTIFACT_PATH_MAX && str_is_utf8(path));
	FUZZ_CHECK(!memchr(path.at, 0, path.len));
	while (path.len) {
		struct str part = str_cut(&path, '/');

		FUZZ_CHECK(part.len && !str_is(part, ".") && !str_is(part, ".."));
	}
}

static void check_entry(struct arena *a, const struct artifact_entry *entry)
{
	const struct json_doc *doc;

	check_path(entry->path);
	FUZZ_CHECK(entry->digest.len && entry->digest.len <= ARTIFACT_DIGEST_MAX);
	FUZZ_CHECK(str_is_utf8(entry->digest) && !memchr(entry->digest.at, 0, entry->digest.len));
	FUZZ_CHECK(entry->size_bytes >= 0 && entry->size_bytes <= ARTIFACT_SIZE_MAX);
	if (entry->ref.at)
		FUZZ_CHECK(entry->ref.len <= ARTIFACT_REF_MAX &&
			   (!entry->ref.len || !memchr(entry->ref.at, 0, entry->ref.len)));
	else
		FUZZ_CHECK(entry->md5.len == ARTIFACT_MD5_SIZE &&
			   str_equal(artifact_md5_write(a, entry->md5), entry->digest));
	if (entry->extra.at && !json_doc_parse(a, entry->extra, &doc))
		FUZZ_CHECK(json_doc_is(doc, JSON_KIND_OBJECT));
}

static void add_entry(struct arena *a, struct str path, struct str value, struct buf *to)
{
	struct artifact_entry entry;

	buf_add_str(to, path);
	buf_add_str(to, value);
	if (!manifest_entry_read(a, path, value, &entry))
		check_entry(a, &entry);
}

/* All names and values, and those of "contents" one by one. */
static err_t read_members(struct arena *a, struct json_members *m, struct buf *to, bool in_contents)
{
	for (;;) {
		struct str name;
		struct str value;
		bool is_end;
		err_t e = json_members_next(m, &name, &is_end);

		if (e || is_end)
			return e;
		if (!in_contents && str_is(name, "contents")) {
			e = json_members_enter(m);
			if (!e)
				e = read_members(a, m, to, true);
		} else {
			e = json_members_value(m, &value);
			if (!e)
				add_entry(a, name, value, to);
		}
		if (e)
			return e;
	}
}

static err_t read_manifest(struct arena *a, struct str text, size_t window, struct buf *to)
{
	struct json_members *m;
	err_t e = json_members_open(a, read_text, &text, window, &m);

	return e ? e : read_members(a, m, to, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	size_t window = 2 + (size ? data[0] : 0);
	struct str text = { size ? (const char *)data + 1 : "", size ? size - 1 : 0 };
	struct buf *whole = buf_new(a);
	struct buf *part = buf_new(a);
	err_t large = read_manifest(a, text, text.len + 2, whole);
	err_t small = read_manifest(a, text, window, part);

	FUZZ_CHECK(!large || large->kind == ERR_INVALID);
	if (!small || small->kind != ERR_UNPROCESSABLE) {
		FUZZ_CHECK((small == NULL) == (large == NULL));
		FUZZ_CHECK(small || str_equal(buf_str(part), buf_str(whole)));
	}
	arena_free(a);
	return 0;
}

#define MD5 "XUFAKrxLKna5cZ2REBfFkg=="

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"@{\"version\":1,\"storagePolicyConfig\":{\"storageLayout\":\"V2\"},\"contents\":"
		"{\"a.txt\":{\"digest\":\"" MD5 "\",\"size\":5,\"birthArtifactID\":\"QXJ0\"}}}",
		"\x10{\"contents\":{\"b/\\u00fc\":{\"digest\":\"etag\",\"ref\":\"s3://b/k\",\"extra\":"
		"{\"versionID\":\"1\",\"n\":[NaN]},\"size\":null}},\"version\":1}",
		"\xff{\"contents\":{\"../a\":{\"digest\":\"" MD5
		"\"},\"/a\":{},\"a//b\":{},\"\":{},"
		"\"a\\u0000\":{\"digest\":\"\\u0000\",\"ref\":\"x\"}}}",
		"\x20{\"contents\":{\"u\xcc\x88\":{\"digest\":\"" MD5
		"\",\"size\":-1}}, \"contents\":{}}",
		"\x08 { } ",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
