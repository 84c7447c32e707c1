#ifndef FILE_SEND_H
#define FILE_SEND_H

#include "file_store.h"
#include "request.h"

/*
 * What a browser would run, or takes for a page, is only saved. FRAMED: it is shown, in a frame of one of our
 * pages alone; where a browser says that it asks for a page of its own, it is saved as ever.
 */
enum file_use { FILE_USE_SAVED, FILE_USE_FRAMED };

/*
 * A file as the answer: whole, a part of it (Range), or only that it is still the same (If-None-Match). Nothing in
 * any file is of the server's origin, and none of it runs (Content-Security-Policy: sandbox).
 */
err_t file_send(struct request *q, int64_t run_id, struct str name, enum file_use use)
	__attribute__((warn_unused_result));

/* The content of a file, as long as `a`; that it is not there, or not whole, is a fault of the server's. */
struct content_reader;
err_t file_open(struct request *q, struct arena *a, const struct run_file *file,
		struct content_reader **ret_reader) __attribute__((warn_unused_result));
/* For a file that is "inline" or "attachment". */
const char *file_disposition(struct arena *a, const char *how, struct str name);

#endif
