/* A file that has its name when it is whole, and not before; with and without a name until then. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "new_file.h"

typedef err_t open_fn(struct arena *a, const char *path, struct new_file *ret_file);
static open_fn *const ways[] = { new_file_open, new_file_open_part };

struct place {
	struct arena *a;
	char folder[64];
	const char *path;
	const char *part;
};

static int setup(void **state)
{
	struct arena *a = arena_new(4096);
	struct place *p = arena_new_of(a, struct place);

	p->a = a;
	strcpy(p->folder, "/tmp/cairn-new-file.XXXXXX");
	if (!mkdtemp(p->folder))
		return -1;
	p->path = arena_printf(a, "%s/file", p->folder);
	p->part = arena_printf(a, "%s.part", p->path);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	unlink(p->path);
	unlink(p->part);
	rmdir(p->folder);
	arena_free(p->a);
	return 0;
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void has(const char *path, const char *text)
{
	char found[64] = "";
	int fd = open(path, O_RDONLY);

	assert_int_equal(read(fd, found, sizeof(found) - 1), (ssize_t)strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

static void test_named_when_whole(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct new_file f;
		struct stat st;

		assert_null(ways[i](p->a, p->path, &f));
		assert_int_equal(write(f.fd, "whole", 5), 5);
		assert_false(is_there(p->path));
		assert_null(new_file_finish(&f));
		new_file_abandon(&f);
		has(p->path, "whole");
		assert_false(is_there(p->part));
		assert_int_equal(stat(p->path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		unlink(p->path);
	}
}

static void test_left_half(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct new_file f;

		assert_null(ways[i](p->a, p->path, &f));
		new_file_abandon(&f);
		assert_false(is_there(p->path));
		assert_false(is_there(p->part));
	}
}

/* Whoever is first has the name; the other's work is not mixed with it. */
static void test_two_at_once(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct new_file one;
		struct new_file two;
		err_t e;

		assert_null(ways[i](p->a, p->path, &one));
		assert_int_equal(write(one.fd, "one", 3), 3);
		e = ways[i](p->a, p->path, &two);
		if (!e) {
			assert_int_equal(write(two.fd, "tw", 2), 2);
			assert_null(new_file_finish(&one));
			e = new_file_finish(&two);
			new_file_abandon(&two);
		} else {
			assert_null(new_file_finish(&one));
		}
		assert_non_null(e);
		assert_int_equal(e->kind, ERR_CONFLICT);
		has(p->path, "one");
		unlink(p->path);
	}
}

static void test_no_file_is_written_over(void **state)
{
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct new_file f;
		err_t e;

		assert_null(ways[i](p->a, p->path, &f));
		put(p->path, "mine");
		e = new_file_finish(&f);
		assert_non_null(e);
		assert_int_equal(e->kind, ERR_CONFLICT);
		new_file_abandon(&f);
		has(p->path, "mine");
		unlink(p->path);
		unlink(p->part);
	}
}

/* A part of somebody who died is no reason; what stands in it is not taken over. */
static void test_an_old_part(void **state)
{
	struct place *p = *state;
	struct new_file f;
	struct stat st;

	put(p->part, "of yesterday");
	assert_null(new_file_open_part(p->a, p->path, &f));
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(p->part);
	put(p->part, "of somebody else");
	assert_non_null(new_file_finish(&f));
	new_file_abandon(&f);
	has(p->part, "of somebody else");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named_when_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left_half, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_file_is_written_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_old_part, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
