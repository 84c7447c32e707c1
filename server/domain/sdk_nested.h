#ifndef SDK_NESTED_H
#define SDK_NESTED_H

#include "json_doc.h"

/*
 * A summary as the wandb SDK has it. Of what was logged as an object ours has a key for each member, whose
 * names have dots ("d.x"), and perhaps the object itself, as the SDK sent it. The dotted keys give way to
 * the object where there is one; those of a value with a type ("img._type", "img.path") are put together.
 * Any other name with dots stays: it may have been logged so.
 */
const struct json_doc *sdk_nested(struct arena *a, const struct json_doc *summary)
	__attribute__((nonnull, returns_nonnull));

#endif
