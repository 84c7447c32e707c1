#ifndef ALERT_H
#define ALERT_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

/*
 * Alerts: messages to people, from a process of a run or from a user. They are kept with the run,
 * and sent to the webhook of its project if there is one.
 *
 *	                  sent (2xx)
 *	nowhere  waiting ────────────► sent
 *	           │  ▲ not sent: again, later and later
 *	           └──┘
 *	           │ not sent within ALERT_TRIED_FOR_US
 *	           └────────► given up
 */
enum alert_level { ALERT_INFO = 1, ALERT_WARN = 2, ALERT_ERROR = 3 };

enum alert_delivery {
	ALERT_NOWHERE = 0, /* there was no webhook when it came */
	ALERT_WAITING = 1,
	ALERT_SENT = 2,
	ALERT_GIVEN_UP = 3,
};

enum {
	ALERTS_MAX = 1000, /* of a run */
	ALERT_TITLE_MAX = 256,
	ALERT_TEXT_MAX = 16 << 10,
	ALERT_WAIT_S = 60, /* between two of one title, unless they say otherwise */
	ALERT_WAIT_MAX_S = 31536000,
};

/* How long an alert is retried. */
#define ALERT_TRIED_FOR_US (INT64_C(24) * 3600 * 1000000)

struct alert {
	int32_t number; /* in its run, from 1 */
	struct str title;
	struct str text;
	int16_t level;
	int32_t writer;       /* -1: no writer's */
	struct str label;     /* the writer's */
	struct str user_name; /* the owner of the key; empty: the user was deleted */
	timestamp_us created_at;
	int64_t repeats; /* how many of the same title came within the time to wait */
	timestamp_us repeated_at;
	int16_t delivery;
	int32_t tries;
	timestamp_us tried_at;
	timestamp_us due_at; /* of one that waits: the time of the next try */
	int32_t status;      /* the webhook's last status; 0: none */
	struct str fault;    /* why it was not sent; empty: no failure is known */
};

const char *alert_level_name(int level);
bool alert_level_parse(struct str text, enum alert_level *ret_level);
const char *alert_delivery_name(int delivery);

/*
 * An alert repeats its title if `wait_us` has not passed since the last one that was not a repeat.
 */
bool alert_is_repeat(timestamp_us last, int64_t wait_us, timestamp_us now);

/*
 * The fault as readers of the run see it. They cannot tell a host that does not exist from one at
 * an address where alerts may not be sent: so webhooks do not reveal names in the server's network.
 */
struct str alert_fault_shown(struct str fault);

/* The time of the next try after so many; false: it is given up. */
bool alert_try_again(const struct alert *alert, timestamp_us now, timestamp_us *ret_at);

#endif
