#include "artifact_filter.h"

#include "auth.h"
#include "filter.h"

err_t artifact_filter_read(struct request *q, struct str text, struct artifact_versions_ask *ask)
{
	const struct filter_node *filter;
	err_t e;

	ask->jsonpath = STR("");
	ask->sees_private = q->target->sees_private;
	if (!text.len)
		return NULL;
	e = filter_parse_artifacts(q->arena, text, &filter);
	if (e)
		return e;
	if (filter_has_patterns(filter))
		return err_field(q->arena, ERR_INVALID, "filter",
				 "regular expressions and free words are not supported here: "
				 "compare a key with a value");
	return filter_to_jsonpath(q->arena, filter, &ask->jsonpath);
}
