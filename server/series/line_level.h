#ifndef LINE_LEVEL_H
#define LINE_LEVEL_H

#include <stdbool.h>

#include "str.h"

/*
 * Whether a line reports an error, by the words that loggers and interpreters use: ERROR, FATAL,
 * CRITICAL, Traceback, and names that end in Error or Exception before a colon. Being on standard
 * error is not enough: progress bars and loggers write everything there.
 */
bool line_is_error(struct str line);

#endif
