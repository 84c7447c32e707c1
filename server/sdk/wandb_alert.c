#include "wandb_alert.h"

#include "alert_add.h"
#include "arena.h"
#include "json_doc.h"
#include "sdk_role.h"
#include "wandb.h"
#include "wandb_change.h"
#include "wandb_input.h"

/* Levels are written in capitals here; one that is not known is as if there were none. */
static enum alert_level read_level(struct arena *a, struct str text)
{
	char *small = str_copy(a, text);
	enum alert_level level;

	for (char *c = small; *c; c++)
		*c |= *c >= 'A' && *c <= 'Z' ? 0x20 : 0;
	return alert_level_parse(str_of(small), &level) ? level : ALERT_INFO;
}

/* Milliseconds, though the type is called Duration. */
static int64_t read_wait_us(const struct json_doc *input)
{
	int64_t wait_ms;

	if (!json_doc_int64(json_doc_get_named(input, "waitDuration"), &wait_ms) || wait_ms < 0)
		return ALERT_WAIT_S * INT64_C(1000000);
	if (wait_ms > ALERT_WAIT_MAX_S * INT64_C(1000))
		wait_ms = ALERT_WAIT_MAX_S * INT64_C(1000);
	return wait_ms * 1000;
}

/* In one line, as titles are shown. */
static struct str read_title(struct arena *a, const struct json_doc *input)
{
	struct str title = str_head(str_trim(wandb_input_text(input, "title")), ALERT_TITLE_MAX);
	char *line = str_copy(a, title.len ? title : STR("alert"));

	for (char *c = line; *c; c++)
		*c = (unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c;
	return str_of(line);
}

static struct str read_text(const struct json_doc *input)
{
	struct str text = wandb_input_text(input, "text");

	return text.len ? str_head(text, ALERT_TEXT_MAX) : STR("");
}

static err_t add(struct request *q, const void *what)
{
	bool is_repeat;
	int32_t number;

	return alert_add(q, what, &number, &is_repeat);
}

/* Texts that are too long are cut, because the SDK would only log a refusal. */
err_t wandb_notify_alert(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	const struct alert_new made = {
		.title = read_title(call->arena, input),
		.text = read_text(input),
		.level = read_level(call->arena, wandb_input_text(input, "severity")),
		.client = w->client.len ? w->client : STR(SDK_PLAIN_CLIENT),
		.wait_us = read_wait_us(input),
	};
	err_t e = wandb_target_run(w, &ask);

	if (!e)
		e = wandb_change(w->q, add, &made);
	if (!e)
		wandb_done(call);
	return e;
}
