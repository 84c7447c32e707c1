#ifndef SWEEP_VALUE_H
#define SWEEP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct buf;

/*
 * A value of a sweep's config or of a trial's parameters. Integers and floats stay apart, as in Python: 1 and 1.0 are delivered
 * as they were written. Values never change once made; text, items and members live in the arena they were read into.
 */
enum sweep_kind {
	SWEEP_ABSENT = 0, /* no value: a parameter whose condition does not hold */
	SWEEP_NULL,
	SWEEP_BOOL,
	SWEEP_INT,
	SWEEP_REAL, /* also NaN and the infinities */
	SWEEP_TEXT,
	SWEEP_LIST,
	SWEEP_OBJECT,
};

struct sweep_member;

struct sweep_value {
	enum sweep_kind kind;
	unsigned line, column; /* of its first character, from 1; 0: not read from text */
	union {
		bool truth;
		int64_t whole;
		double real;
		struct str text; /* UTF-8 */
		struct {
			const struct sweep_value *items;
			size_t count;
		} list;
		struct {
			const struct sweep_member *members; /* in the order of the text */
			size_t count;
		} object;
	};
};

struct sweep_member {
	struct str name;
	struct sweep_value value;
	unsigned line, column; /* of the name */
};

enum {
	SWEEP_TEXT_MAX = 1 << 20, /* bytes of a config or of the parameters of a trial */
	SWEEP_DEPTH_MAX = 32,     /* levels of lists and objects */
	SWEEP_VALUES_MAX =
		200000 /* values, members and items of one text, those repeated by aliases too */
};

/* The member's value; NULL: none, or `v` is NULL or not an object. */
const struct sweep_value *sweep_value_get(const struct sweep_value *v, struct str name);
const struct sweep_value *sweep_value_get_named(const struct sweep_value *v, const char *name);
/* "an integer", "a list", for messages. */
const char *sweep_kind_name(enum sweep_kind kind) __attribute__((returns_nonnull));
/* False: not an integer or float; a bool is not a number. */
bool sweep_value_number(const struct sweep_value *v, double *ret_number)
	__attribute__((nonnull(2)));

/*
 * Equality of the values of a grid: numbers by value (1 is 1.0) where the value itself is a number, but by kind inside of lists
 * and objects ([1.0] is not [1]); True, 1 and "1" differ; NaN is NaN; the order of members does not matter. -0.0 is 0.
 */
bool sweep_value_equal(const struct sweep_value *x, const struct sweep_value *y)
	__attribute__((nonnull));
/* Equal values, and only they, have equal texts; any bytes. For look-ups. */
struct str sweep_value_key(struct arena *a, const struct sweep_value *v) __attribute__((nonnull));

/*
 * JSON as Python's json.dumps() writes it, except without blanks: 1, 1.0, 1e-05, 1e+16, and the bare words NaN, Infinity and
 * -Infinity, which Python's json.loads() and PyYAML's users read as floats. Text in UTF-8.
 */
void sweep_value_write(struct buf *b, const struct sweep_value *v) __attribute__((nonnull));
struct str sweep_value_dump(struct arena *a, const struct sweep_value *v) __attribute__((nonnull));

/*
 * JSON into a value: a number with a point or an exponent is a float, NaN and the infinities are accepted as bare words, and of
 * equal names the last one counts, as in Python. ERR_INVALID, with the number of the byte in the message: not JSON, not UTF-8, U+0000 in
 * a text, an integer beyond 64 bits, a limit above.
 */
err_t sweep_value_read_json(struct arena *a, struct str json, const struct sweep_value **ret_value)
	__attribute__((nonnull, warn_unused_result));

#endif
