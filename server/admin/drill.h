#ifndef DRILL_H
#define DRILL_H

#include "command.h"

/*
 * A trial restore: the backup is restored into a new database next to the server's, which is
 * brought to this version's schema, verified, and dropped. Prints the result and the time it took.
 * ERR_PRECONDITION if no database may be created.
 */
err_t drill(struct command_call *call) __attribute__((warn_unused_result));

#endif
