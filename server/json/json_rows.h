#ifndef JSON_ROWS_H
#define JSON_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "left_out.h"
#include "str.h"

struct arena;
struct json_scan;

/*
 * Rows of metrics as columns: one request's part of one stream, before keys have ids and rows have
 * numbers.
 *
 *	[{"loss":0.5,"_step":1},          loss      rows NULL  values 0.5 0.25
 *	 {"loss":0.25,"eval":{"f":NaN}}]  eval.f    rows 1     values NaN
 *	                                  steps     1  JSON_STEP_NONE
 *
 * How a value is stored:
 *	number, NaN, Infinity, -Infinity            a number cell
 *	integer beyond 2^53                         a number cell (the nearest double) and a text cell
 *	                                            (the digits) in the same row
 *	true, false, null, string, array, {}        a text cell: its JSON text as sent
 *	object with members                         flattened, keys joined with dots
 *	_step, a whole number from 0 to 2^53        the step of the row; else an ordinary value
 *
 * A member that cannot be kept (a key that is twice in one row, also after flattening; one key too many; a value that is
 * too large) costs only itself: it is left out and noted in left_out, and its row has the others. A name with control
 * characters, or longer than JSON_KEY_MAX_BYTES, has another form (odd_name.h).
 */
enum {
	JSON_ROWS_MAX = 100000,      /* rows of one stream in a request */
	JSON_ROWS_MAX_KEYS = 100000, /* different keys of one stream in a request */
	JSON_ROW_MAX_KEYS = 10000,   /* cells of one row */
	JSON_ROW_OWN_KEYS =
		16, /* more of them where the name begins with "_": clients send their own last */
	JSON_ROW_MAX_BYTES = 10 << 20, /* without what is left out of it */
	JSON_KEY_MAX_BYTES = 512,      /* of a name as it is stored */
	JSON_NAME_MAX_BYTES = 2048,    /* as it came, flattened */
	JSON_ROWS_NAME_BEHIND = 16,    /* bytes after a name that are read with it */
	JSON_SKIP_MAX_DEPTH =
		1000, /* of a value left out for its depth; a deeper one is an error of the whole */
	JSON_VALUE_MAX_BYTES = JSON_ROW_MAX_BYTES, /* of a text cell */
	JSON_ROWS_MAX_CELLS = 1 << 24,             /* of one stream in a request */
	JSON_ROWS_MAX_TEXT_BYTES = 256 << 20,
};

#define JSON_TIME_MAX_S 253402300799.0 /* the last second of the year 9999 */
#define JSON_STEP_NONE INT64_C(-1) /* the row brought no step: one is assigned when it is stored */

/* In order of rows; at most one cell of each kind per row. */
struct json_column {
	struct str name;  /* unescaped; lives in the arena or the body */
	struct str whole; /* if the name is a shortened one; else empty */
	uint32_t number_count;
	uint32_t text_count;
	const uint32_t *number_rows; /* row of each number; NULL: every row has one */
	const double *numbers;       /* every NaN is the same NaN */
	const uint32_t *text_rows;   /* row of each text; NULL: every row has one */
	const struct str *texts;     /* JSON text, in the body */
};

struct json_rows_index; /* of the names */
struct json_rows_cells; /* cells in the order they came, until json_rows_finish() */

struct json_rows {
	struct arena *arena;
	uint32_t row_count;
	uint32_t column_count;
	struct json_column *columns; /* in the order the keys were first met */
	int64_t *steps;              /* of each row, or JSON_STEP_NONE */
	uint64_t cell_count;         /* numbers and texts */
	double newest_s;         /* the greatest `_timestamp` that was sent (row_axes.h); 0: none */
	uint32_t row_limit;      /* JSON_ROWS_MAX, unless it is set after json_rows_init() */
	enum left_out_kind kind; /* LEFT_OUT_HISTORY, unless it is set after json_rows_init() */
	struct left_out_list left_out;
	struct json_rows_index *index;
	struct json_rows_cells *cells;
};

/* `expect_bytes` of JSON will come, more or less. All memory is the arena's. */
void json_rows_init(struct json_rows *rows, struct arena *a, size_t expect_bytes)
	__attribute__((nonnull));

