#ifndef METRIC_KEYS_H
#define METRIC_KEYS_H

#include "run_view.h"

/* Metrics that a query names, with their numbers in the project. */
struct metric_keys {
	struct str *names; /* as asked */
	int32_t *id_index; /* of each name, its index in `ids`; -1: the project has no such key */
	size_t count;
	int32_t *ids; /* ascending, each once */
	size_t id_count;
};

/* Reads the parameter `name`: at least one key, at most `most`. ERR_INVALID also for `_step`, which is not a metric. */
err_t metric_keys_read(struct request *q, const char *name, size_t most,
		       struct metric_keys *ret_keys) __attribute__((warn_unused_result));
err_t metric_keys_find(struct request *q, const struct run_reader *reader, struct metric_keys *keys)
	__attribute__((warn_unused_result));

#endif
