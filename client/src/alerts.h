#ifndef ALERTS_H
#define ALERTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/*
 * Alerts that wait to be sent, the oldest first. All zero is a good start. Under the run's lock; only the
 * sender takes one away.
 */
struct alert_waiting {
	struct alert_waiting *next;
	int64_t time_us;  /* of the call, since 1970 */
	struct text body; /* of the request */
};

struct alerts {
	struct alert_waiting *first, *last;
	uint64_t accepted, settled; /* settled: the server has it, or refused it */
	uint64_t refused;
};

#define ALERTS_WAITING_MAX 100
#define ALERT_TITLE_MAX_BYTES 256
#define ALERT_TEXT_MAX_BYTES (16 * 1024)

void alerts_deinit(struct alerts *alerts) __attribute__((nonnull));
bool alerts_are_full(const struct alerts *alerts) __attribute__((nonnull));
/* Takes the alert over. */
void alerts_add(struct alerts *alerts, struct alert_waiting *alert) __attribute__((nonnull));
/* The first one is done with. */
void alerts_settle(struct alerts *alerts, bool was_refused) __attribute__((nonnull));

/* NULL without memory. */
struct alert_waiting *alert_new(const char *client_id, const char *level, const char *title,
				const char *text) __attribute__((nonnull(1, 2, 3)));
void alert_free(struct alert_waiting *alert);

#endif
