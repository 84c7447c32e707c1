#ifndef LABELS_H
#define LABELS_H

#include "request.h"
#include "writer.h"

/* The labels of a run's writers, by number. */
struct labels {
	struct writer *writers; /* ascending by number */
	size_t count;
};

/* Reads and checks "label" of the query; .at NULL: there is none. */
err_t labels_asked(struct request *q, struct str *ret_label) __attribute__((warn_unused_result));

/* Reads the rows of the writers, with their names but without the changes of their last batches. */
err_t labels_read(struct request *q, struct labels *ret_labels) __attribute__((warn_unused_result));
/* The same with the changes of their last batches. */
err_t labels_read_now(struct request *q, struct labels *ret_labels)
	__attribute__((warn_unused_result));
err_t labels_read_of(struct request *q, int64_t run_id, struct labels *ret_labels)
	__attribute__((warn_unused_result));
struct str labels_of(const struct labels *labels, int32_t writer);

/*
 * Returns the numbers of the writers with the label. An empty label means all (*ret_numbers NULL, 0). A label that no
 * writer has gives a number that no writer has.
 */
void labels_find(const struct labels *labels, struct arena *a, struct str label,
		 int32_t **ret_numbers, size_t *ret_count);

#endif
