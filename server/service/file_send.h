#ifndef FILE_SEND_H
#define FILE_SEND_H

#include "file_store.h"
#include "request.h"

/*
 * A file that a browser would run or show as a page is only saved. FRAMED: it is shown, but only in a frame of one of our
 * pages. If the browser says that it requests a page of its own, the file is saved.
 */
enum file_use { FILE_USE_SAVED, FILE_USE_FRAMED };

/*
 * Answers with a file: the whole, a part of it (Range), or that it is unchanged (If-None-Match). No file has the origin
 * of the server, and nothing in it runs (Content-Security-Policy: sandbox).
 */
err_t file_send(struct request *q, int64_t run_id, struct str name, enum file_use use)
	__attribute__((warn_unused_result));

/* Opens the content of a file, for the lifetime of `a`. A missing or incomplete file is an error of the server. */
struct content_reader;
err_t file_open(struct request *q, struct arena *a, const struct run_file *file,
		struct content_reader **ret_reader) __attribute__((warn_unused_result));
/* Sets the headers of a file that is "inline" or "attachment". */
const char *file_disposition(struct arena *a, const char *how, struct str name);

#endif
