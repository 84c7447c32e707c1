#ifndef FILE_PUT_H
#define FILE_PUT_H

#include "file_store.h"
#include "quota_room.h"
#include "request.h"

/*
 * A file that comes in, for both doors. The body goes to the folder of files while it comes; when all of it
 * is there and written down, the name leads to it, and not before: a torn upload changes nothing.
 */
struct file_place {
	int64_t run_id;
	struct quota_place of;
	struct str name;
	int64_t user_id;
	struct str client; /* the writer; empty: none */
};

/* In route->begin: room and quota are looked at, and q->sink is set. */
err_t file_put_begin(struct request *q, const struct file_place *place)
	__attribute__((warn_unused_result));
/* In the handler, which has no transaction: to the place that it began for. The file as it is now. */
err_t file_put_end(struct request *q, struct run_file **ret_file)
	__attribute__((warn_unused_result));

#endif
