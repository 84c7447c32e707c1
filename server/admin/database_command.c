/* cairnd migrate, cairnd embedded … */
#include <stdio.h>

#include "commands.h"
#include "database.h"

err_t database_command_migrate(struct command_call *call)
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

err_t database_command_upgrade(struct command_call *call)
{
	if (*call->config->database_url)
		return err_new(call->arena, ERR_INVALID,
			       "\"database_url\" is set, so there is no embedded database");
	return database_upgrade_embedded(call->arena, call->config);
}
