/* A definition is in a list of its own, so that it is one leaf: two of one name are never mixed. */
#include "sdk_lists.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arena.h"

static struct str text_of(const struct json_doc *doc, const char *member)
{
	const struct json_doc *text = json_doc_get_named(doc, member);

	return json_doc_is(text, JSON_KIND_STRING) ? text->text : (struct str){ 0 };
}

/* ---- definitions of metrics ---------------------------------------------------------------------- */

static bool is_flat(const struct json_doc *doc)
{
	return !json_doc_is(doc, JSON_KIND_OBJECT) && !json_doc_is(doc, JSON_KIND_ARRAY);
}

static bool is_flat_list(const struct json_doc *doc)
{
	for (size_t i = 0; i < doc->count; i++) {
		if (!is_flat(doc->items[i]))
			return false;
	}
	return true;
}

/* An object with a name or a pattern, not so deep that it would be too deep one level further down. */
static bool is_definition(const struct json_doc *doc)
{
	if (!json_doc_is(doc, JSON_KIND_OBJECT) ||
	    (!text_of(doc, "1").len && !text_of(doc, "2").len))
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		const struct json_doc *value = doc->members[i].value;

		if (!is_flat(value) &&
		    !(json_doc_is(value, JSON_KIND_ARRAY) && is_flat_list(value)))
			return false;
	}
	return true;
}

static bool are_definitions(const struct json_doc *doc)
{
	if (!json_doc_is(doc, JSON_KIND_ARRAY) || !doc->count)
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		if (!is_definition(doc->items[i]))
			return false;
	}
	return true;
}

/* "1:acc", "2:v*" */
static struct str key_of(struct arena *a, const struct json_doc *definition)
{
	struct str name = text_of(definition, "1");

	if (name.len)
		return str_of(arena_printf(a, "1:%.*s", STR_ARG(name)));
	name = text_of(definition, "2");
	return str_of(arena_printf(a, "2:%.*s", STR_ARG(name)));
}

/* The name of its step metric in place of the number. */
static const struct json_doc *name_step(struct arena *a, const struct json_doc *definition,
					const struct json_doc *list)
{
	const struct json_doc *number = json_doc_get_named(definition, "5");
	struct str name = { NULL, 0 };
	int64_t index;

	if (!number)
		return definition;
	if (json_doc_int64(number, &index) && index >= 1 && (uint64_t)index <= list->count)
		name = text_of(list->items[index - 1], "1");
	return json_doc_with(a, definition, STR("5"), name.len ? json_doc_text(a, name) : NULL);
}

static const struct json_doc *open_definitions(struct arena *a, const struct json_doc *list)
{
	struct json_member *members = arena_new_array(a, struct json_member, list->count);

	for (size_t i = 0; i < list->count; i++) {
		const struct json_doc *definition = name_step(a, list->items[i], list);

		members[i].name = key_of(a, definition);
		members[i].value = json_doc_array(a, &definition, 1);
	}
	return json_doc_object(a, members, list->count);
}

static bool are_opened(const struct json_doc *doc)
{
	if (!json_doc_is(doc, JSON_KIND_OBJECT) || !doc->count)
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		const struct json_member *m = &doc->members[i];

		if ((!str_starts(m->name, "1:") && !str_starts(m->name, "2:")) ||
		    !are_definitions(m->value) || m->value->count != 1)
			return false;
	}
	return true;
}

static int by_name(const void *name, const void *member)
{
	return str_compare(*(const struct str *)name, ((const struct json_member *)member)->name);
}

/*
 * From 1; 0: no definition has that name. Names come before patterns, so
 * their positions are their numbers.
 */
static int64_t number_of(struct arena *a, const struct json_doc *opened, struct str name)
{
	struct str indexed = str_of(arena_printf(a, "1:%.*s", STR_ARG(name)));
	const struct json_member *found = bsearch(&indexed, opened->members, opened->count,
						  sizeof(opened->members[0]), by_name);

	return found ? found - opened->members + 1 : 0;
}

/* The number of its step metric again; a name that is not defined stays a name. */
static const struct json_doc *number_step(struct arena *a, const struct json_doc *definition,
					  const struct json_doc *opened)
{
	struct str name = text_of(definition, "5");
	int64_t number;

	if (!name.len)
		return definition;
	number = number_of(a, opened, name);
	if (number)
		return json_doc_with(a, definition, STR("5"), json_doc_of_int64(a, number));
	definition = json_doc_with(a, definition, STR("5"), NULL);
	return json_doc_with(a, definition, STR("4"), json_doc_text(a, name));
}

static const struct json_doc *close_definitions(struct arena *a, const struct json_doc *opened)
{
	const struct json_doc **items =
		arena_alloc(a, opened->count * sizeof(const struct json_doc *));

	for (size_t i = 0; i < opened->count; i++)
		items[i] = number_step(a, opened->members[i].value->items[0], opened);
	return json_doc_array(a, items, opened->count);
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static bool are_numbers(const struct json_doc *doc)
{
	int64_t number;

	if (!json_doc_is(doc, JSON_KIND_ARRAY) || !doc->count)
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		if (!json_doc_int64(doc->items[i], &number))
			return false;
	}
	return true;
}

