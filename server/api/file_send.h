#ifndef FILE_SEND_H
#define FILE_SEND_H

#include "file_store.h"
#include "request.h"

/*
 * A file as the answer: whole, a part of it (Range), or only that it is still the same (If-None-Match). What a
 * browser would run, or takes for a page, is only saved, and nothing in any file is of the server's origin
 * (Content-Security-Policy: sandbox).
 */
err_t file_send(struct request *q, int64_t run_id, struct str name)
	__attribute__((warn_unused_result));

#endif
