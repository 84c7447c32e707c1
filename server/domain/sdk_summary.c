/*
 * One walk over what is sent, in step with the same node in the other documents. A row has nested
 * values under names joined by dots, so the way to a value is joined as it is walked.
 */
#include "sdk_summary.h"

#include <string.h>

#include "arena.h"
#include "sdk_key.h"

struct judging {
	struct arena *arena;
	const struct sdk_summary_ask *ask;
	double time; /* of the last row in the sent summary; -1: none */
	char *room;  /* for the key of the node */
};

/* One node in all documents; NULL where there is nothing. */
struct node {
	struct str key; /* as a row has it; .at is NULL: none can */
	const struct json_doc *sent;
	const struct json_doc *before;
	const struct json_doc *common;
	const struct json_doc *explicit_now;
};

static bool is_object(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_OBJECT);
}

/* An object with members; an empty one is a value. */
static bool is_inner(const struct json_doc *doc)
{
	return is_object(doc) && doc->count;
}

static struct node below(const struct judging *j, const struct node *above, struct str name)
{
	return (struct node){
		.key = sdk_key_below(j->room, above->key, name),
		.sent = json_doc_get(above->sent, name),
		.before = json_doc_get(above->before, name),
		.common = json_doc_get(above->common, name),
		.explicit_now = json_doc_get(above->explicit_now, name),
	};
}

enum origin { LEFT, SET, LOGGED };

static bool follows_from_history(struct str key)
{
	return str_is(key, "_step") || str_is(key, "_timestamp");
}

static bool is_runtime(struct str key)
{
	return str_is(key, "_runtime") || str_is(key, "_wandb.runtime");
}

static enum origin judge_runtime(const struct node *p)
{
	double sent = 0;
	double now = 0;

	if (!json_doc_double(p->sent, &sent) || !json_doc_double(p->explicit_now, &now))
		return SET;
	return sent > now ? SET : LEFT;
}

struct logged {
	double time;
	const struct json_doc *value;
};

static bool find_logged(const struct json_doc *last, struct str key, struct logged *ret_logged)
{
	const struct json_doc *pair = key.at ? json_doc_get(last, key) : NULL;

	if (!json_doc_is(pair, JSON_KIND_ARRAY) || pair->count != 2 ||
	    !json_doc_double(pair->items[0], &ret_logged->time))
		return false;
	ret_logged->value = pair->items[1];
	return true;
}

static bool is_as_before(const struct node *p)
{
	return (p->before && json_doc_equal(p->sent, p->before)) ||
	       (p->common && json_doc_equal(p->sent, p->common));
}

static enum origin judge(const struct judging *j, const struct node *p)
{
	bool as_before = is_as_before(p);
	struct logged logged;

	if (is_runtime(p->key))
		return judge_runtime(p);
	if (!find_logged(j->ask->last, p->key, &logged))
		return as_before ? LEFT : SET;
	if (j->ask->derived)
		return as_before ? LOGGED : SET;
	if (logged.time > j->time || json_doc_equal(p->sent, logged.value))
		return LOGGED;
	return as_before ? LEFT : SET;
}

/* The part of the document that has the origin; NULL: nothing. */
static const struct json_doc *part(const struct judging *j, const struct node *p,
				   enum origin wanted)
{
	struct json_member *members;
	size_t count = 0;

	if (!is_inner(p->sent))
		return judge(j, p) == wanted ? p->sent : NULL;
	members = arena_new_array(j->arena, struct json_member, p->sent->count);
	for (size_t i = 0; i < p->sent->count; i++) {
		struct node inner = below(j, p, p->sent->members[i].name);

		if (follows_from_history(inner.key))
			continue;
		members[count].name = p->sent->members[i].name;
		members[count].value = part(j, &inner, wanted);
		count += members[count].value != NULL;
	}
	return count ? json_doc_object(j->arena, members, count) : NULL;
}

/* The values that were sent before and are not there any more. */
static const struct json_doc *gone(struct arena *a, const struct json_doc *before,
				   const struct json_doc *sent)
{
	struct json_member *members;
	size_t count = 0;

	if (!is_inner(before))
		return sent && !is_inner(sent) ? NULL : before;
	members = arena_new_array(a, struct json_member, before->count);
	for (size_t i = 0; i < before->count; i++) {
		struct str name = before->members[i].name;

		members[count].name = name;
		members[count].value = gone(a, before->members[i].value, json_doc_get(sent, name));
		count += members[count].value != NULL;
	}
	return count ? json_doc_object(a, members, count) : NULL;
}

static double time_of(const struct json_doc *sent);

/* Under its joined name, or within objects. */
static bool is_there(const struct json_doc *doc, struct str key)
{
	if (json_doc_get(doc, key))
		return true;
	for (size_t i = 1; i + 1 < key.len; i++) {
		const struct json_doc *inner;

		if (key.at[i] != '.')
			continue;
		inner = json_doc_get(doc, (struct str){ key.at, i });
		if (inner && is_there(inner, (struct str){ key.at + i + 1, key.len - i - 1 }))
			return true;
	}
	return false;
}

