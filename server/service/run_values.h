#ifndef RUN_VALUES_H
#define RUN_VALUES_H

#include "json_out.h"
#include "request.h"
#include "search.h"

/* What the runs of a list have under the keys of its parameter "keys". */
enum { RUN_VALUES_KEYS_MAX = 64 };

struct run_values {
	struct filter_path keys[RUN_VALUES_KEYS_MAX];
	size_t key_count;
	struct search_value *found; /* [run * key_count + key] */
};

err_t run_values_read(struct request *q, struct run_values *ret_values)
	__attribute__((warn_unused_result));
err_t run_values_find(struct request *q, struct run_values *values, const int64_t *run_ids,
		      size_t count) __attribute__((warn_unused_result));
/* The members "values" and, where some are null, "nulls" of that run; nothing without keys. */
void run_values_write(struct json_out *o, const struct run_values *values, size_t run);

#endif
