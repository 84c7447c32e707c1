#ifndef DB_OURS_H
#define DB_OURS_H

#include "db.h"
#include "db_migrate.h"

/*
 * Distinguishes Cairn's tables from those of others in a database that both use. Cairn's are all in
 * the schema of the table schema_migration, as the search path finds it. A table in that schema is
 * another's if it has another owner than schema_migration and no migration makes a table of its
 * name: the owner would be enough, had no upgrade ever been run as another role. A view is
 * another's unless schema_view names it. Objects of extensions are another's, too.
 */
struct db_ours {
	struct str schema; /* public */
	struct str quoted; /* the same as SQL writes it */
	struct str *
		others; /* tables, views and sequences of others in the schema: public.report, as SQL writes it */
	size_t other_count;
};

/* ERR_PRECONDITION when the database has no tables of Cairn. */
err_t db_ours_find(struct db *db, struct db_ours *ret_ours)
	__attribute__((warn_unused_result, nonnull));

/*
 * Lists objects that are not Cairn's and would be dropped with its tables and all that depends on
 * them: "view reports.daily". In any schema; also functions and types of others in Cairn's schema,
 * which a dump of it has.
 */
err_t db_ours_dependents(struct db *db, const struct db_ours *ours, struct str **ret_names,
			 size_t *ret_count) __attribute__((warn_unused_result, nonnull));

/* The names after "create table" in the migrations. */
void db_ours_names(struct arena *a, const struct db_schema *schema, struct str **ret_names,
		   size_t *ret_count) __attribute__((nonnull));

#endif
