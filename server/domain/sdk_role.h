#ifndef SDK_ROLE_H
#define SDK_ROLE_H

#include <stdbool.h>

#include "json_doc.h"
#include "str.h"

/*
 * Evidence about a process of the wandb SDK: its wire carries neither role nor label. In shared
 * mode a process is a worker until there is evidence that it is a primary, which run_promote()
 * makes it then: its environment, files that only a primary writes, or, first of all in newer
 * releases, the query for the owner of its machine (wandb_entity.c). Its label is generated until a
 * console line, an event's key or a file shows it.
 */

/* The client id of those without one, which are one writer (sdk_processes.h). */
#define SDK_PLAIN_CLIENT "sdk"

/*
 * The config has the process's own environment, "_wandb"."e" with a member named by its client id,
 * which only a primary sends. Members of others, as a resumed config brings them along, are not
 * evidence. `config` is unwrapped (sdk_config.h).
 */
bool sdk_role_config_is_of_primary(const struct json_doc *config, struct str client);

/*
 * Whether a process may be a sync of a folder, by the program that it sends when it begins. A
 * script sends its own name, an interactive Python "<python with no main file>". `wandb sync` sends
 * the program wandb, up to 0.28.0 none.
 */
bool sdk_role_program_may_sync(struct str program);

/* An upload was asked for a file that only a primary writes: config.yaml and three others. */
bool sdk_role_file_is_of_primary(struct str name);

/* "system.cpu/l:rank0" is the key "system.cpu" with the label "rank0"; without one it is empty. */
struct str sdk_role_event_key(struct str key, struct str *ret_label) __attribute__((nonnull));

/* The label in "output_rank0.log"; empty when there is none. Some characters are replaced in it. */
struct str sdk_role_file_label(struct str name);

/*
 * Makes a label of any text: characters that a label may not have become "_", a text that is too
 * long is cut between characters. Empty stays empty.
 */
struct str sdk_label_of(struct arena *a, struct str told) __attribute__((nonnull));

/*
 * "<host>-<last 8 of the client id>", with "writer" for a host that is not known. Ids of newer
 * releases begin with the time: those of processes that start together differ at their end.
 */
struct str sdk_label_made(struct arena *a, struct str host, struct str client)
	__attribute__((nonnull));

/*
 * The label of a writer that has `label` and now sent `told`. The first one sent replaces the
 * generated one and stays; only a label from a file's name, with characters replaced, is corrected
 * by one from a line or key.
 */
struct str sdk_label_learn(struct arena *a, struct str label, struct str made, struct str told)
	__attribute__((nonnull));

#endif
