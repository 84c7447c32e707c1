#ifndef DB_PIPE_H
#define DB_PIPE_H

#include "db.h"

/* Inside this folder: ends a pipeline whose answers are not read, by closing the connection. */
void db_pipe_abandon(struct db *db);

/* The error of a COMMIT whose command tag is `tag`; NULL when it committed. */
err_t db_commit_error(struct db *db, const char *tag);

/* How long PostgreSQL waits for us within a transaction of statements of so many ms, 0: without a limit. */
int db_idle_limit_ms(int timeout_ms);

#endif
