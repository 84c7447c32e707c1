#ifndef STORE_AHEAD_H
#define STORE_AHEAD_H

#include "db.h"

/*
 * Statements of charts, lists and joins, to be prepared when a connection opens (struct db_ahead): those marked
 * "-- ahead: worker" in the .sql files, and those marked "-- ahead: flusher", which a flush finds by key.
 */
struct db_ahead store_ahead_of_worker(void);
struct db_ahead store_ahead_of_flusher(void);

#endif
