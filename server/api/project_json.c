#include "project_json.h"

#include "json_in.h"

void project_json_write(struct json_out *o, const struct project *p)
{
	json_out_object(o);
	json_out_put_text(o, "entity", p->entity);
	json_out_put_text(o, "name", p->name);
	json_out_put_text(o, "description", p->description);
	json_out_put_text(o, "visibility", str_of(visibility_name((enum visibility)p->visibility)));
	json_out_put_int(o, "crash_after_s", p->crash_after_s);
	json_out_put_time(o, "created_at", p->created_at);
	json_out_object_end(o);
}

err_t project_json_read_change(struct request *q, struct project_change *ret_change)
{
	static const char *const words[] = { "private", "public", NULL };
	struct project_change c = { 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	c.has_visibility = json_in_has(&in, "visibility");
	c.has_crash_after = json_in_has(&in, "crash_after_s");
	c.has_description = json_in_has(&in, "description");
	c.visibility = (enum visibility)(VISIBILITY_PRIVATE +
					 json_in_choice_or(&in, "visibility", words, 0));
	c.crash_after_s = (int32_t)json_in_int_or(&in, "crash_after_s", PROJECT_CRASH_AFTER_MIN_S,
						  PROJECT_CRASH_AFTER_MAX_S, PROJECT_CRASH_AFTER_S);
	c.description = json_in_text_or(&in, "description", PROJECT_DESCRIPTION_MAX, STR(""));
	e = json_in_end(&in);
	if (e)
		return e;
	*ret_change = c;
	return NULL;
}
