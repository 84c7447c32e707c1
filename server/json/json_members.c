#include "json_members.h"

#include <assert.h>
#include <string.h>

#include "buf.h"
#include "json_scan_lex.h"

/* A fault that is nearer to the end of the window may be due to what is cut off there. */
enum { CUT_BYTES = 32 };

struct json_members {
	struct arena *arena;
	json_members_read_fn *read;
	void *source;
	char *window; /* zeroes follow */
	size_t size;
	size_t at;
	size_t len;
	int64_t before; /* bytes of the text before the window */
	bool is_end;    /* of the text, at the end of the window */
	bool is_at_value;
	unsigned depth;
	bool has_member[JSON_MEMBERS_MAX_DEPTH]; /* a comma must come before the next one */
	struct buf *name;
	struct buf *value;
};

int64_t json_members_offset(const struct json_members *m)
{
	return m->before + (int64_t)m->at;
}

static err_t wrong(const struct json_members *m, const char *at, const char *why)
{
	size_t offset = (size_t)(at - m->window);

	if (offset >= m->len) {
		offset = m->len;
		why = "unexpected end of the JSON text";
	}
	return err_new(m->arena, ERR_INVALID, "%s, at byte %lld", why,
		       (long long)m->before + (long long)offset);
}

/* ---- the window --------------------------------------------------------------------------------- */

/* Drops what was read, and reads as much as there is room for then. */
static err_t fill(struct json_members *m)
{
	size_t count;
	err_t e;

	memmove(m->window, m->window + m->at, m->len - m->at);
	m->before += (int64_t)m->at;
	m->len -= m->at;
	m->at = 0;
	e = m->read(m->source, m->window + m->len, m->size - m->len, &count);
	if (e)
		return e;
	m->is_end = count < m->size - m->len;
	m->len += count;
	memset(m->window + m->len, 0, JSON_SCAN_PADDING);
	return NULL;
}

static err_t skip_blanks(struct json_members *m)
{
	for (;;) {
		err_t e;

		m->at = (size_t)(json_lex_blank(m->window + m->at) - m->window);
		if (m->at < m->len || m->is_end)
			return NULL;
		e = fill(m);
		if (e)
			return e;
	}
}

static bool is_next(const struct json_members *m, char c)
{
	return m->at < m->len && m->window[m->at] == c;
}

/* Takes the sign and the blanks around it. */
static err_t take(struct json_members *m, char c, const char *why)
{
	err_t e = skip_blanks(m);

	if (e)
		return e;
	if (!is_next(m, c))
		return wrong(m, m->window + m->at, why);
	m->at++;
	return skip_blanks(m);
}

typedef const char *lex_fn(const struct json_members *m, const char *p,
			   struct json_lex_fault *fault);

static const char *lex_string(const struct json_members *m, const char *p,
			      struct json_lex_fault *fault)
{
	bool escaped;

	(void)m;
	return json_lex_string(p + 1, &escaped, fault);
}

static const char *lex_value(const struct json_members *m, const char *p,
			     struct json_lex_fault *fault)
{
	return json_lex_value(p, JSON_SCAN_MAX_DEPTH - m->depth, fault);
}

static err_t too_large(const struct json_members *m)
{
	return err_new(m->arena, ERR_UNPROCESSABLE,
		       "a name or value is larger than %zu bytes, at byte %lld", m->size - 1,
		       (long long)json_members_offset(m));
}

/* The word at the cursor. What ends with the window may go on behind it, and is read again with more of the text. */
static err_t lex(struct json_members *m, lex_fn *lex_word, struct str *ret_word)
{
	for (;;) {
		const char *end_of_window = m->window + m->len;
		const char *from = m->window + m->at;
		struct json_lex_fault fault;
		const char *end = lex_word(m, from, &fault);
		err_t e;

		if (end && (end < end_of_window || (m->is_end && end == end_of_window))) {
			*ret_word = (struct str){ from, (size_t)(end - from) };
			m->at += ret_word->len;
			return NULL;
		}
		if (m->is_end)
			return wrong(m, end ? end_of_window : fault.at, end ? "" : fault.why);
		if (!m->at && m->len == m->size)
			return !end && fault.at + CUT_BYTES <= end_of_window
				       ? wrong(m, fault.at, fault.why)
				       : too_large(m);
		e = fill(m);
		if (e)
			return e;
	}
}

/* ---- members ------------------------------------------------------------------------------------ */

static err_t open_object(struct json_members *m)
{
	err_t e = take(m, '{', "expected an object");

	if (!e)
		m->has_member[m->depth++] = false;
	return e;
}

err_t json_members_open(struct arena *a, json_members_read_fn *read, void *source, size_t window,
			struct json_members **ret_members)
{
	struct json_members *m = arena_new_of(a, struct json_members);
	err_t e;

	m->arena = a;
	m->read = read;
	m->source = source;
	m->size = window;
	m->window = arena_zalloc(a, window + JSON_SCAN_PADDING, 1);
	m->name = buf_new(a);
	m->value = buf_new(a);
	e = open_object(m);
	if (!e)
		*ret_members = m;
	return e;
}

/* Names are unescaped as they are, or not at all: half a surrogate pair would make another name. */
static err_t read_name(struct json_members *m)
{
	bool is_lone = false;
	struct str quoted;
	err_t e;

	if (!is_next(m, '"'))
		return wrong(m, m->window + m->at, "expected a quoted key");
	e = lex(m, lex_string, &quoted);
	if (e)
		return e;
	buf_clear(m->name);
	buf_reserve(m->name, quoted.len);
	m->name->len = json_lex_unescape((struct str){ quoted.at + 1, quoted.len - 2 }, m->name->at,
					 &is_lone);
	if (is_lone || !str_is_utf8(buf_str(m->name)))
		return wrong(m, quoted.at, "a key is not UTF-8");
	return take(m, ':', "expected a colon");
}

static err_t end_object(struct json_members *m)
{
	err_t e;

	m->at++;
	if (--m->depth)
		return NULL;
	e = skip_blanks(m);
	if (!e && m->at < m->len)
		e = wrong(m, m->window + m->at, "unexpected data after the end of the JSON text");
	return e;
}

err_t json_members_next(struct json_members *m, struct str *ret_name, bool *ret_end)
{
	bool *has_member = &m->has_member[m->depth - 1];
	err_t e;

	assert(m->depth && !m->is_at_value);
	e = skip_blanks(m);
	if (e)
		return e;
	*ret_end = is_next(m, '}');
	if (*ret_end)
		return end_object(m);
	if (*has_member)
		e = take(m, ',', "expected a comma or \"}\"");
	if (!e)
		e = read_name(m);
	if (e)
		return e;
	*has_member = true;
	m->is_at_value = true;
	*ret_name = buf_str(m->name);
	return NULL;
}

err_t json_members_value(struct json_members *m, struct str *ret_value)
{
	struct str value;
	err_t e = lex(m, lex_value, &value);

	if (e)
		return e;
	if (!str_is_utf8(value))
		return wrong(m, value.at, "a value is not UTF-8");
	buf_clear(m->value);
	memcpy(buf_reserve(m->value, value.len + JSON_SCAN_PADDING), value.at, value.len);
	memset(m->value->at + value.len, 0, JSON_SCAN_PADDING);
	m->is_at_value = false;
	*ret_value = (struct str){ m->value->at, value.len };
	return NULL;
}

err_t json_members_enter(struct json_members *m)
{
	assert(m->depth < JSON_MEMBERS_MAX_DEPTH);
	m->is_at_value = false;
	return open_object(m);
}