struct deleting {
	struct arena *arena;
	const struct sdk_summary_ask *ask;
	double time; /* of what is sent */
	struct json_member *keys;
	size_t count, size;
	char room[JSON_KEY_MAX_BYTES]; /* for the key of the node */
};

static void delete_key(struct deleting *d, struct str key)
{
	struct logged logged;

	if (!key.at || str_starts(key, "_") || is_there(d->ask->sent, key))
		return;
	if (find_logged(d->ask->last, key, &logged) && logged.time > d->time)
		return;
	if (d->count == d->size)
		d->keys = arena_grow(d->arena, d->keys, &d->size, sizeof(*d->keys));
	key.at = str_copy(d->arena, key);
	d->keys[d->count++] = (struct json_member){ key, json_doc_null() };
}

/* Deletes the leaves of `gone`, by their joined names. */
static void delete_leaves(struct deleting *d, const struct json_doc *gone, struct str above)
{
	for (size_t i = 0; i < gone->count; i++) {
		struct str key = sdk_key_below(d->room, above, gone->members[i].name);

		if (is_inner(gone->members[i].value))
			delete_leaves(d, gone->members[i].value, key);
		else
			delete_key(d, key);
	}
}

const struct json_doc *sdk_summary_deleted(struct arena *a, const struct sdk_summary_ask *ask)
{
	struct deleting d = { .arena = a, .ask = ask, .time = time_of(ask->sent) };
	const struct json_doc *missing = NULL;

	if (ask->derived)
		return json_doc_empty();
	for (size_t i = 0; is_object(ask->last_own) && i < ask->last_own->count; i++)
		delete_key(&d, ask->last_own->members[i].name);
	if (ask->before_is_own && is_inner(ask->before))
		missing = gone(a, ask->before, ask->sent);
	if (missing)
		delete_leaves(&d, missing, (struct str){ d.room, 0 });
	return json_doc_object(a, d.keys, d.count);
}

static double time_of(const struct json_doc *sent)
{
	double time = -1;

	json_doc_double(json_doc_get_named(sent, "_timestamp"), &time);
	return time;
}

const struct json_doc *sdk_summary_ahead(struct arena *a, const struct json_doc *last,
					 const struct json_doc *sent)
{
	struct json_member *members;
	double time = time_of(sent);
	size_t count = 0;

	if (!is_inner(last))
		return json_doc_empty();
	members = arena_new_array(a, struct json_member, last->count);
	for (size_t i = 0; i < last->count; i++) {
		struct logged logged;

		if (find_logged(last, last->members[i].name, &logged) && logged.time > time)
			members[count++] = last->members[i];
	}
	return json_doc_object(a, members, count);
}

bool sdk_summary_waits(const struct sdk_summary_ask *ask)
{
	double time = time_of(ask->sent);
	double newest = time_of(ask->before);

	for (size_t i = 0; is_object(ask->last) && i < ask->last->count; i++) {
		struct logged logged;

		if (find_logged(ask->last, ask->last->members[i].name, &logged) &&
		    logged.time > newest)
			newest = logged.time;
	}
	return time > newest;
}

bool sdk_summary_may_differ(struct str key)
{
	static const char *const kinds[] = { "min", "max", "mean", "first", "last", "best" };
	const char *dot = key.len ? memrchr(key.at, '.', key.len) : NULL;
	size_t above = dot ? (size_t)(dot + 1 - key.at) : 0;

	for (size_t i = 0; dot && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (str_is((struct str){ key.at + above, key.len - above }, kinds[i]))
			return true;
	}
	return str_is(key, "_runtime");
}

static const struct json_doc *or_empty(const struct json_doc *doc)
{
	return is_object(doc) ? doc : json_doc_empty();
}

void sdk_summary_judge(struct arena *a, const struct sdk_summary_ask *ask,
		       struct sdk_summary_change *ret_change)
{
	const struct json_doc *was = ask->common ? ask->common : ask->before;
	char room[JSON_KEY_MAX_BYTES];
	const struct judging j = { a, ask, time_of(ask->sent), room };
	const struct node whole = {
		.key = { room, 0 },
		.sent = ask->sent,
		.before = ask->before,
		.common = ask->common,
		.explicit_now = ask->explicit_now,
	};

	*ret_change =
		(struct sdk_summary_change){ json_doc_empty(), json_doc_empty(), json_doc_empty() };
	if (is_inner(ask->sent)) {
		ret_change->set = or_empty(part(&j, &whole, SET));
		ret_change->logged = or_empty(part(&j, &whole, LOGGED));
	}
	if (is_inner(was))
		ret_change->gone = or_empty(gone(a, was, ask->sent));
}
