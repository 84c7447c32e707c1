#include "file_name.h"

#include <string.h>

#include "odd_name.h"

static const char *fault_of(struct str text)
{
	if (!text.len)
		return "is empty";
	if (!str_is_utf8(text))
		return "is not UTF-8";
	if (memchr(text.at, 0, text.len) || memchr(text.at, '\\', text.len))
		return "contains a backslash or U+0000";
	return text.at[0] == '/' ? "begins with \"/\"" : NULL;
}

static const char *part_fault(struct str part)
{
	if (!part.len)
		return "contains an empty part";
	return str_is(part, "..") ? "contains a part \"..\"" : NULL;
}

/* Joins the parts into `name`, which has room for all; returns the fault of a part, or NULL. */
static const char *join(struct str text, char *name, size_t *ret_len)
{
	bool ends_open = text.at[text.len - 1] == '/';
	size_t len = 0;

	while (text.len) {
		struct str part = str_cut(&text, '/');
		const char *fault = part_fault(part);

		if (fault)
			return fault;
		if (str_is(part, "."))
			continue;
		if (len)
			name[len++] = '/';
		memcpy(name + len, part.at, part.len);
		len += part.len;
	}
	*ret_len = len;
	if (ends_open)
		return "ends with \"/\"";
	if (len > FILE_NAME_MAX)
		return "is too long";
	return len ? NULL : "is empty";
}

err_t file_name_read(struct arena *a, const char *field, struct str text, struct str *ret_name)
{
	const char *fault = fault_of(text);
	char *name;
	size_t len = 0;
	struct err *e;

	if (!fault) {
		name = arena_alloc(a, text.len + 1);
		fault = join(text, name, &len);
	}
	if (!fault) {
		name[len] = '\0';
		*ret_name = (struct str){ name, len };
		return NULL;
	}
	e = err_field(a, ERR_INVALID, field, "invalid file name: it %s", fault);
	e->hint = arena_printf(
		a, "expected a relative path of 1 to %d bytes, with \"/\" between its parts",
		FILE_NAME_MAX);
	return e;
}

err_t file_name_fit(struct arena *a, const char *field, struct str text, struct str *ret_name)
{
	return file_name_read(a, field, odd_name_form(a, text, ODD_NAME_FILE, FILE_NAME_MAX),
			      ret_name);
}

err_t file_name_check_pattern(struct arena *a, struct str pattern)
{
	size_t backslashes = 0;

	while (backslashes < pattern.len && pattern.at[pattern.len - 1 - backslashes] == '\\')
		backslashes++;
	if (backslashes % 2 == 0)
		return NULL;
	return err_field(a, ERR_INVALID, "pattern", "the pattern ends with a single backslash");
}

struct str file_name_base(struct str name)
{
	for (size_t i = name.len; i-- > 0;) {
		if (name.at[i] == '/')
			return (struct str){ name.at + i + 1, name.len - i - 1 };
	}
	return name;
}
