#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_doc.h"

/*
 * How the documents of a run come of what its writers sent: pure functions.
 *
 * Config is the deep merge of every writer's last document, in order of last change: what a writer
 * stops sending goes, what it never sent it cannot erase. The explicit summary is merged key by key,
 * the last write wins. Edits by people lie on top as a merge patch (null is a tombstone) until that
 * key is sent with a new value.
 */
enum {
	DOCUMENT_MAX_BYTES = 16 << 20, /* of a run's config or summary, as sent and as merged */
	CONFLICT_VALUES = 8,           /* writers' values kept per key */
	CONFLICT_KEYS = 1000,          /* keys in conflict that one change may report */
	CONFLICT_KEY_MAX_BYTES = 512,  /* of a path; a longer one is cut */
	CONFLICT_VALUE_MAX_BYTES =
		4096, /* of a value as JSON; of a longer one the list tells less */
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
 * What a client of the wandb SDK keeps for itself, under "_wandb" of either document, differs from
 * process to process: no difference there is a conflict.
 */
bool document_may_conflict(struct str first_name);

/* A path's names as the key of its conflict. */
struct str document_conflict_key(struct arena *a, const struct str *path, size_t depth);

/*
 * The document as text; ERR_UNPROCESSABLE when it is larger than DOCUMENT_MAX_BYTES or has more than
 * JSON_DOC_MAX_VALUES values, so that what is stored can be read. `field`: "config" or "summary".
 */
err_t document_dump(struct arena *a, const char *field, const struct json_doc *doc,
		    struct str *ret_text) __attribute__((warn_unused_result));

/* The member is noted as left out, because the document is too large with it. */
void document_leave_out(struct arena *a, const struct json_member *member, enum left_out_kind kind,
			struct left_out_list *left_out) __attribute__((nonnull));

/* Parts in order of last change. */
const struct json_doc *document_merge(struct arena *a, const struct document_part *parts,
				      size_t count);

/*
 * Writer `mine` changes its config from `before` (NULL: none yet) to mine->doc: the leaves it changed
 * that others hold with another value.
 */
void document_config_conflicts(struct arena *a, const struct document_part *others, size_t count,
			       const struct document_part *mine, const struct json_doc *before,
			       struct conflicts *ret_conflicts);

/*
 * The explicit summary, and who set it: `setters` has the shape of the document, with the number of
 * the writer that set it last in place of each leaf.
 */
struct document_set {
	const struct json_doc *doc;
	const struct json_doc *setters;
};

/*
 * A writer sets some of the summary; the answer is what it is afterwards. Leaves that another writer
 * set last, to another value, are conflicts.
 */
struct document_set document_set_summary(struct arena *a, const struct document_set *before,
					 const struct document_part *set,
					 struct conflicts *ret_conflicts);

/*
 * What is set, with `mark` in place of each leaf, for `marks` that mirror a document so; an empty object changes
 * none that is there.
 */
const struct json_doc *document_mirror(struct arena *a, const struct json_doc *set,
				       const struct json_doc *marks, const struct json_doc *mark);

/* What a writer's change does to the writers' document, or as much of it as holds all that is new. */
struct overlay_news {
	const struct json_doc *was;
	const struct json_doc *is;
	const struct json_doc *whole; /* the document with the change, all of it */
};
/*
 * People's patch without what a writer now sends with a new value. Of an object that they deleted only
 * that comes back.
 */
const struct json_doc *document_overlay_after(struct arena *a, const struct json_doc *patch,
					      const struct overlay_news *news);

/*
 * A person's edit added to the patch that is there: nulls are kept as tombstones. An object that takes
 * the place of what was deleted or was no object begins empty (RFC 7396): what the writers' document,
 * `base`, has there besides is deleted by tombstones of its own.
 */
const struct json_doc *document_overlay_add(struct arena *a, const struct json_doc *patch,
					    const struct json_doc *edit,
					    const struct json_doc *base);

/*
 * A conflict added to what is remembered of its key, [{"writer":0,"value":1},…]: a writer's value is
 * replaced, a new one added while there is room.
 */
const struct json_doc *document_conflict_values(struct arena *a, const struct json_doc *remembered,
						const struct conflict *conflict);

#endif
