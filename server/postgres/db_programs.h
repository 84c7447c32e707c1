#ifndef DB_PROGRAMS_H
#define DB_PROGRAMS_H

#include "db_embedded.h"
#include "db_process.h"

/* The directory of PostgreSQL's own programs; inside this folder only. */
struct db_programs {
	const char *bindir;
	int major; /* 15 */
};

enum { DB_LEAST_MAJOR = 15 };

/*
 * The programs of version `major`, or for 0 the newest. If the options give a bindir, only that is
 * searched. *ret_newest, which may be NULL, is the newest version there is, also when `major` was
 * not found.
 */
err_t db_programs_find(struct arena *a, const struct db_embedded_options *options, int major,
		       struct db_programs *ret_programs, int *ret_newest);
/*
 * Finds the client's programs: pg_dump, pg_restore and psql of version `major`. If `bindir` is
 * given, only that is searched.
 */
err_t db_client_programs_find(struct arena *a, const char *bindir, int major,
			      struct db_programs *ret_programs);
/* bindir/name */
const char *db_program(struct arena *a, const struct db_programs *p, const char *name);

#endif
