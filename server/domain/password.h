#ifndef PASSWORD_H
#define PASSWORD_H

#include <stdbool.h>

#include "err.h"
#include "str.h"

/* Passwords of users, stored as Argon2id. Hashing and checking take 64 MiB and some 0.1 s each. */
enum { PASSWORD_MIN = 8, PASSWORD_MAX = 1024, PASSWORD_MEMORY = 64 << 20 };

/* ERR_INVALID when too short or too long. */
err_t password_hash(struct arena *a, struct str password, const char **ret_hash)
	__attribute__((warn_unused_result));
/*
 * Without a hash, for an unknown user: takes as long as a wrong password does, and returns false.
 */
bool password_matches(struct str password, const char *hash);

#endif
