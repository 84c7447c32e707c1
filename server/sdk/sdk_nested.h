#ifndef SDK_NESTED_H
#define SDK_NESTED_H

#include "json_doc.h"

/*
 * A summary as the wandb SDK has it. Of what was logged as an object ours has a key for each member, whose
 * names have dots ("d.x"), and perhaps the object itself. The dotted keys give way to the object where there
 * is one, and are put together where `shape` has one, a summary as the SDK sent it last; so are those of a
 * value with a type ("img._type", "img.path"). Any other name with dots stays: it was logged so, or, where
 * it is longer than any key or has more than JSON_SCAN_MAX_DEPTH parts, set so.
 */
const struct json_doc *sdk_nested(struct arena *a, const struct json_doc *summary,
				  const struct json_doc *shape)
	__attribute__((nonnull, returns_nonnull));

/* Whether there is any name with dots: else the shape is not needed. */
bool sdk_nested_needs_shape(const struct json_doc *summary) __attribute__((nonnull));

/*
 * The other way: a summary as the SDK shows it, by the names that `flat` has: of {"d": {"x": 1}} "d.x", where that
 * is a member of `flat`. So what was read and sent back as it was is equal to `flat`.
 */
const struct json_doc *sdk_nested_flat(struct arena *a, const struct json_doc *summary,
				       const struct json_doc *flat)
	__attribute__((nonnull, returns_nonnull));

#endif
