#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include <stdint.h>

#include "str.h"

/*
 * Members of a request that cannot be kept. Each costs only itself: it is noted in a list, the rest
 * of the request is stored, and the list is stored with it (left_out_store.h) and returned to the
 * client. Entries with the same kind, reason and name are one, which counts.
 */
struct arena;

/* The part of the request that had the member. The numbers are stored (run_left_out.kind). */
enum left_out_kind {
	LEFT_OUT_HISTORY = 1, /* a row of metrics; the name is the metric's */
	LEFT_OUT_EVENTS = 2,  /* a row of system metrics */
	LEFT_OUT_CONFIG = 3,
	LEFT_OUT_SUMMARY = 4,
	LEFT_OUT_FILE = 5,
	LEFT_OUT_FIELD = 6, /* of the run: its notes, a tag */
	LEFT_OUT_KINDS = LEFT_OUT_FIELD,
};

/* The reason. The codes are stored, and are part of the REST contract. */
enum left_out_reason {
	LEFT_OUT_NAME_EMPTY,
	LEFT_OUT_NAME_REPEATED, /* the first of them in the row or object is kept */
	LEFT_OUT_NAME_RESERVED, /* by the server */
	LEFT_OUT_NAME_TOO_LONG, /* even to be shortened */
	LEFT_OUT_NAME_INVALID, /* not a valid name there, and without a form (odd_name.h) that is */
	LEFT_OUT_ROW_FULL,     /* the row has as many keys as a row may */
	LEFT_OUT_REQUEST_FULL, /* the request has as many keys or values */
	LEFT_OUT_PROJECT_FULL, /* the project has as many different keys */
	LEFT_OUT_RUN_NAMES,    /* the run has brought as many new ones in an hour */
	LEFT_OUT_DOCUMENT_FULL, /* the document is as large, or has as many values */
	LEFT_OUT_VALUE_TOO_LARGE,
	LEFT_OUT_VALUE_TOO_DEEP,
	LEFT_OUT_VALUE_INVALID, /* not of a type or form that is allowed there */
	LEFT_OUT_REASONS,
};

enum {
	LEFT_OUT_MAX = 1000,           /* entries of a list, and of a run; others are counted */
	LEFT_OUT_NAMED_MAX = 100000,   /* members of a list: others are counted only in its total */
	LEFT_OUT_NAME_MAX_BYTES = 512, /* a longer one is shortened (odd_name.h) */
	LEFT_OUT_SAMPLE_MAX_BYTES = 16 << 10, /* of what was sent first, else cut */
};

struct left_out {
	enum left_out_kind kind;
	enum left_out_reason reason;
	struct str name;   /* in a form that can be stored */
	struct str sample; /* of the value, UTF-8 without U+0000 */
	int64_t count;
};

struct left_out_index;

/* A zeroed list is empty. All memory is the arena's, which is passed with each call. */
struct left_out_list {
	struct left_out *items; /* in the order they came, at most LEFT_OUT_MAX */
	size_t count;
	size_t size;
	int64_t total; /* members, those of no item too */
	struct left_out_index *index;
};

/*
 * Adds a member; name and sample are copied. The sample is empty if memory for requests is short.
 */
void left_out_add(struct left_out_list *list, struct arena *a, const struct left_out *member)
	__attribute__((nonnull));
/* All of another list, whose texts are copied. */
void left_out_join(struct left_out_list *list, struct arena *a, const struct left_out_list *other)
	__attribute__((nonnull));

/* "history", "value-too-large". */
const char *left_out_kind_name(int kind) __attribute__((returns_nonnull));
const char *left_out_reason_code(enum left_out_reason reason) __attribute__((returns_nonnull));

/* A copy that can be stored as text: U+0000 and what is not UTF-8 become "?". */
struct str left_out_text(struct arena *a, struct str text, size_t max_bytes)
	__attribute__((nonnull));

#endif
