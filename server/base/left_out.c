#include "left_out.h"

#include <assert.h>
#include <string.h>

#include "arena.h"
#include "keyed_hash.h"
#include "odd_name.h"

enum { SLOTS = 4096 }; /* four times LEFT_OUT_MAX, a power of two */

struct left_out_index {
	struct hash_key key;
	uint16_t slots[SLOTS]; /* 1 + the number of an item; 0: free */
};

static const char *const kinds[LEFT_OUT_KINDS + 1] = {
	[LEFT_OUT_HISTORY] = "history", [LEFT_OUT_EVENTS] = "events", [LEFT_OUT_CONFIG] = "config",
	[LEFT_OUT_SUMMARY] = "summary", [LEFT_OUT_FILE] = "file",     [LEFT_OUT_FIELD] = "field",
};

static const char *const reasons[LEFT_OUT_REASONS] = {
	[LEFT_OUT_NAME_EMPTY] = "name-empty",
	[LEFT_OUT_NAME_REPEATED] = "name-repeated",
	[LEFT_OUT_NAME_RESERVED] = "name-reserved",
	[LEFT_OUT_NAME_TOO_LONG] = "name-too-long",
	[LEFT_OUT_NAME_INVALID] = "name-invalid",
	[LEFT_OUT_ROW_FULL] = "row-full",
	[LEFT_OUT_REQUEST_FULL] = "request-full",
	[LEFT_OUT_PROJECT_FULL] = "project-full",
	[LEFT_OUT_RUN_NAMES] = "run-new-names",
	[LEFT_OUT_DOCUMENT_FULL] = "document-full",
	[LEFT_OUT_VALUE_TOO_LARGE] = "value-too-large",
	[LEFT_OUT_VALUE_TOO_DEEP] = "value-too-deep",
	[LEFT_OUT_VALUE_INVALID] = "value-invalid",
};

const char *left_out_kind_name(int kind)
{
	return kind > 0 && kind <= LEFT_OUT_KINDS ? kinds[kind] : "other";
}

const char *left_out_reason_code(enum left_out_reason reason)
{
	assert(reason < LEFT_OUT_REASONS);
	return reasons[reason];
}

struct str left_out_text(struct arena *a, struct str text, size_t max_bytes)
{
	struct str head = str_head(text, max_bytes);
	char *copy = arena_copy(a, head.len ? head.at : "", head.len);

	for (size_t i = 0; i < head.len;) {
		size_t size = str_utf8_sequence(copy + i, head.len - i);

		if (!size || !copy[i])
			copy[i] = '?';
		i += size ? size : 1;
	}
	return (struct str){ copy, head.len };
}

static bool is_same(const struct left_out *item, const struct left_out *member)
{
	return item->kind == member->kind && item->reason == member->reason &&
	       str_equal(item->name, member->name);
}

static uint16_t *find_slot(const struct left_out_list *list, const struct left_out *member)
{
	uint64_t hash = hash_keyed(&list->index->key, member->name) + (uint64_t)member->kind * 31 +
			(uint64_t)member->reason * 1009;

	for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
		uint16_t *slot = &list->index->slots[i];

		if (!*slot || is_same(&list->items[*slot - 1], member))
			return slot;
	}
}

/* `member` has the name that is stored; NULL: the list is full. */
static struct left_out *find_item(struct left_out_list *list, struct arena *a,
				  const struct left_out *member, bool *ret_new)
{
	uint16_t *slot;

	if (!list->index) {
		list->index = arena_new_of(a, struct left_out_index);
		hash_key_make(&list->index->key);
	}
	slot = find_slot(list, member);
	*ret_new = !*slot;
	if (*slot)
		return &list->items[*slot - 1];
	if (list->count == LEFT_OUT_MAX)
		return NULL;
	if (list->count == list->size)
		list->items = arena_grow(a, list->items, &list->size, sizeof(list->items[0]));
	list->items[list->count] = *member;
	*slot = (uint16_t)++list->count;
	return &list->items[list->count - 1];
}

static void keep_texts(struct left_out *item, struct arena *a)
{
	bool has_room = arena_has_room(a, LEFT_OUT_SAMPLE_MAX_BYTES);

	item->name = (struct str){ str_copy(a, item->name), item->name.len };
	item->sample = left_out_text(a, item->sample, has_room ? LEFT_OUT_SAMPLE_MAX_BYTES : 0);
}

void left_out_add(struct left_out_list *list, struct arena *a, const struct left_out *member)
{
	struct left_out named = *member;
	struct left_out *item;
	bool is_new;

	list->total += member->count;
	if (list->total > LEFT_OUT_NAMED_MAX)
		return;
	named.name = odd_name_form(a, member->name, ODD_NAME_KEY, LEFT_OUT_NAME_MAX_BYTES);
	item = find_item(list, a, &named, &is_new);
	if (!item)
		return;
	if (!is_new) {
		item->count += member->count;
		return;
	}
	keep_texts(item, a);
}

void left_out_join(struct left_out_list *list, struct arena *a, const struct left_out_list *other)
{
	for (size_t i = 0; i < other->count; i++) {
		bool is_new;
		struct left_out *item = find_item(list, a, &other->items[i], &is_new);

		if (item && !is_new)
			item->count += other->items[i].count;
		else if (item)
			keep_texts(item, a);
	}
	list->total += other->total;
}
