#ifndef LEFT_OUT_JSON_H
#define LEFT_OUT_JSON_H

#include "json_out.h"
#include "left_out.h"

/* Writes "left_out" into an open object and, if there are any, "left_out_first", some of them by name. */
void left_out_json_put(struct json_out *out, const struct left_out_list *list);

#endif
