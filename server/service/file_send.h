#ifndef FILE_SEND_H
#define FILE_SEND_H

#include "content_send.h"

/* Answers with a file of a run; see content_send(). */
err_t file_send(struct request *q, int64_t run_id, struct str name, enum file_use use)
	__attribute__((warn_unused_result));

#endif
