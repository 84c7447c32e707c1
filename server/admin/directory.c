#include "directory.h"

#include "database.h"
#include "entity_store.h"
#include "log.h"
#include "server_store.h"

enum { COMMAND_TIMEOUT_MS = 60000 };

static void close_database(void *db)
{
	db_close(db);
}

err_t directory_begin(struct command_call *call, struct directory *ret_directory)
{
	const struct config *config = call->config;
	struct directory d = { 0 };
	struct secret_file file;
	const char *url;
	err_t e;

	log_set(LOG_WARNING, (enum log_format)config->log_format);
	e = database_url(call->arena, config, &url);
	if (!e)
		e = database_prepare(call->arena, config, url, &d.db);
	if (e)
		return e;
	arena_defer(call->arena, close_database, d.db);
	e = secret_read(call->arena, config->secret_file, &file);
	if (!e)
		e = secret_settle(d.db, &file);
	if (!e)
		e = server_store_begin_now(d.db, COMMAND_TIMEOUT_MS, &d.now);
	if (e)
		return e;
	d.secret = file.secret;
	*ret_directory = d;
	return NULL;
}

err_t directory_commit(struct directory *directory)
{
	return db_commit(directory->db);
}

err_t directory_find_user(struct directory *directory, const char *name,
			  struct account **ret_account)
{
	struct account *account;
	err_t e = account_store_find(directory->db, str_of(name), &account);

	if (e)
		return e;
	if (!account)
		return err_new(db_arena(directory->db), ERR_NOT_FOUND, "there is no user \"%s\"",
			       name);
	*ret_account = account;
	return NULL;
}
