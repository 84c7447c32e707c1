#ifndef EDIT_LOG_H
#define EDIT_LOG_H

#include "clock.h"
#include "json_doc.h"

/*
 * The last edit of each leaf of a run's document: of the shape of the users' patch, with the time
 * and the user in place of each leaf, "1795207775250000 mira". The entry of a leaf that a writer
 * has sent since is dropped by the next edit.
 */
struct edit {
	struct str user; /* empty: not known */
	timestamp_us at; /* 0: likewise */
};

/* `edit` was added to what is now `patch`. */
const struct json_doc *edit_log_after(struct arena *a, const struct json_doc *editors,
				      const struct json_doc *edit, const struct json_doc *patch,
				      const struct edit *by)
	__attribute__((nonnull, returns_nonnull));

/*
 * Whether the document's value at this path (leaves.h) was set by a user's edit; if so, *ret_edit
 * is that.
 */
bool edit_log_find(const struct json_doc *editors, const struct json_doc *patch, struct str path,
		   struct edit *ret_edit) __attribute__((nonnull(4)));

#endif
