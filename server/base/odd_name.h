#ifndef ODD_NAME_H
#define ODD_NAME_H

#include <stdbool.h>

#include "str.h"

/*
 * Names that cannot be stored as they came are stored in another form, from which the name can be
 * restored (docs/rest.md, "Odd names"). It is the form of rclone, which can be read, and which
 * leaves nearly every name as it is:
 *
 *	U+0000 to U+001F, U+007F       their pictures, U+2400 to U+241F and U+2421: newline is "␊"
 *	a backslash, in names of files U+FF3C "＼"
 *	a byte that is not UTF-8       U+201B "‛" and two digits: "‛FF"
 *	one of these signs itself      "‛" before it
 *
 * A name that is too long keeps its beginning, and gets "…" and 32 digits of its BLAKE2b: it stays
 * distinct from others. Whole names of metrics are kept with the project (project_key.whole_name).
 *
 * Rejected: the escapes of C and of addresses, for "C:\new" and "a%20b" are names that people have.
 */
enum odd_name_kind { ODD_NAME_KEY, ODD_NAME_FILE };

/* Whether its form differs from the name. */
bool odd_name_is(struct str name, enum odd_name_kind kind);

/* The form, of at most `max` bytes (more than 35): `name` itself, or text of the arena. Never empty but for "". */
struct str odd_name_form(struct arena *a, struct str name, enum odd_name_kind kind, size_t max)
	__attribute__((nonnull));

/* The name of a form that was not shortened: the form itself, or bytes of the arena. */
struct str odd_name_read(struct arena *a, struct str form, enum odd_name_kind kind)
	__attribute__((nonnull));

/*
 * U+0000 is the only character of a text that cannot be stored. It becomes "␀" (U+2400), and "␀"
 * and "‛" get "‛" before them. Other texts are their own form, and so is every form: clients read
 * texts and send them again.
 */
struct str odd_text_form(struct arena *a, struct str text) __attribute__((nonnull));

#endif
