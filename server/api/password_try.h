#ifndef PASSWORD_TRY_H
#define PASSWORD_TRY_H

#include "entity_store.h"
#include "session_json.h"

/*
 * Whether a password is somebody's: limited in number for a name and from an address, and in how many are
 * looked at at a time. Outside a transaction, for it takes long.
 */
err_t password_try(struct request *q, const struct sign_in *in, struct account_password **ret_found)
	__attribute__((warn_unused_result));
/* What is kept of it; with the same limits. */
err_t password_try_hash(struct request *q, const struct sign_in *in, const char **ret_hash)
	__attribute__((warn_unused_result));
/* What it answers when it is not. */
err_t password_try_wrong(struct request *q);

#endif
