#include "names.h"

#include <string.h>

#include "utf8.h"

bool names_is_entity(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t length = strlen(name);

	return length > 0 && length <= NAMES_ENTITY_MAX && !strchr("_-.", name[0]) &&
	       strspn(name, letters) == length;
}

static bool is_segment(const char *name, size_t max, const char *without)
{
	size_t length = strlen(name);

	return utf8_is_name(name, length, max) && name[0] != ' ' && name[length - 1] != ' ' &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !strpbrk(name, without);
}

bool names_is_project(const char *name)
{
	return is_segment(name, NAMES_PROJECT_MAX, "/\\#?%:");
}

bool names_is_run(const char *name)
{
	return is_segment(name, NAMES_RUN_MAX, ":;,#?/'%");
}
