#ifndef SWEEP_H
#define SWEEP_H

#include "api.h"
#include "command.h"

/* Shared by cairn sweep and cairn agent. */

enum { SWEEP_WORD_SIZE = 9 };

/* Takes "sweep", "project/sweep" or "entity/project/sweep"; false after saying what is wrong. */
bool sweep_take_name(struct api *api, const char *word, char ret_name[static SWEEP_WORD_SIZE])
	__attribute__((nonnull));

/* Asks for "…/sweeps/{name}" + tail. 0 with api->answer, or an exit code after saying why. */
int sweep_ask(struct api *api, const char *method, const char *name, const char *tail,
	      const struct text *body) __attribute__((nonnull(1, 2, 3, 4)));
/* As sweep_ask() without saying anything. */
int sweep_try(struct api *api, const char *method, const char *name, const char *tail,
	      const struct text *body) __attribute__((nonnull(1, 2, 3, 4)));

/* Address of the page of a sweep. */
void sweep_address(const struct api *api, const char *name, struct text *text)
	__attribute__((nonnull));

/* The verbs; argv[0] is the sweep, or the file of sweep_make(). The exit code. */
int sweep_make(struct api *api, const struct cli *cli) __attribute__((nonnull));
int sweep_list(struct api *api, const struct cli *cli) __attribute__((nonnull));
int sweep_show(struct api *api, const struct cli *cli) __attribute__((nonnull));
int sweep_trials(struct api *api, const struct cli *cli) __attribute__((nonnull));
int sweep_best(struct api *api, const struct cli *cli) __attribute__((nonnull));

#endif
