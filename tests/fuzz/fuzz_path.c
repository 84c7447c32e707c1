/*
 * Request targets and lists in headers, as anybody may send them. What has no fault is decoded to text
 * without NUL, in UTF-8; encoded again it is decoded to the same; a route's parameters hold no segment
 * that leads elsewhere.
 */
#include "arena.h"
#include "fuzz.h"
#include "headers.h"
#include "path.h"
#include "route.h"

static const struct route routes[] = {
	{ GET, "/", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/runs/latest", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/{entity}/{project}", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/{entity}/{project}/runs/{run}", NULL, ACCESS_OPEN, 0, 0, "" },
	{ GET, "/files/{entity}/{project}/{run}/{name...}", NULL, ACCESS_OPEN, 0, 0, "" },
};
enum { ROUTES = sizeof(routes) / sizeof(routes[0]) };

static struct str encode(struct arena *a, struct str text)
{
	char *raw = arena_alloc(a, 3 * text.len + 1);

	for (size_t i = 0; i < text.len; i++)
		snprintf(raw + 3 * i, 4, "%%%02X", (unsigned char)text.at[i]);
	return (struct str){ raw, 3 * text.len };
}

static void check_text(struct arena *a, struct str text)
{
	struct str again;

	FUZZ_CHECK(str_is_utf8(text));
	FUZZ_CHECK(!text.len || !memchr(text.at, 0, text.len));
	FUZZ_CHECK(path_decode(a, encode(a, text), PATH_PLUS_IS_SPACE, &again));
	FUZZ_CHECK(str_equal(text, again));
}

static void check_query(struct arena *a, struct str query)
{
	struct str rest = query;

	while (rest.len) {
		struct str value = str_cut(&rest, '&');
		struct str name;
		struct str found;

		FUZZ_CHECK(path_decode(a, str_cut(&value, '='), PATH_PLUS_IS_SPACE, &name));
		check_text(a, name);
		found = path_query_find(a, query, name);
		FUZZ_CHECK(found.at);
		check_text(a, found);
	}
}

static void check_route(struct arena *a, struct str path)
{
	struct params params = { .count = 0 };
	struct route_options options;

	if (!route_find(route_table_new(a, routes, ROUTES), GET, path, a, &params, &options) ||
	    path_has_dot(a, path))
		return;
	FUZZ_CHECK(options.methods == 1u << GET && params.count <= ROUTE_MAX_PARAMS);
	for (size_t i = 0; i < params.count; i++) {
		check_text(a, params.at[i].value);
		FUZZ_CHECK(params.at[i].value.len);
		FUZZ_CHECK(!str_is(params.at[i].value, "..") && !str_is(params.at[i].value, "."));
	}
}

static void check_list(struct str list)
{
	struct header_item item;
	const char *end = list.at + list.len;

	while (headers_next_item(&list, &item)) {
		FUZZ_CHECK(item.name.len && item.name.at + item.name.len <= end);
		FUZZ_CHECK(!memchr(item.name.at, ',', item.name.len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct str target = { size ? (const char *)data : "", size };
	struct str path;

	check_list(target);
	if (!path_fault(a, target)) {
		path = str_cut(&target, '?');
		check_route(a, path);
		check_query(a, target);
	}
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"/",
		"/runs/latest?a=1&b=%26+x&a&=&&c=%C3%BC",
		"/ann/digits/runs/a%2Fb?keys=a%5C%2Cb,c",
		"/ann/digits/runs/%2e%2e/../x",
		"/runs%2Flatest?%00=1",
		"/files/ann/digits/r1/media//./a%2F..%2Fb/c",
		"/%E2%82%AC/%ff/%c0%80/%ed%a0%80",
		"gzip;q=0.5, br ; q = 1,*;q=x,a;b=c;Q=0, d;q=,,",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
