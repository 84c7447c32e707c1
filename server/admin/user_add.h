#ifndef USER_ADD_H
#define USER_ADD_H

#include "directory.h"

struct account_new;

/*
 * Adds a user with a first key, which is written to the new file, or without one to standard output, and commits. The
 * transaction of the directory has begun; the name has been checked.
 */
err_t user_add(struct arena *a, struct directory *d, const struct account_new *account,
	       const char *key_path) __attribute__((warn_unused_result));

#endif
