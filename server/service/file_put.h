#ifndef FILE_PUT_H
#define FILE_PUT_H

#include "file_store.h"
#include "quota_room.h"
#include "request.h"

/*
 * The destination of an upload. The body is written to the folder of files while it arrives. The name refers to it only
 * when all of it is there and recorded, so an upload that breaks off changes nothing.
 */
struct file_destination {
	int64_t run_id;
	struct quota_scope scope;
	struct str name;
	int64_t user_id;
	struct str client; /* the writer; empty: none */
};

/* Call it in route->begin: checks room and quota, and sets q->sink. */
err_t file_put_begin(struct request *q, const struct file_destination *destination)
	__attribute__((warn_unused_result));
/* Call it in the handler, which has no transaction: saves the file at the destination. Returns the file as it is now. */
err_t file_put_end(struct request *q, struct run_file **ret_file)
	__attribute__((warn_unused_result));

#endif
