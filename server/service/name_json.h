#ifndef NAME_JSON_H
#define NAME_JSON_H

#include "json_in.h"
#include "name.h"

/* Refuses the member `key` when its value is no name of the kind; once something is wrong, nothing. */
void name_json_check(struct json_in *in, enum name_kind kind, const char *key, struct str value);

#endif
