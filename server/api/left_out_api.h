#ifndef LEFT_OUT_API_H
#define LEFT_OUT_API_H

#include "json_out.h"
#include "left_out.h"
#include "request.h"

/* GET …/left-out: members of what was sent that could not be kept. */
err_t left_out_api_list(struct request *q);

/* In an open object of an answer: "left_out", and when there are any "left_out_first", some of them by name. */
void left_out_api_put(struct json_out *out, const struct left_out_list *list);

#endif
