/*
 * Names of files and links, as anybody may send them. A name that is taken leads nowhere else and is taken as
 * itself again; a link works where it says all that was signed, and nothing else.
 *
 * Input: two links, each the use, three numbers, what it was made with, client and name, with NUL between; a third one's signature.
 */
#include <string.h>

#include "arena.h"
#include "file_name.h"
#include "file_type.h"
#include "fuzz.h"
#include "signed_url.h"

static const struct key_secret secret = { { 7, 8, 9 } };

static void check_name(struct arena *a, struct str text)
{
	struct str name, again, rest;

	if (file_name_read(a, "name", text, &name))
		return;
	FUZZ_CHECK(name.len && name.len <= FILE_NAME_MAX && str_is_utf8(name));
	FUZZ_CHECK(!memchr(name.at, 0, name.len) && !memchr(name.at, '\\', name.len));
	FUZZ_CHECK(name.at[0] != '/' && name.at[name.len - 1] != '/');
	FUZZ_CHECK(!file_name_read(a, "name", name, &again) && str_equal(name, again));
	for (rest = name; rest.len;) {
		struct str part = str_cut(&rest, '/');

		FUZZ_CHECK(part.len && !str_is(part, ".") && !str_is(part, ".."));
	}
	FUZZ_CHECK(file_name_base(name).len && file_type_of(name).media_type);
}

static int64_t cut_number(struct str *rest)
{
	int64_t number = 0;

	str_to_int64(str_cut(rest, '\0'), 0, INT64_MAX, &number);
	return number;
}

static struct signed_url cut_link(struct str *rest)
{
	struct signed_url url = { .use = SIGNED_READ };

	url.use = cut_number(rest) % 2 ? SIGNED_WRITE : SIGNED_READ;
	url.number = cut_number(rest);
	url.expires_s = cut_number(rest);
	url.user_id = cut_number(rest);
	url.by = str_cut(rest, '\0');
	url.client = str_cut(rest, '\0');
	url.name = str_cut(rest, '\0');
	return url;
}

static bool is_same(const struct signed_url *a, const struct signed_url *b)
{
	return a->use == b->use && a->number == b->number && a->expires_s == b->expires_s &&
	       a->user_id == b->user_id && str_equal(a->by, b->by) &&
	       str_equal(a->client, b->client) && str_equal(a->name, b->name);
}

static void check_links(struct arena *a, struct str rest)
{
	struct signed_url one = cut_link(&rest);
	struct signed_url two = cut_link(&rest);
	const timestamp_us now = { 1000000000 };
	char text[SIGNED_URL_TEXT_SIZE + 1];
	err_t e;

	check_name(a, one.name);
	signed_url_sign(&secret, &one, text);
	e = signed_url_check(a, &secret, &two, str_of(text), now);
	FUZZ_CHECK((e == NULL) == (is_same(&one, &two) && two.expires_s > 1000));
	e = signed_url_check(a, &secret, &one, rest, now);
	FUZZ_CHECK(e || str_is(rest, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	struct str text = { size ? (const char *)data : "", size };

	check_name(a, text);
	check_links(a, text);
	arena_free(a);
	return 0;
}

#define LINK(text) text, sizeof(text) - 1

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const struct {
		const char *text;
		size_t len;
	} seeds[] = {
		{ LINK("1\0"
		       "7\0"
		       "2000\0"
		       "5\0"
		       "c1\0"
		       "a/b.txt\0"
		       "1\0"
		       "7\0"
		       "2000\0"
		       "5\0"
		       "c1\0"
		       "a/b.txt\0") },
		{ LINK("1\0"
		       "7\0"
		       "2000\0"
		       "5\0"
		       "c\0"
		       "1a\0"
		       "1\0"
		       "7\0"
		       "2000\0"
		       "5\0"
		       "c1\0"
		       "a\0") },
		{ LINK("0\0"
		       "1\0"
		       "1000\0"
		       "0\0"
		       "\0"
		       "x\0"
		       "0\0"
		       "1\0"
		       "1000\0"
		       "0\0"
		       "\0"
		       "x\0"
		       "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") },
		{ LINK("./media/./images/a b%.png") },
		{ LINK("a/../b") },
		{ LINK("u\xcc\x88/\xc3\xbc//x/") },
	};

	if (i >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	FUZZ_CHECK(seeds[i].len <= size);
	memcpy(bytes, seeds[i].text, seeds[i].len);
	return seeds[i].len;
}
