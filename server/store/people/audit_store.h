#ifndef AUDIT_STORE_H
#define AUDIT_STORE_H

#include "audit.h"
#include "db.h"
#include "db_row.h"

/* In the transaction of the action; the id is given here, and the detail is cut. */
err_t audit_store_insert(struct db *db, const struct audit_entry *entry)
	__attribute__((warn_unused_result));

/* Empty fields do not filter. */
struct audit_ask {
	timestamp_us before_at; /* after the entry of this time */
	int64_t before;         /* and this id */
	timestamp_us since, until;
	struct str actor, action, entity, project;
	int64_t limit;
};
/* The latest first. */
err_t audit_store_list(struct db *db, const struct audit_ask *ask, struct audit_entry **ret_entries,
		       size_t *ret_count) __attribute__((warn_unused_result));

err_t audit_store_forget(struct db *db, timestamp_us before, int64_t limit, int64_t *ret_count)
	__attribute__((warn_unused_result));

/* Some of the oldest, if there are more than `most`. */
err_t audit_store_forget_surplus(struct db *db, int64_t most, int64_t limit, int64_t *ret_count)
	__attribute__((warn_unused_result));

extern const struct db_stmt_check audit_store_checks[];
extern const size_t audit_store_check_count;

#endif
