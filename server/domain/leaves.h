#ifndef LEAVES_H
#define LEAVES_H

#include "document.h"

/*
 * A run's merged document leaf by leaf, so that a change costs what the one document that changes
 * has, however much the others have. A leaf is a value that is not an object, or {}. Its path: the
 * names on the way, with NUL between them, which no name holds; so the byte order of paths is the
 * document's order.
 *
 * INVARIANT (config, not tangled): a path has a leaf's row as long as some writer holds it, with
 * the value of the holder that changed last, and no path is a leaf of one writer and an object of
 * another. If one is, the document is tangled: it is merged from all writers' documents as a whole.
 */
enum {
	LEAF_PLACE_LEN = 16,
	LEAVES_MAX_PATH_BYTES = 64
				<< 20, /* of all paths of a document: each has all names above it */
};

struct leaf {
	struct str path;
	const struct json_doc *value; /* NULL: an object that holds other leaves */
	int32_t writer;               /* the last to set it, or one of those with this value */
	bool shared;                  /* others have sent this path, too */
};

struct leaves {
	struct leaf *at; /* ascending by path */
	size_t count;
};

/* The key of rows: a hash, for names may be longer than an index takes. */
struct str leaf_place(struct arena *a, struct str path);

/* The path's first name from `from` on. */
struct str leaf_name_at(struct str path, size_t from);

/*
 * ERR_UNPROCESSABLE if the document's paths have more than LEAVES_MAX_PATH_BYTES: it is not split.
 */
err_t leaves_check_paths(struct arena *a, const char *field, const struct json_doc *doc)
	__attribute__((warn_unused_result));

/* The document's leaves, and, with `objects`, the objects that hold them; writer and shared are not set. */
enum leaves_of { LEAVES_ALONE, LEAVES_AND_OBJECTS };
void leaves_split(struct arena *a, const struct json_doc *doc, enum leaves_of what,
		  struct leaves *ret_leaves);
/*
 * The document of leaves; rows of objects are skipped, and leaves below a
 * leaf are merged into its value.
 */
const struct json_doc *leaves_join(struct arena *a, const struct leaves *leaves);
/* The same shape with the number of each leaf's writer. */
const struct json_doc *leaves_join_writers(struct arena *a, const struct leaves *leaves);
/* Each leaf's writer from a document as leaves_join_writers() gives it. */
void leaves_take_writers(struct leaves *leaves, const struct json_doc *writers);

void leaves_sort(struct leaves *leaves);
const struct leaf *leaves_find(const struct leaves *leaves, struct str path);
/* The sorted leaves that are below the path; they are next to each other. */
struct leaves leaves_below(const struct leaves *leaves, struct str path);

/* Whether a leaf of one of these documents is an object of another. */
bool leaves_tangled(struct arena *a, const struct document_part *parts, size_t count);

/* The totals of the rows of leaves. */
struct leaves_size {
	int64_t values;
	int64_t bytes;
	int64_t paths;
};
void leaves_count(struct arena *a, struct leaves_size *size, const struct leaf *leaf, int sign);
/* ERR_UNPROCESSABLE as document_dump() and leaves_check_paths(). */
err_t leaves_check_size(struct arena *a, const char *field, const struct leaves_size *size)
	__attribute__((warn_unused_result));

/* ---- a change -------------------------------------------------------------------------------------- */

/* A change of a writer's document: `after` replaces `before` (in a summary `before` stays). */
struct leaves_change {
	enum { LEAVES_CONFIG = 1, LEAVES_SUMMARY = 2 } kind;
	int32_t writer;
	struct leaves before;
	struct leaves after; /* with its objects */
	struct leaves rows;  /* as stored, of all paths of both */
};

struct leaves_outcome {
	bool clash;             /* a leaf meets an object: the rest here does not count */
	struct leaves saved;    /* rows that are new or changed */
	struct leaves dropped;  /* rows that no writer holds any more */
	struct leaves orphaned; /* rows whose value another writer has to give */
	struct conflicts conflicts;
	const struct json_doc *was; /* the values sent with a change, before and after */
	const struct json_doc *is;
};
void leaves_apply(struct arena *a, const struct leaves_change *change,
		  struct leaves_outcome *ret_outcome);

#endif
