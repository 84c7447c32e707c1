#ifndef QUOTA_H
#define QUOTA_H

#include <stdint.h>

#include "err.h"
#include "str.h"

/*
 * The limit of bytes for an entity's runs: a number of its own, else the server's. A project may
 * have one too. Quotas refuse only new runs and new files; an existing run takes rows however large
 * they are.
 */
enum { QUOTA_STANDARD = -1, QUOTA_NONE = 0 };
#define QUOTA_MAX (INT64_C(1) << 53) /* the greatest integer that JSON's numbers keep */

/* "1024 bytes", "none", or "as the server's". */
struct str quota_words(struct arena *a, int64_t quota);
/* The effective limit; QUOTA_NONE: there is none. */
int64_t quota_limit(int64_t own, int64_t standard);

struct quota_use {
	struct str who;    /* an entity, or "entity/project" */
	const char *giver; /* the admins who may raise it, after "an admin" */
	int64_t limit;     /* QUOTA_NONE: there is none */
	int64_t used;
	int64_t coming; /* of files that are not stored yet */
};
/* A run or file needs room in the quota of its entity and in that of its project. */
enum quota_level { QUOTA_OF_ENTITY, QUOTA_OF_PROJECT, QUOTA_LEVELS };
/* ERR_FORBIDDEN of the type "quota-exceeded" when no new run may be made. */
err_t quota_check(struct arena *a, const struct quota_use *use) __attribute__((warn_unused_result));
struct quota_more {
	int64_t bytes;
	const char *one;  /* "file" */
	const char *many; /* "files" */
};
/* The same if so many more bytes may not be stored. */
err_t quota_check_more(struct arena *a, const struct quota_use *use, const struct quota_more *more)
	__attribute__((warn_unused_result));

#endif
