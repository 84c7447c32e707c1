#ifndef JSON_DOC_H
#define JSON_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "json_scan.h"
#include "left_out.h"
#include "str.h"

struct arena;
struct buf;

/*
 * A JSON document as a value, for rules that merge and compare documents (config, summary, filters).
 *
 * Nodes never change once made, so documents share parts freely; all live in one arena (or in one
 * that lives longer). Members of an object are kept sorted by name, in byte order, and no name
 * appears twice: finding is a binary search, and merging, comparing and writing are one walk.
 *
 * A number is its text: 12345678901234567890 and 1e5 come out as they came in. NaN, Infinity and
 * -Infinity become strings, because neither JSON nor the database has such numbers.
 */
struct json_doc {
	enum json_kind kind; /* never JSON_KIND_END */
	struct str text;     /* string: its bytes; number: as written, NUL-ended; else empty */
	bool truth;          /* of a bool */
	size_t count;        /* of an object or array */
	const struct json_member *members;   /* of an object */
	const struct json_doc *const *items; /* of an array */
};

struct json_member {
	struct str name;
	const struct json_doc *value;
};

/*
 * The whole text is one document. Refused, with place and field: a syntax error, a name twice in one
 * object, more than JSON_SCAN_MAX_DEPTH levels, bytes that are not UTF-8, U+0000 (the database cannot
 * keep it), numbers longer than JSON_DOC_MAX_DIGITS or with an exponent beyond
 * +-JSON_DOC_MAX_EXPONENT, and, as ERR_UNPROCESSABLE, more than JSON_DOC_MAX_VALUES values: two
 * bytes of text become a hundred here. Half a surrogate pair becomes U+FFFD. The text is copied.
 */
enum {
	JSON_DOC_MAX_DIGITS = 400,
	JSON_DOC_MAX_EXPONENT = 400,
	JSON_DOC_MAX_VALUES = 250000, /* scalars, objects and arrays, all of them */
};
err_t json_doc_parse(struct arena *a, struct str text, const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));

/* The same for the body of a request; ERR_BUSY when the arena's share finds no room for the document. */
err_t json_doc_parse_body(struct arena *a, struct str text, const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));

/* Both, with odd_text_form() of texts and names that hold U+0000. */
err_t json_doc_parse_texts(struct arena *a, struct str text, const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));
err_t json_doc_parse_body_texts(struct arena *a, struct str text, const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));

/*
 * The same for an object that is not to be lost for one of its members. A member of it, or of an
 * object in it, that cannot be kept is left out, and noted by the names on its way, with dots
 * between them. Text that is not JSON, or is nested far too deep, is refused.
 */
struct json_doc_members {
	enum left_out_kind
		kind; /* LEFT_OUT_SUMMARY: names get the form of names of metrics (odd_name.h) */
	size_t max_bytes; /* of all values, as they are written */
	bool is_wrapped;  /* {"lr": {"value": 0.1}}: "value" is not part of names */
	struct left_out_list *left_out;
};
err_t json_doc_parse_members(struct arena *a, struct str text, const struct json_doc_members *how,
			     const struct json_doc **ret_doc)
	__attribute__((nonnull, warn_unused_result));

/* A number's text that is NaN, Infinity or -Infinity. */
bool json_doc_is_word(struct str number);

/* The member's value; NULL if there is none or `doc` is NULL or not an object. */
const struct json_doc *json_doc_get(const struct json_doc *doc, struct str name);
const struct json_doc *json_doc_get_named(const struct json_doc *doc, const char *name);

/*
 * False unless it is such a value; a whole number may be written 3, 3.0 or 3e0. NULL is no value.
 */
bool json_doc_is(const struct json_doc *doc, enum json_kind kind);
bool json_doc_int64(const struct json_doc *doc, int64_t *ret_value);
bool json_doc_double(const struct json_doc *doc, double *ret_value);

/* Values are made from copies; the members of an object or array are shared. */
const struct json_doc *json_doc_null(void) __attribute__((returns_nonnull));
const struct json_doc *json_doc_bool(bool truth) __attribute__((returns_nonnull));
const struct json_doc *json_doc_text(struct arena *a, struct str text)
	__attribute__((nonnull, returns_nonnull));
const struct json_doc *json_doc_of_int64(struct arena *a, int64_t value)
	__attribute__((nonnull, returns_nonnull));
const struct json_doc *json_doc_of_double(struct arena *a, double value)
	__attribute__((nonnull, returns_nonnull));
const struct json_doc *json_doc_array(struct arena *a, const struct json_doc *const *items,
				      size_t count) __attribute__((nonnull(1), returns_nonnull));
/* In any order; of equal names the last one stays. */
const struct json_doc *json_doc_object(struct arena *a, const struct json_member *members,
				       size_t count) __attribute__((nonnull(1), returns_nonnull));
const struct json_doc *json_doc_empty(void) __attribute__((returns_nonnull)); /* {} */

/* The object with one member set, or, with a NULL value, without it; a value that is not an object
 * counts as {}. Costs a walk over `doc`. */
const struct json_doc *json_doc_with(struct arena *a, const struct json_doc *doc, struct str name,
				     const struct json_doc *value)
	__attribute__((nonnull(1, 2), returns_nonnull));

/* How many values it is made of, itself included. */
size_t json_doc_count(const struct json_doc *doc) __attribute__((nonnull));

/* Same kind, same members, same items; numbers by value (1 is 1.0, NaN is NaN). */
bool json_doc_equal(const struct json_doc *a, const struct json_doc *b);

/* `above` over `below`: objects are merged member by member, all the way down; else `above` wins. */
const struct json_doc *json_doc_merge(struct arena *a, const struct json_doc *below,
				      const struct json_doc *above)
	__attribute__((nonnull, returns_nonnull));

/* RFC 7386: as merge, and a null removes. `target` may be NULL: there was nothing. */
const struct json_doc *json_doc_patch(struct arena *a, const struct json_doc *target,
				      const struct json_doc *patch)
	__attribute__((nonnull(1, 3), returns_nonnull));

/* Compact, sorted: equal documents give equal text unless they write a number in two ways. */
void json_doc_write(struct buf *b, const struct json_doc *doc) __attribute__((nonnull));
struct str json_doc_dump(struct arena *a, const struct json_doc *doc) __attribute__((nonnull));

/*
 * The same for readers that know NaN, Infinity and -Infinity as numbers: the texts as which a
 * document keeps them are bare words again. A text that a client set to such a word is written
 * bare, too: readers of documents do not tell the two apart.
 */
struct str json_doc_dump_bare(struct arena *a, const struct json_doc *doc) __attribute__((nonnull));

#endif
