#ifndef SDK_ROLE_H
#define SDK_ROLE_H

#include <stdbool.h>

#include "json_doc.h"
#include "str.h"

/*
 * What the wandb SDK lets a server know of a process: its wire carries neither role nor label. In
 * shared mode a process is a worker until there is evidence that it is a primary, which run_promote()
 * makes it then: its environment, files that only a primary writes, or, first of all in newer releases,
 * the question whose machine it runs on (wandb_entity.c). Its label is a made one until a console line,
 * an event's key or a file tells it.
 */

/* The client id of those without one, which are one writer (sdk_processes.h). */
#define SDK_PLAIN_CLIENT "sdk"

/*
 * The config tells the process's own environment, "_wandb"."e" with a member named by its client id,
 * which only a primary sends. Members of others, as a resumed config brings them along, are no
 * evidence. `config` is unwrapped (sdk_config.h).
 */
bool sdk_role_config_is_of_primary(const struct json_doc *config, struct str client);

/*
 * Whether a process may be a sync of a folder, by the program that it tells when it begins. A script tells its own
 * name, an interactive Python "<python with no main file>". `wandb sync` tells the program wandb, up to 0.28.0 none.
 */
bool sdk_role_program_may_sync(struct str program);

/* An upload was asked for a file that only a primary writes: config.yaml and three others. */
bool sdk_role_file_is_of_primary(struct str name);

/* "system.cpu/l:rank0" is the key "system.cpu" with the label "rank0"; without one it is empty. */
struct str sdk_role_event_key(struct str key, struct str *ret_label) __attribute__((nonnull));

/* The label in "output_rank0.log"; empty when there is none. Some characters are replaced in it. */
struct str sdk_role_file_label(struct str name);

/*
 * What a label may be of whatever is told: what a label may not have becomes "_", what is too long is
 * cut between characters. Empty stays empty.
 */
struct str sdk_label_of(struct arena *a, struct str told) __attribute__((nonnull));

/*
 * "<host>-<last 8 of the client id>", with "writer" for a host that is not known. Ids of newer releases
 * begin with the time: of processes that start together they differ at their end.
 */
struct str sdk_label_made(struct arena *a, struct str host, struct str client)
	__attribute__((nonnull));

/*
 * The label of a writer that has `label`, of which `told` is heard now. The first that is told takes
 * the place of the made one and stays; only what a file's name told, with characters replaced, is
 * mended by what a line or key tells.
 */
struct str sdk_label_learn(struct arena *a, struct str label, struct str made, struct str told)
	__attribute__((nonnull));

#endif
