#include "upgrade.h"

#include "clock.h"
#include "copies.h"
#include "database.h"
#include "db_migrate.h"
#include "log.h"
#include "starting.h"
#include "verify.h"

enum { MIGRATE_WAIT_S = 600, LOOK_JOBS = 2, FAULTS_TOLD = 20 };

struct upgrade {
	struct arena *arena;
	const struct config *config;
	const char *url;
	const struct upgrade_watch *watch;
	const char *copy; /* NULL: none was made */
	int faults;
};

static err_t before(void *p, const struct db_schema *schema, size_t first)
{
	struct upgrade *u = p;

	err_t e;

	log_info("migrating the database", LOG_INT("schema", first),
		 LOG_INT("to", schema->migrations));
	e = copies_before_upgrade(u->arena, u->config, u->url, schema->migration[first].number,
				  u->watch, &u->copy);
	if (!e)
		starting_say(u->watch->starting, "migrating the database from schema %zu to %zu",
			     first, schema->migrations);
	return e;
}

static void waiting(void *p)
{
	const struct upgrade *u = p;

	starting_say(u->watch->starting, "waiting for another server to migrate the database");
}

static void applied(void *p, const struct db_migration *migration, int64_t ms)
{
	const struct upgrade *u = p;

	starting_say(u->watch->starting, "migrating the database to schema %zu: applying %s",
		     db_schema.migrations, migration->name);
	if (u->copy)
		log_info("migration applied", LOG_TEXT("name", migration->name), LOG_INT("ms", ms));
}

/* ---- a look at what came of it ------------------------------------------------------------------ */

static void tell_fault(void *p, const struct verify_fault *fault)
{
	struct upgrade *u = p;

	if (u->faults++ < FAULTS_TOLD)
		log_error("fault found after the upgrade", LOG_STR("entity", fault->run->entity),
			  LOG_STR("project", fault->run->project), LOG_STR("run", fault->run->name),
			  LOG_TEXT("part", verify_part_name(fault->part)),
			  LOG_TEXT("fault", fault->message));
}

static void tell_nothing(void *p, const struct verify_sum *sum)
{
	(void)p;
	(void)sum;
}

static void say_looked(const struct upgrade *u, const struct verify_sum *sum)
{
	log_info("runs verified after the upgrade", LOG_INT("runs", sum->runs),
		 LOG_INT("of", sum->total.runs), LOG_INT("faults", sum->faults));
	if (sum->faults)
		log_error("the database has faults, which may be older than the upgrade",
			  LOG_TEXT("hint", "run \"cairnd verify\" to list all of them; \"cairnd "
					   "rollback\" restores the copy"),
			  LOG_TEXT("copy", u->copy));
}

static err_t look(struct upgrade *u)
{
	struct db_options options = database_options(u->config, u->url);
	const struct verify_ask ask = {
		.db = &options,
		.jobs = LOOK_JOBS,
		.until_us = clock_mono_us() + INT64_C(1000000) * UPGRADE_LOOK_S,
		.stopped = u->watch->stopped,
		.fault = tell_fault,
		.progress = tell_nothing,
		.p = u,
	};
	struct verify_sum sum;
	err_t e;

	options.canceller = db_canceller_start();
	e = verify_all(u->arena, &ask, &sum);
	db_canceller_stop(options.canceller);
	if (!e)
		say_looked(u, &sum);
	return e;
}

/* The database is up to date, whatever the result of this. */
static void finish(struct upgrade *u)
{
	err_t e = copies_remove_old(u->arena, u->config, u->copy);

	starting_say(u->watch->starting, "verifying runs after the upgrade");
	if (!e)
		e = look(u);
	if (e)
		log_error("the database was upgraded, but cannot be verified",
			  LOG_TEXT("error", err_chain(u->arena, e)));
}

err_t upgrade_database(struct arena *a, const struct config *config, const char *url, struct db *db,
		       const struct upgrade_watch *watch)
{
	struct upgrade u = { .arena = a, .config = config, .url = url, .watch = watch };
	const struct db_migrate_watch steps = {
		.waiting = waiting,
		.before = before,
		.applied = applied,
		.p = &u,
	};
	int count;
	err_t e = db_migrate_watched(db, &db_schema, MIGRATE_WAIT_S, &steps, &count);
	struct err *wrong;

	if (e) {
		wrong = err_wrap(a, e, "cannot migrate the database");
		if (u.copy)
			wrong->hint = arena_printf(
				a,
				"the copy from before the upgrade is in \"%s\": see \"cairnd "
				"rollback\"",
				u.copy);
		return wrong;
	}
	if (count)
		log_info("database migrated", LOG_INT("migrations", count));
	if (u.copy)
		finish(&u);
	return NULL;
}
