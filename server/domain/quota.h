#ifndef QUOTA_H
#define QUOTA_H

#include <stdint.h>

#include "err.h"
#include "str.h"

/*
 * What an entity's runs may take in bytes: a number of its own, else the server's. It stands against new
 * runs and new files alone; a run that is there takes rows whatever they take.
 */
enum { QUOTA_STANDARD = -1, QUOTA_NONE = 0 };

/* "1024 bytes", "none", or "as the server's". */
struct str quota_words(struct arena *a, int64_t quota);
/* The limit that holds; QUOTA_NONE: there is none. */
int64_t quota_limit(int64_t own, int64_t standard);
/* ERR_FORBIDDEN of the type "quota-exceeded" when no new run may be made. */
err_t quota_check(struct arena *a, struct str entity, int64_t limit, int64_t used)
	__attribute__((warn_unused_result));

struct quota_use {
	int64_t limit;
	int64_t used;
	int64_t coming; /* of files that are not stored yet */
};
/* The same when so many bytes more may not be kept, in a file. */
err_t quota_check_more(struct arena *a, struct str entity, const struct quota_use *use,
		       int64_t more) __attribute__((warn_unused_result));

#endif
