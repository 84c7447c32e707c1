#include "document.h"

#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "utf8.h"

static void clear_member(struct document_member *member)
{
	free(member->name);
	free(member->value);
}

void document_deinit(struct document *document)
{
	for (size_t i = 0; i < document->count; i++)
		clear_member(&document->members[i]);
	free(document->members);
	free(document->slots);
	*document = (struct document){ 0 };
}

/* Returns the slot of a name, or the empty slot for it. */
static uint32_t *find_slot(const struct document *document, const char *name)
{
	size_t mask = document->capacity * DOCUMENT_SLOTS - 1;
	size_t slot = text_hash(name) & mask;

	while (document->slots[slot] &&
	       strcmp(document->members[document->slots[slot] - 1].name, name) != 0)
		slot = (slot + 1) & mask;
	return &document->slots[slot];
}

static struct document_member *find(const struct document *document, const char *name)
{
	uint32_t index = document->count ? *find_slot(document, name) : 0;

	return index ? &document->members[index - 1] : NULL;
}

static void fill_slots(struct document *document)
{
	memset(document->slots, 0, document->capacity * DOCUMENT_SLOTS * sizeof *document->slots);
	for (size_t i = 0; i < document->count; i++)
		*find_slot(document, document->members[i].name) = (uint32_t)i + 1;
}

/* Room for one more. The capacity is a power of two. */
static bool grow(struct document *document)
{
	size_t capacity = document->capacity ? document->capacity * 2 : 16;
	struct document_member *members;
	uint32_t *slots;

	if (document->count < document->capacity)
		return true;
	members = realloc(document->members, capacity * sizeof *members);
	if (!members)
		return false;
	document->members = members;
	slots = malloc(capacity * DOCUMENT_SLOTS * sizeof *slots);
	if (!slots)
		return false;
	free(document->slots);
	document->slots = slots;
	document->capacity = capacity;
	fill_slots(document);
	return true;
}

/* Takes over `name` and `value` when it succeeds. */
static enum document_result put(struct document *document, char *name, char *value)
{
	struct document_member *member = find(document, name);
	size_t added = strlen(value) + (member ? 0 : strlen(name) + 2);
	size_t removed = member ? strlen(member->value) : 0;

	if (document->bytes + added - removed > DOCUMENT_MAX_BYTES)
		return DOCUMENT_FULL;
	if (!member) {
		if (!grow(document))
			return DOCUMENT_NO_MEMORY;
		*find_slot(document, name) = (uint32_t)document->count + 1;
		member = &document->members[document->count++];
		*member = (struct document_member){ .name = name };
	} else {
		free(name);
		free(member->value);
	}
	member->value = value;
	member->version = ++document->version;
	document->bytes += added - removed;
	return DOCUMENT_OK;
}

/* A name as we write it, so that one name has one spelling. */
static char *spell(const char *name, size_t length)
{
	struct text text = { 0 };

	text_json_string(&text, name, length);
	return text_take(&text);
}

static enum document_result set(struct document *document, const char *name, size_t name_length,
				struct json value)
{
	enum document_result result = DOCUMENT_NO_MEMORY;
	char *own_name, *own_value;

	if (!utf8_is_text(name, name_length, RECORD_NAME_MAX_BYTES))
		return DOCUMENT_INVALID;
	own_name = spell(name, name_length);
	own_value = strndup(value.at, value.length);
	if (own_name && own_value)
		result = put(document, own_name, own_value);
	if (result) {
		free(own_name);
		free(own_value);
	}
	return result;
}

enum document_result document_set(struct document *document, const char *name, const char *value,
				  size_t value_length)
{
	return set(document, name, strlen(name), (struct json){ value, value_length });
}

static enum document_result merge_member(struct document *document, struct json name,
					 struct json value)
{
	struct text plain = { 0 };
	enum document_result result = DOCUMENT_NO_MEMORY;

	json_decode(name, &plain);
	if (!plain.failed)
		result = set(document, plain.data ? plain.data : "", plain.length, value);
	text_deinit(&plain);
	return result;
}

/* U+0000 in a name or text, for which the server refuses a document. JSON has it as an escape only. */
static bool has_nul(const char *json)
{
	while ((json = strchr(json, '\\'))) {
		if (strncmp(json, "\\u0000", 6) == 0)
			return true;
		json += 2;
	}
	return false;
}

enum document_result document_merge(struct document *document, const char *object)
{
	struct json all = json_parse(object, strlen(object)), value = { 0 }, name;
	enum document_result result = DOCUMENT_OK;
	struct json_facts facts;

	switch (json_check_row(object, strlen(object), &facts)) {
	case JSON_OK:
		break;
	case JSON_NO_MEMORY:
		return DOCUMENT_NO_MEMORY;
	default:
		return DOCUMENT_INVALID;
	}
	if (has_nul(object))
		return DOCUMENT_INVALID;
	if (document->bytes + all.length > DOCUMENT_MAX_BYTES)
		return DOCUMENT_FULL;
	while (!result && json_next(all, &value, &name))
		result = merge_member(document, name, value);
	return result;
}

void document_write(const struct document *document, struct text *text)
{
	text_str(text, "{");
	for (size_t i = 0; i < document->count; i++) {
		text_str(text, i ? "," : "");
		text_str(text, document->members[i].name);
		text_str(text, ":");
		text_str(text, document->members[i].value);
	}
	text_str(text, "}");
}

void document_forget(struct document *document, uint64_t version)
{
	size_t kept = 0;

	for (size_t i = 0; i < document->count; i++) {
		struct document_member *member = &document->members[i];

		if (member->version > version) {
			document->members[kept++] = *member;
			continue;
		}
		document->bytes -= strlen(member->name) + strlen(member->value) + 2;
		clear_member(member);
	}
	document->count = kept;
	if (document->capacity)
		fill_slots(document);
}
