#ifndef FLUSH_DOCUMENTS_H
#define FLUSH_DOCUMENTS_H

#include "document.h"
#include "flush.h"
#include "leaf_store.h"
#include "sdk_summary.h"

/* A change of a run's merged document by a writer's config or explicit summary. */
struct document_change {
	struct flush *flush;
	struct run *run;
	struct run_work *work; /* the run's */
	const struct writer *writer;
	struct leaf_document of;
	const struct json_doc *before; /* the writer's config as it was; NULL: none */
	const struct json_doc *sent;
	const struct sdk_summary_change *judged; /* of a whole summary; else NULL */
	struct leaves_size *excess;              /* if it is refused as too large: the excess */
	bool is_one_of_several; /* the sender is one of the processes that are the writer (sdk_processes.h), */
	bool has_blank; /* of which one began with empty documents */
};

/*
 * Returns the values known to have been sent before by the process that sends now, whichever it is.
 * `common` is the stored part of these, `whole` the last document of the writer; either may be
 * NULL. NULL: the writer is the process, and all of `whole` is its own.
 */
const struct json_doc *flush_common(const struct document_change *change,
				    const struct json_doc *common, const struct json_doc *whole);

/*
 * Takes `doc` by `take`. A document of the wandb SDK that is refused as too large is taken without
 * its largest members, which are noted in batch->left_out_here; *doc is then the part taken, NULL:
 * none. `take` writes nothing before it refuses.
 */
typedef err_t document_take_fn(struct document_change *change, const struct json_doc *doc,
			       void *with);
err_t flush_take_fitting(struct document_change *change, struct ingest_batch *batch,
			 document_take_fn *take, const struct json_doc **doc, void *with)
	__attribute__((warn_unused_result));

/* Takes a whole summary: sets values, and drops those that were logged later or are gone. */
err_t flush_whole_summary(struct document_change *change, struct ingest_batch *batch)
	__attribute__((warn_unused_result));

/* Drops leaves that were logged since they were set, and those that the writer itself removed. */
void flush_drop_judged(const struct document_change *change, struct leaves *leaves);

/* Takes a document's change, leaf by leaf if possible. */
err_t flush_take_change(const struct document_change *change) __attribute__((warn_unused_result));

/*
 * Merges everything again and stores all of it, because a leaf of one
 * writer is an object of another.
 */
err_t flush_document_whole(const struct document_change *change)
	__attribute__((warn_unused_result));

/* All conflicts of the change, in one statement each way. */
err_t flush_save_conflicts(const struct document_change *change, const struct conflicts *all)
	__attribute__((warn_unused_result));
/*
 * Removes users' edits of values that are now sent with a new value: `was`
 * becomes `is`. The leaves are saved.
 */
err_t flush_trim_overlay(const struct document_change *change, const struct json_doc *was,
			 const struct json_doc *is) __attribute__((warn_unused_result));

#endif
