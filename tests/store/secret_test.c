/* The file of the secret, where servers that share it begin at the same time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "scene.h"
#include "secret.h"

struct place {
	char folder[64];
	char *path;
	char *new_path;
};

static struct place make_place(struct scene *s)
{
	struct place place = { .folder = "/tmp/cairn-secret.XXXXXX" };

	assert_non_null(mkdtemp(place.folder));
	place.path = arena_printf(s->a, "%s/secret", place.folder);
	place.new_path = arena_printf(s->a, "%s/secret.new", place.folder);
	scene_sql(s, "delete from server_setting where name = 'secret_fingerprint'");
	return place;
}

static void remove_place(const struct place *place)
{
	unlink(place->path);
	assert_int_equal(rmdir(place->folder), 0);
}

static void check_same(const struct secret_file *a, const struct secret_file *b)
{
	assert_memory_equal(a->secret.bytes, b->secret.bytes, sizeof(a->secret.bytes));
}

/* The second found neither file, for the first moved its own between two looks, and made another. */
static void the_first_secret_is_that_of_all(void **state)
{
	struct scene *s = *state;
	struct place place = make_place(s);
	struct secret_file first;
	struct secret_file second;
	struct str text;

	ok(secret_read(s->a, place.path, &first));
	ok(secret_load(s->a, place.new_path, &text));
	assert_int_equal(unlink(place.new_path), 0);
	ok(secret_read(s->a, place.path, &second));
	assert_memory_not_equal(first.secret.bytes, second.secret.bytes,
				sizeof(first.secret.bytes));
	ok(secret_store(s->a, place.path, text));
	first.is_new = false;
	ok(secret_settle(s->db, &first));
	ok(secret_settle(s->db, &second));
	check_same(&first, &second);
	assert_int_equal(access(place.new_path, F_OK), -1);
	remove_place(&place);
}

/* And of a database whose secret is elsewhere none is taken. */
static void another_secret_is_refused(void **state)
{
	struct scene *s = *state;
	struct place place = make_place(s);
	struct secret_file first;
	struct secret_file second;

	ok(secret_read(s->a, place.path, &first));
	ok(secret_settle(s->db, &first));
	assert_int_equal(unlink(place.path), 0);
	ok(secret_read(s->a, place.path, &second));
	assert_error(secret_settle(s->db, &second), ERR_PRECONDITION, NULL);
	assert_int_equal(access(place.new_path, F_OK), -1);
	assert_int_equal(access(place.path, F_OK), -1);
	assert_int_equal(rmdir(place.folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(the_first_secret_is_that_of_all),
		SCENE_TEST(another_secret_is_refused),
	};

	return cmocka_run_group_tests(tests, scene_group_setup, scene_group_teardown);
}
