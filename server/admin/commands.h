#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

/* The functions of commands; main.c has their words, arguments and options. */
err_t user_command_add(struct command_call *call);
err_t user_command_list(struct command_call *call);
err_t user_command_disable(struct command_call *call);
err_t user_command_enable(struct command_call *call);
err_t user_command_password(struct command_call *call);
err_t user_command_default(struct command_call *call);
err_t link_command_invite(struct command_call *call);
err_t link_command_password(struct command_call *call);

err_t key_command_create(struct command_call *call);
err_t key_command_list(struct command_call *call);
err_t key_command_revoke(struct command_call *call);
err_t key_command_import(struct command_call *call);

err_t team_command_add(struct command_call *call);
err_t team_command_list(struct command_call *call);
err_t team_command_member_add(struct command_call *call);
err_t team_command_member_list(struct command_call *call);
err_t team_command_member_remove(struct command_call *call);

err_t quota_command_set(struct command_call *call);
err_t quota_command_list(struct command_call *call);

err_t retention_command_set(struct command_call *call);
err_t retention_command_list(struct command_call *call);

err_t database_command_upgrade(struct command_call *call);

err_t verify_command(struct command_call *call);
err_t backup_command(struct command_call *call);
err_t restore_command(struct command_call *call);
err_t upgrade_command(struct command_call *call);
err_t rollback_command(struct command_call *call);
err_t health_command(struct command_call *call);
err_t doctor_command(struct command_call *call);
err_t stop_command(struct command_call *call);

#endif
