#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_doc.h"

/*
 * How a run's documents are merged from those of its writers: pure functions.
 *
 * Config is the deep merge of every writer's last document, in order of last change: a value that
 * its writer stops sending is dropped, and a writer cannot erase what it never sent. The explicit
 * summary is merged key by key, the last write wins. Edits by users are applied on top as a merge
 * patch (null is a tombstone) until that key is sent with a new value.
 */
enum {
	DOCUMENT_MAX_BYTES = 16 << 20, /* of a run's config or summary, as sent and as merged */
	CONFLICT_VALUES = 8,           /* writers' values kept per key */
	CONFLICT_KEYS = 1000,          /* keys in conflict that one change may report */
	CONFLICT_KEY_MAX_BYTES = 512,  /* of a path; a longer one is cut */
	CONFLICT_VALUE_MAX_BYTES =
		4096, /* of a value as JSON; a longer one is shortened in the list */
};

struct document_part {
	int32_t writer;
	const struct json_doc *doc;
};

struct conflict_value {
	int32_t writer;
	const struct json_doc *value;
};

/* Two writers, one key, different values; the key's path is joined with dots. */
struct conflict {
	struct str key;
	struct conflict_value values[CONFLICT_VALUES];
	size_t count;
	size_t newest; /* of the values, that of the change */
};

struct conflicts {
	struct conflict *at;
	size_t count;
};

/*
 * The SDK's own data, under "_wandb" of either document, differs from process to process: no
 * difference there is a conflict.
 */
bool document_may_conflict(struct str first_name);

/* A path's names as the key of its conflict. */
struct str document_conflict_key(struct arena *a, const struct str *path, size_t depth);

/*
 * The document as text; ERR_UNPROCESSABLE when it is larger than
 * DOCUMENT_MAX_BYTES or has more than JSON_DOC_MAX_VALUES values, so that
 * stored documents can be read. `field`: "config" or "summary".
 */
err_t document_dump(struct arena *a, const char *field, const struct json_doc *doc,
		    struct str *ret_text) __attribute__((warn_unused_result));

/* Notes the member as left out, because the document is too large with it. */
void document_leave_out(struct arena *a, const struct json_member *member, enum left_out_kind kind,
			struct left_out_list *left_out) __attribute__((nonnull));

/* Parts in order of last change. */
const struct json_doc *document_merge(struct arena *a, const struct document_part *parts,
				      size_t count);

/*
 * Finds conflicts when writer `mine` changes its config from `before` (NULL: none yet) to
 * mine->doc: the leaves it changed that others have with another value.
 */
void document_config_conflicts(struct arena *a, const struct document_part *others, size_t count,
			       const struct document_part *mine, const struct json_doc *before,
			       struct conflicts *ret_conflicts);

/*
 * The explicit summary, and the writers that set it: `setters` has the shape of the document, with
 * the number of the writer that set it last in place of each leaf.
 */
struct document_set {
	const struct json_doc *doc;
	const struct json_doc *setters;
};

/*
 * A writer sets some of the summary; returns the result. Leaves that another writer set last, to
 * another value, are conflicts.
 */
struct document_set document_set_summary(struct arena *a, const struct document_set *before,
					 const struct document_part *set,
					 struct conflicts *ret_conflicts);

/*
 * The document `set` with `value` in place of each leaf, to merge into `mirror`, which has the shape
 * of the whole document; an empty object changes no value that exists.
 */
const struct json_doc *document_mirror(struct arena *a, const struct json_doc *set,
				       const struct json_doc *mirror, const struct json_doc *value);

/* A writer's change to the writers' document, or as much of it as holds all that is new. */
struct overlay_change {
	const struct json_doc *was;
	const struct json_doc *is;
	const struct json_doc *whole; /* the document with the change, all of it */
};
/*
 * The users' patch without what a writer now sends with a new value. If they deleted an object,
 * only the sent members come back.
 */
const struct json_doc *document_overlay_after(struct arena *a, const struct json_doc *patch,
					      const struct overlay_change *change);

/*
 * A user's edit added to the existing patch: nulls are kept as tombstones. An object that replaces
 * a deleted value, or one that was not an object, begins empty (RFC 7396): the other members that
 * the writers' document, `base`, has there are deleted by tombstones.
 */
const struct json_doc *document_overlay_add(struct arena *a, const struct json_doc *patch,
					    const struct json_doc *edit,
					    const struct json_doc *base);

/*
 * Adds a conflict to the stored values of its key, [{"writer":0,"value":1},…]: a writer's value is
 * replaced, a new one added while there is room.
 */
const struct json_doc *document_conflict_values(struct arena *a, const struct json_doc *remembered,
						const struct conflict *conflict);

#endif
