#ifndef SDK_KEY_H
#define SDK_KEY_H

#include "json_rows.h"
#include "str.h"

/*
 * Keys as rows of history have them: for a value within objects the names on the way, joined by
 * dots. None is longer than JSON_KEY_MAX_BYTES, whatever names a document has.
 */

/*
 * The key of the member `name` of the object `above`, whose key is at the
 * beginning of `room`; { room, 0 } is the document itself. Empty with a
 * NULL `at` if it is too long, and so for all that is below.
 */
struct str sdk_key_below(char room[JSON_KEY_MAX_BYTES], struct str above, struct str name)
	__attribute__((nonnull));

/* The key that tells the type of the value with this key: "img._type". */
#define SDK_KEY_TYPE "._type"
enum { SDK_KEY_TYPE_SIZE = JSON_KEY_MAX_BYTES + sizeof(SDK_KEY_TYPE) };
struct str sdk_key_of_type(char room[SDK_KEY_TYPE_SIZE], struct str key) __attribute__((nonnull));

#endif
