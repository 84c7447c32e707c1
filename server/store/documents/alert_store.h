#ifndef ALERT_STORE_H
#define ALERT_STORE_H

#include "alert.h"
#include "db.h"
#include "db_row.h"

/*
 * The last one of the title that was not a repeat: number and time;
 * *ret_alert is NULL if there is none.
 */
err_t alert_store_find_last(struct db *db, int64_t run_id, struct str title,
			    struct alert **ret_alert) __attribute__((warn_unused_result));

/*
 * In a transaction that holds the run's lock: inserts its next alert; one
 * that waits to be sent is due at once.
 */
err_t alert_store_insert(struct db *db, int64_t run_id, int64_t project_id, int64_t user_id,
			 const struct alert *alert) __attribute__((warn_unused_result));
err_t alert_store_repeat(struct db *db, int64_t run_id, int32_t number, timestamp_us now)
	__attribute__((warn_unused_result));

/* By number, those above `after`. */
err_t alert_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
		       struct alert **ret_alerts, size_t *ret_count)
	__attribute__((warn_unused_result));

/* ---- sending ------------------------------------------------------------------------------------ */

/* A delivery that a server has taken to send. */
struct alert_delivery_row {
	int64_t run_id;
	int32_t number;
	int64_t project_id;
	int32_t tries; /* with this one; identifies this attempt, too */
};

struct alert_take {
	timestamp_us now;
	timestamp_us until; /* no other server takes it before then */
	const int64_t *projects_left_alone;
	size_t count;
};
/* *ret_row is NULL when none is due. */
err_t alert_store_take(struct db *db, const struct alert_take *take,
		       struct alert_delivery_row **ret_row) __attribute__((warn_unused_result));

/*
 * Saves the result, as `alert` has it: the delivery is removed from the queue, or due again.
 * Changes nothing if another server has taken it since. In a transaction.
 */
err_t alert_store_tried(struct db *db, const struct alert_delivery_row *row,
			const struct alert *alert) __attribute__((warn_unused_result));
/* Deliveries that wait in the project are tried at once. */
err_t alert_store_hurry(struct db *db, int64_t project_id, timestamp_us now)
	__attribute__((warn_unused_result));

/* ---- where to ------------------------------------------------------------------------------------ */

struct webhook {
	struct str url;
	struct str secret; /* sealed (webhook.h); empty: none */
	timestamp_us changed_at;
};

/* *ret_webhook is NULL when the project has none. */
err_t webhook_store_find(struct db *db, int64_t project_id, struct webhook **ret_webhook)
	__attribute__((warn_unused_result));
err_t webhook_store_save(struct db *db, int64_t project_id, const struct webhook *webhook)
	__attribute__((warn_unused_result));
err_t webhook_store_remove(struct db *db, int64_t project_id, bool *ret_was)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check alert_store_checks[];
extern const size_t alert_store_check_count;

#endif
