#ifndef NOTIFY_LETTER_H
#define NOTIFY_LETTER_H

#include "alert_store.h"
#include "key.h"

/* The request for an alert, and its target; all in the arena of the connection. */
struct notify_letter {
	struct alert alert;   /* as it is stored; number 0: its run is gone */
	struct str url;       /* empty: it cannot be sent; alert.fault is the reason */
	struct str body;      /* JSON */
	struct str signature; /* hex; empty: the project has no secret */
	struct str name;      /* the same each time that it is sent */
};

struct notify_letter_ask {
	const struct alert_delivery_row *row;
	const struct key_secret *secret;
	const char *public_url;
	timestamp_us now;
};
err_t notify_letter_read(struct db *db, const struct notify_letter_ask *ask,
			 struct notify_letter *ret_letter) __attribute__((warn_unused_result));

#endif
