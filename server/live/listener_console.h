#ifndef LISTENER_CONSOLE_H
#define LISTENER_CONSOLE_H

#include "listener_event.h"

/* Sends console lines from the cursor on, as listener_send(). */
err_t listener_send_console(struct listener_view *view, struct listener_cursor *cursor,
			    struct buf *out, bool *ret_more) __attribute__((warn_unused_result));

/* Sends the ranges of these lines by label; null if they are not known any more. */
err_t listener_tell_console(struct listener_view *view, struct listener_cursor *cursor,
			    struct buf *out) __attribute__((warn_unused_result));

#endif
