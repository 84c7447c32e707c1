#ifndef JSON_SCAN_SLOW_H
#define JSON_SCAN_SLOW_H

#include "json_rows.h"

/*
 * The same rows read by a plain recursive descent with strtod: slow, simple and obviously right. It
 * is the definition of the grammar; the fast scanner must agree with it on every input, and tests
 * and fuzzing see to that. `body` needs JSON_SCAN_PADDING zero bytes after it, as ever.
 */
err_t json_scan_slow_rows(struct arena *a, struct str body, struct json_rows *rows)
	__attribute__((nonnull, warn_unused_result));

#endif
