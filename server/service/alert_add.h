#ifndef ALERT_ADD_H
#define ALERT_ADD_H

#include "alert.h"
#include "request.h"

/* A new alert of q->target's run, through REST or the SDK's API. */
struct alert_new {
	struct str title;
	struct str text;
	enum alert_level level;
	struct str client; /* of the process; empty or unknown: the alert has no writer */
	int64_t wait_us;   /* see alert_is_repeat() */
};

/*
 * Stores the alert, or counts it as a repeat of an earlier one, whose number *ret_number is then. Call it in a
 * transaction with the database's clock in q->now. ERR_UNPROCESSABLE: the run has as many alerts as it may have.
 */
err_t alert_add(struct request *q, const struct alert_new *made, int32_t *ret_number,
		bool *ret_is_repeat) __attribute__((warn_unused_result));

#endif
