#include "name_json.h"

void name_json_check(struct json_in *in, enum name_kind kind, const char *key, struct str value)
{
	err_t e;

	if (json_in_error(in))
		return;
	e = name_check(in->arena, kind, key, value);
	if (e)
		json_in_refuse(in, key, "%s", e->message);
}
