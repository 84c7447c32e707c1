#ifndef JSON_POINTER_H
#define JSON_POINTER_H

#include "err.h"
#include "str.h"

struct arena;
struct json_doc;

/*
 * The value at a JSON pointer (RFC 6901): "/model/layers/0"; "~1" is a slash of a name, "~0" a
 * tilde; the empty one is the whole document. *ret_value is NULL when nothing is there.
 * ERR_INVALID, of the field, if it is not a pointer.
 */
err_t json_pointer_find(struct arena *a, const struct json_doc *doc, const char *field,
			struct str pointer, const struct json_doc **ret_value)
	__attribute__((warn_unused_result));

#endif
