#include "sdk_common.h"

#include "arena.h"

static struct leaves split(struct arena *a, const struct json_doc *doc)
{
	struct leaves leaves;

	leaves_split(a, doc, LEAVES_ALONE, &leaves);
	leaves_sort(&leaves);
	return leaves;
}

/* A leaf is left out if a value is sent at its place, above it or below it. */
static bool is_replaced(const struct leaves *sent, struct str path)
{
	if (leaves_find(sent, path) || leaves_below(sent, path).count)
		return true;
	for (size_t i = 0; i < path.len; i++) {
		if (path.at[i] == '\0' && leaves_find(sent, (struct str){ path.at, i }))
			return true;
	}
	return false;
}

/* The leaves of the sent document that its sender has changed, as far as is known. */
static struct leaves changed(struct arena *a, const struct leaves *sent,
			     const struct leaves *common)
{
	struct leaves some = { arena_new_array(a, struct leaf, sent->count), 0 };

	for (size_t i = 0; i < sent->count; i++) {
		const struct leaf *before = leaves_find(common, sent->at[i].path);

		if (!before || !json_doc_equal(before->value, sent->at[i].value))
			some.at[some.count++] = sent->at[i];
	}
	return some;
}

const struct json_doc *sdk_common_merge(struct arena *a, const struct json_doc *whole,
					const struct json_doc *common, const struct json_doc *sent)
{
	struct leaves was = split(a, whole);
	struct leaves known = split(a, common);
	struct leaves now = split(a, sent);
	struct leaves changes = changed(a, &now, &known);
	struct leaves is = { arena_new_array(a, struct leaf, was.count + changes.count), 0 };

	for (size_t i = 0; i < was.count; i++) {
		struct str path = was.at[i].path;
		bool is_gone = leaves_find(&known, path) && !leaves_find(&now, path);

		if (!is_gone && !is_replaced(&changes, path))
			is.at[is.count++] = was.at[i];
	}
	for (size_t i = 0; i < changes.count; i++)
		is.at[is.count++] = changes.at[i];
	leaves_sort(&is);
	return leaves_join(a, &is);
}

const struct json_doc *sdk_common_after(struct arena *a, const struct json_doc *common,
					const struct json_doc *sent)
{
	struct leaves known = split(a, common);
	struct leaves now = split(a, sent);
	struct leaves kept = { arena_new_array(a, struct leaf, known.count), 0 };

	for (size_t i = 0; i < known.count; i++) {
		if (leaves_find(&now, known.at[i].path))
			kept.at[kept.count++] = known.at[i];
	}
	return leaves_join(a, &kept);
}
