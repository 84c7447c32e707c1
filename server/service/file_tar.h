#ifndef FILE_TAR_H
#define FILE_TAR_H

#include "request.h"

/* GET …/runs/{run}/files.tar */
err_t file_tar_show(struct request *q);

#endif
