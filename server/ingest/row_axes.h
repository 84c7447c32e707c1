#ifndef ROW_AXES_H
#define ROW_AXES_H

#include "err.h"
#include "json_rows.h"

/*
 * The axes of rows, before they become a block: every row has a time, history has steps, events are
 * stepped by time. A value sent in place of an axis that is not valid is kept under another name.
 *
 *	_timestamp   seconds from 0 to AXES_TIME_MAX; missing: the time of arrival; anything else is
 *	             kept as _timestamp_sent
 *	_step        (history) if not a step, is kept as _step_sent; (events) like any key
 *	_row, _label are the server's: what was sent is kept as _row_sent and _label_sent
 *
 * If a client sent a value under such another name itself, one of the two is left out.
 */
#define AXES_TIME_MAX JSON_TIME_MAX_S

void row_axes_history(struct json_rows *rows, double now_s) __attribute__((nonnull));
void row_axes_events(struct json_rows *rows, double now_s) __attribute__((nonnull));

#endif
