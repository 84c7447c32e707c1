#ifndef DB_SPLIT_H
#define DB_SPLIT_H

#include <stdbool.h>

#include "str.h"

/*
 * Cuts a script of SQL into its statements, knowing quotes, escapes, dollar quotes and comments.
 * Takes the next statement, without its semicolon, out of *rest; false when there is none. Not known:
 * the body of a function written as "begin atomic … end".
 */
bool db_split_next(struct str *rest, struct str *ret_statement);

#endif
