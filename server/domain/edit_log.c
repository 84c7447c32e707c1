#include "edit_log.h"

#include <inttypes.h>

#include "arena.h"
#include "document.h"
#include "leaves.h"

static bool is_object(const struct json_doc *doc)
{
	return json_doc_is(doc, JSON_KIND_OBJECT);
}

/* Removes entries that the patch does not have. */
static const struct json_doc *prune(struct arena *a, const struct json_doc *editors,
				    const struct json_doc *patch)
{
	struct json_member *kept = arena_new_array(a, struct json_member, editors->count);
	size_t count = 0;

	for (size_t i = 0; i < editors->count; i++) {
		struct json_member m = editors->members[i];
		const struct json_doc *below = json_doc_get(patch, m.name);

		if (!below)
			continue;
		if (is_object(m.value) && is_object(below))
			m.value = prune(a, m.value, below);
		kept[count++] = m;
	}
	return json_doc_object(a, kept, count);
}

const struct json_doc *edit_log_after(struct arena *a, const struct json_doc *editors,
				      const struct json_doc *edit, const struct json_doc *patch,
				      const struct edit *by)
{
	const char *entry = arena_printf(a, "%" PRId64 " %.*s", by->at.us, STR_ARG(by->user));
	const struct json_doc *mine =
		document_mirror(a, edit, editors, json_doc_text(a, str_of(entry)));

	return is_object(mine) ? prune(a, json_doc_merge(a, editors, mine), patch) : editors;
}

static struct edit read_entry(const struct json_doc *entry)
{
	struct edit edit = { .user = STR("") };

	if (!json_doc_is(entry, JSON_KIND_STRING))
		return edit;
	edit.user = entry->text;
	if (!str_to_int64(str_cut(&edit.user, ' '), 0, INT64_MAX, &edit.at.us))
		edit.at.us = 0;
	return edit;
}

bool edit_log_find(const struct json_doc *editors, const struct json_doc *patch, struct str path,
		   struct edit *ret_edit)
{
	for (size_t from = 0; from <= path.len && is_object(patch); from++) {
		struct str name = leaf_name_at(path, from);

		patch = json_doc_get(patch, name);
		editors = json_doc_get(editors, name);
		from += name.len;
	}
	*ret_edit = patch ? read_entry(editors) : (struct edit){ .user = STR("") };
	return patch && (!is_object(patch) || ret_edit->user.len);
}
