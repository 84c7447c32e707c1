#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct buf;

/*
 * A cursor over one JSON text in place, for the bodies that are too large or too many for a tree.
 *
 *	json_scan_begin(&s, arena, body);
 *	json_scan_object(&s);
 *	while (json_scan_key(&s, &key)) {
 *		if (str_is(key, "writer"))
 *			writer = json_scan_text(&s, 64);
 *		else if (str_is(key, "history"))
 *			json_scan_rows(&s, &rows);
 *		else
 *			json_scan_fail(&s, "unknown field");
 *	}
 *	e = json_scan_end(&s);
 *
 * It remembers the first thing that was wrong, with its field ("history[3].loss") and byte offset;
 * after that every function answers zeroes, false or nothing, so one check at the end is enough.
 *
 * PADDING: at least JSON_SCAN_PADDING readable zero bytes must follow the body. Nothing is ever read
 * beyond them; they are what makes comparing sixteen bytes at a time safe.
 *
 * Grammar: RFC 8259, and the literals NaN, Infinity and -Infinity wherever a value may appear. The
 * body must be UTF-8; a string may not hold control characters; depth is limited. Returned strings
 * point into the body, or into the arena where escapes had to be undone.
 */
enum {
	JSON_SCAN_PADDING = 64,
	JSON_SCAN_MAX_DEPTH = 32, /* arrays and objects within each other, the outermost counted */
	JSON_SCAN_NAME_SHOWN = 512,
};

enum json_kind {
	JSON_KIND_END, /* no value here: end of the body, or an error */
	JSON_KIND_OBJECT,
	JSON_KIND_ARRAY,
	JSON_KIND_STRING,
	JSON_KIND_NUMBER, /* NaN and the infinities too */
	JSON_KIND_BOOL,
	JSON_KIND_NULL,
};

/*
 * The position of the cursor, for the path in an error: a key of an object, or an index of an
 * array.
 */
struct json_scan_level {
	struct str key;
	int64_t index; /* of an array; -1: an object */
	bool started;  /* a member was already read: a comma must come first */
};

struct json_scan {
	struct arena *arena;
	const char *body;
	const char *at;
	const char *end;
	err_t error; /* the first; NULL: none so far */
	unsigned depth;
	struct json_scan_level levels[JSON_SCAN_MAX_DEPTH];
};

/* Checks that the body is UTF-8, too. The body must outlive the cursor and what it returned. */
void json_scan_begin(struct json_scan *s, struct arena *a, struct str body)
	__attribute__((nonnull));

/* Only blanks may be left. Returns the first error. */
err_t json_scan_end(struct json_scan *s) __attribute__((nonnull, warn_unused_result));

/* The kind of the value at the cursor, by its first byte. */
enum json_kind json_scan_kind(struct json_scan *s) __attribute__((nonnull));

/* Steps into an object or array; anything else is an error. */
void json_scan_object(struct json_scan *s) __attribute__((nonnull));
void json_scan_array(struct json_scan *s) __attribute__((nonnull));

/*
 * The next member of the innermost object or array: true with the cursor at its value, which must
 * then be read or skipped; false when there is none left (the cursor is then after the bracket) or
 * after an error. Keys may repeat here: the caller decides what that means.
 */
bool json_scan_key(struct json_scan *s, struct str *ret_key) __attribute__((nonnull));
bool json_scan_item(struct json_scan *s) __attribute__((nonnull));

/* One value of the kind, within the bounds, or an error. */
int64_t json_scan_int64(struct json_scan *s, int64_t min, int64_t max) __attribute__((nonnull));
double json_scan_double(struct json_scan *s) __attribute__((nonnull));
bool json_scan_bool(struct json_scan *s) __attribute__((nonnull));
struct str json_scan_text(struct json_scan *s, size_t max_bytes) __attribute__((nonnull));

/* Takes a null if it is next; false if something else is. */
bool json_scan_null(struct json_scan *s) __attribute__((nonnull));

/* Any one value: its grammar is checked and its text is returned as it is in the body. */
struct str json_scan_raw(struct json_scan *s) __attribute__((nonnull));

/* A name for error messages: cut if it is longer than JSON_SCAN_NAME_SHOWN bytes. */
struct str json_scan_name_shown(struct arena *a, struct str name) __attribute__((nonnull));

/* Notes an error at the cursor, named by its path; the first one stays. */
void json_scan_fail(struct json_scan *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull));
void json_scan_fail_as(struct json_scan *s, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), nonnull));

/*
 * The text of a string value ("\"a\\n\"") without quotes and escapes; for text cells of rows.
 * `json` must have passed a scan. Points into `json` when there was nothing to undo.
 */
struct str json_scan_unquote(struct arena *a, struct str json) __attribute__((nonnull));

/*
 * Appends a JSON text that passed a scan as RFC 8259 has it, on one line:
 * NaN, Infinity and -Infinity in it, which other readers would refuse,
 * become strings, and blanks between its words are dropped.
 */
void json_scan_write_strict(struct buf *out, struct str json) __attribute__((nonnull));

#endif
