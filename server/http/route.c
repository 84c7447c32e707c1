/*
 * A walk over the table: some dozens of rows, each skipped at its first
 * segment that differs. Rejected: a tree. It is faster when there are
 * thousands of routes, and harder to read in any case.
 */
#include "route.h"

#include <assert.h>
#include <string.h>

#include "arena.h"
#include "path.h"

enum { MAX_SEGMENTS = 16 };

struct segments {
	struct str at[MAX_SEGMENTS];
	size_t count;
	bool has_more;   /* of a raw path: than those */
	bool has_rest;   /* of a route: the last is a parameter for all that follows */
	const char *end; /* of the text */
};

struct route_table {
	const struct route *routes;
	size_t count;
	struct segments *paths; /* of routes */
};

static bool is_param(struct str segment)
{
	return segment.len > 2 && segment.at[0] == '{' && segment.at[segment.len - 1] == '}';
}

static bool is_rest(struct str segment)
{
	return is_param(segment) && segment.len > 5 &&
	       memcmp(segment.at + segment.len - 4, "...", 3) == 0;
}

/* "/one/two" into "one" and "two"; false when it does not begin with a slash. */
static bool split(struct str path, struct segments *ret_segments)
{
	*ret_segments = (struct segments){ .end = path.at + path.len };
	while (path.len) {
		const char *end;
		struct str *segment = &ret_segments->at[ret_segments->count];

		if (path.at[0] != '/')
			return false;
		ret_segments->has_more = ret_segments->count == MAX_SEGMENTS;
		if (ret_segments->has_more)
			break;
		ret_segments->count++;
		path.at++;
		path.len--;
		end = path.len ? memchr(path.at, '/', path.len) : NULL;
		*segment = (struct str){ path.at, end ? (size_t)(end - path.at) : path.len };
		path.at += segment->len;
		path.len -= segment->len;
	}
	return true;
}

struct route_table *route_table_new(struct arena *a, const struct route *routes, size_t count)
{
	struct route_table *table = arena_new_of(a, struct route_table);

	table->routes = routes;
	table->count = count;
	table->paths = arena_new_array(a, struct segments, count);
	for (size_t i = 0; i < count; i++) {
		struct segments *path = &table->paths[i];
		bool fits = split(str_of(routes[i].path), path) && !path->has_more;

		assert(fits);
		(void)fits;
		path->has_rest = path->count && is_rest(path->at[path->count - 1]);
	}
	return table;
}

bool route_has_rest(const struct route *route)
{
	return strstr(route->path, "...}") != NULL;
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

/* Compares from the end: that is where the paths of a table differ. */
static bool path_matches(const struct segments *want, const struct segments *raw, struct arena *a)
{
	if (want->has_rest ? raw->count < want->count : raw->has_more || want->count != raw->count)
		return false;
	for (size_t i = want->count; i-- > 0;) {
		if (is_param(want->at[i]) ? raw->at[i].len == 0
					  : !literal_matches(want->at[i], raw->at[i], a))
			return false;
	}
	return true;
}

/* The value of a parameter's segment; the last one of a route may extend to the path's end. */
static struct str raw_value(const struct segments *want, const struct segments *raw, size_t i)
{
	struct str value = raw->at[i];

	if (want->has_rest && i + 1 == want->count)
		value.len = (size_t)(raw->end - value.at);
	return value;
}

static struct str param_name(const struct segments *want, size_t i)
{
	size_t around = want->has_rest && i + 1 == want->count ? 5 : 2; /* "{...}", "{}" */

	return (struct str){ want->at[i].at + 1, want->at[i].len - around };
}

/* False when one has a bad escape. */
static bool read_params(struct arena *a, const struct segments *want, const struct segments *raw,
			struct params *ret_params)
{
	ret_params->count = 0;
	for (size_t i = 0; i < want->count; i++) {
		if (!is_param(want->at[i]))
			continue;
		assert(ret_params->count < ROUTE_MAX_PARAMS);
		ret_params->at[ret_params->count].name = param_name(want, i);
		if (!path_decode(a, raw_value(want, raw, i), PATH_PLUS_STAYS,
				 &ret_params->at[ret_params->count++].value))
			return false;
	}
	return true;
}

const struct route *route_find(const struct route_table *table, enum method method,
			       struct str raw_path, struct arena *a, struct params *ret_params,
			       struct route_options *ret_options)
{
	const struct route *found = NULL;
	size_t path = 0;
	struct segments raw;

	*ret_options = (struct route_options){ 0 };
	if (!split(raw_path, &raw))
		return NULL;
	for (size_t i = 0; i < table->count; i++) {
		if (!path_matches(&table->paths[i], &raw, a))
			continue;
		ret_options->methods |= 1u << table->routes[i].method;
		ret_options->flags |= table->routes[i].flags;
		if (table->routes[i].method == method && !found) {
			found = &table->routes[i];
			path = i;
		}
	}
	return found && read_params(a, &table->paths[path], &raw, ret_params) ? found : NULL;
}
