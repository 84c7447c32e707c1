/* Sweeps: made, listed, changed, deleted. */
#include "sweep_api.h"

#include <inttypes.h>

#include "auth.h"
#include "json_in.h"
#include "page.h"
#include "path.h"
#include "reply.h"
#include "sweep_edit.h"
#include "sweep_json.h"
#include "sweep_make.h"

enum { RUN_NAME_BYTES = 512, STATE_BYTES = 16 };

err_t sweep_api_target(struct request *q, struct sweep_target *ret_target)
{
	return sweep_target_here(q, request_param(q, "sweep"), STR(""), ret_target);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

static const char *const states[] = {
	"pending", "running", "paused", "finished", "canceled", NULL
};

static err_t read_list(struct request *q, struct page *page, struct sweeps_ask *ask)
{
	struct str state = request_query(q, "state");
	err_t e = page_read(q, page);

	*ask = (struct sweeps_ask){ .project_id = q->target->project_id, .limit = page->limit };
	if (!e && page->after.len && !str_to_int64(page->after, 1, INT64_MAX, &ask->after))
		e = page_bad_cursor(q);
	for (int16_t i = 0; state.at && states[i]; i++) {
		if (str_is(state, states[i]))
			ask->state = (int16_t)(i + 1);
	}
	if (!e && state.at && !ask->state)
		e = err_field(
			q->arena, ERR_INVALID, "state",
			"\"state\" must be one of pending, running, paused, finished, canceled");
	return e;
}

err_t sweep_api_list(struct request *q)
{
	struct sweeps_ask ask;
	struct sweep *sweeps;
	struct page page;
	size_t count;
	bool has_more;
	err_t e = read_list(q, &page, &ask);

	if (!e)
		e = sweep_store_list(q->db, &ask, &sweeps, &count, &has_more);
	if (e)
		return e;
	page_begin(q, &page, count);
	page.has_more = has_more;
	e = sweep_json_sweeps(q, &page.out, sweeps, page.shown);
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64, sweeps[page.shown - 1].sweep_id);
	page_end(q, &page);
	return e;
}

/* ---- one -------------------------------------------------------------------------------------------- */

/* Text is YAML, an object is the same as JSON. */
static struct str read_config(struct json_in *in)
{
	struct str raw = json_in_raw(in, "config");

	if (raw.len && raw.at[0] == '{')
		return raw;
	return json_in_text(in, "config", SWEEP_TEXT_MAX);
}

static struct str text_or_null(struct json_in *in, const char *key, size_t max_bytes)
{
	if (!json_in_has(in, key) || json_in_null(in, key))
		return (struct str){ NULL, 0 };
	return json_in_text(in, key, max_bytes);
}

static err_t read_make(struct request *q, struct sweep_make_asked *asked)
{
	static const char *const first_states[] = { "pending", "running", "paused", NULL };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*asked = (struct sweep_make_asked){ .config = read_config(&in) };
	asked->display_name = text_or_null(&in, "display_name", SWEEP_TITLE_MAX);
	asked->description = text_or_null(&in, "description", SWEEP_DESCRIPTION_MAX);
	asked->state = (int16_t)(1 + json_in_choice_or(&in, "state", first_states, 0));
	asked->prior_names = json_in_texts(&in, "prior_runs", SWEEP_PRIOR_MAX, RUN_NAME_BYTES,
					   &asked->prior_count);
	return json_in_end(&in);
}

static err_t reply_checked(struct request *q, const struct sweep_make_asked *asked)
{
	struct sweep_checked checked;

	sweep_check(q->arena, asked->config, &checked);
	if (checked.config)
		sweep_check_place(q, checked.config, &checked.faults);
	return sweep_json_reply_checked(q, &checked);
}

static err_t make(struct request *q, const struct sweep_make_asked *asked)
{
	struct sweep_made made;
	err_t e = sweep_make(q, asked, &made);

	if (e)
		return e;
	if (made.was_made)
		reply_header(q, "Location",
			     arena_printf(q->arena, "%.*s/%.*s", STR_ARG(q->path),
					  STR_ARG(made.sweep->name)));
	return sweep_json_reply(q, made.was_made ? 201 : 200, made.sweep, &made.faults);
}

err_t sweep_api_post(struct request *q)
{
	struct sweep_make_asked asked;
	bool is_dry;
	err_t e = request_query_bool(q, "dry_run", &is_dry);

	if (!e)
		e = read_make(q, &asked);
	if (e)
		return e;
	return is_dry ? reply_checked(q, &asked) : make(q, &asked);
}

err_t sweep_api_show(struct request *q)
{
	struct sweep_target target;
	err_t e = sweep_api_target(q, &target);

	return e ? e : sweep_json_reply(q, 200, target.sweep, NULL);
}

static err_t read_change(struct request *q, struct sweep_change *change)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*change = (struct sweep_change){
		.has_config = json_in_has(&in, "config"),
		.has_display_name = json_in_has(&in, "display_name"),
		.has_description = json_in_has(&in, "description"),
	};
	if (change->has_config)
		change->config = read_config(&in);
	change->display_name = text_or_null(&in, "display_name", SWEEP_TITLE_MAX);
	change->description = text_or_null(&in, "description", SWEEP_DESCRIPTION_MAX);
	if (json_in_has(&in, "state")) {
		struct str state = json_in_text(&in, "state", STATE_BYTES);

		e = json_in_error(&in) ? NULL : sweep_event_read(q->arena, state, &change->event);
	}
	return e ? e : json_in_end(&in);
}

err_t sweep_api_patch(struct request *q)
{
	struct sweep_change change;
	struct sweep_target target;
	err_t e = read_change(q, &change);

	if (!e)
		e = sweep_api_target(q, &target);
	if (!e)
		e = sweep_edit(q, &target, &change);
	return e ? e : sweep_json_reply(q, 200, target.sweep, NULL);
}

err_t sweep_api_delete(struct request *q)
{
	struct sweep_target target;
	err_t e = sweep_api_target(q, &target);

	if (!e)
		e = sweep_delete(q, &target);
	if (!e)
		reply_status(q, 204);
	return e;
}
