#ifndef DRILL_H
#define DRILL_H

#include "command.h"

/*
 * A restore that is tried: the backup goes into a database that is made for it next to the server's, is brought to this
 * version's schema, verified, and dropped. Tells what it found and how long it took. ERR_PRECONDITION where no database
 * may be made.
 */
err_t drill(struct command_call *call) __attribute__((warn_unused_result));

#endif
