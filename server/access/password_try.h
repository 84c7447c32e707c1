#ifndef PASSWORD_TRY_H
#define PASSWORD_TRY_H

#include "entity_store.h"
#include "session_json.h"
#include "sign_in_gate.h"

/*
 * Whether a password is somebody's: limited in number for a name and from an address, and in how many are
 * looked at at a time. Outside a transaction, for it takes long.
 */
err_t password_try(struct request *q, const struct sign_in *in, struct account_password **ret_found)
	__attribute__((warn_unused_result));
/* What is kept of it; with the same limits. */
err_t password_try_hash(struct request *q, const struct sign_in *in, const char **ret_hash)
	__attribute__((warn_unused_result));
/*
 * Around what else takes as long, in the same number: no more at a time than there is memory for. The end
 * gives back the error it is told; one of kind ERR_UNAUTHORIZED counts as a wrong password.
 */
err_t password_try_begin(struct request *q, const struct sign_in_try *t)
	__attribute__((warn_unused_result));
err_t password_try_end(struct request *q, const struct sign_in_try *t, err_t e)
	__attribute__((warn_unused_result));
/* What it answers when it is not. */
err_t password_try_wrong(struct request *q);

#endif
