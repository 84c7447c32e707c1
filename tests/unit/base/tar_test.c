/* Heads of a tar: sizes on both sides of what a header has room for, and records that count themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "tar.h"

#define GIB8 (INT64_C(8) << 30)

static struct str head_of(struct arena *a, struct str name, int64_t size)
{
	struct buf *b = buf_new(a);

	tar_add_head(b,
		     &(struct tar_member){ .name = name, .size = size, .mode = 0644, .type = '0' });
	return buf_str(b);
}

static struct str name_of(struct arena *a, size_t len)
{
	char *name = arena_alloc(a, len);

	memset(name, 'n', len);
	return (struct str){ name, len };
}

static const struct tar_header *header_at(struct str head, size_t at)
{
	const struct tar_header *h = (const struct tar_header *)(head.at + at);
	unsigned sum;

	assert_true(at + TAR_BLOCK <= head.len);
	assert_int_equal(sscanf(h->sum, "%o", &sum), 1);
	assert_int_equal(tar_header_sum(h), sum);
	return h;
}

static void test_sizes(void **state)
{
	struct arena *a = arena_new(4096);
	struct str head = head_of(a, STR("f"), GIB8 - 1);

	(void)state;
	assert_int_equal(head.len, TAR_BLOCK);
	assert_string_equal(header_at(head, 0)->size, "77777777777");

	head = head_of(a, STR("f"), GIB8);
	assert_int_equal(head.len, 3 * TAR_BLOCK);
	assert_int_equal(header_at(head, 0)->type, 'x');
	assert_string_equal(header_at(head, 0)->size, "00000000023");
	assert_string_equal(head.at + TAR_BLOCK, "19 size=8589934592\n");
	assert_string_equal(header_at(head, 2 * TAR_BLOCK)->name, "f");
	assert_memory_equal(header_at(head, 2 * TAR_BLOCK)->size, "\x80\0\0\0\0\0\0\x02\0\0\0\0",
			    12);
	arena_free(a);
}

static void test_a_name_and_a_size(void **state)
{
	struct arena *a = arena_new(4096);
	struct str head = head_of(a, STR("caf\xc3\xa9"), GIB8);

	(void)state;
	assert_int_equal(head.len, 3 * TAR_BLOCK);
	assert_string_equal(head.at + TAR_BLOCK, "14 path=caf\xc3\xa9\n19 size=8589934592\n");
	arena_free(a);
}

/* A record's length has one digit more from 100 and from 1000 bytes on, which makes it longer by one. */
static void test_lengths(void **state)
{
	static const struct {
		size_t name;
		size_t record; /* 0: none */
	} cases[] = {
		{ 100, 0 }, { 101, 111 }, { 988, 998 }, { 989, 999 }, { 990, 1001 }, { 991, 1002 },
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str head = head_of(a, name_of(a, cases[i].name), 1);
		size_t length, at = cases[i].record;

		if (!at) {
			assert_int_equal(head.len, TAR_BLOCK);
			continue;
		}
		assert_int_equal(sscanf(head.at + TAR_BLOCK, "%zu path=n", &length), 1);
		assert_int_equal(length, at);
		assert_int_equal(head.at[TAR_BLOCK + at - 1], '\n');
		assert_int_equal(head.at[TAR_BLOCK + at], '\0');
		assert_int_equal(head.len % TAR_BLOCK, 0);
		header_at(head, 0);
		header_at(head, head.len - TAR_BLOCK);
	}
	arena_free(a);
}

/* Not ASCII, so that there is a record of a short one, too: 98, 99 and 101 bytes. */
static void test_short_lengths(void **state)
{
	static const struct {
		size_t name;
		const char *record;
	} cases[] = { { 89, "98 path=" }, { 90, "99 path=" }, { 91, "101 path=" } };
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct str name = name_of(a, cases[i].name);
		struct str head;
		size_t length;

		memcpy((char *)(uintptr_t)name.at, "\xc3\xa9", 2);
		head = head_of(a, name, 1);
		assert_memory_equal(head.at + TAR_BLOCK, cases[i].record, strlen(cases[i].record));
		assert_int_equal(sscanf(cases[i].record, "%zu", &length), 1);
		assert_int_equal(head.at[TAR_BLOCK + length - 1], '\n');
		assert_int_equal(head.at[TAR_BLOCK + length], '\0');
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_a_name_and_a_size),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_short_lengths),
	};

	return cmocka_run_group_tests_name("tar", tests, NULL, NULL);
}
