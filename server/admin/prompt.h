#ifndef PROMPT_H
#define PROMPT_H

#include "err.h"
#include "str.h"

/*
 * Reads a password: the first line of the file, or of standard input if it is NULL. On a terminal
 * it prompts, without echo.
 */
err_t prompt_password(struct arena *a, const char *user, const char *file, struct str *ret_password)
	__attribute__((warn_unused_result));

#endif
