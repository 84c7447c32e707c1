#ifndef JSON_IN_H
#define JSON_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "err.h"
#include "str.h"

struct arena;
struct json_doc;
struct json_in_state;

/*
 * Reads one JSON object into a struct, field by field.
 *
 *	e = json_in_parse(arena, body, &in);
 *	if (e)
 *		return e;
 *	join->client = json_in_text(&in, "client", 64);
 *	join->pid = json_in_int_or(&in, "pid", 0, INT32_MAX, 0);
 *	return json_in_end(&in);
 *
 * The reader remembers the first error, with its path ("host.name", "tags[3]"), and from then on
 * returns zeroes, so reading is a list of lines with one check at the end. Other members are not
 * allowed: json_in_end() refuses them, so that typing errors are seen.
 *
 * Text is valid UTF-8 without U+0000, in the arena, ended by NUL. In the variants with `_or` a
 * member that is missing or null gives the last argument.
 */
struct json_in {
	struct arena *arena;
	const struct json_doc *object; /* NULL: nothing there, or something was wrong */
	const char *path;              /* "" at the top, else "host" or "items[3]" */
	bool *taken;                   /* per member */
	struct json_in *next;          /* the reader made before this one */
	struct json_in_state *state;   /* shared with the readers of parts */
};

/* The body must be one object. An empty body reads as {}. */
err_t json_in_parse(struct arena *a, struct str body, struct json_in *ret_in)
	__attribute__((nonnull, warn_unused_result));
/* The same for a document that was parsed before. */
err_t json_in_begin(struct arena *a, const struct json_doc *doc, struct json_in *ret_in)
	__attribute__((nonnull, warn_unused_result));
/* The first error of this reader and of all readers of its parts; an unknown member is an error. */
err_t json_in_end(struct json_in *in) __attribute__((nonnull, warn_unused_result));
/* The first error so far, before a decision that depends on what was read. */
err_t json_in_error(const struct json_in *in) __attribute__((nonnull));

/* The member is there, be it null. Does not take it. */
bool json_in_has(const struct json_in *in, const char *key) __attribute__((nonnull));
/* Takes a member that is there and null. */
bool json_in_null(struct json_in *in, const char *key) __attribute__((nonnull));

/* Text of at most max_bytes; longer is an error. */
struct str json_in_text(struct json_in *in, const char *key, size_t max_bytes)
	__attribute__((nonnull));
struct str json_in_text_or(struct json_in *in, const char *key, size_t max_bytes, struct str absent)
	__attribute__((nonnull));

int64_t json_in_int(struct json_in *in, const char *key, int64_t min, int64_t max)
	__attribute__((nonnull));
int64_t json_in_int_or(struct json_in *in, const char *key, int64_t min, int64_t max,
		       int64_t absent) __attribute__((nonnull));

/* Finite. */
double json_in_number(struct json_in *in, const char *key) __attribute__((nonnull));

bool json_in_bool(struct json_in *in, const char *key) __attribute__((nonnull));

/* The index of one of the words of the NULL-ended list. */
int json_in_choice(struct json_in *in, const char *key, const char *const *words)
	__attribute__((nonnull));
int json_in_choice_or(struct json_in *in, const char *key, const char *const *words, int absent)
	__attribute__((nonnull));

/* RFC 3339 text; absent gives 0. */
timestamp_us json_in_time_or(struct json_in *in, const char *key, timestamp_us absent)
	__attribute__((nonnull));

/* An array of at most max_count texts; absent: none. */
const struct str *json_in_texts(struct json_in *in, const char *key, size_t max_count,
				size_t max_bytes, size_t *ret_count)
	__attribute__((nonnull, returns_nonnull));

/* A reader of the member, which must be an object; absent: ->object is NULL, all is zeroes. */
struct json_in *json_in_object(struct json_in *in, const char *key)
	__attribute__((nonnull, returns_nonnull));

/*
 * An array of at most max_count objects: how many; absent: 0. Then one reader per item:
 *	count = json_in_array(&in, "items", 1000);
 *	for (size_t i = 0; i < count; i++)
 *		read_item(json_in_item(&in, "items", i), &items[i]);
 */
size_t json_in_array(struct json_in *in, const char *key, size_t max_count)
	__attribute__((nonnull));
struct json_in *json_in_item(struct json_in *in, const char *key, size_t index)
	__attribute__((nonnull, returns_nonnull));

/* The value as a document, an object; NULL when absent. */
const struct json_doc *json_in_doc_object(struct json_in *in, const char *key)
	__attribute__((nonnull));
/* The value as compact JSON text (see json_doc_write()); .at is NULL when absent. */
struct str json_in_raw(struct json_in *in, const char *key) __attribute__((nonnull));

/* Notes an error of a member that breaks a rule; the first error stays. */
void json_in_refuse(struct json_in *in, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull));

#endif
