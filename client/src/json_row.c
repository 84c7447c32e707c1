/*
 * The check of a row that the host program wrote as JSON. The server flattens nested objects with
 * dots and leaves out a name that comes twice or is too long; so it is found here. A
 * name is remembered as a hash of 64 bits over its path: two different names of one row that share
 * a hash are not to be expected in the life of the universe, and would only cost that row.
 */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "record.h"
#include "utf8.h"

struct names {
	uint64_t *hashes;
	size_t count, capacity;
};

struct path {
	uint64_t hash;
	size_t length;
};

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static bool names_add(struct names *names, uint64_t hash)
{
	if (names->count == names->capacity) {
		size_t capacity = names->capacity ? names->capacity * 2 : 64;
		uint64_t *hashes = realloc(names->hashes, capacity * sizeof *hashes);

		if (!hashes)
			return false;
		names->hashes = hashes;
		names->capacity = capacity;
	}
	names->hashes[names->count++] = hash;
	return true;
}

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool names_repeat(struct names *names)
{
	qsort(names->hashes, names->count, sizeof *names->hashes, compare_hashes);
	for (size_t i = 1; i < names->count; i++) {
		if (names->hashes[i] == names->hashes[i - 1])
			return true;
	}
	return false;
}

static enum json_error extend(struct path *path, struct json name)
{
	struct text text = { 0 };
	enum json_error e = JSON_OK;

	json_decode(name, &text);
	if (text.failed)
		e = JSON_NO_MEMORY;
	else if (!utf8_is_text(text.data, text.length, RECORD_NAME_MAX_BYTES))
		e = JSON_BAD_NAME;
	else if (path->length + text.length + (path->length > 0) > RECORD_NAME_MAX_BYTES)
		e = JSON_BAD_NAME;
	if (!e) {
		path->hash = hash_bytes(path->length ? hash_bytes(path->hash, ".", 1) : path->hash,
					text.data, text.length);
		path->length += text.length + (path->length > 0);
	}
	text_deinit(&text);
	return e;
}

static bool is_empty(struct json object)
{
	struct json value = { 0 };

	return !json_next(object, &value, NULL);
}

/* Flattens as the server does. The depth is bounded by json_parse(). */
static enum json_error collect(struct json object, struct path path, struct names *names)
{
	struct json value = { 0 }, name;

	while (json_next(object, &value, &name)) {
		struct path inner = path;
		enum json_error e = extend(&inner, name);

		if (e)
			return e;
		if (json_is_object(value) && !is_empty(value)) {
			e = collect(value, inner, names);
			if (e)
				return e;
		} else if (!names_add(names, inner.hash)) {
			return JSON_NO_MEMORY;
		}
	}
	return JSON_OK;
}

enum json_error json_check_row(const char *text, size_t length, struct json_facts *ret_facts)
{
	struct json object = json_parse(text, length);
	struct names names = { 0 };
	enum json_error e;

	if (!object.at)
		return JSON_MALFORMED;
	if (!json_is_object(object))
		return JSON_NOT_OBJECT;
	e = collect(object, (struct path){ UINT64_C(0xcbf29ce484222325), 0 }, &names);
	if (!e && names.count > 1 && names_repeat(&names))
		e = JSON_REPEATED;
	if (!e && (json_member(object, "_row").at || json_member(object, "_label").at))
		e = JSON_BAD_NAME;
	if (!e)
		*ret_facts = (struct json_facts){
			.leaves = names.count,
			.has_step = json_member(object, "_step").at != NULL,
			.has_timestamp = json_member(object, "_timestamp").at != NULL,
			.is_empty = is_empty(object),
		};
	free(names.hashes);
	return e;
}
