/*
 * Objects from a fixed random sequence, some of them damaged, in windows of every size: the members are those that the reader
 * of whole documents finds, and what that refuses is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "json_doc.h"
#include "json_members.h"

enum { BODIES = 400, WINDOW_MAX = 160 };

static uint64_t state_of_random = 20261129;

static uint32_t below(uint32_t limit)
{
	uint64_t z = (state_of_random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z >> 32) % limit);
}

/* ---- a text that is read in pieces --------------------------------------------------------------- */

struct text {
	struct str left;
};

static err_t read_text(void *source, char *bytes, size_t size, size_t *ret_count)
{
	struct text *t = source;

	*ret_count = size < t->left.len ? size : t->left.len;
	memcpy(bytes, t->left.at, *ret_count);
	t->left.at += *ret_count;
	t->left.len -= *ret_count;
	return NULL;
}

/* Collects "name=value;" of all members; steps into the objects of members whose name begins with "o". */
static err_t read_all(struct json_members *m, struct buf *to)
{
	unsigned depth = 1;
	err_t e = NULL;

	while (!e && depth) {
		struct str name;
		struct str value = STR("{");
		bool is_end;

		e = json_members_next(m, &name, &is_end);
		if (e)
			return e;
		if (is_end) {
			buf_add_byte(to, '}');
			depth--;
			continue;
		}
		buf_add_str(to, name);
		buf_add_byte(to, '=');
		if (name.len && name.at[0] == 'o' && depth < JSON_MEMBERS_MAX_DEPTH) {
			e = json_members_enter(m);
			depth++;
		} else {
			e = json_members_value(m, &value);
		}
		if (!e)
			buf_add_str(to, value);
	}
	return e;
}

static err_t read_members(struct arena *a, struct str text, size_t window, struct buf *to)
{
	struct text source = { text };
	struct json_members *m;
	err_t e = json_members_open(a, read_text, &source, window, &m);

	return e ? e : read_all(m, to);
}

/* ---- made texts ------------------------------------------------------------------------------------ */

static void add_blanks(struct buf *b)
{
	if (below(6))
		return;
	for (uint32_t n = below(below(8) ? 3 : 200); n; n--)
		buf_add_byte(b, " \n\t\r"[below(4)]);
}

static void add_value(struct buf *b)
{
	static const char *const values[] = {
		"1",
		"-12.5e3",
		"\"\"",
		"\"a\\n\\u00e9\"",
		"true",
		"null",
		"false",
		"[1, [2], {}]",
		"{}",
		"{\"a\": [\"}\"]}",
		"123456789",
		"\"\xc3\xbc\"",
		"\"]}\\\"\\\\\"",
		"NaN",
		"[]",
	};

	buf_add_text(b, values[below(sizeof(values) / sizeof(values[0]))]);
}

/* Names are distinct, as documents want them. */
static void add_object(struct buf *b, uint32_t depth, unsigned *number)
{
	uint32_t count = below(6);

	buf_add_byte(b, '{');
	for (uint32_t i = 0; i < count; i++) {
		bool is_object = depth && below(3) == 0;

		add_blanks(b);
		buf_add_text(b, i ? "," : "");
		add_blanks(b);
		buf_printf(b, "\"%s%s%u\"", is_object ? "o" : "n",
			   below(3) ? "" : "\\u00fc\xe2\x82\xac", (*number)++);
		add_blanks(b);
		buf_add_byte(b, ':');
		add_blanks(b);
		if (is_object)
			add_object(b, depth - 1, number);
		else
			add_value(b);
		add_blanks(b);
	}
	buf_add_byte(b, '}');
}

static struct str make_text(struct arena *a)
{
	struct buf *b = buf_new(a);
	unsigned number = 0;

	add_blanks(b);
	add_object(b, JSON_MEMBERS_MAX_DEPTH - 1, &number);
	add_blanks(b);
	if (below(4) == 0)
		b->at[below((uint32_t)b->len)] = (char)below(256);
	if (below(8) == 0)
		b->len = below((uint32_t)b->len);
	return buf_str(b);
}

/* ---- tests ------------------------------------------------------------------------------------------ */

static bool is_object(struct arena *a, struct str text, const struct json_doc **ret_doc)
{
	err_t e = json_doc_parse(a, text, ret_doc);

	return !e && json_doc_is(*ret_doc, JSON_KIND_OBJECT);
}

static const struct json_doc *parsed(struct arena *a, struct str text)
{
	const struct json_doc *doc;

	assert_null(json_doc_parse(a, text, &doc));
	return doc;
}

