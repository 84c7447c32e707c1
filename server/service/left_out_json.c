#include "left_out_json.h"

enum { FIRST_SHOWN = 10 };

void left_out_json_put(struct json_out *out, const struct left_out_list *list)
{
	json_out_put_int(out, "left_out", list->total);
	if (!list->total)
		return;
	json_out_key(out, "left_out_first");
	json_out_array(out);
	for (size_t i = 0; i < list->count && i < FIRST_SHOWN; i++) {
		json_out_object(out);
		json_out_put_text(out, "kind", str_of(left_out_kind_name(list->items[i].kind)));
		json_out_put_text(out, "name", list->items[i].name);
		json_out_put_text(out, "reason",
				  str_of(left_out_reason_code(list->items[i].reason)));
		json_out_put_int(out, "count", list->items[i].count);
		json_out_object_end(out);
	}
	json_out_array_end(out);
}
