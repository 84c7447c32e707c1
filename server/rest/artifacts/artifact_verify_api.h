#ifndef ARTIFACT_VERIFY_API_H
#define ARTIFACT_VERIFY_API_H

#include "err.h"

struct request;

err_t artifact_verify_api_post(struct request *q);

#endif
