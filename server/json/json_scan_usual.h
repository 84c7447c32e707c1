#ifndef JSON_SCAN_USUAL_H
#define JSON_SCAN_USUAL_H

#include <stdbool.h>

struct json_rows;

/*
 * Reads members of the open row for as long as they are what nearly all are: a name without escapes, and a
 * number. `p` is at a key, or where one is expected; `body` is where the text begins.
 *
 * Returns the position after a value that no comma follows (*ret_behind), else the start of a member
 * that the caller must read, of which nothing is taken. It reports no fault: a wrong member is not
 * usual.
 */
const char *json_scan_usual(struct json_rows *rows, const char *body, const char *p,
			    bool *ret_behind) __attribute__((nonnull));

#endif
