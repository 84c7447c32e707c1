#include "artifact_path.h"

#include <assert.h>
#include <string.h>

static const char *part_fault(struct str part)
{
	if (!part.len)
		return "contains an empty part";
	return str_is(part, "..") || str_is(part, ".") ? "contains a part \".\" or \"..\"" : NULL;
}

static const char *fault_of(struct str text)
{
	if (!text.len)
		return "is empty";
	if (text.len > ARTIFACT_PATH_MAX)
		return "is too long";
	if (!str_is_utf8(text) || memchr(text.at, 0, text.len))
		return "is not UTF-8, or contains U+0000";
	if (text.at[0] == '/')
		return "begins with \"/\"";
	if (text.at[text.len - 1] == '/')
		return "ends with \"/\"";
	while (text.len) {
		const char *fault = part_fault(str_cut(&text, '/'));

		if (fault)
			return fault;
	}
	return NULL;
}

err_t artifact_path_check(struct arena *a, const char *field, struct str text)
{
	const char *fault = fault_of(text);
	struct str shown;
	struct err *e;

	if (!fault)
		return NULL;
	shown = str_is_utf8(text) ? str_head(text, 200) : STR("");
	e = err_field(a, ERR_INVALID, field, "invalid path \"%.*s\": it %s", STR_ARG(shown), fault);
	e->hint = arena_printf(
		a, "expected a relative path of 1 to %d bytes, with \"/\" between its parts",
		ARTIFACT_PATH_MAX);
	return e;
}

bool artifact_path_order_add(struct artifact_path_order *order, struct str path,
			     struct str *ret_file)
{
	size_t common = 0;
	bool found = false;

	assert(path.len <= ARTIFACT_PATH_MAX);
	while (common < order->last_len && common < path.len &&
	       order->last[common] == path.at[common])
		common++;
	for (size_t len = common + 1; len <= order->last_len; len++)
		order->is_path[len] = false;
	for (size_t len = 1; len <= common && len < path.len && !found; len++) {
		found = order->is_path[len] && path.at[len] == '/';
		if (found)
			*ret_file = (struct str){ path.at, len };
	}
	memcpy(order->last, path.at, path.len);
	order->last_len = path.len;
	order->is_path[path.len] = true;
	return found;
}
