#include "json_pointer.h"

#include <string.h>

#include "arena.h"
#include "json_doc.h"

static err_t unescape(struct arena *a, const char *field, struct str token, struct str *ret_name)
{
	char *to = arena_alloc(a, token.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < token.len; i++) {
		char c = token.at[i];

		if (c == '~') {
			c = ++i < token.len ? token.at[i] : 0;
			if (c != '0' && c != '1')
				return err_field(
					a, ERR_INVALID, field,
					"invalid JSON pointer: \"~\" must be followed by 0 or 1");
			c = c == '0' ? '~' : '/';
		}
		to[len++] = c;
	}
	*ret_name = (struct str){ to, len };
	return NULL;
}

/* Digits only, without leading zeros. */
static const struct json_doc *item_at(const struct json_doc *array, struct str name)
{
	int64_t index;

	if (!name.len || name.at[0] < '0' || name.at[0] > '9' ||
	    (name.at[0] == '0' && name.len > 1) || !array->count ||
	    !str_to_int64(name, 0, (int64_t)array->count - 1, &index))
		return NULL;
	return array->items[index];
}

static const struct json_doc *step(const struct json_doc *doc, struct str name)
{
	return json_doc_is(doc, JSON_KIND_ARRAY) ? item_at(doc, name) : json_doc_get(doc, name);
}

err_t json_pointer_find(struct arena *a, const struct json_doc *doc, const char *field,
			struct str pointer, const struct json_doc **ret_value)
{
	bool has_more = pointer.len > 0;
	err_t e = NULL;

	*ret_value = doc;
	if (has_more && str_cut(&pointer, '/').len)
		return err_field(a, ERR_INVALID, field,
				 "invalid JSON pointer: it must be empty or begin with \"/\"");
	while (has_more && !e) {
		struct str name;

		has_more = pointer.len && memchr(pointer.at, '/', pointer.len);
		e = unescape(a, field, str_cut(&pointer, '/'), &name);
		if (!e)
			*ret_value = step(*ret_value, name);
	}
	return e;
}
