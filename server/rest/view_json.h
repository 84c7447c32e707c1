#ifndef VIEW_JSON_H
#define VIEW_JSON_H

#include "json_out.h"
#include "request.h"
#include "view.h"

/* What of a view is written: lists leave its state out. */
enum view_json { VIEW_LISTED, VIEW_WHOLE };

void view_json_write(struct json_out *o, const struct view *view, enum view_json what);
err_t view_json_read(struct request *q, struct view_change *ret_change)
	__attribute__((warn_unused_result));

#endif
