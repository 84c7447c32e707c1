/* Starts what the server builds on: directory, database, replica, identities, files. */
#include "serve_parts.h"

#include "app.h"
#include "auth.h"
#include "clocks.h"
#include "content.h"
#include "database.h"
#include "db.h"
#include "db_embedded.h"
#include "db_file_system.h"
#include "directory.h"
#include "entity_store.h"
#include "files.h"
#include "listen.h"
#include "log.h"
#include "replica.h"
#include "secret.h"
#include "serve.h"
#include "server_store.h"
#include "setup_token.h"
#include "sign_in_gate.h"
#include "starting.h"
#include "upload_room.h"
#include "user_add.h"

enum { FIRST_USER_TIMEOUT_MS = 60000 };

/* ---- the address -------------------------------------------------------------------------------- */

err_t check_address(struct app *app)
{
	return listen_check(app->arena, app->config->listen);
}

/* ---- the data directory ------------------------------------------------------------------------ */

err_t start_directory(struct app *app)
{
	return database_make_directory(app->arena, app->config);
}

/* ---- the embedded database --------------------------------------------------------------------- */

err_t start_embedded(struct app *app)
{
	err_t e;

	if (*app->config->database_url)
		return NULL;
	if (db_is_in_memory(app->config->data_dir))
		log_warning(
			"the data directory is in memory: its data is lost when the machine restarts",
			LOG_TEXT("data_dir", app->config->data_dir));
	e = database_upgrade_embedded_if_asked(app->arena, app->config);
	if (!e)
		e = database_start_embedded(app->arena, app->config, &app->embedded);
	if (e && e->kind == ERR_CONFLICT) { /* another server has it: for us a matter of settings */
		struct err *in_use =
			err_new(app->arena, ERR_PRECONDITION, "%s", err_chain(app->arena, e));

		in_use->hint = e->hint;
		return in_use;
	}
	if (e)
		return e;
	app->database_url = db_embedded_url(app->embedded);
	app->listen_database_url = app->database_url;
	return NULL;
}

void stop_embedded(struct app *app)
{
	db_embedded_stop(app->embedded);
}

/* ---- the database ------------------------------------------------------------------------------ */

static err_t find_setup_token(struct app *app, struct db *db, char *text)
{
	char seed[SETUP_TOKEN_SEED_SIZE + 1];
	struct str settled;
	err_t e;

	setup_token_seed(seed);
	e = server_store_settle(db, SETUP_TOKEN_SETTING, str_of(seed), &settled);
	if (!e)
		setup_token_make(&app->secret, settled, text);
	return e;
}

/* Without a user nobody can do anything. */
static err_t say_who_is_first(struct app *app, struct db *db)
{
	static const char hint[] = "open the server's web page and enter this token, or run: "
				   "cairnd user add NAME --admin --data-dir %s";
	char token[SETUP_TOKEN_SIZE + 1];
	bool is_somebody;
	err_t e = account_store_exists(db, &is_somebody);

	if (e || is_somebody)
		return e;
	e = find_setup_token(app, db, token);
	if (!e)
		log_warning("there are no users yet", LOG_TEXT("token", token),
			    LOG_TEXT("hint",
				     arena_printf(app->arena, hint, app->config->data_dir)));
	return e;
}

/* The one of the command line; else it is said how to make one. */
static err_t find_first_user(struct app *app, struct db *db)
{
	const struct serve_options *o = app->options;
	struct directory d = { .db = db, .secret = app->secret };
	struct account_new account = { .name = str_of(o->first_user), .is_admin = true };
	bool is_somebody;
	err_t e;

	if (!o->first_user)
		return say_who_is_first(app, db);
	e = account_store_exists(db, &is_somebody);
	if (e || is_somebody)
		return e;
	e = server_store_begin_now(db, FIRST_USER_TIMEOUT_MS, &d.now);
	return e ? e : user_add(app->arena, &d, &account, o->key_file);
}

err_t start_database(struct app *app)
{
	struct starting starting;
	struct secret_file file;
	struct db *db;
	err_t e;

	starting_begin(app->arena, app->config, &starting);
	e = database_prepare(app->arena, app->config, app->listen_database_url, &starting, &db);
	starting_end(&starting);
	if (e)
		return e;
	e = clocks_tell(db);
	if (!e)
		e = secret_read(app->arena, app->config->secret_file, &file);
	if (!e)
		e = secret_settle(db, &file);
	if (!e)
		app->secret = file.secret;
	if (!e)
		e = find_first_user(app, db);
	db_close(db);
	return e;
}

err_t start_canceller(struct app *app)
{
	app->canceller = db_canceller_start();
	return app->canceller ? NULL : err_new(app->arena, ERR_INTERNAL, "cannot start a thread");
}

void stop_canceller(struct app *app)
{
	db_canceller_stop(app->canceller);
}

/* ---- a copy to read from ------------------------------------------------------------------------ */

err_t start_replica(struct app *app)
{
	struct replica_options options = {
		.primary = database_options(app->config, app->database_url),
		.replica = database_options(app->config, app->config->read_database_url),
		.bound_us = app->config->read_lag_ms * 1000,
	};

	if (!*app->config->read_database_url)
		return NULL;
	return replica_start(app->arena, &options, &app->replica);
}

void stop_replica(struct app *app)
{
	replica_stop(app->replica);
}

/* Connections that write record their position in the log only if a replica is configured. */
struct db_options writing_options(const struct app *app)
{
	struct db_options options = database_options(app->config, app->database_url);

	options.notes_written = app->replica != NULL;
	return options;
}

/* ---- identities -------------------------------------------------------------------------------- */

err_t start_auth(struct app *app)
{
	const struct config *c = app->config;
	struct session_limits sessions = { c->session_idle_s * 1000000,
					   c->session_max_s * 1000000 };
	struct sign_in_limits sign_in = {
		.parallel = c->sign_in_parallel,
		.name_failures = c->sign_in_name_failures,
		.address_failures = c->sign_in_address_failures,
	};

	app->auth = auth_new(&app->secret, &sessions);
	app->sign_in_gate = sign_in_gate_new(&sign_in, &app->memory);
	return NULL;
}

void stop_auth(struct app *app)
{
	sign_in_gate_free(app->sign_in_gate);
	auth_free(app->auth);
}

/* ---- files ------------------------------------------------------------------------------------- */

err_t start_files(struct app *app)
{
	err_t e = files_open(app->arena, app->config, app->database_url, &app->content);

	if (!e)
		app->upload_room = upload_room_new();
	return e;
}

void stop_files(struct app *app)
{
	content_close(app->content);
	upload_room_free(app->upload_room);
}