static const struct json_doc *open_numbers(struct arena *a, const struct json_doc *list)
{
	struct json_member *members = arena_new_array(a, struct json_member, list->count);

	for (size_t i = 0; i < list->count; i++) {
		int64_t number = 0;

		json_doc_int64(list->items[i], &number);
		members[i].name = str_of(arena_printf(a, "#%" PRId64, number));
		members[i].value = json_doc_of_int64(a, number);
	}
	return json_doc_object(a, members, list->count);
}

static bool are_opened_numbers(const struct json_doc *doc)
{
	int64_t number;

	if (!json_doc_is(doc, JSON_KIND_OBJECT) || !doc->count)
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		if (!str_starts(doc->members[i].name, "#") ||
		    !json_doc_int64(doc->members[i].value, &number))
			return false;
	}
	return true;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = 0;
	int64_t y = 0;

	json_doc_int64(*(const struct json_doc *const *)a, &x);
	json_doc_int64(*(const struct json_doc *const *)b, &y);
	return (x > y) - (x < y);
}

static const struct json_doc *close_numbers(struct arena *a, const struct json_doc *opened)
{
	const struct json_doc **items =
		arena_alloc(a, opened->count * sizeof(const struct json_doc *));

	for (size_t i = 0; i < opened->count; i++)
		items[i] = opened->members[i].value;
	qsort(items, opened->count, sizeof(const struct json_doc *), by_number);
	return json_doc_array(a, items, opened->count);
}

/* ---- both ---------------------------------------------------------------------------------------- */

/* Changes a value; NULL: it is dropped. */
typedef const struct json_doc *change_fn(struct arena *a, const struct json_doc *value);

static bool says_nothing(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_NULL) ||
	       (json_doc_is(doc, JSON_KIND_ARRAY) && !doc->count);
}

static const struct json_doc *open_m(struct arena *a, const struct json_doc *m)
{
	if (says_nothing(m))
		return NULL;
	return are_definitions(m) ? open_definitions(a, m) : m;
}

static const struct json_doc *close_m(struct arena *a, const struct json_doc *m)
{
	return are_opened(m) ? close_definitions(a, m) : m;
}

static const struct json_doc *open_use(struct arena *a, const struct json_doc *use)
{
	if (says_nothing(use))
		return NULL;
	return are_numbers(use) ? open_numbers(a, use) : use;
}

static const struct json_doc *close_use(struct arena *a, const struct json_doc *use)
{
	return are_opened_numbers(use) ? close_numbers(a, use) : use;
}

static const struct json_doc *change_members(struct arena *a, const struct json_doc *doc,
					     change_fn *change)
{
	struct json_member *members = arena_new_array(a, struct json_member, doc->count);
	size_t count = 0;

	for (size_t i = 0; i < doc->count; i++) {
		members[count] = doc->members[i];
		members[count].value = change(a, doc->members[i].value);
		count += members[count].value != NULL;
	}
	return json_doc_object(a, members, count);
}

static const struct json_doc *open_t(struct arena *a, const struct json_doc *t)
{
	return json_doc_is(t, JSON_KIND_OBJECT) ? change_members(a, t, open_use) : t;
}

static const struct json_doc *close_t(struct arena *a, const struct json_doc *t)
{
	return json_doc_is(t, JSON_KIND_OBJECT) ? change_members(a, t, close_use) : t;
}

/* Drops the member if nothing is left of it. */
static const struct json_doc *change_member(struct arena *a, const struct json_doc *doc,
					    const char *name, change_fn *change)
{
	const struct json_doc *value = json_doc_get_named(doc, name);
	const struct json_doc *changed = value ? change(a, value) : NULL;

	return changed == value ? doc : json_doc_with(a, doc, str_of(name), changed);
}

static const struct json_doc *change_both(struct arena *a, const struct json_doc *doc,
					  change_fn *change_m, change_fn *change_t)
{
	const struct json_doc *changed;

	if (!json_doc_is(doc, JSON_KIND_OBJECT))
		return doc;
	changed = change_member(a, doc, "m", change_m);
	changed = change_member(a, changed, "t", change_t);
	return changed->count || !doc->count ? changed : NULL;
}

static const struct json_doc *open_value(struct arena *a, const struct json_doc *value)
{
	return change_both(a, value, open_m, open_t);
}

static const struct json_doc *close_value(struct arena *a, const struct json_doc *value)
{
	return change_both(a, value, close_m, close_t);
}

/* In "_wandb" itself, and in its "value". */
static const struct json_doc *change_wandb(struct arena *a, const struct json_doc *wandb,
					   change_fn *change)
{
	const struct json_doc *changed = change(a, wandb);

	if (!json_doc_is(changed, JSON_KIND_OBJECT))
		return changed;
	changed = change_member(a, changed, "value", change);
	return changed->count || !wandb->count ? changed : NULL;
}

static const struct json_doc *open_wandb(struct arena *a, const struct json_doc *wandb)
{
	return change_wandb(a, wandb, open_value);
}

static const struct json_doc *close_wandb(struct arena *a, const struct json_doc *wandb)
{
	return change_wandb(a, wandb, close_value);
}

const struct json_doc *sdk_lists_open(struct arena *a, const struct json_doc *config)
{
	return change_member(a, config, "_wandb", open_wandb);
}

const struct json_doc *sdk_lists_close(struct arena *a, const struct json_doc *config)
{
	return change_member(a, config, "_wandb", close_wandb);
}
