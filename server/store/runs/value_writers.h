#ifndef VALUE_WRITERS_H
#define VALUE_WRITERS_H

#include "edit_log.h"
#include "run_documents.h"

/*
 * The writer of each value of a run's config or summary, as it is shown. Nothing is stored for it
 * but what the documents are merged of: leaves have their writer, statistics of keys are each
 * writer's, edits have their user.
 */
enum { VALUE_OF_NONE = -1 }; /* of no one writer: a mean over several, a list that is united */
struct value_writer {
	struct str path; /* of the value: the names on the way, NUL between them (leaves.h) */
	int32_t writer;  /* or VALUE_OF_NONE */
	bool shared;     /* of a config or explicit summary: others have sent it, too */
	bool is_edited;  /* by a user; then there is no writer */
	struct edit edit;
};

/* In the order of the document. */
err_t value_writers_list(const struct run_reader *r, const struct run *run, enum document_kind kind,
			 struct value_writer **ret_values, size_t *ret_count)
	__attribute__((warn_unused_result));

#endif
