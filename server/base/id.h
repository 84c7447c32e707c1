#ifndef ID_H
#define ID_H

#include <stddef.h>
#include <stdint.h>

/* Identifiers made by the server; all randomness is the kernel's. */

void id_random(void *bytes, size_t len);

enum { ID_RUN_LEN = 8, ID_REQUEST_LEN = 16 };

/* `len` characters of a-z and 0-9, and a NUL; 8 of them name a run. */
void id_text(char *text, size_t len);

/*
 * A snowflake: milliseconds since 2024-01-01 in the upper 41 bits, 22 random bits below. Unique
 * through its key's constraint; the caller that inserts one retries on a duplicate.
 */
int64_t id_snowflake(void);

#endif
