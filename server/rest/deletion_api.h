#ifndef DELETION_API_H
#define DELETION_API_H

#include "deletion.h"

/* Deleting runs, restoring them while their grace time lasts, and which they are. */
err_t deletion_api_delete(struct request *q);
err_t deletion_api_restore(struct request *q);
/* GET …/runs?deleted=true */
err_t deletion_api_list(struct request *q);

/* The parameter "purge" of REST. */
err_t deletion_read_purge(struct request *q, enum deletion_purge *ret_purge)
	__attribute__((warn_unused_result));

#endif
