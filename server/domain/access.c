#include "access.h"

#include <string.h>

static const char *const role_names[] = { "none", "viewer", "member", "admin" };
static const char *const visibility_names[] = { "inherit", "private", "public" };
static const char *const scope_names[] = { "", "read", "write", "admin" };

static const enum access_right right_of_role[] = {
	[ENTITY_ROLE_NONE] = ACCESS_RIGHT_NONE,
	[ENTITY_ROLE_VIEWER] = ACCESS_RIGHT_READ,
	[ENTITY_ROLE_MEMBER] = ACCESS_RIGHT_WRITE,
	[ENTITY_ROLE_ADMIN] = ACCESS_RIGHT_ADMIN,
};

static const enum access_right right_of_scope[] = {
	[KEY_SCOPE_READ] = ACCESS_RIGHT_READ,
	[KEY_SCOPE_WRITE] = ACCESS_RIGHT_WRITE,
	[KEY_SCOPE_ADMIN] = ACCESS_RIGHT_ADMIN,
};

/* By role and key only, whatever is public. */
static enum access_right own_right(const struct access_facts *f)
{
	enum access_right right, cap;

	if (!f->signed_in)
		return ACCESS_RIGHT_NONE;
	right = f->server_admin ? ACCESS_RIGHT_ADMIN : right_of_role[f->role];
	cap = right_of_scope[f->scope];
	return right < cap ? right : cap;
}

enum visibility access_visibility(enum visibility project, enum visibility run)
{
	return run == VISIBILITY_INHERIT ? project : run;
}

bool access_sees(bool sees_private, enum visibility project, enum visibility run)
{
	return sees_private || access_visibility(project, run) == VISIBILITY_PUBLIC;
}

enum visibility access_narrower(enum visibility a, enum visibility b)
{
	if (a == VISIBILITY_PRIVATE || b == VISIBILITY_PRIVATE)
		return VISIBILITY_PRIVATE;
	return a == VISIBILITY_PUBLIC ? b : a;
}

bool access_may_show(enum access_right right, enum visibility before, enum visibility after)
{
	return right == ACCESS_RIGHT_ADMIN || before == VISIBILITY_PUBLIC ||
	       after != VISIBILITY_PUBLIC;
}

enum access_right access_right(const struct access_facts *f)
{
	enum access_right right = own_right(f);

	if (right == ACCESS_RIGHT_NONE && access_sees(false, f->project, f->run))
		return ACCESS_RIGHT_READ;
	return right;
}

bool access_sees_private(const struct access_facts *f)
{
	return own_right(f) >= ACCESS_RIGHT_READ;
}

bool access_is_server_admin(const struct access_facts *f)
{
	return f->signed_in && f->server_admin && f->scope == KEY_SCOPE_ADMIN;
}

/* The word's index in the list, or -1. */
static int find(const char *const *words, int count, const char *text)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	return -1;
}

const char *entity_role_name(enum entity_role role)
{
	return role_names[role];
}

bool entity_role_parse(const char *text, enum entity_role *ret_role)
{
	int at = find(role_names, 4, text);

	if (at < ENTITY_ROLE_VIEWER)
		return false;
	*ret_role = (enum entity_role)at;
	return true;
}

const char *visibility_name(enum visibility visibility)
{
	return visibility_names[visibility];
}

bool visibility_parse(const char *text, enum visibility *ret_visibility)
{
	int at = find(visibility_names, 3, text);

	if (at < 0)
		return false;
	*ret_visibility = (enum visibility)at;
	return true;
}

const char *key_scope_name(enum key_scope scope)
{
	return scope_names[scope];
}

bool key_scope_parse(const char *text, enum key_scope *ret_scope)
{
	int at = find(scope_names, 4, text);

	if (at < KEY_SCOPE_READ)
		return false;
	*ret_scope = (enum key_scope)at;
	return true;
}
