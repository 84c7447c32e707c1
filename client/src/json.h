#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/*
 * Reading JSON in place: a value is a piece of the text it came from. json_parse() looks at a whole
 * text once; the readers below rely on that and answer false for what is not there or of another
 * kind. Nothing is allocated but by json_text() and json_check_row()'s list of names.
 */
struct json {
	const char *at; /* NULL: absent */
	size_t length;
};

#define JSON_DEPTH_MAX 32

struct json_facts {
	size_t leaves; /* values that are no objects, or empty ones, at any depth */
	bool has_step; /* a member "_step" of the outermost object */
	bool has_timestamp;
	bool is_empty; /* {} */
};

enum json_error {
	JSON_OK = 0,
	JSON_MALFORMED, /* no JSON; not UTF-8; deeper than JSON_DEPTH_MAX */
	JSON_NOT_OBJECT,
	JSON_REPEATED, /* a name twice, also once its parents' names are put before it with dots */
	JSON_BAD_NAME, /* empty, or more than RECORD_NAME_MAX_BYTES with the parents; "_row", "_label" */
	JSON_NO_MEMORY
};

/* Any JSON value; NaN, Infinity and -Infinity count as numbers. Returns the value without the
 * space around it, absent when it is malformed. */
struct json json_parse(const char *text, size_t length);

/* An object that may be sent as a row, with its facts. */
enum json_error json_check_row(const char *text, size_t length, struct json_facts *ret_facts)
	__attribute__((nonnull(3)));

/* The member's value; absent when there is none. Escapes in names are understood. */
struct json json_member(struct json object, const char *name) __attribute__((nonnull));

/* Steps through the members of an object or the elements of an array: begin with an absent value.
 * ret_name may be NULL; it is a JSON string with its quotes. */
bool json_next(struct json container, struct json *value, struct json *ret_name)
	__attribute__((nonnull(2)));

bool json_is_object(struct json value);
bool json_is_array(struct json value);
bool json_is_string(struct json value);
bool json_number(struct json value, double *ret_number) __attribute__((nonnull));
bool json_int(struct json value, int64_t *ret_number) __attribute__((nonnull));
bool json_true(struct json value);

/* Appends the bytes that a JSON string stands for. */
void json_decode(struct json string, struct text *text) __attribute__((nonnull));

/* The same as memory of the caller's; NULL for anything but a string, and without memory. */
char *json_text(struct json string);

/* Copies what fits, cut between characters and terminated; "" for anything but a string. */
void json_copy(struct json string, char *buffer, size_t size) __attribute__((nonnull));

/* The same as one line for people: what steers a terminal is escaped. */
void json_line(struct json string, char *buffer, size_t size) __attribute__((nonnull));

#endif
