/*
 * One walk over what is sent, with the place of the same name in the other documents beside it. A row
 * has nested values under names joined by dots, so the way to a value is joined as it is walked.
 */
#include "sdk_summary.h"

#include "arena.h"

struct judging {
	struct arena *arena;
	const struct sdk_summary_ask *ask;
};

/* One place in all documents; NULL where there is nothing. */
struct place {
	struct str key; /* as a row has it */
	const struct json_doc *sent;
	const struct json_doc *before;
	const struct json_doc *explicit_now;
};

static bool is_object(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_OBJECT);
}

/* An object with members; what is empty is a value. */
static bool is_inner(const struct json_doc *doc)
{
	return is_object(doc) && doc->count;
}

static struct place below(const struct judging *j, const struct place *above, struct str name)
{
	struct place p = {
		.key = name,
		.sent = json_doc_get(above->sent, name),
		.before = json_doc_get(above->before, name),
		.explicit_now = json_doc_get(above->explicit_now, name),
	};

	if (above->key.len)
		p.key = str_of(
			arena_printf(j->arena, "%.*s.%.*s", STR_ARG(above->key), STR_ARG(name)));
	return p;
}

enum verdict { LEFT, SET, LOGGED };

static bool follows_from_history(struct str key)
{
	return str_is(key, "_step") || str_is(key, "_timestamp");
}

static bool is_runtime(struct str key)
{
	return str_is(key, "_runtime") || str_is(key, "_wandb.runtime");
}

static enum verdict judge_runtime(const struct place *p)
{
	double sent = 0;
	double now = 0;

	if (!json_doc_double(p->sent, &sent) || !json_doc_double(p->explicit_now, &now))
		return SET;
	return sent > now ? SET : LEFT;
}

static enum verdict judge(const struct judging *j, const struct place *p)
{
	const struct json_doc *logged = json_doc_get(j->ask->last, p->key);

	if (is_runtime(p->key))
		return judge_runtime(p);
	if (logged && json_doc_equal(p->sent, logged))
		return LOGGED;
	if (p->before && json_doc_equal(p->sent, p->before))
		return logged && j->ask->derived ? LOGGED : LEFT;
	return SET;
}

/* What of the document has the verdict; NULL: nothing. */
static const struct json_doc *part(const struct judging *j, const struct place *p,
				   enum verdict wanted)
{
	struct json_member *members;
	size_t count = 0;

	if (!is_inner(p->sent))
		return judge(j, p) == wanted ? p->sent : NULL;
	members = arena_new_array(j->arena, struct json_member, p->sent->count);
	for (size_t i = 0; i < p->sent->count; i++) {
		struct place inner = below(j, p, p->sent->members[i].name);

		if (follows_from_history(inner.key))
			continue;
		members[count].name = p->sent->members[i].name;
		members[count].value = part(j, &inner, wanted);
		count += members[count].value != NULL;
	}
	return count ? json_doc_object(j->arena, members, count) : NULL;
}

/* What was sent before and is not a value any more. */
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

static const struct json_doc *or_empty(const struct json_doc *doc)
{
	return is_object(doc) ? doc : json_doc_empty();
}

void sdk_summary_judge(struct arena *a, const struct sdk_summary_ask *ask,
		       struct sdk_summary_change *ret_change)
{
	const struct judging j = { a, ask };
	const struct place whole = {
		.key = { "", 0 },
		.sent = ask->sent,
		.before = ask->before,
		.explicit_now = ask->explicit_now,
	};

	*ret_change =
		(struct sdk_summary_change){ json_doc_empty(), json_doc_empty(), json_doc_empty() };
	if (is_inner(ask->sent)) {
		ret_change->set = or_empty(part(&j, &whole, SET));
		ret_change->logged = or_empty(part(&j, &whole, LOGGED));
	}
	if (is_inner(ask->before))
		ret_change->gone = or_empty(gone(a, ask->before, ask->sent));
}
