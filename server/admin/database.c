#include "database.h"

#include "clock.h"
#include "db_migrate.h"
#include "log.h"

enum { CONNECT_TIMEOUT_S = 10, MIGRATE_WAIT_S = 600, RETRY_US = 250 * 1000 };

struct db_options database_options(const struct config *config, const char *url)
{
	return (struct db_options){
		.url = url,
		.unnamed_statements = config->unnamed_statements,
		.connect_timeout_s = CONNECT_TIMEOUT_S,
		.application_name = "cairnd",
	};
}

static err_t open_patiently(struct arena *a, const struct config *config, const char *url,
			    struct db **ret_db)
{
	struct db_options options = database_options(config, url);
	int64_t until_us = clock_mono_us() + config->database_wait_s * 1000000;
	bool told = false;

	for (;;) {
		err_t e = db_open(a, &options, ret_db);

		if (!e || e->kind != ERR_BUSY || clock_mono_us() >= until_us)
			return e;
		if (!told)
			log_warning("waiting for the database", LOG_TEXT("error", err_chain(a, e)));
		told = true;
		clock_sleep_us(RETRY_US);
	}
}

err_t database_prepare(struct arena *a, const struct config *config, const char *url,
		       struct db **ret_db)
{
	struct db *db;
	int applied;
	err_t e = open_patiently(a, config, url, &db);

	if (e)
		return err_wrap(a, e, "cannot open the database");
	e = db_migrate(db, &db_schema, MIGRATE_WAIT_S, &applied);
	if (e) {
		db_close(db);
		return err_wrap(a, e, "cannot migrate the database");
	}
	if (applied)
		log_info("database migrated", LOG_INT("migrations", applied));
	*ret_db = db;
	return NULL;
}

err_t database_url(struct arena *a, const struct config *config, const char **ret_url)
{
	if (!*config->listen_database_url)
		return err_new(a, ERR_PRECONDITION, "no \"database_url\" is set");
	*ret_url = config->listen_database_url;
	return NULL;
}
