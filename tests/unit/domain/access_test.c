/* Who may do what: the rules as a table of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access.h"

#define NOBODY .signed_in = false
#define USER(role_, scope_) \
	.signed_in = true, .role = ENTITY_ROLE_##role_, .scope = KEY_SCOPE_##scope_
#define SERVER_ADMIN(scope_) .signed_in = true, .server_admin = true, .scope = KEY_SCOPE_##scope_
#define IN(project_, run_) .project = VISIBILITY_##project_, .run = VISIBILITY_##run_

struct access_case {
	const char *what;
	struct access_facts facts;
	enum access_right right;
	bool sees_private;
};

#define NONE ACCESS_RIGHT_NONE
#define READ ACCESS_RIGHT_READ
#define WRITE ACCESS_RIGHT_WRITE
#define ADMIN ACCESS_RIGHT_ADMIN

static const struct access_case cases[] = {
	{ "nobody, private", { NOBODY, IN(PRIVATE, INHERIT) }, NONE, false },
	{ "nobody, public", { NOBODY, IN(PUBLIC, INHERIT) }, READ, false },
	{ "nobody, public run opened in a private project",
	  { NOBODY, IN(PRIVATE, PUBLIC) },
	  READ,
	  false },
	{ "nobody, private run in a public project", { NOBODY, IN(PUBLIC, PRIVATE) }, NONE, false },
	{ "nobody, nothing there", { NOBODY }, NONE, false },
	{ "stranger, private", { USER(NONE, ADMIN), IN(PRIVATE, INHERIT) }, NONE, false },
	{ "stranger, public", { USER(NONE, ADMIN), IN(PUBLIC, INHERIT) }, READ, false },
	{ "stranger, narrowed run", { USER(NONE, ADMIN), IN(PUBLIC, PRIVATE) }, NONE, false },
	{ "stranger, opened run", { USER(NONE, ADMIN), IN(PRIVATE, PUBLIC) }, READ, false },
	{ "viewer, private", { USER(VIEWER, ADMIN), IN(PRIVATE, INHERIT) }, READ, true },
	{ "viewer, narrowed run", { USER(VIEWER, ADMIN), IN(PUBLIC, PRIVATE) }, READ, true },
	{ "viewer, public", { USER(VIEWER, ADMIN), IN(PUBLIC, INHERIT) }, READ, true },
	{ "member", { USER(MEMBER, ADMIN), IN(PRIVATE, INHERIT) }, WRITE, true },
	{ "member, narrowed run", { USER(MEMBER, ADMIN), IN(PUBLIC, PRIVATE) }, WRITE, true },
	{ "admin", { USER(ADMIN, ADMIN), IN(PRIVATE, INHERIT) }, ADMIN, true },
	{ "admin by a key to write", { USER(ADMIN, WRITE), IN(PRIVATE, INHERIT) }, WRITE, true },
	{ "admin by a key to read", { USER(ADMIN, READ), IN(PRIVATE, INHERIT) }, READ, true },
	{ "member by a key to read", { USER(MEMBER, READ), IN(PRIVATE, INHERIT) }, READ, true },
	{ "stranger by a key to read", { USER(NONE, READ), IN(PRIVATE, INHERIT) }, NONE, false },
	{ "admin of the server", { SERVER_ADMIN(ADMIN), IN(PRIVATE, INHERIT) }, ADMIN, true },
	{ "admin of the server by a key to read",
	  { SERVER_ADMIN(READ), IN(PRIVATE, PRIVATE) },
	  READ,
	  true },
};

static void test_rights(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct access_case *c = &cases[i];

		if (access_right(&c->facts) != c->right)
			fail_msg("%s: right is %d", c->what, (int)access_right(&c->facts));
		if (access_sees_private(&c->facts) != c->sees_private)
			fail_msg("%s: sees private things", c->what);
	}
}

static void test_server_admin(void **state)
{
	const struct access_facts yes = { SERVER_ADMIN(ADMIN) }, narrow = { SERVER_ADMIN(WRITE) },
				  user = { USER(ADMIN, ADMIN) }, nobody = { NOBODY };

	(void)state;
	assert_true(access_is_server_admin(&yes));
	assert_false(access_is_server_admin(&narrow));
	assert_false(access_is_server_admin(&user));
	assert_false(access_is_server_admin(&nobody));
}

static void test_words(void **state)
{
	enum entity_role role;
	enum key_scope scope;
	enum visibility visibility;

	(void)state;
	for (int i = ENTITY_ROLE_VIEWER; i <= ENTITY_ROLE_ADMIN; i++) {
		assert_true(entity_role_parse(entity_role_name((enum entity_role)i), &role));
		assert_int_equal(role, i);
	}
	for (int i = KEY_SCOPE_READ; i <= KEY_SCOPE_ADMIN; i++) {
		assert_true(key_scope_parse(key_scope_name((enum key_scope)i), &scope));
		assert_int_equal(scope, i);
	}
	for (int i = VISIBILITY_INHERIT; i <= VISIBILITY_PUBLIC; i++) {
		assert_true(visibility_parse(visibility_name((enum visibility)i), &visibility));
		assert_int_equal(visibility, i);
	}
	assert_false(entity_role_parse("none", &role));
	assert_false(key_scope_parse("", &scope));
	assert_false(visibility_parse("open", &visibility));
}

/* Narrowing is for those who write, showing to everybody for admins. */
static void test_who_may_show(void **state)
{
	static const struct {
		enum access_right right;
		enum visibility before, after;
		bool may;
	} shows[] = {
		{ WRITE, VISIBILITY_PRIVATE, VISIBILITY_PUBLIC, false },
		{ ADMIN, VISIBILITY_PRIVATE, VISIBILITY_PUBLIC, true },
		{ WRITE, VISIBILITY_PUBLIC, VISIBILITY_PRIVATE, true },
		{ WRITE, VISIBILITY_PUBLIC, VISIBILITY_PUBLIC, true },
		{ WRITE, VISIBILITY_PRIVATE, VISIBILITY_PRIVATE, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shows) / sizeof(shows[0]); i++)
		assert_int_equal(access_may_show(shows[i].right, shows[i].before, shows[i].after),
				 shows[i].may);
	assert_int_equal(access_visibility(VISIBILITY_PUBLIC, VISIBILITY_INHERIT),
			 VISIBILITY_PUBLIC);
	assert_int_equal(access_visibility(VISIBILITY_PUBLIC, VISIBILITY_PRIVATE),
			 VISIBILITY_PRIVATE);
}

