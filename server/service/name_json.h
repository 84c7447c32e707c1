#ifndef NAME_JSON_H
#define NAME_JSON_H

#include "json_in.h"
#include "name.h"

/* Refuses the member `key` if its value is not a valid name of the kind, unless an error was found before. */
void name_json_check(struct json_in *in, enum name_kind kind, const char *key, struct str value);

#endif
