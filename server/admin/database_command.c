/* cairnd embedded … */
#include "commands.h"
#include "database.h"

err_t database_command_upgrade(struct command_call *call)
{
	if (*call->config->database_url)
		return err_new(call->arena, ERR_INVALID,
			       "\"database_url\" is set, so there is no embedded database");
	return database_upgrade_embedded(call->arena, call->config);
}
