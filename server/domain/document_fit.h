#ifndef DOCUMENT_FIT_H
#define DOCUMENT_FIT_H

#include "leaves.h"

enum { DOCUMENT_FIT_TRIES = 8 }; /* for one document; then all of it is left out */

/* How far a document exceeds the limits; nothing above 0: not known. */
struct leaves_size leaves_excess(const struct leaves_size *size);

/*
 * The object without its largest members, which are noted in the list as left out: as few as the
 * excess needs, and one at least. NULL when none is left. Another document may have the same
 * members, so what is left may be refused again.
 */
const struct json_doc *document_fit(struct arena *a, const struct json_doc *doc,
				    const struct leaves_size *excess, enum left_out_kind kind,
				    struct left_out_list *left_out) __attribute__((nonnull));

#endif
