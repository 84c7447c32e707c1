#ifndef SDK_CONFIG_H
#define SDK_CONFIG_H

#include "json_doc.h"

/*
 * A config as it is on the wandb SDK's wire, and as we keep it:
 *
 *	{"lr": {"value": 0.1, "desc": null}, "_wandb": {"value": {"t": {}}}}
 *	{"lr": 0.1,                          "_wandb": {"t": {}}}
 *
 * A member without "value", or with others than "value" and "desc" beside it, is the value itself; on
 * the way out each member is {"value": …}. So what came in so wrapped comes out as it came in, whatever
 * the values look like; a "desc" goes.
 */

/*
 * The wire's text; ERR_INVALID when it is no JSON object. A member that cannot be kept is left out and noted in the
 * list.
 */
err_t sdk_config_read(struct arena *a, struct str text, struct left_out_list *left_out,
		      const struct json_doc **ret_config)
	__attribute__((nonnull, warn_unused_result));

/* The wire's text of a config, with NaN and infinities as bare words. */
struct str sdk_config_dump(struct arena *a, const struct json_doc *config) __attribute__((nonnull));

/* Without the text. `wire` and `config` are objects. */
const struct json_doc *sdk_config_unwrap(struct arena *a, const struct json_doc *wire)
	__attribute__((nonnull, returns_nonnull));
const struct json_doc *sdk_config_wrap(struct arena *a, const struct json_doc *config)
	__attribute__((nonnull, returns_nonnull));

#endif
