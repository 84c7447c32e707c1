#ifndef DB_CHECK_H
#define DB_CHECK_H

#include "buf.h"
#include "db_row.h"

/*
 * Compares statements with the tables that read them, on a migrated database and without running
 * any: does it prepare, has it every column, with the right type? Writes one line per fault and
 * returns how many there are; a lost connection counts as a fault.
 */
size_t db_check_statements(struct db *db, const struct db_stmt_check *checks, size_t count,
			   struct buf *report);

#endif
