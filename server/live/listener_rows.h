#ifndef LISTENER_ROWS_H
#define LISTENER_ROWS_H

#include "listener_place.h"
#include "listener_view.h"
#include "series_rows.h"

/* The stream's rows from the place on; as listener_send(). */
err_t listener_send_rows(struct listener_view *view, enum stream stream,
			 struct listener_place *place, struct buf *out, bool *ret_more)
	__attribute__((warn_unused_result));

#endif
