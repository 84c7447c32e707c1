#ifndef EDITORS_H
#define EDITORS_H

#include "clock.h"
#include "json_doc.h"

/*
 * Who edited what of a run's document, and when: of the shape of people's patch, with a text in place of
 * each leaf, "1795207775250000 mira". What is edited no longer, for a writer sent it since, goes with the
 * next edit.
 */
struct edit {
	struct str user; /* empty: not known */
	timestamp_us at; /* 0: likewise */
};

/* `edit` was added to what is now `patch`. */
const struct json_doc *editors_after(struct arena *a, const struct json_doc *editors,
				     const struct json_doc *edit, const struct json_doc *patch,
				     const struct edit *by)
	__attribute__((nonnull, returns_nonnull));

/* Whether the value of the document at this path (leaves.h) is what somebody set it to; where not, nobody did. */
bool editors_find(const struct json_doc *editors, const struct json_doc *patch, struct str path,
		  struct edit *ret_edit) __attribute__((nonnull(4)));

#endif
