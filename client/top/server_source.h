#ifndef SERVER_SOURCE_H
#define SERVER_SOURCE_H

#include "source.h"

struct cli;

/*
 * A project or a run of a server. `target` is PROJECT, ENTITY/PROJECT, PROJECT/RUN or ENTITY/PROJECT/RUN; NULL: the run of
 * CAIRN_RUN, else the project of the settings. NULL without memory. Options of `cli` narrow and order the list of runs.
 */
struct top_source *server_source_new(const struct cli *cli, const char *target)
	__attribute__((nonnull(1)));

#endif
