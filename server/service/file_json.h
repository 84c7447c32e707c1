#ifndef FILE_JSON_H
#define FILE_JSON_H

#include "file_store.h"
#include "json_out.h"
#include "request.h"

/* A file of a run as in the contract, with a link to read it. */
err_t file_json_write(struct json_out *o, struct request *q, int64_t run_id,
		      const struct run_file *file) __attribute__((warn_unused_result));

/* {"names": […]}: names of files as they are stored. */
err_t file_json_read_names(struct request *q, struct str **ret_names, size_t *ret_count)
	__attribute__((warn_unused_result));

#endif
