#ifndef MASKED_H
#define MASKED_H

#include "text.h"

/* Appends the address of a git remote without user and password; of one as "user@host:path" the user stays. */
void masked_remote(struct text *text, const char *remote) __attribute__((nonnull));

/* Appends argv[at] as it may be shown to others, as far as names tell: "***" for what is named as secrets are, also in
 * the midst of it (--hf-token ABC, --env=API_KEY=ABC, {"password": "ABC"}, Authorization: Bearer ABC), for keys of known
 * services, signatures in addresses, and passwords behind -u and -p by their form; and addresses without user and
 * password. */
void masked_argument(struct text *text, char *const *argv, size_t at) __attribute__((nonnull));

#endif
