#ifndef HOST_SOURCE_H
#define HOST_SOURCE_H

#include <sys/types.h>

#include "source.h"

/* This host, by the sampler: no server is needed. */
struct host_options {
	unsigned interval_ms;
	pid_t pid; /* a process tree that is measured, too; 0: none */
};

/* NULL without memory. */
struct top_source *host_source_new(const struct host_options *options) __attribute__((nonnull));

#endif
