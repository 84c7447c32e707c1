#ifndef ALERT_ADD_H
#define ALERT_ADD_H

#include "alert.h"
#include "request.h"

/* An alert of q->target's run, by REST or by the SDK's door. */
struct alert_new {
	struct str title;
	struct str text;
	enum alert_level level;
	struct str client; /* of the process; empty, or one that nobody knows: nobody's */
	int64_t wait_us;   /* see alert_is_repeat() */
};

/*
 * In a transaction with the database's clock in q->now: kept, or counted as a repeat of an earlier one, which
 * is *ret_number then. ERR_UNPROCESSABLE when the run has as many as it may.
 */
err_t alert_add(struct request *q, const struct alert_new *made, int32_t *ret_number,
		bool *ret_is_repeat) __attribute__((warn_unused_result));

#endif
