#ifndef MANUAL_H
#define MANUAL_H

#include <stdio.h>

#include "command.h"

/*
 * The text of --help, and the manual pages in roff: all from the tables of commands and settings.
 */
void manual_help(const struct command *commands, const struct command_line *line, FILE *out);
void manual_page(const struct command *commands, FILE *out);
void manual_config_page(FILE *out);

#endif
