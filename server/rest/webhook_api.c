/*
 * The webhook that a project's alerts are sent to. Only admins may read it, because such addresses are often
 * secrets themselves; the secret for signatures is never shown.
 */
#include "webhook_api.h"

#include "alert_store.h"
#include "app.h"
#include "audit_note.h"
#include "auth.h"
#include "json_in.h"
#include "notify.h"
#include "reply.h"
#include "webhook.h"

static void reply_webhook(struct request *q, const struct webhook *webhook)
{
	struct json_out out = reply_json(q);

	json_out_object(&out);
	json_out_put_text(&out, "url", webhook->url);
	json_out_put_bool(&out, "has_secret", webhook->secret.len != 0);
	json_out_put_time(&out, "changed_at", webhook->changed_at);
	json_out_object_end(&out);
}

static err_t none(struct request *q)
{
	return err_new(q->arena, ERR_NOT_FOUND, "the project has no webhook");
}

err_t webhook_api_show(struct request *q)
{
	struct webhook *webhook;
	err_t e = webhook_store_find(q->db, q->target->project_id, &webhook);

	if (!e && !webhook)
		e = none(q);
	if (!e)
		reply_webhook(q, webhook);
	return e;
}

struct webhook_body {
	struct str url;
	struct str secret;
	bool keeps_secret; /* the one there is */
};

static err_t read_body(struct request *q, struct webhook_body *ret_body)
{
	struct webhook_body body = { .keeps_secret = false };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	body.url = json_in_text(&in, "url", WEBHOOK_URL_MAX);
	body.keeps_secret = !json_in_has(&in, "secret");
	body.secret = json_in_text_or(&in, "secret", WEBHOOK_SECRET_MAX, STR(""));
	if (body.secret.len && body.secret.len < WEBHOOK_SECRET_MIN)
		json_in_refuse(&in, "secret", "must have at least %d bytes", WEBHOOK_SECRET_MIN);
	e = json_in_end(&in);
	if (!e)
		e = webhook_check_url(q->arena, body.url);
	*ret_body = body;
	return e;
}

/* A secret goes with the place it was made for: another host has to be told of one again. */
static struct str secret_of(struct request *q, const struct webhook_body *body,
			    const struct webhook *before)
{
	if (!body->keeps_secret)
		return body->secret.len ? webhook_seal(q->arena, &q->app->secret, body->secret)
					: STR("");
	if (before && str_equal(webhook_host(before->url), webhook_host(body->url)))
		return before->secret;
	return STR("");
}

err_t webhook_api_put(struct request *q)
{
	struct webhook_body body;
	struct webhook *before;
	struct webhook webhook;
	err_t e = read_body(q, &body);

	if (!e)
		e = notify_check_host(q->app->notify, q->arena, webhook_host(body.url));
	if (!e)
		e = webhook_store_find(q->db, q->target->project_id, &before);
	if (e)
		return e;
	webhook = (struct webhook){ body.url, secret_of(q, &body, before), q->now };
	e = webhook_store_save(q->db, q->target->project_id, &webhook);
	if (!e)
		e = alert_store_hurry(q->db, q->target->project_id, q->now);
	if (!e)
		e = audit_note(q, &(struct audit_event){ .action = AUDIT_WEBHOOK_SAVE,
							 .subject = webhook_host(body.url) });
	if (!e)
		reply_webhook(q, &webhook);
	return e;
}

err_t webhook_api_delete(struct request *q)
{
	bool was;
	err_t e = webhook_store_remove(q->db, q->target->project_id, &was);

	return e || !was ? e
			 : audit_note(q, &(struct audit_event){ .action = AUDIT_WEBHOOK_REMOVE });
}
