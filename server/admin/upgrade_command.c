/* cairnd upgrade: the migrations of this version that the database lacks. */
#include <stdio.h>

#include "commands.h"
#include "database.h"
#include "db_migrate.h"
#include "directory.h"
#include "str.h"

enum { SOMETHING_TO_DO = 2 };

/* Prints the comment at the beginning of the file. */
static void print_comment(const char *sql)
{
	struct str rest = str_of(sql);

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');

		if (!str_starts(line, "-- "))
			return;
		if (!str_is(line, "-- no transaction"))
			printf("    %.*s\n", (int)(line.len - 3), line.at + 3);
	}
}

static void print_migration(const struct db_migration *m)
{
	bool alone = str_starts(str_of(m->sql), "-- no transaction\n");

	printf("  %s%s\n", m->name, alone ? ", not in a transaction" : "");
	print_comment(m->sql);
}

static void print_plan(const struct db_migrate_plan *plan)
{
	size_t count = db_schema.migrations - plan->first;

	printf("the database has schema %d, this version has %zu\n", plan->version,
	       db_schema.migrations);
	if (count)
		printf("%zu migrations would be applied, each in a transaction unless noted:\n",
		       count);
	for (size_t i = plan->first; i < db_schema.migrations; i++)
		print_migration(&db_schema.migration[i]);
	if (plan->views)
		printf("views would be created again\n");
	if (!count && !plan->views)
		printf("nothing to do\n");
}

static void print_copy(const struct db_migrate_plan *plan, const struct config *config)
{
	if (plan->version && plan->first < db_schema.migrations && config->upgrade_copies)
		printf("the database would first be copied to \"%s\"\n", config->backup_dir);
}

static err_t look(struct command_call *call, const char *url)
{
	struct db_options options = database_options(call->config, url);
	struct db_migrate_plan plan;
	struct db *db;
	err_t e = db_open(call->arena, &options, &db);

	if (e)
		return database_cannot_open(call->arena, call->config, e);
	e = db_migrate_plan(db, &db_schema, &plan);
	db_close(db);
	if (e)
		return e;
	print_plan(&plan);
	print_copy(&plan, call->config);
	if (plan.first < db_schema.migrations || plan.views)
		call->status = SOMETHING_TO_DO;
	return NULL;
}

static err_t upgrade(struct command_call *call)
{
	const char *url;
	struct db *db;
	err_t e = database_url(call->arena, call->config, &url);

	if (!e)
		e = database_prepare(call->arena, call->config, url, NULL, &db);
	if (e)
		return e;
	db_close(db);
	return NULL;
}

err_t upgrade_command(struct command_call *call)
{
	const char *url;
	err_t e;

	if (!command_option(call, "dry-run"))
		return upgrade(call);
	e = directory_url(call, &url);
	return e ? e : look(call, url);
}
