#ifndef FLUSH_DOCUMENTS_H
#define FLUSH_DOCUMENTS_H

#include "document.h"
#include "flush.h"
#include "leaf_store.h"
#include "sdk_summary.h"

/* A writer's config or explicit summary that comes into a run's merged document. */
struct document_change {
	struct flush *flush;
	struct run *run;
	struct run_work *work; /* the run's */
	const struct writer *writer;
	struct leaf_document of;
	const struct json_doc *before; /* the writer's config as it was; NULL: none */
	const struct json_doc *sent;
	const struct sdk_summary_change *judged; /* of a whole summary: what goes, too; else NULL */
	struct leaves_size *excess;              /* when it is refused as too large: by how much */
	bool is_one_of_several; /* the sender is one of the processes that are the writer (sdk_processes.h), */
	bool has_blank; /* of which one began with empty documents */
};

/*
 * What is known to have been sent before by whichever process of the writer sends now. `common` is what is stored
 * of that, `whole` what the writer sent last; either may be NULL. NULL: the writer is the process, and all of
 * `whole` is its own.
 */
const struct json_doc *flush_common(const struct document_change *change,
				    const struct json_doc *common, const struct json_doc *whole);

/*
 * Takes `doc` by `take`. A document of the wandb SDK that is refused as too large is taken without its largest members,
 * which are noted in batch->left_out_here; then *doc is what was taken, NULL: nothing. `take` writes nothing before
 * it refuses.
 */
typedef err_t document_take_fn(struct document_change *change, const struct json_doc *doc,
			       void *with);
err_t flush_take_fitting(struct document_change *change, struct ingest_batch *batch,
			 document_take_fn *take, const struct json_doc **doc, void *with)
	__attribute__((warn_unused_result));

/* A whole summary: what of it is set, and what goes because it was logged later or is gone. */
err_t flush_whole_summary(struct document_change *change, struct ingest_batch *batch)
	__attribute__((warn_unused_result));

/* Leaves without what was logged since it was set, and without what the writer itself has given up. */
void flush_drop_judged(const struct document_change *change, struct leaves *leaves);

/* A document's change, leaf by leaf where that can be. */
err_t flush_take_change(const struct document_change *change) __attribute__((warn_unused_result));

/* Merges everything again and stores it anew, because a leaf of one writer is an object of another. */
err_t flush_document_whole(const struct document_change *change)
	__attribute__((warn_unused_result));

/* All conflicts of the change, in one statement each way. */
err_t flush_save_conflicts(const struct document_change *change, const struct conflicts *all)
	__attribute__((warn_unused_result));
/* People's edits without what is now sent with a new value: `was` becomes `is`. The leaves are saved. */
err_t flush_trim_overlay(const struct document_change *change, const struct json_doc *was,
			 const struct json_doc *is) __attribute__((warn_unused_result));

#endif
