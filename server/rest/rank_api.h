#ifndef RANK_API_H
#define RANK_API_H

#include "request.h"

/* GET …/ranks: a key across the labels of a run, column by column. */
err_t rank_api_show(struct request *q);

#endif
