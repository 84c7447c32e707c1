#include "step_metric.h"

static const struct json_doc *definitions(const struct json_doc *config)
{
	const struct json_doc *wandb = json_doc_get_named(config, "_wandb");
	const struct json_doc *sent = json_doc_get_named(wandb, "value");
	const struct json_doc *list = json_doc_get_named(sent ? sent : wandb, "m");

	return json_doc_is(list, JSON_KIND_ARRAY) ? list : NULL;
}

static struct str text_of(const struct json_doc *definition, const char *member)
{
	const struct json_doc *text = json_doc_get_named(definition, member);

	return json_doc_is(text, JSON_KIND_STRING) ? text->text : (struct str){ 0 };
}

/* How well it fits: 0 not at all, a pattern by its length, a name best. */
static size_t fit(const struct json_doc *definition, struct str key)
{
	struct str pattern = text_of(definition, "2");

	if (str_equal(text_of(definition, "1"), key))
		return SIZE_MAX;
	if (!pattern.len || pattern.at[pattern.len - 1] != '*' || pattern.len - 1 > key.len)
		return 0;
	key.len = pattern.len - 1;
	pattern.len--;
	return str_equal(pattern, key) ? pattern.len + 1 : 0;
}

static struct str step_of(const struct json_doc *list, const struct json_doc *definition)
{
	struct str name = text_of(definition, "4");
	int64_t number;

	if (name.len || !json_doc_int64(json_doc_get_named(definition, "5"), &number) ||
	    number < 1 || (uint64_t)number > list->count)
		return name;
	return text_of(list->items[number - 1], "1");
}

struct str step_metric_of(const struct json_doc *config, struct str key)
{
	const struct json_doc *list = definitions(config);
	struct str found = { 0 };
	size_t best = 0;

	for (size_t i = 0; list && key.len && i < list->count; i++) {
		size_t how = fit(list->items[i], key);
		struct str step = step_of(list, list->items[i]);

		if (!how || how < best || !step.len)
			continue;
		best = how;
		found = step;
	}
	return found;
}
