#include "sdk_made.h"

#include <stdlib.h>

#include "arena.h"

/* As the SDK numbers them. */
enum kind {
	KIND_MIN = 1,
	KIND_MAX = 2,
	KIND_MEAN = 3,
	KIND_LAST = 5,
	KIND_NONE = 6,
	KIND_FIRST = 8,
	KINDS = 16,
};
enum { MINIMIZE = 1, MAXIMIZE = 2 };

struct sdk_made_rule {
	struct str name; /* of a pattern: what is before the "*" */
	unsigned kinds;  /* a bit for each */
	enum sdk_goal goal;
};

static const struct json_doc *definitions(const struct json_doc *config)
{
	const struct json_doc *wandb = json_doc_get_named(config, "_wandb");
	const struct json_doc *sent = json_doc_get_named(wandb, "value");
	const struct json_doc *list = json_doc_get_named(sent ? sent : wandb, "m");

	return json_doc_is(list, JSON_KIND_ARRAY) ? list : NULL;
}

static unsigned kinds_of(const struct json_doc *definition)
{
	const struct json_doc *list = json_doc_get_named(definition, "7");
	unsigned kinds = 0;
	int64_t kind;

	for (size_t i = 0; json_doc_is(list, JSON_KIND_ARRAY) && i < list->count; i++) {
		if (json_doc_int64(list->items[i], &kind) && kind > 0 && kind < KINDS)
			kinds |= 1U << kind;
	}
	return kinds;
}

static enum sdk_goal goal_of(const struct json_doc *definition, unsigned kinds)
{
	int64_t goal;

	if (json_doc_int64(json_doc_get_named(definition, "8"), &goal) &&
	    (goal == MINIMIZE || goal == MAXIMIZE))
		return goal == MINIMIZE ? SDK_GOAL_MIN : SDK_GOAL_MAX;
	return kinds & 1U << KIND_MIN && !(kinds & 1U << KIND_MAX) ? SDK_GOAL_MIN : SDK_GOAL_MAX;
}

static struct str text_of(const struct json_doc *definition, const char *member)
{
	const struct json_doc *text = json_doc_get_named(definition, member);

	return json_doc_is(text, JSON_KIND_STRING) ? text->text : (struct str){ 0 };
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct sdk_made_rule *)a)->name,
			   ((const struct sdk_made_rule *)b)->name);
}

static int by_length(const void *a, const void *b)
{
	const struct sdk_made_rule *x = a;
	const struct sdk_made_rule *y = b;

	return x->name.len == y->name.len
		       ? by_name(a, b)
		       : (x->name.len < y->name.len) - (x->name.len > y->name.len);
}

static void add(struct sdk_made *made, const struct json_doc *definition)
{
	unsigned kinds = kinds_of(definition);
	struct sdk_made_rule rule = { text_of(definition, "1"), kinds, goal_of(definition, kinds) };

	if (rule.name.len) {
		made->names[made->name_count++] = rule;
		return;
	}
	rule.name = text_of(definition, "2");
	if (!rule.name.len || rule.name.at[--rule.name.len] != '*')
		return;
	made->patterns[made->pattern_count++] = rule;
}

void sdk_made_init(struct sdk_made *made, struct arena *a, const struct json_doc *config)
{
	const struct json_doc *list = definitions(config);
	size_t count = list ? list->count : 0;

	*made = (struct sdk_made){
		.names = arena_new_array(a, struct sdk_made_rule, count + 1),
		.patterns = arena_new_array(a, struct sdk_made_rule, count + 1),
	};
	for (size_t i = 0; i < count; i++)
		add(made, list->items[i]);
	qsort(made->names, made->name_count, sizeof(made->names[0]), by_name);
	qsort(made->patterns, made->pattern_count, sizeof(made->patterns[0]), by_length);
}

/* NULL: no rule matches the key. */
static const struct sdk_made_rule *rule_for(const struct sdk_made *made, struct str key)
{
	const struct sdk_made_rule wanted = { .name = key };
	const struct sdk_made_rule *found =
		bsearch(&wanted, made->names, made->name_count, sizeof(wanted), by_name);

	if (found)
		return found;
	for (size_t i = 0; i < made->pattern_count; i++) {
		struct str before = made->patterns[i].name;

		if (key.len >= before.len && str_equal((struct str){ key.at, before.len }, before))
			return &made->patterns[i];
	}
	return NULL;
}

enum sdk_goal sdk_made_goal(const struct sdk_made *made, struct str key)
{
	const struct sdk_made_rule *rule = rule_for(made, key);

	return rule ? rule->goal : SDK_GOAL_MAX;
}

const struct json_doc *sdk_made_value(struct arena *a, const struct sdk_made *made, struct str key,
				      const struct sdk_made_stat *stat)
{
	const struct {
		enum kind kind;
		struct str name;
		double value;
	} numbers[] = {
		{ KIND_FIRST, STR("first"), stat->first },
		{ KIND_MAX, STR("max"), stat->max },
		{ KIND_MEAN, STR("mean"), stat->numbers ? stat->sum / (double)stat->numbers : 0 },
		{ KIND_MIN, STR("min"), stat->min },
	};
	struct json_member members[sizeof(numbers) / sizeof(numbers[0]) + 1];
	const struct sdk_made_rule *rule = rule_for(made, key);
	unsigned kinds = rule ? rule->kinds : 0;
	size_t count = 0;

	if (kinds & 1U << KIND_NONE)
		return NULL;
	for (size_t i = 0; stat->numbers && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (kinds & 1U << numbers[i].kind)
			members[count++] =
				(struct json_member){ numbers[i].name,
						      json_doc_of_double(a, numbers[i].value) };
	}
	if (kinds & 1U << KIND_LAST)
		members[count++] = (struct json_member){ STR("last"), stat->last };
	return count ? json_doc_object(a, members, count) : stat->last;
}

struct merging {
	struct json_member *kept; /* of what was made */
	size_t count;
};

static void keep_made(struct merging *m, const struct json_member *derived,
		      const struct json_doc *set)
{
	const struct json_doc *over = json_doc_get(set, derived->name);

	if (json_doc_is(derived->value, JSON_KIND_OBJECT) && json_doc_is(over, JSON_KIND_OBJECT))
		m->kept[m->count++] = *derived;
}

const struct json_doc *sdk_made_merge(struct arena *a, const struct json_doc *derived,
				      const struct json_doc *set)
{
	struct merging m = { arena_new_array(a, struct json_member, derived->count + 1), 0 };
	const struct json_doc *merged = json_doc_merge(a, derived, set);

	for (size_t i = 0; i < derived->count; i++)
		keep_made(&m, &derived->members[i], set);
	return m.count ? json_doc_merge(a, merged, json_doc_object(a, m.kept, m.count)) : merged;
}
