#ifndef FLUSH_DOCUMENTS_H
#define FLUSH_DOCUMENTS_H

#include "document.h"
#include "flush.h"
#include "leaf_store.h"

/* A writer's config or explicit summary that comes into a run's merged document. */
struct document_change {
	struct flush *flush;
	struct run *run;
	const struct writer *writer;
	struct leaf_document of;
	const struct json_doc *before; /* the writer's config as it was; NULL: none */
	const struct json_doc *sent;
};

/* Merges everything again and stores it anew, because a leaf of one writer is an object of another. */
err_t flush_document_whole(const struct document_change *change)
	__attribute__((warn_unused_result));

/* All conflicts of the change, in one statement each way. */
err_t flush_save_conflicts(const struct document_change *change, const struct conflicts *conflicts)
	__attribute__((warn_unused_result));
/* People's edits without what is now sent with a new value: `was` becomes `is`. The leaves are saved. */
err_t flush_trim_overlay(const struct document_change *change, const struct json_doc *was,
			 const struct json_doc *is) __attribute__((warn_unused_result));

#endif
