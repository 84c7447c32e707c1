#include "searched_summary.h"

#include "arena.h"
#include "sdk_key.h"

enum { KINDS = 6 };
static const char *const kinds[][KINDS] = {
	[SDK_GOAL_MAX] = { "best", "max", "min", "last", "mean", "first" },
	[SDK_GOAL_MIN] = { "best", "min", "max", "last", "mean", "first" },
};

/* The members of one summary, in the order in which they were found. */
struct members {
	struct json_member *at;
	size_t count, size;
};

struct walk {
	struct arena *arena;
	const struct sdk_made *made; /* NULL: only the names in `flat` are asked for */
	struct members flat;         /* "val/loss.min" */
	char room[JSON_KEY_MAX_BYTES];
};

static void add(struct arena *a, struct members *m, struct str name, const struct json_doc *value)
{
	if (m->count == m->size)
		m->at = arena_grow(a, m->at, &m->size, sizeof(*m->at));
	m->at[m->count++] = (struct json_member){ name, value };
}

/* Documents have NaN and the infinities as texts. */
static bool is_number(const struct json_doc *doc)
{
	return doc->kind == JSON_KIND_NUMBER ||
	       (doc->kind == JSON_KIND_STRING &&
		(str_is(doc->text, "NaN") || str_is(doc->text, "Infinity") ||
		 str_is(doc->text, "-Infinity")));
}

static bool is_kind(struct str name)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (str_is(name, kinds[SDK_GOAL_MAX][i]))
			return true;
	}
	return false;
}

static bool is_metric(const struct json_doc *doc)
{
	if (doc->kind != JSON_KIND_OBJECT || !doc->count)
		return false;
	for (size_t i = 0; i < doc->count; i++) {
		if (!is_kind(doc->members[i].name) || !is_number(doc->members[i].value))
			return false;
	}
	return true;
}

static const struct json_doc *number_of(const struct sdk_made *made, struct str key,
					const struct json_doc *metric)
{
	const enum sdk_goal goal = made ? sdk_made_goal(made, key) : SDK_GOAL_MAX;
	const struct json_doc *number = NULL;

	for (size_t i = 0; i < KINDS && !number; i++)
		number = json_doc_get_named(metric, kinds[goal][i]);
	return number;
}

static const struct json_doc *take_metric(struct walk *w, struct str key,
					  const struct json_doc *metric)
{
	const struct json_doc *number = number_of(w->made, key, metric);

	for (size_t i = 0; i < metric->count; i++) {
		struct str name = sdk_key_below(w->room, key, metric->members[i].name);

		if (name.at)
			add(w->arena, &w->flat, (struct str){ str_copy(w->arena, name), name.len },
			    metric->members[i].value);
	}
	return number;
}

/* The searched value: itself if there is no metric in it. `key` is at the beginning of the room. */
static const struct json_doc *searched(struct walk *w, struct str key, const struct json_doc *doc)
{
	struct json_member *members;
	bool is_same = true;

	if (!key.at || doc->kind != JSON_KIND_OBJECT)
		return doc;
	if (is_metric(doc))
		return take_metric(w, key, doc);
	members = arena_new_array(w->arena, struct json_member, doc->count);
	for (size_t i = 0; i < doc->count; i++) {
		const struct json_member *m = &doc->members[i];

		members[i].name = m->name;
		members[i].value = searched(w, sdk_key_below(w->room, key, m->name), m->value);
		is_same = is_same && members[i].value == m->value;
	}
	return is_same ? doc : json_doc_object(w->arena, members, doc->count);
}

void searched_summary_make(struct arena *a, const struct sdk_made *made,
			   const struct json_doc *summary, struct searched_summary *ret_made)
{
	struct walk w = { .arena = a, .made = made };
	struct members all = { 0 };
	struct members whole = { 0 };

	for (size_t i = 0; i < summary->count; i++) {
		const struct json_member *m = &summary->members[i];
		const struct json_doc *value = searched(
			&w, sdk_key_below(w.room, (struct str){ w.room, 0 }, m->name), m->value);

		add(a, &all, m->name, value);
		if (value != m->value)
			add(a, &whole, m->name, m->value);
	}
	*ret_made = (struct searched_summary){ summary, json_doc_empty() };
	if (!whole.count)
		return;
	for (size_t i = 0; i < w.flat.count; i++) {
		const struct json_doc *there = json_doc_get(summary, w.flat.at[i].name);

		/* A key with that name exists, and stays. */
		add(a, there ? &whole : &all, w.flat.at[i].name,
		    there ? there : w.flat.at[i].value);
	}
	ret_made->searched = json_doc_object(a, all.at, all.count);
	ret_made->whole = json_doc_object(a, whole.at, whole.count);
}

const struct json_doc *searched_summary_restore(struct arena *a, const struct searched_summary *of)
{
	const struct json_doc *whole = of->whole;
	const struct json_doc *flat;
	struct walk w = { .arena = a };
	struct members all = { 0 };

	if (!whole->count)
		return of->searched;
	for (size_t i = 0; i < whole->count; i++)
		(void)searched(&w,
			       sdk_key_below(w.room, (struct str){ w.room, 0 },
					     whole->members[i].name),
			       whole->members[i].value);
	flat = json_doc_object(a, w.flat.at, w.flat.count);
	for (size_t i = 0; i < of->searched->count; i++) {
		const struct json_member *m = &of->searched->members[i];

		if (!json_doc_get(flat, m->name))
			add(a, &all, m->name, m->value);
	}
	for (size_t i = 0; i < whole->count; i++)
		add(a, &all, whole->members[i].name, whole->members[i].value);
	return json_doc_object(a, all.at, all.count);
}
