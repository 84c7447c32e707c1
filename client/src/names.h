#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

/* Limits of names, as the contract has them (api/schemas). */
enum { NAMES_ENTITY_MAX = 64, NAMES_PROJECT_MAX = 512, NAMES_RUN_MAX = 512 }; /* bytes */

/* Letters, digits, _ - . with a letter or digit first. */
bool names_is_entity(const char *name) __attribute__((nonnull));

/* Text that is one segment of a path: no control characters, no blank at the ends, not "." or "..", and
 * none of / \ # ? % : */
bool names_is_project(const char *name) __attribute__((nonnull));

/* Likewise, with none of : ; , # ? / ' % */
bool names_is_run(const char *name) __attribute__((nonnull));

#endif
