#ifndef PASSWORD_API_H
#define PASSWORD_API_H

#include "entity_store.h"
#include "request.h"
#include "sign_in_gate.h"

struct json_in;

struct sign_in {
	struct str name;
	struct str password;
};

/* PUT …/viewer/password: one's own. */
err_t password_api_put(struct request *q);

/* Reads a password that is to be set. */
struct str password_api_read_new(struct json_in *in, const char *key);

/*
 * Finds the user who has this name and password. Tries are limited in number for a name and from an address, and
 * in how many are checked at a time. Call it outside a transaction, for it takes long.
 */
err_t password_api_try(struct request *q, const struct sign_in *in,
		       struct account_password **ret_found) __attribute__((warn_unused_result));
/* Returns the hash that is stored of a password; with the same limits. */
err_t password_api_try_hash(struct request *q, const struct sign_in *in, const char **ret_hash)
	__attribute__((warn_unused_result));
/*
 * Bracket other work that takes as long, under the same limits: no more at a time than there is memory for. The
 * end returns the error it is given; an error of kind ERR_UNAUTHORIZED counts as a wrong password.
 */
err_t password_api_try_begin(struct request *q, const struct sign_in_try *t)
	__attribute__((warn_unused_result));
err_t password_api_try_end(struct request *q, const struct sign_in_try *t, err_t e)
	__attribute__((warn_unused_result));
/* The error for a wrong name or password. */
err_t password_api_wrong(struct request *q);

#endif
