#include "directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "audit_store.h"
#include "database.h"
#include "entity_store.h"
#include "log.h"
#include "project_store.h"
#include "server_store.h"

enum { COMMAND_TIMEOUT_MS = 60000 };

/* There is certainly no such file; false if that cannot be checked. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && errno == ENOENT;
}

/*
 * A misspelt directory, or a database_url that was not given this time, must not end in a new
 * database that no one expects. Only a first user may come before the server's first start.
 */
static err_t check_there_is_one(struct command_call *call)
{
	const struct config *config = call->config;
	struct err *e;

	if (*config->listen_database_url ||
	    !is_missing(arena_printf(call->arena, "%s/pg", config->data_dir)))
		return NULL;
	if (call->command->may_be_first && is_missing(config->secret_file)) {
		fprintf(stderr, "there is no database in \"%s\" yet; a new one is created\n",
			config->data_dir);
		return NULL;
	}
	e = err_new(call->arena, ERR_PRECONDITION, "there is no database in \"%s\"",
		    config->data_dir);
	e->hint = "set --data-dir or CAIRN_DATA_DIR to the server's directory, or "
		  "CAIRN_DATABASE_URL to an external database";
	return e;
}

static void close_database(void *db)
{
	db_close(db);
}

err_t directory_check(struct command_call *call)
{
	log_set(LOG_WARNING, (enum log_format)call->config->log_format);
	return check_there_is_one(call);
}

err_t directory_url(struct command_call *call, const char **ret_url)
{
	err_t e = directory_check(call);

	return e ? e : database_url(call->arena, call->config, ret_url);
}

err_t directory_begin(struct command_call *call, struct directory *ret_directory)
{
	const struct config *config = call->config;
	struct directory d = { 0 };
	struct secret_file file;
	const char *url;
	err_t e;

	e = directory_url(call, &url);
	if (!e)
		e = database_make_directory(call->arena, config); /* of the secret */
	if (!e)
		e = database_prepare(call->arena, config, url, NULL, &d.db);
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

err_t directory_note(struct directory *directory, enum audit_action action,
		     const struct audit_entry *event)
{
	struct audit_entry entry = *event;

	entry.at = directory->now;
	entry.way = AUDIT_BY_COMMAND;
	entry.action = audit_action_name(action);
	return audit_store_insert(directory->db, &entry);
}

err_t directory_note_key(struct directory *directory, enum audit_action action, int64_t key_id,
			 const char *detail)
{
	const struct audit_entry event = {
		.subject = str_of(arena_printf(db_arena(directory->db), "%" PRId64, key_id)),
		.detail = str_of(detail),
	};

	return directory_note(directory, action, &event);
}

err_t directory_find_user(struct directory *directory, const char *name,
			  struct account **ret_account)
{
	struct account *account;
	err_t e = account_store_find(directory->db, str_of(name), &account);

	if (e)
		return e;
	if (!account)
		return err_new(db_arena(directory->db), ERR_NOT_FOUND,
			       "the user \"%s\" does not exist", name);
	*ret_account = account;
	return NULL;
}

err_t directory_find_project(struct arena *a, struct db *db, const char *path,
			     int64_t *ret_project_id)
{
	struct str project = str_of(path);
	struct str entity = str_cut(&project, '/');
	struct target_row *row;
	err_t e;

	if (!entity.len || !project.len)
		return err_new(a, ERR_INVALID,
			       "\"%s\" is not a valid project: expected ENTITY/PROJECT", path);
	e = target_store_find(db, 0, entity, project, &row);
	if (e)
		return e;
	if (!row || !row->project_id)
		return err_new(a, ERR_NOT_FOUND, "the project \"%s\" does not exist", path);
	*ret_project_id = row->project_id;
	return NULL;
}