/* A run in a public and in a private project, for readers and for those who see private runs. */
static void test_who_sees_a_run(void **state)
{
	static const struct {
		enum visibility project, run;
		bool by_all;
	} runs[] = {
		{ VISIBILITY_PUBLIC, VISIBILITY_INHERIT, true },
		{ VISIBILITY_PUBLIC, VISIBILITY_PRIVATE, false },
		{ VISIBILITY_PUBLIC, VISIBILITY_PUBLIC, true },
		{ VISIBILITY_PRIVATE, VISIBILITY_INHERIT, false },
		{ VISIBILITY_PRIVATE, VISIBILITY_PRIVATE, false },
		{ VISIBILITY_PRIVATE, VISIBILITY_PUBLIC, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		assert_int_equal(access_sees(false, runs[i].project, runs[i].run), runs[i].by_all);
		assert_true(access_sees(true, runs[i].project, runs[i].run));
	}
}

/* A copy is seen only by those who see its source, whatever the project is or becomes. */
static void test_a_copy_is_as_narrow_as_its_source(void **state)
{
	(void)state;
	for (int source = VISIBILITY_INHERIT; source <= VISIBILITY_PUBLIC; source++) {
		for (int said = VISIBILITY_INHERIT; said <= VISIBILITY_PUBLIC; said++) {
			enum visibility copy =
				access_narrower((enum visibility)source, (enum visibility)said);

			assert_true(copy == (enum visibility)source ||
				    copy == (enum visibility)said);
			for (int in = VISIBILITY_PRIVATE; in <= VISIBILITY_PUBLIC; in++)
				assert_true(!access_sees(false, (enum visibility)in, copy) ||
					    (access_sees(false, (enum visibility)in,
							 (enum visibility)source) &&
					     access_sees(false, (enum visibility)in,
							 (enum visibility)said)));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_server_admin),
		cmocka_unit_test(test_who_may_show),
		cmocka_unit_test(test_who_sees_a_run),
		cmocka_unit_test(test_a_copy_is_as_narrow_as_its_source),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
