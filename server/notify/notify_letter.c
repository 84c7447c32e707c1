#include "notify_letter.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "json_out.h"
#include "project_store.h"
#include "run_store.h"
#include "webhook.h"

struct about {
	const struct project *project;
	const struct run_info *info;
};

/* In the SDK's form: <server>/<entity>/<project>/runs/<run>. */
static void put_link(struct json_out *o, const struct notify_letter_ask *ask, struct arena *a,
		     const struct about *about)
{
	if (!*ask->public_url) {
		json_out_put_null(o, "link");
		return;
	}
	json_out_put_text(o, "link",
			  str_of(arena_printf(a, "%s/%.*s/%.*s/runs/%.*s", ask->public_url,
					      STR_ARG(about->project->entity),
					      STR_ARG(about->project->name),
					      STR_ARG(about->info->name))));
}

static struct str write_body(struct arena *a, const struct notify_letter_ask *ask,
			     const struct alert *alert, const struct about *about)
{
	struct buf *text = buf_new(a);
	struct json_out o = json_out_begin(text);

	json_out_object(&o);
	json_out_put_text(&o, "event", STR("alert"));
	json_out_put_text(&o, "entity", about->project->entity);
	json_out_put_text(&o, "project", about->project->name);
	json_out_put_text(&o, "run", about->info->name);
	json_out_put_text(&o, "display_name", about->info->display_name);
	json_out_put_int(&o, "number", alert->number);
	json_out_put_text(&o, "title", alert->title);
	json_out_put_text(&o, "text", alert->text);
	json_out_put_text(&o, "level", str_of(alert_level_name(alert->level)));
	json_out_put_text_or_null(&o, "label", alert->label);
	json_out_put_text_or_null(&o, "user", alert->user_name);
	json_out_put_time(&o, "created_at", alert->created_at);
	json_out_put_time(&o, "sent_at", ask->now);
	put_link(&o, ask, a, about);
	json_out_object_end(&o);
	return buf_str(text);
}

static void sign(struct arena *a, const struct notify_letter_ask *ask,
		 const struct webhook *webhook, struct notify_letter *letter)
{
	char text[WEBHOOK_SIGNATURE_SIZE + 1];
	struct str secret;

	if (!webhook->secret.len)
		return;
	if (!webhook_open(a, ask->secret, webhook->secret, &secret)) {
		letter->url = STR("");
		letter->alert.fault = STR("secret-lost");
		return;
	}
	webhook_sign(secret, letter->body, text);
	letter->signature = str_of(arena_strdup(a, text));
}

static err_t read_about(struct db *db, const struct alert_delivery_row *row,
			struct about *ret_about)
{
	struct run_info *infos;
	struct project *project;
	size_t count;
	err_t e = project_store_find(db, row->project_id, &project);

	if (!e)
		e = run_store_list_info(db, row->project_id, &row->run_id, 1, &infos, &count);
	if (e)
		return e;
	ret_about->project = project;
	ret_about->info = count && !infos[0].deleted_at.us ? infos : NULL;
	return NULL;
}

static err_t read_alert(struct db *db, const struct alert_delivery_row *row,
			struct alert *ret_alert)
{
	struct alert *alerts;
	size_t count;
	err_t e = alert_store_list(db, row->run_id, row->number - 1, 1, &alerts, &count);

	if (!e && count && alerts[0].number == row->number)
		*ret_alert = alerts[0];
	return e;
}

static err_t fill(struct db *db, const struct notify_letter_ask *ask, struct notify_letter *letter)
{
	struct arena *a = db_arena(db);
	struct webhook *webhook;
	struct about about;
	err_t e = webhook_store_find(db, ask->row->project_id, &webhook);

	if (!e)
		e = read_about(db, ask->row, &about);
	if (e)
		return e;
	if (!about.project || !about.info || !webhook) {
		letter->alert.fault = webhook ? STR("deleted") : STR("no-webhook");
		return NULL;
	}
	letter->url = webhook->url;
	letter->body = write_body(a, ask, &letter->alert, &about);
	letter->name =
		str_of(arena_printf(a, "%" PRId64 ".%d", ask->row->run_id, letter->alert.number));
	sign(a, ask, webhook, letter);
	return NULL;
}

err_t notify_letter_read(struct db *db, const struct notify_letter_ask *ask,
			 struct notify_letter *ret_letter)
{
	struct notify_letter letter = { .url = STR(""), .signature = STR("") };
	err_t e = read_alert(db, ask->row, &letter.alert);

	if (!e && letter.alert.number)
		e = fill(db, ask, &letter);
	letter.alert.tries = ask->row->tries;
	*ret_letter = letter;
	return e;
}
