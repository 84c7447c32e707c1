#ifndef DOCUMENT_EDIT_H
#define DOCUMENT_EDIT_H

#include "document_store.h"
#include "json_doc.h"
#include "request.h"

/*
 * Adds a person's edit of the run's config or summary, a merge patch, to the overlay, under the run's lock and in the
 * request's transaction. If-Match is checked against the document before the edit.
 */
err_t document_edit(struct request *q, enum document_kind kind, const struct json_doc *edit)
	__attribute__((warn_unused_result));

#endif
