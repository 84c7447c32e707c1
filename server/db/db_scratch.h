#ifndef DB_SCRATCH_H
#define DB_SCRATCH_H

#include "db.h"

/*
 * A database for the time of a command, next to that of a connection: "cairn_drill" next to
 * "cairn". The connection is a direct one; a lock of its session keeps others from making the same.
 * A database left by a command that died is dropped by the next one; it is recognized by its
 * comment, so no other database of that name is dropped.
 */
struct db_scratch {
	const char *url;
	const char *quoted; /* its name, for SQL */
};

/*
 * ERR_PRECONDITION if the role may not create one, or if a database of that name is not ours;
 * ERR_BUSY while another command has it.
 */
err_t db_scratch_make(struct db *db, struct db_scratch *ret_scratch)
	__attribute__((warn_unused_result));
err_t db_scratch_drop(struct db *db, const struct db_scratch *scratch)
	__attribute__((warn_unused_result));

#endif
