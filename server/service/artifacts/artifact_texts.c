#include "artifact_texts.h"

#include <string.h>

#include "arena.h"
#include "artifact.h"
#include "buf.h"
#include "json_doc.h"
#include "json_out.h"

struct artifact_texts artifact_texts_read(struct arena *a, struct str json)
{
	const struct json_doc *doc;
	struct str *texts;
	size_t count = 0;

	if (!json.len || json_doc_parse(a, json, &doc) || doc->kind != JSON_KIND_ARRAY)
		return (struct artifact_texts){ NULL, 0 };
	texts = arena_new_array(a, struct str, doc->count + 1);
	for (size_t i = 0; i < doc->count; i++) {
		if (json_doc_is(doc->items[i], JSON_KIND_STRING))
			texts[count++] = doc->items[i]->text;
	}
	return (struct artifact_texts){ texts, count };
}

struct str artifact_texts_write(struct arena *a, const struct artifact_texts *texts)
{
	struct buf *b = buf_new(a);
	struct json_out out = json_out_begin(b);

	json_out_array(&out);
	for (size_t i = 0; i < texts->count; i++)
		json_out_text(&out, texts->at[i]);
	json_out_array_end(&out);
	return buf_str(b);
}

bool artifact_texts_have(const struct artifact_texts *texts, struct str text)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (str_equal(texts->at[i], text))
			return true;
	}
	return false;
}

struct artifact_texts artifact_texts_join(struct arena *a, const struct artifact_texts *texts,
					  const struct artifact_texts *more)
{
	struct str *all = arena_new_array(a, struct str, texts->count + more->count + 1);
	struct artifact_texts joined = { all, 0 };

	for (size_t i = 0; i < texts->count + more->count; i++) {
		struct str text = i < texts->count ? texts->at[i] : more->at[i - texts->count];

		if (!artifact_texts_have(&joined, text))
			all[joined.count++] = text;
	}
	return joined;
}

struct artifact_texts artifact_texts_without(struct arena *a, const struct artifact_texts *texts,
					     const struct artifact_texts *less)
{
	struct str *all = arena_new_array(a, struct str, texts->count + 1);
	struct artifact_texts rest = { all, 0 };

	for (size_t i = 0; i < texts->count; i++) {
		if (!artifact_texts_have(less, texts->at[i]))
			all[rest.count++] = texts->at[i];
	}
	return rest;
}

err_t artifact_texts_check(struct arena *a, const char *field, const struct artifact_texts *texts,
			   size_t max, artifact_text_check *check)
{
	err_t e = NULL;

	if (texts->count > max)
		return err_field(a, ERR_INVALID, field, "too many: %zu, at most %zu are allowed",
				 texts->count, max);
	for (size_t i = 0; i < texts->count && !e; i++)
		e = check(a, field, texts->at[i]);
	return e;
}

err_t artifact_metadata_read(struct arena *a, const char *field, struct str text,
			     struct str *ret_metadata)
{
	const struct json_doc *doc;
	err_t e;

	if (!text.at) {
		*ret_metadata = text;
		return NULL;
	}
	if (text.len > ARTIFACT_METADATA_MAX)
		return err_field(a, ERR_INVALID, field,
				 "metadata has %zu bytes, at most %d are allowed", text.len,
				 ARTIFACT_METADATA_MAX);
	e = json_doc_parse_texts(a, text, &doc);
	if (e)
		return err_field(a, ERR_INVALID, field, "invalid metadata: %s", e->message);
	if (json_doc_is(doc, JSON_KIND_NULL)) {
		*ret_metadata = (struct str){ NULL, 0 };
		return NULL;
	}
	if (!json_doc_is(doc, JSON_KIND_OBJECT))
		return err_field(a, ERR_INVALID, field, "invalid metadata: expected a JSON object");
	*ret_metadata = json_doc_dump(a, doc);
	return NULL;
}

err_t artifact_description_check(struct arena *a, const char *field, struct str text)
{
	if (!text.at)
		return NULL;
	if (!str_is_utf8(text) || memchr(text.at, 0, text.len))
		return err_field(a, ERR_INVALID, field,
				 "invalid description: it is not UTF-8, or contains U+0000");
	if (text.len > ARTIFACT_DESCRIPTION_MAX)
		return err_field(a, ERR_INVALID, field,
				 "the description has %zu bytes, at most %d are allowed", text.len,
				 ARTIFACT_DESCRIPTION_MAX);
	return NULL;
}
