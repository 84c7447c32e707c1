#ifndef LABELS_H
#define LABELS_H

#include "request.h"
#include "writer.h"

/* Who wrote what, for reading: labels of a run's writers by number. */
struct labels {
	struct writer *writers; /* ascending by number */
	size_t count;
};

/* The query's "label", checked; its .at is NULL when there is none. */
err_t labels_asked(struct request *q, struct str *ret_label) __attribute__((warn_unused_result));

/* The writers' rows: their names, not what their last batches changed. */
err_t labels_read(struct request *q, struct labels *ret_labels) __attribute__((warn_unused_result));
/* With what their last batches changed. */
err_t labels_read_now(struct request *q, struct labels *ret_labels)
	__attribute__((warn_unused_result));
err_t labels_read_of(struct request *q, int64_t run_id, struct labels *ret_labels)
	__attribute__((warn_unused_result));
struct str labels_of(const struct labels *labels, int32_t writer);

/*
 * Numbers under which rows of the writers with the label lie; an empty label is all (*ret_numbers
 * NULL, 0). A label that nobody has gives one number that nobody has.
 */
void labels_find(const struct labels *labels, struct arena *a, struct str label,
		 int32_t **ret_numbers, size_t *ret_count);

#endif
