#ifndef LEFT_OUT_API_H
#define LEFT_OUT_API_H

#include "request.h"

/* GET …/left-out: members of what was sent that could not be kept. */
err_t left_out_api_list(struct request *q);

#endif
