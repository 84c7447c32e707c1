#ifndef ALERT_JSON_H
#define ALERT_JSON_H

#include "alert_add.h"
#include "json_out.h"

err_t alert_json_read(struct request *q, struct alert_new *ret_alert)
	__attribute__((warn_unused_result));
void alert_json_write(struct json_out *o, const struct alert *alert);

#endif