/* The members of the whole text are those of the document. */
static void assert_members(struct arena *a, struct str text, const struct json_doc *doc)
{
	struct text source = { text };
	struct json_members *m;
	size_t count = 0;
	bool is_end;

	assert_null(json_members_open(a, read_text, &source, text.len + 1, &m));
	for (;; count++) {
		struct str name;
		struct str value;

		assert_null(json_members_next(m, &name, &is_end));
		if (is_end)
			break;
		name = (struct str){ str_copy(a, name), name.len };
		assert_null(json_members_value(m, &value));
		assert_true(json_doc_equal(parsed(a, value), json_doc_get(doc, name)));
	}
	assert_int_equal(count, doc->count);
}

/* What only the reader of documents refuses: a name twice, U+0000, half a surrogate pair and odd numbers. */
static bool is_refused_by_documents(struct arena *a, struct str text)
{
	const struct json_doc *doc;

	return json_doc_parse(a, text, &doc) != NULL;
}

static void assert_every_window(struct arena *a, struct str text)
{
	struct buf *whole = buf_new(a);
	err_t fault = read_members(a, text, text.len + 1, whole);
	const struct json_doc *doc;
	bool is_whole = is_object(a, text, &doc);
	bool has_fit = false;

	if (is_whole) {
		assert_null(fault);
		assert_members(a, text, doc);
	} else {
		assert_true(fault || is_refused_by_documents(a, text));
	}
	for (size_t window = 2; window < WINDOW_MAX; window++) {
		struct buf *part = buf_new(a);
		err_t e = read_members(a, text, window, part);

		if (e && e->kind == ERR_UNPROCESSABLE) {
			assert_false(has_fit && !fault);
			continue;
		}
		assert_int_equal(e == NULL, fault == NULL);
		has_fit = true;
		if (!e) {
			assert_int_equal(part->len, whole->len);
			assert_memory_equal(part->at, whole->at, whole->len);
		}
	}
	assert_true(has_fit);
}

static void same_at_every_window(void **state)
{
	(void)state;
	for (int i = 0; i < BODIES; i++) {
		struct arena *a = arena_new(4096);

		assert_every_window(a, make_text(a));
		arena_free(a);
	}
}

static void limits_from_both_sides(void **state)
{
	struct arena *a = arena_new(4096);
	struct str text = STR("{\"a\": \"0123456789\", \"b\": {\"c\": 1}}");
	struct buf *to = buf_new(a);
	err_t e;

	(void)state;
	e = read_members(a, text, 12, to); /* the value with its quotes */
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_UNPROCESSABLE);
	assert_string_equal(e->message, "a name or value is larger than 11 bytes, at byte 6");
	buf_clear(to);
	assert_null(read_members(a, text, 13, to));
	assert_true(str_is(buf_str(to), "a=\"0123456789\"b={\"c\": 1}}"));
	arena_free(a);
}

static void names_the_fault(void **state)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "[]", "expected an object, at byte 0" },
		{ "", "unexpected end of the JSON text, at byte 0" },
		{ "{\"a\":1", "unexpected end of the JSON text, at byte 6" },
		{ "{\"a\":1}}", "unexpected data after the end of the JSON text, at byte 7" },
		{ "{\"a\":1,}", "expected a quoted key, at byte 7" },
		{ "{\"a\" 1}", "expected a colon, at byte 5" },
		{ "{\"a\":1 \"b\":2}", "expected a comma or \"}\", at byte 7" },
		{ "{\"\\ud800\":1}", "a key is not UTF-8, at byte 1" },
		{ "{\"a\":\"\xff\"}", "a value is not UTF-8, at byte 5" },
		{ "{\"a\":nul}", "expected a value, at byte 5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new(4096);
		err_t e = read_members(a, str_of(cases[i].text), 64, buf_new(a));

		assert_non_null(e);
		assert_int_equal(e->kind, ERR_INVALID);
		assert_string_equal(e->message, cases[i].message);
		arena_free(a);
	}
}

static err_t read_nothing(void *source, char *bytes, size_t size, size_t *ret_count)
{
	(void)bytes;
	(void)size;
	(void)ret_count;
	return err_new(source, ERR_BUSY, "the disk is away");
}

static void a_failing_source_is_told(void **state)
{
	struct arena *a = arena_new(4096);
	struct json_members *m;
	err_t e = json_members_open(a, read_nothing, a, 64, &m);

	(void)state;
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_at_every_window),
		cmocka_unit_test(limits_from_both_sides),
		cmocka_unit_test(names_the_fault),
		cmocka_unit_test(a_failing_source_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
