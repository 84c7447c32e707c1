/*
 * A request that a proxy in front reads as one must not be two here, or the other way round. So
 * ambiguous lines are refused, not repaired: blanks around a name, carriage returns and other
 * control characters in a value (RFC 9112, 5.1 and 2.2).
 */
#include "headers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "arena.h"

/* RFC 9110, 5.6.2. */
static bool is_token(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (!isalnum(c) && (!c || !strchr("-_!#$%&'*+.^`|~", c)))
			return false;
	}
	return s.len > 0;
}

static bool is_value(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

void headers_add(struct headers *h, struct arena *a, struct str name, struct str value)
{
	if (!is_token(name))
		h->fault = "invalid header name";
	else if (!is_value(value))
		h->fault = "a header value contains a control character";
	if (!h->at)
		h->at = arena_new_array(a, struct header, HEADERS_MAX);
	h->too_many = h->count == HEADERS_MAX;
	if (h->too_many)
		return;
	h->at[h->count++] = (struct header){
		.name = { str_copy(a, name), name.len },
		.value = { str_copy(a, value), value.len },
	};
}

static bool is_named(const struct header *header, struct str name)
{
	return header->name.len == name.len && strncasecmp(header->name.at, name.at, name.len) == 0;
}

size_t headers_count(const struct headers *h, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += is_named(&h->at[i], str_of(name));
	return count;
}

struct str headers_find(const struct headers *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++) {
		if (is_named(&h->at[i], str_of(name)))
			return h->at[i].value;
	}
	return (struct str){ NULL, 0 };
}

struct str headers_list(const struct headers *h, struct arena *a, const char *name)
{
	struct str all = STR("");

	for (size_t i = 0; i < h->count; i++) {
		if (!is_named(&h->at[i], str_of(name)))
			continue;
		all = all.len ? str_of(arena_printf(a, "%.*s, %.*s", STR_ARG(all),
						    STR_ARG(h->at[i].value)))
			      : h->at[i].value;
	}
	return all;
}

static double weight_of(struct str parameters)
{
	double weight = 1;

	while (parameters.len) {
		struct str value = str_trim(str_cut(&parameters, ';'));
		struct str name = str_trim(str_cut(&value, '='));

		if ((str_is(name, "q") || str_is(name, "Q")) &&
		    !str_to_double(str_trim(value), &weight))
			return 0;
	}
	return weight;
}

bool headers_next_item(struct str *list, struct header_item *ret_item)
{
	while (list->len) {
		struct str rest = str_cut(list, ',');
		struct str name = str_trim(str_cut(&rest, ';'));

		if (!name.len)
			continue;
		*ret_item = (struct header_item){ name, weight_of(rest) };
		return true;
	}
	return false;
}
