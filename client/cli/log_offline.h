#ifndef LOG_OFFLINE_H
#define LOG_OFFLINE_H

#include <stdint.h>

#include "command.h"
#include "text.h"

/* The mode of CAIRN_MODE; LOG_INVALID after saying what is wrong with it. */
enum log_mode { LOG_ONLINE, LOG_OFFLINE, LOG_DISABLED, LOG_INVALID };
enum log_mode log_mode(void);

/*
 * Adds a row, which is a checked object with its time, to the spool. All calls of this command on a host are one writer
 * of the run, and go on with its folder and stream while there is one; a segment is made for each row, and only one process
 * can make it. Returns an exit code.
 */
int log_offline(const struct cli *cli, const struct text *row, int64_t deadline_us)
	__attribute__((nonnull));

#endif
