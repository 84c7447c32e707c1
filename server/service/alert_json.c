#include "alert_json.h"

#include "json_in.h"
#include "name.h"
#include "name_json.h"

static const char *const levels[] = { "info", "warn", "error", NULL };

err_t alert_json_read(struct request *q, struct alert_new *ret_alert)
{
	struct alert_new made = { .wait_us = 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	made.title = json_in_text(&in, "title", ALERT_TITLE_MAX);
	if (!made.title.len || str_has_control(made.title))
		json_in_refuse(&in, "title", "must not be empty or contain control characters");
	made.text = json_in_text_or(&in, "text", ALERT_TEXT_MAX, STR(""));
	made.level = (enum alert_level)(ALERT_INFO + json_in_choice_or(&in, "level", levels, 0));
	made.wait_us = json_in_int_or(&in, "wait_s", 0, ALERT_WAIT_MAX_S, ALERT_WAIT_S) * 1000000;
	if (json_in_has(&in, "writer")) {
		made.client = json_in_text(&in, "writer", NAME_CLIENT_MAX);
		name_json_check(&in, NAME_CLIENT, "writer", made.client);
	}
	*ret_alert = made;
	return json_in_end(&in);
}

static void write_delivery(struct json_out *o, const struct alert *a)
{
	json_out_key(o, "delivery");
	json_out_object(o);
	json_out_put_text(o, "state", str_of(alert_delivery_name(a->delivery)));
	json_out_put_int(o, "tries", a->tries);
	json_out_put_time(o, "tried_at", a->tried_at);
	json_out_put_time(o, "next_at", a->due_at);
	json_out_put_int_or_null(o, "status", a->status != 0, a->status);
	json_out_put_text_or_null(o, "fault", alert_fault_shown(a->fault));
	json_out_object_end(o);
}

void alert_json_write(struct json_out *o, const struct alert *a)
{
	json_out_object(o);
	json_out_put_int(o, "number", a->number);
	json_out_put_text(o, "title", a->title);
	json_out_put_text(o, "text", a->text);
	json_out_put_text(o, "level", str_of(alert_level_name(a->level)));
	json_out_put_int_or_null(o, "writer", a->writer >= 0, a->writer);
	json_out_put_text_or_null(o, "label", a->label);
	json_out_put_text_or_null(o, "user", a->user_name);
	json_out_put_time(o, "created_at", a->created_at);
	json_out_put_int(o, "repeats", a->repeats);
	json_out_put_time(o, "repeated_at", a->repeated_at);
	write_delivery(o, a);
	json_out_object_end(o);
}
