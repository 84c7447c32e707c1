/* Tars as other programs write them, in pieces of every size, and what is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "tar.h"
#include "tar_read.h"

/* ---- what is read: "name:bytes;" ----------------------------------------------------------------- */

static err_t begin(void *state, struct str name, int64_t size)
{
	buf_printf(state, "%.*s %lld:", STR_ARG(name), (long long)size);
	return NULL;
}

static err_t add(void *state, struct str piece)
{
	buf_add_str(state, piece);
	return NULL;
}

static err_t end(void *state)
{
	buf_add_byte(state, ';');
	return NULL;
}

static const struct tar_read_calls calls = { begin, add, end };

static err_t read_tar(struct arena *a, struct str tar, size_t piece, struct buf *to)
{
	struct tar_read *t = tar_read_new(a, &calls, to);
	err_t e = NULL;

	while (tar.len && !e) {
		size_t count = piece < tar.len ? piece : tar.len;

		e = tar_read_add(t, (struct str){ tar.at, count });
		tar.at += count;
		tar.len -= count;
	}
	return e ? e : tar_read_end(t);
}

static void assert_read(struct arena *a, struct str tar, const char *expected)
{
	for (size_t piece = 1; piece < 1100; piece += piece < 20 ? 1 : 127) {
		struct buf *to = buf_new(a);
		err_t e = read_tar(a, tar, piece, to);

		if (e)
			print_error("pieces of %zu: %s\n", piece, e->message);
		assert_null(e);
		assert_int_equal(to->len, strlen(expected));
		assert_memory_equal(to->at, expected, to->len);
	}
}

static void assert_wrong(struct arena *a, struct str tar, const char *why)
{
	err_t e = read_tar(a, tar, 100, buf_new(a));

	assert_non_null(e);
	assert_int_equal(e->kind, ERR_INVALID);
	if (!strstr(e->message, why))
		fail_msg("%s, expected %s", e->message, why);
}

/* ---- tars -------------------------------------------------------------------------------------------- */

static void add_file(struct buf *b, struct str name, const char *content)
{
	const struct tar_member member = { name, (int64_t)strlen(content), 0, 0644, '0' };

	tar_add_head(b, &member);
	buf_add_text(b, content);
	tar_add_zeroes(b, tar_padding(member.size));
}

static void add_of_type(struct buf *b, char type, const char *name, const char *content)
{
	const struct tar_member member = { str_of(name), (int64_t)strlen(content), 0, 0644, type };
	struct tar_header h;

	tar_header_make(&h, &member);
	buf_add(b, &h, sizeof(h));
	buf_add_text(b, content);
	tar_add_zeroes(b, tar_padding(member.size));
}

static struct str long_name(struct arena *a, size_t len)
{
	char *name = arena_alloc(a, len);

	memset(name, 'n', len);
	return (struct str){ name, len };
}

static struct buf *usual(struct arena *a)
{
	struct buf *b = buf_new(a);

	add_of_type(b, 'g', "pax_global_header", "11 comment=x\n");
	add_of_type(b, '5', "folder", "");
	add_file(b, STR("folder/a.txt"), "hello");
	add_file(b, STR("empty"), "");
	add_file(b, STR("\xc3\xbc"), "of pax");
	add_of_type(b, 'L', "././@LongLink", "of/gnu/tar");
	add_of_type(b, '0', "of/gn", "GNU");
	tar_add_zeroes(b, TAR_END);
	return b;
}

#define USUAL "folder/a.txt 5:hello;empty 0:;\xc3\xbc 6:of pax;of/gnu/tar 3:GNU;"

static void reads_what_programs_write(void **state)
{
	struct arena *a = arena_new(4096);
	struct buf *b = usual(a);
	size_t len = b->len;

	(void)state;
	assert_read(a, buf_str(b), USUAL);
	buf_add_text(b, "what follows the end");
	assert_read(a, buf_str(b), USUAL);
	assert_read(a, (struct str){ b->at, len - TAR_END }, USUAL);
	arena_free(a);
}

static void reads_a_name_in_two_parts(void **state)
{
	struct arena *a = arena_new(4096);
	struct buf *b = buf_new(a);
	struct tar_header h;

	(void)state;
	tar_header_make(&h, &(struct tar_member){ STR("file"), 0, 0, 0644, '0' });
	memcpy(h.rest + 80, "in/folders", 10);
	snprintf(h.sum, sizeof(h.sum), "%06o", tar_header_sum(&h));
	buf_add(b, &h, sizeof(h));
	assert_read(a, buf_str(b), "in/folders/file 0:;");
	arena_free(a);
}

static void a_name_has_a_limit(void **state)
{
	struct arena *a = arena_new(4096);
	struct buf *b = buf_new(a);
	struct buf *to = buf_new(a);

	(void)state;
	add_file(b, long_name(a, TAR_READ_NAME_MAX), "x");
	assert_null(read_tar(a, buf_str(b), 77, to));
	assert_int_equal(to->len, TAR_READ_NAME_MAX + strlen(" 1:x;"));
	buf_clear(b);
	add_file(b, long_name(a, TAR_READ_NAME_MAX + 1), "x");
	assert_wrong(a, buf_str(b), "the name of a member is too long");
	arena_free(a);
}

static void refuses_what_is_not_a_file(void **state)
{
	static const char types[] = "12346SV";

	(void)state;
	for (size_t i = 0; i < sizeof(types) - 1; i++) {
		struct arena *a = arena_new(4096);
		struct buf *b = buf_new(a);

		add_of_type(b, types[i], "a", "");
		assert_wrong(a, buf_str(b), "a member is not a regular file");
		arena_free(a);
	}
}

static void refuses_damage(void **state)
{
	static const char *const records[] = {
		"x",
		"5 a=b\n",
		"99 path=x\n",
		"0 path=x\n",
		"10 path=xy",
		"12 size=-12\n",
		"23 GNU.sparse.major=1\n",
	};
	struct arena *a = arena_new(4096);
	struct buf *b = usual(a);

	(void)state;
	for (size_t len = 1; len < b->len - TAR_END; len += 99) {
		if (len % TAR_BLOCK)
			assert_wrong(a, (struct str){ b->at, len }, "it breaks off");
	}
	b->at[3]++;
	assert_wrong(a, buf_str(b), "the checksum of a header is wrong");
	assert_wrong(a, STR(""), "it breaks off");
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		buf_clear(b);
		add_of_type(b, 'x', "pax", records[i]);
		assert_wrong(a, buf_str(b), "invalid tar");
	}
	arena_free(a);
}

static err_t refuse(void *state, struct str name, int64_t size)
{
	(void)name;
	(void)size;
	return err_new(state, ERR_BUSY, "no room");
}

static void tells_what_a_call_says(void **state)
{
	struct arena *a = arena_new(4096);
	const struct tar_read_calls refusing = { refuse, add, end };
	struct tar_read *t = tar_read_new(a, &refusing, a);
	err_t e = tar_read_add(t, buf_str(usual(a)));

	(void)state;
	assert_non_null(e);
	assert_int_equal(e->kind, ERR_BUSY);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_programs_write),
		cmocka_unit_test(reads_a_name_in_two_parts),
		cmocka_unit_test(a_name_has_a_limit),
		cmocka_unit_test(refuses_what_is_not_a_file),
		cmocka_unit_test(refuses_damage),
		cmocka_unit_test(tells_what_a_call_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
