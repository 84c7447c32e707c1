#ifndef NAME_H
#define NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

/*
 * The rules for names, as one table of kinds (name.c). The same limits are in the contract
 * (api/schemas); a test compares nothing but the table's own cases.
 *
 * Names that are part of a path or a key have a limit in bytes; names that are only shown to people have one in
 * characters, as the wandb SDK counts them.
 */
enum {
	/* in bytes */
	NAME_ENTITY_MAX = 64,
	NAME_PROJECT_MAX = 512, /* 128 characters of any alphabet, the SDK's limit */
	NAME_RUN_MAX = 512,
	NAME_LABEL_MAX = 128,
	NAME_CLIENT_MAX = 64,
	NAME_STREAM_MAX = 64,
	NAME_METRIC_MAX = 512,
	/* in characters */
	NAME_DISPLAY_MAX = 256,
	NAME_GROUP_MAX = 128,
	NAME_JOB_TYPE_MAX = 64,
	NAME_SWEEP_MAX = 128,
	NAME_TAG_MAX = 64,
	NAME_API_KEY_MAX = 64,
	NAME_VIEW_MAX = 128,
	NAME_NOTE_MAX = 128,
};

enum name_kind {
	NAME_ENTITY, /* a user or a team; some names are reserved for paths of the server */
	NAME_PROJECT,
	NAME_RUN,     /* the id of a run within its project */
	NAME_LABEL,   /* a writer's name for people */
	NAME_CLIENT,  /* a writer's name for itself */
	NAME_STREAM,  /* a process's name for the records that it logs */
	NAME_METRIC,  /* "train/loss" */
	NAME_DISPLAY, /* a run's title; may be empty, as may the next three */
	NAME_GROUP,
	NAME_JOB_TYPE,
	NAME_SWEEP,
	NAME_TAG,
	NAME_API_KEY, /* a user's name for a key */
	NAME_VIEW,
	NAME_NOTE, /* an admin's words about a link; may be empty */
	NAME_KINDS
};

/* ERR_INVALID that names the field, what is allowed and how long it may be. */
err_t name_check(struct arena *a, enum name_kind kind, const char *field, struct str name)
	__attribute__((warn_unused_result, nonnull));
/*
 * For a new name: ERR_INVALID if it has an invisible character, or one that changes the direction
 * of text, so that it reads like another name: U+0080 to U+009F, U+2028, U+2029, and the controls
 * of bidirectional text. It is not part of the rules above, for names that exist stay valid.
 */
err_t name_check_visible(struct arena *a, const char *field, struct str name)
	__attribute__((warn_unused_result, nonnull));
bool name_is_valid(enum name_kind kind, struct str name);

/*
 * The nearest valid name, for a kind that is only shown to users: a blank in place of each control
 * character, and no more characters than are allowed. `name` is UTF-8.
 */
struct str name_fit(struct arena *a, enum name_kind kind, struct str name) __attribute__((nonnull));

/* No valid name of the kind has more bytes. */
size_t name_max_bytes(enum name_kind kind);

#endif
