#include "text_match.h"

#include <string.h>

#include "arena.h"

struct text_match {
	struct str text; /* empty: all */
	bool is_exact;
	struct filter_value value;
	struct filter_node node;
	struct patterns *patterns; /* NULL: the text as it is */
};

static bool has_capital(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] >= 'A' && text.at[i] <= 'Z')
			return true;
	}
	return false;
}

/* Reads the expression between slashes; false: it is a text. */
static bool is_expression(struct str text, struct str *ret_expression, bool *ret_either_case)
{
	*ret_either_case = text.len > 1 && str_ends(text, "/i");
	text.len -= *ret_either_case;
	if (text.len < 3 || text.at[0] != '/' || text.at[text.len - 1] != '/')
		return false;
	*ret_expression = (struct str){ text.at + 1, text.len - 2 };
	return true;
}

static void set_node(struct text_match *m, const char *field)
{
	bool either_case;
	const bool is_regex = is_expression(m->text, &m->value.text, &either_case);

	if (!is_regex)
		m->value.text = m->text;
	m->value.kind = FILTER_TEXT;
	m->node = (struct filter_node){ .op = is_regex ? FILTER_REGEX : FILTER_WORDS,
					.values = &m->value,
					.value_count = 1,
					.ignore_case = either_case,
					.field = field };
}

err_t text_match_new(struct arena *a, const char *field, struct str text, int64_t deadline_us,
		     struct text_match **ret_match)
{
	struct text_match *m = arena_new_of(a, struct text_match);

	if (!str_is_utf8(text) || (text.len && memchr(text.at, 0, text.len)))
		return err_field(a, ERR_INVALID, field, "expected UTF-8 text");
	if (text.len > FILTER_REGEX_MAX)
		return err_field(a, ERR_INVALID, field, "must not be longer than %d bytes",
				 FILTER_REGEX_MAX);
	m->text = text;
	*ret_match = m;
	if (!text.len)
		return NULL;
	set_node(m, field);
	m->is_exact = m->node.op == FILTER_WORDS && has_capital(text);
	return m->is_exact ? NULL : patterns_new(a, &m->node, deadline_us, &m->patterns);
}

bool text_match_is_all(const struct text_match *m)
{
	return !m->text.len;
}

bool text_match_is(struct text_match *m, struct str text)
{
	if (!m->text.len)
		return true;
	if (m->is_exact)
		return memmem(text.at, text.len, m->text.at, m->text.len) != NULL;
	return patterns_match(m->patterns, 0, text);
}

err_t text_match_error(const struct text_match *m)
{
	return m->patterns ? patterns_error(m->patterns) : NULL;
}
