#ifndef RUN_VIEW_H
#define RUN_VIEW_H

#include "document_store.h"
#include "json_doc.h"
#include "request.h"
#include "run_documents.h"

/* Returns what a reading handler needs: a connection, a codec, lent until the request ends, and the names of keys. */
struct run_reader run_view_reader(struct request *q);

/*
 * The same until run_view_end(), or until the arena ends. Streamed answers borrow it for each page, since between pages
 * they wait for their client.
 */
struct run_view *run_view_begin(struct request *q, struct arena *a);
const struct run_reader *run_view_of(const struct run_view *view);
void run_view_end(struct run_view *view);

/* Returns the merged document as text, as it is now. */
err_t run_view_document(struct request *q, enum document_kind kind, const struct run *run,
			struct str *ret_text) __attribute__((warn_unused_result));

#endif
