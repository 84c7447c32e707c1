#include "store_ahead.h"

#include "store_sql.h"

struct db_ahead store_ahead_of_worker(void)
{
	return (struct db_ahead){ store_sql_ahead_worker, false };
}

struct db_ahead store_ahead_of_flusher(void)
{
	return (struct db_ahead){ store_sql_ahead_flusher, true };
}