/*
 * Reads the array of objects at the cursor and finishes `rows`. Once per init; a second array of
 * the same stream in one request is the caller's error. Errors are noted in the cursor.
 */
void json_scan_rows(struct json_scan *s, struct json_rows *rows) __attribute__((nonnull));

/* The whole rest of the body: an array of objects, one object, or objects one after the other
 * with blanks or line ends between (NDJSON). */
void json_scan_rows_body(struct json_scan *s, struct json_rows *rows) __attribute__((nonnull));

/*
 * For streams whose axis is time: each row's step becomes its `_timestamp` in microseconds, if it
 * has one from 0 to JSON_TIME_MAX_S; a `_step` that was sent is dropped. The column stays.
 */
void json_rows_step_by_time(struct json_rows *rows) __attribute__((nonnull));

static inline uint32_t json_column_number_row(const struct json_column *c, uint32_t i)
{
	return c->number_rows ? c->number_rows[i] : i;
}

static inline uint32_t json_column_text_row(const struct json_column *c, uint32_t i)
{
	return c->text_rows ? c->text_rows[i] : i;
}

/*
 * The collecting side, shared by the fast scanner and the plain one. A row is begun, gets its cells
 * and its step, and all is put into columns by json_rows_finish(). A fault is a limit or rule that
 * was broken; the caller knows where and reports it.
 */
enum json_rows_fault {
	JSON_ROWS_OK,
	JSON_ROWS_REPEATED_KEY,
	JSON_ROWS_TOO_MANY_ROWS,
	JSON_ROWS_TOO_MANY_KEYS,  /* of all rows together */
	JSON_ROWS_TOO_MANY_CELLS, /* of one row */
	JSON_ROWS_KEY_TOO_LONG,
	JSON_ROWS_KEY_EMPTY,
	JSON_ROWS_VALUE_TOO_LONG,
	JSON_ROWS_VALUE_TOO_DEEP,
	JSON_ROWS_TOO_LARGE, /* cells, or bytes of text, of all rows together */
	JSON_ROWS_NO_MEMORY, /* the arena's budget has no room: not the sender's fault */
};

enum json_name_life {
	JSON_NAME_QUOTED, /* it is in the body, between quotes, without escapes */
	JSON_NAME_PASSES, /* its bytes do not outlive the call: copy them */
};

enum json_rows_fault json_rows_begin_row(struct json_rows *rows) __attribute__((nonnull));
/*
 * The column of a key, new if need be. 16 bytes from the key's start and 8 after its end must be
 * readable.
 */
enum json_rows_fault json_rows_column(struct json_rows *rows, struct str name,
				      enum json_name_life life, uint32_t *ret_column)
	__attribute__((nonnull));
enum json_rows_fault json_rows_add_number(struct json_rows *rows, uint32_t column, double value)
	__attribute__((nonnull));
enum json_rows_fault json_rows_add_text(struct json_rows *rows, uint32_t column, struct str json)
	__attribute__((nonnull));
/* Adds number and digits of one integer beyond 2^53. */
enum json_rows_fault json_rows_add_big(struct json_rows *rows, uint32_t column, double value,
				       struct str digits) __attribute__((nonnull));
/* The open row has a `_step`, of whatever value; a step is then set, or a cell added. */
enum json_rows_fault json_rows_see_step(struct json_rows *rows) __attribute__((nonnull));
void json_rows_set_step(struct json_rows *rows, int64_t step) __attribute__((nonnull));
/* Whether a row that took so many bytes is longer than a row may be. */
bool json_rows_is_too_long(const struct json_rows *rows, size_t bytes) __attribute__((nonnull));
void json_rows_finish(struct json_rows *rows) __attribute__((nonnull));
/* Whether the fault costs only the member: it is noted then. */
bool json_rows_leave_out(struct json_rows *rows, enum json_rows_fault fault, struct str name,
			 struct str value) __attribute__((nonnull));
/* After json_rows_finish(): drops a column, and notes it. */
void json_rows_leave_out_column(struct json_rows *rows, uint32_t column,
				enum left_out_reason reason) __attribute__((nonnull));
const char *json_rows_fault_text(enum json_rows_fault fault) __attribute__((returns_nonnull));

#endif
