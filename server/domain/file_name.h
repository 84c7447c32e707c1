#ifndef FILE_NAME_H
#define FILE_NAME_H

#include "err.h"
#include "str.h"

/*
 * The name of a run's file: a relative path with "/" between its parts, kept exactly as it was
 * sent. "./a" is another way to write "a"; otherwise nothing is changed: forms of Unicode that look
 * alike are different names, and blanks, "%" and capitals stay.
 */
enum { FILE_NAME_MAX = 1024 };

/*
 * The name without "." parts, in the arena. ERR_INVALID for one that is
 * empty, too long, absolute, holds "..", an empty part, a backslash or
 * U+0000, or is not UTF-8: some systems read these as other paths.
 */
err_t file_name_read(struct arena *a, const char *field, struct str text, struct str *ret_name)
	__attribute__((warn_unused_result, nonnull));

/*
 * The same for a name as the wandb SDK has it: with characters that are refused above, or too long,
 * it gets its form (odd_name.h). A name that has this form already is not its own form.
 */
err_t file_name_fit(struct arena *a, const char *field, struct str text, struct str *ret_name)
	__attribute__((warn_unused_result, nonnull));

/* Checks a LIKE pattern: ERR_INVALID if it ends in the middle of an escape. */
err_t file_name_check_pattern(struct arena *a, struct str pattern)
	__attribute__((warn_unused_result, nonnull(1)));

/* The part after the last "/". */
struct str file_name_base(struct str name);

#endif
