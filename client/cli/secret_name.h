#ifndef SECRET_NAME_H
#define SECRET_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether what is called so is to be kept back: hf_token, --hfToken, PGPASSWORD, x-api-key. Not --max-tokens, nor
 * --no-auth, which takes nothing. */
bool secret_name_is(const char *name, size_t length) __attribute__((nonnull));

/* Whether it is so called in the query of a signed address: X-Amz-Signature, Signature, sig. */
bool secret_name_signs(const char *name, size_t length) __attribute__((nonnull));

#endif
