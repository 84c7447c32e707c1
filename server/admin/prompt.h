#ifndef PROMPT_H
#define PROMPT_H

#include "err.h"
#include "str.h"

/*
 * A password: the first line of the file, or of standard input where it is NULL. A terminal is asked,
 * and shows nothing of the answer.
 */
err_t prompt_password(struct arena *a, const char *user, const char *file, struct str *ret_password)
	__attribute__((warn_unused_result));

#endif
