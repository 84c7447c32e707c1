#ifndef JSON_MEMBERS_H
#define JSON_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "json_scan.h"
#include "str.h"

/*
 * The members of one JSON object, one after the other, of a text that is too large for memory. A window of the text is
 * held, and the largest name or value must fit into it.
 *
 *	e = json_members_open(arena, read, file, 256 << 10, &m);
 *	while (!e) {
 *		e = json_members_next(m, &name, &is_end);
 *		if (e || is_end)
 *			break;
 *		e = json_members_value(m, &value);
 *	}
 *
 * json_members_enter() instead of json_members_value() steps into the value, an object: its members come next, and then
 * those of the object around it. The grammar is that of json_scan.h. Names may repeat.
 */
struct json_members;

/* Reads on; fewer than `size` bytes only at the end of the text. */
typedef err_t json_members_read_fn(void *source, char *bytes, size_t size, size_t *ret_count);

enum { JSON_MEMBERS_MAX_DEPTH = 4 /* of objects that are stepped into, the outermost counted */ };

/* The text must be one object. The memory is the arena's. */
err_t json_members_open(struct arena *a, json_members_read_fn *read, void *source, size_t window,
			struct json_members **ret_members) __attribute__((warn_unused_result));

/*
 * The name of the next member, without escapes, until the next call; *ret_end: there is none left in the innermost object.
 * After the end of the outermost one, nothing may follow. ERR_INVALID: it is not JSON; ERR_UNPROCESSABLE: the member does
 * not fit into the window.
 */
err_t json_members_next(struct json_members *m, struct str *ret_name, bool *ret_end)
	__attribute__((warn_unused_result));

/* Then one of these two. The text of the value, checked and padded for json_scan_begin(), until the next call. */
err_t json_members_value(struct json_members *m, struct str *ret_value)
	__attribute__((warn_unused_result));
err_t json_members_enter(struct json_members *m) __attribute__((warn_unused_result));

/* The number of bytes before the cursor, for errors. */
int64_t json_members_offset(const struct json_members *m);

#endif
