/*
 * A walk over the table: some dozens of rows, each given up at its first segment that differs.
 * Rejected: a tree. It is faster when there are thousands of routes, and harder to read in any case.
 */
#include "route.h"

#include <string.h>

#include "arena.h"
#include "path.h"

static bool is_param(struct str segment)
{
	return segment.len > 2 && segment.at[0] == '{' && segment.at[segment.len - 1] == '}';
}

/* Cuts "/one" off "/one/two"; false when the path is used up. */
static bool next_segment(struct str *path, struct str *ret_segment)
{
	if (path->len == 0 || path->at[0] != '/')
		return false;
	path->at++;
	path->len--;
	*ret_segment = (struct str){ path->at, 0 };
	while (path->len && path->at[0] != '/') {
		path->at++;
		path->len--;
		ret_segment->len++;
	}
	return true;
}

/* A literal may come escaped, too; that is rare enough to decode it for each row. */
static bool literal_matches(struct str want, struct str raw, struct arena *a)
{
	struct str text;

	if (str_equal(want, raw))
		return true;
	if (!raw.len || !memchr(raw.at, '%', raw.len))
		return false;
	return path_decode(a, raw, PATH_PLUS_STAYS, &text) && str_equal(want, text);
}

static bool segment_matches(struct str want, struct str raw, struct arena *a, struct params *params)
{
	if (!is_param(want))
		return literal_matches(want, raw, a);
	if (raw.len == 0 || params->count == ROUTE_MAX_PARAMS)
		return false;
	params->at[params->count].name = (struct str){ want.at + 1, want.len - 2 };
	params->at[params->count++].value = raw;
	return true;
}

/* Parameters are left raw. */
static bool path_matches(const char *pattern, struct str raw, struct arena *a,
			 struct params *params)
{
	struct str want_path = str_of(pattern);
	struct str want;
	struct str got;

	params->count = 0;
	while (next_segment(&want_path, &want)) {
		if (!next_segment(&raw, &got) || !segment_matches(want, got, a, params))
			return false;
	}
	return raw.len == 0;
}

static bool decode_params(struct arena *a, struct params *params)
{
	for (size_t i = 0; i < params->count; i++) {
		if (!path_decode(a, params->at[i].value, PATH_PLUS_STAYS, &params->at[i].value))
			return false;
	}
	return true;
}

const struct route *route_find(const struct route *routes, size_t count, enum method method,
			       struct str raw_path, struct arena *a, struct params *ret_params,
			       unsigned *ret_allowed)
{
	const struct route *found = NULL;
	struct params params;

	*ret_allowed = 0;
	for (size_t i = 0; i < count; i++) {
		if (!path_matches(routes[i].path, raw_path, a, &params))
			continue;
		*ret_allowed |= 1u << routes[i].method;
		if (routes[i].method == method && !found) {
			found = &routes[i];
			*ret_params = params;
		}
	}
	return found && decode_params(a, ret_params) ? found : NULL;
}
