#ifndef OPEN_FILES_H
#define OPEN_FILES_H

#include "config.h"

/* The number of files that a server of these settings may have open. */
int64_t open_files_needed(const struct config *config);

#endif
