#ifndef SDK_COMMON_H
#define SDK_COMMON_H

#include "leaves.h"

/*
 * Documents of several processes of the wandb SDK that write as one writer (sdk_processes.h). Each
 * sends its whole document, and none names its process. So next to what they sent together,
 * `whole`, there is what all of them have in common, `common`: only those values are known to have
 * been sent by this sender before.
 *
 *	in common   sent        then, in whole
 *	value       the same    as it was: another one may have changed it
 *	value       another     what is sent
 *	value       nothing     gone
 *	nothing     a value     what is sent
 *	nothing     nothing     as it was
 *
 * All of it leaf by leaf. If a leaf meets an object, the sent one wins.
 */
const struct json_doc *sdk_common_merge(struct arena *a, const struct json_doc *whole,
					const struct json_doc *common, const struct json_doc *sent)
	__attribute__((nonnull, returns_nonnull));

/* The common values once one of them sent this, with the values of before. */
const struct json_doc *sdk_common_after(struct arena *a, const struct json_doc *common,
					const struct json_doc *sent)
	__attribute__((nonnull, returns_nonnull));

#endif
