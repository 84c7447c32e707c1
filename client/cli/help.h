#ifndef HELP_H
#define HELP_H

#include "command.h"

/* All subcommands, one line each. */
void help_overview(const struct command *commands) __attribute__((nonnull));

void help_command(const struct command *command) __attribute__((nonnull));

/* The manual page, as roff. */
void help_manual(const struct command *commands) __attribute__((nonnull));

#endif
