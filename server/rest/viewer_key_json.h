#ifndef VIEWER_KEY_JSON_H
#define VIEWER_KEY_JSON_H

#include "json_out.h"
#include "key_store.h"
#include "request.h"

/* Name and scope of a new key. */
err_t viewer_key_json_read(struct request *q, struct key_new *ret_key)
	__attribute__((warn_unused_result));

/* `text` is the key itself, when it was made just now; else empty. */
void viewer_key_json_write(struct json_out *o, const struct key *key, struct str text);

#endif
