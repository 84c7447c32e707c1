/* A backup's file: what goes in comes out, and no byte of it changes unseen. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive.h"
#include "arena.h"

struct place {
	struct arena *a;
	char folder[64];
	const char *path;
};

static int setup(void **state)
{
	struct arena *a = arena_new(4096);
	struct place *p = arena_new_of(a, struct place);

	p->a = a;
	strcpy(p->folder, "/tmp/cairn-archive.XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	p->path = arena_printf(a, "%s/file", p->folder);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	rmdir(p->folder);
	arena_free(p->a);
	return 0;
}

static void nothing(void *p, int64_t done, int64_t size)
{
	(void)p;
	assert_true(done <= size);
}

static void make(struct place *p)
{
	struct archive_writer w;

	assert_null(archive_create(p->a, p->path, &w));
	assert_null(archive_add(&w, "one", STR("first")));
	assert_null(archive_begin(&w, "two"));
	for (int i = 0; i < 300; i++)
		assert_null(archive_write(&w, STR("0123456789")));
	assert_null(archive_end(&w));
	assert_null(archive_add(&w, "empty", STR("")));
	assert_null(archive_finish(&w));
	archive_abandon(&w);
}

static void test_there_and_back(void **state)
{
	struct place *p = *state;
	struct archive r;
	struct archive_writer w;
	struct str text;
	struct stat st;
	size_t len;
	char some[8];

	make(p);
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_null(archive_open(p->a, p->path, nothing, NULL, &r));
	assert_null(archive_read_all(&r, archive_find(&r, "one"), 100, &text));
	assert_true(str_is(text, "first"));
	assert_non_null(archive_read_all(&r, archive_find(&r, "two"), 100, &text));
	assert_null(archive_read(&r, archive_find(&r, "two"), 2996, some, sizeof(some), &len));
	assert_int_equal(len, 4);
	assert_memory_equal(some, "6789", 4);
	assert_int_equal(archive_find(&r, "empty")->size, 0);
	assert_null(archive_find(&r, "three"));
	archive_close(&r);
	assert_non_null(archive_create(p->a, p->path, &w)); /* it is there */
}

static void test_left_half(void **state)
{
	struct place *p = *state;
	struct archive_writer w;

	assert_null(archive_create(p->a, p->path, &w));
	assert_null(archive_add(&w, "one", STR("first")));
	archive_abandon(&w);
	assert_int_not_equal(access(p->path, F_OK), 0);
	assert_int_not_equal(access(arena_printf(p->a, "%s.part", p->path), F_OK), 0);
}

/* The last byte of a header's own sum tells nothing. */
static bool is_free(int64_t at, const struct archive *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (at == r->members[i].at - 512 + 155 || at == r->members[i].at - 512 + 154)
			return true;
	}
	return false;
}

static void test_every_byte(void **state)
{
	struct place *p = *state;
	struct archive whole;
	char byte;
	char other;
	int fd;

	make(p);
	assert_null(archive_open(p->a, p->path, nothing, NULL, &whole));
	fd = open(p->path, O_RDWR);
	for (int64_t at = 0; at < whole.size; at += 3) {
		struct archive r;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		other = (char)(byte ^ 1);
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		if (!is_free(at, &whole) && !archive_open(p->a, p->path, nothing, NULL, &r)) {
			/* of the sums' own header it is the same */
			archive_close(&r);
			assert_true(at >= whole.size - 2560 && at < whole.size - 2048);
		}
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	for (int64_t size = whole.size - 1; size > 0; size -= 97) {
		struct archive r;

		assert_int_equal(ftruncate(fd, size), 0);
		assert_non_null(archive_open(p->a, p->path, nothing, NULL, &r));
	}
	close(fd);
	archive_close(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_there_and_back, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left_half, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_byte, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
