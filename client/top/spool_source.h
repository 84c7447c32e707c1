#ifndef SPOOL_SOURCE_H
#define SPOOL_SOURCE_H

#include "source.h"

/* The runs in a spool: a folder of writers' folders, or one of these. NULL: the usual one. Returns NULL without memory. */
struct top_source *spool_source_new(const char *path);

#endif
