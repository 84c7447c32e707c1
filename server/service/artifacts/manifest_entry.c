#include "manifest_entry.h"

#include <string.h>

#include "artifact_digest.h"
#include "artifact_path.h"
#include "json_scan.h"

/* U+0000 cannot be stored. */
static struct str text(struct json_scan *s, size_t max_bytes)
{
	struct str t = json_scan_text(s, max_bytes);

	if (t.len && memchr(t.at, 0, t.len))
		json_scan_fail(s, "a text contains U+0000");
	return (struct str){ str_copy(s->arena, t), t.len };
}

static void read_extra(struct json_scan *s, struct artifact_entry *entry)
{
	struct str extra;

	if (json_scan_kind(s) != JSON_KIND_OBJECT)
		json_scan_fail(s, "expected an object");
	extra = json_scan_raw(s);
	if (extra.len > ARTIFACT_EXTRA_MAX)
		json_scan_fail_as(s, ERR_UNPROCESSABLE, "expected an object of at most %d bytes",
				  ARTIFACT_EXTRA_MAX);
	if (extra.len > 2)
		entry->extra = (struct str){ str_copy(s->arena, extra), extra.len };
}

static void read_member(struct json_scan *s, struct str key, struct artifact_entry *entry)
{
	if (json_scan_null(s))
		return;
	if (str_is(key, "digest")) {
		entry->digest = text(s, ARTIFACT_DIGEST_MAX);
	} else if (str_is(key, "ref")) {
		entry->ref = text(s, ARTIFACT_REF_MAX);
	} else if (str_is(key, "size")) {
		entry->has_size = true;
		entry->size_bytes = json_scan_int64(s, 0, ARTIFACT_SIZE_MAX);
	} else if (str_is(key, "extra")) {
		read_extra(s, entry);
	} else {
		json_scan_raw(
			s); /* birthArtifactID, which the server knows, and what it does not */
	}
}

static err_t read_members(struct arena *a, struct str value, struct artifact_entry *entry)
{
	struct json_scan s;
	struct str key;

	json_scan_begin(&s, a, value);
	json_scan_object(&s);
	while (json_scan_key(&s, &key))
		read_member(&s, key, entry);
	return json_scan_end(&s);
}

static err_t check(struct arena *a, struct artifact_entry *entry)
{
	unsigned char *md5;

	if (entry->ref.at)
		return entry->digest.len ? NULL
					 : err_new(a, ERR_INVALID, "a reference has no \"digest\"");
	md5 = arena_alloc(a, ARTIFACT_MD5_SIZE);
	if (!artifact_md5_read(entry->digest, md5))
		return err_new(a, ERR_INVALID,
			       "invalid digest: expected the MD5 of the file in base64");
	entry->md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
	return NULL;
}

err_t manifest_entry_read(struct arena *a, struct str path, struct str value,
			  struct artifact_entry *ret_entry)
{
	struct artifact_entry entry = {
		.path = { str_copy(a, path), path.len },
		.digest = STR(""),
		.ref = { NULL, 0 },
		.extra = { NULL, 0 },
		.md5 = { NULL, 0 },
	};
	err_t e = artifact_path_check(a, "contents", path);

	if (e)
		return e;
	e = read_members(a, value, &entry);
	if (!e)
		e = check(a, &entry);
	if (e && e->field)
		return err_field(a, e->kind, "contents", "\"%.*s\", \"%s\": %s", STR_ARG(path),
				 e->field, e->message);
	if (e)
		return err_field(a, e->kind, "contents", "\"%.*s\": %s", STR_ARG(path), e->message);
	*ret_entry = entry;
	return NULL;
}
