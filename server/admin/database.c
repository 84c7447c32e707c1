#include "database.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "clocks.h"
#include "db_embedded.h"
#include "db_migrate.h"
#include "log.h"
#include "starting.h"
#include "upgrade.h"

enum { JOB_CONNECTIONS = 14 };   /* of jobs, listeners and a command */
enum { OTHER_CONNECTIONS = 24 }; /* of jobs, commands and people, besides workers and flushers */
enum { CONNECT_TIMEOUT_S = 10, RETRY_US = 250 * 1000 };

struct db_options database_options(const struct config *config, const char *url)
{
	return (struct db_options){
		.url = url,
		.unnamed_statements = config->unnamed_statements,
		.connect_timeout_s = CONNECT_TIMEOUT_S,
		.application_name = "cairnd",
	};
}

int64_t database_connections(const struct config *config)
{
	return config->workers + config->flushers + JOB_CONNECTIONS;
}

/* Whether a signal, which the server handles later, has arrived in the meantime. */
static bool stop_asked(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT));
}

err_t database_cannot_open(struct arena *a, const struct config *config, err_t e)
{
	return err_hint(
		a, err_wrap(a, e, "cannot open the database"),
		*config->database_url
			? "check that PostgreSQL runs at database_url, that the database exists, "
			  "and that this host and role may connect"
			: "see also postgres.log in the data directory");
}

static err_t open_patiently(struct arena *a, const struct config *config, const char *url,
			    const struct starting *starting, struct db **ret_db)
{
	struct db_options options = database_options(config, url);
	int64_t until_us = clock_mono_us() + config->database_wait_s * 1000000;
	bool told = false;

	for (;;) {
		err_t e = db_open(a, &options, ret_db);

		if (!e || e->kind != ERR_BUSY || clock_mono_us() >= until_us || stop_asked())
			return e;
		if (!told)
			log_warning("waiting for the database", LOG_TEXT("error", err_chain(a, e)));
		starting_say(starting, "waiting for the database: %s", err_chain(a, e));
		told = true;
		clock_sleep_us(RETRY_US);
	}
}

err_t database_prepare(struct arena *a, const struct config *config, const char *url,
		       const struct starting *starting, struct db **ret_db)
{
	const struct upgrade_watch watch = { stop_asked, starting };
	struct db *db;
	err_t e = open_patiently(a, config, url, starting, &db);

	if (e)
		return database_cannot_open(a, config, e);
	e = clocks_check(db);
	if (!e)
		e = upgrade_database(a, config, url, db, &watch);
	if (e)
		db_close(db);
	else
		*ret_db = db;
	return e;
}

/* Views are recreated without a message: they hold no data. */
static err_t check_current(struct arena *a, struct db *db)
{
	struct db_migrate_plan plan;
	struct err *wrong;
	err_t e = db_migrate_plan(db, &db_schema, &plan);

	if (e || plan.first == db_schema.migrations)
		return e;
	wrong = err_new(a, ERR_PRECONDITION,
			"the database has schema %d, but this version needs "
			"schema %zu",
			plan.version, db_schema.migrations);
	wrong->hint = "run \"cairnd upgrade\"; \"cairnd upgrade --dry-run\" shows what it would do";
	return wrong;
}

err_t database_open_current(struct arena *a, const struct config *config, const char *url,
			    struct db **ret_db)
{
	struct db *db;
	err_t e = open_patiently(a, config, url, NULL, &db);

	if (e)
		return database_cannot_open(a, config, e);
	e = check_current(a, db);
	if (e) {
		db_close(db);
		return e;
	}
	*ret_db = db;
	return NULL;
}

/* ---- the embedded database --------------------------------------------------------------------- */

/* With the directories above it. */
static err_t make_directory(struct arena *a, const char *path, mode_t mode)
{
	char *copy = arena_strdup(a, path);

	for (char *p = copy + 1;; p++) {
		bool end = *p == '\0';

		if (!end && *p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, end ? mode : 0755) && errno != EEXIST)
			return err_new(a, ERR_PRECONDITION,
				       "cannot create the directory \"%s\": %s", copy,
				       strerror(errno));
		if (end)
			return NULL;
		*p = '/';
	}
}

err_t database_make_directory(struct arena *a, const struct config *config)
{
	err_t e = make_directory(a, config->data_dir, 0755);

	return e ? err_hint(a, e, "choose a directory that this user can write to with --data-dir")
		 : NULL;
}

err_t database_make_backup_directory(struct arena *a, const struct config *config)
{
	return make_directory(a, config->backup_dir, 0700);
}

static struct db_embedded_options embedded_options(const struct config *config)
{
	return (struct db_embedded_options){
		.data_dir = config->data_dir,
		.bindir = *config->pg_bindir ? config->pg_bindir : NULL,
		.user = *config->pg_user ? config->pg_user : NULL,
		.network_allowed = config->network_data_dir == CONFIG_NETWORK_DATA_DIR_ALLOW,
		.max_connections = (int)(config->workers + config->flushers) + OTHER_CONNECTIONS,
		.cancelled = stop_asked,
	};
}

err_t database_start_embedded(struct arena *a, const struct config *config,
			      struct db_embedded **ret_embedded)
{
	struct db_embedded_options options = embedded_options(config);

	return db_embedded_start(a, &options, ret_embedded);
}

err_t database_upgrade_embedded(struct arena *a, const struct config *config)
{
	struct db_embedded_options options = embedded_options(config);

	return db_embedded_upgrade(a, &options);
}

err_t database_upgrade_embedded_if_asked(struct arena *a, const struct config *config)
{
	struct db_embedded_options options = embedded_options(config);

	if (config->embedded_upgrade != CONFIG_EMBEDDED_UPGRADE_AUTO)
		return NULL;
	return db_embedded_upgrade_if_older(a, &options);
}

static void stop_embedded(void *embedded)
{
	db_embedded_stop(embedded);
}

err_t database_own_embedded(struct arena *a, const struct config *config, const char **ret_url)
{
	struct db_embedded *embedded;
	err_t e = database_start_embedded(a, config, &embedded);

	if (e)
		return e;
	arena_defer(a, stop_embedded, embedded);
	*ret_url = db_embedded_url(embedded);
	return NULL;
}

/*
 * The running one, else one that ends with the arena. Waits while another
 * process starts or stops it.
 */
static err_t find_embedded(struct arena *a, const struct config *config, const char **ret_url)
{
	int64_t until_us = clock_mono_us() + config->database_wait_s * 1000000;
	err_t e;

	for (;;) {
		e = db_embedded_attach(a, config->data_dir, ret_url);
		if (e || *ret_url)
			return e;
		e = database_own_embedded(a, config, ret_url);
		if (!e)
			return NULL;
		if (e->kind != ERR_CONFLICT || clock_mono_us() >= until_us)
			return e;
		clock_sleep_us(RETRY_US);
	}
}

err_t database_url(struct arena *a, const struct config *config, const char **ret_url)
{
	err_t e;

	if (*config->listen_database_url) {
		*ret_url = config->listen_database_url;
		return NULL;
	}
	e = database_make_directory(a, config);
	return e ? e : find_embedded(a, config, ret_url);
}
