#ifndef CONTENT_SEND_H
#define CONTENT_SEND_H

#include "request.h"

/*
 * A file that a browser would run or show as a page is only saved. FRAMED: it is shown, but only in a frame of one of our
 * pages. RUN: in addition, the scripts that are in it run, in an origin of their own, if one of our pages requests it. If the
 * browser says that it requests a page of its own, the file is saved.
 */
enum file_use { FILE_USE_SAVED, FILE_USE_FRAMED, FILE_USE_RUN };

/* Reads "framed" and "scripts" of the query. */
err_t content_use_read(struct request *q, enum file_use *ret_use)
	__attribute__((warn_unused_result));

/* Content under the name of a file. */
struct sent_content {
	struct str hash;
	int64_t size_bytes;
	struct str name;
};

/*
 * Answers with content: the whole, a part of it (Range), or that it is unchanged (If-None-Match). No file has the origin
 * of the server (Content-Security-Policy: sandbox), and nothing in it runs, unless its use is RUN.
 */
err_t content_send(struct request *q, const struct sent_content *content, enum file_use use)
	__attribute__((warn_unused_result));

/* Opens the content, for the lifetime of `a`. Missing or incomplete content is an error of the server. */
struct content_reader;
err_t content_open_sent(struct request *q, struct arena *a, const struct sent_content *content,
			struct content_reader **ret_reader) __attribute__((warn_unused_result));
/* The header of a file that is "inline" or "attachment". */
const char *content_disposition(struct arena *a, const char *how, struct str name);

#endif
