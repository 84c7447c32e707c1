/* Agents of a sweep, for clients that are not the SDK. */
#include "sweep_agent.h"

#include <inttypes.h>

#include "json_in.h"
#include "page.h"
#include "reply.h"
#include "sweep_api.h"
#include "sweep_json.h"

enum { RUN_NAME_BYTES = 512 };

/* The {agent} of the path. */
static err_t find_agent(struct request *q, struct sweep_target *ret_target)
{
	return sweep_target_here(q, request_param(q, "sweep"), request_param(q, "agent"),
				 ret_target);
}

err_t sweep_agent_api_list(struct request *q)
{
	struct sweep_target target;
	struct sweep_agent *agents;
	struct page page;
	int64_t after = 0;
	size_t count;
	err_t e = page_read(q, &page);

	if (!e && page.after.len && !str_to_int64(page.after, 1, INT64_MAX, &after))
		e = page_bad_cursor(q);
	if (!e)
		e = sweep_api_target(q, &target);
	if (!e)
		e = sweep_store_list_agents(q->db, target.sweep, after, page.limit + 1, &agents,
					    &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	e = sweep_json_agents(q, &page.out, target.sweep, agents, page.shown);
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64, agents[page.shown - 1].agent_id);
	page_end(q, &page);
	return e;
}

err_t sweep_agent_api_post(struct request *q)
{
	struct sweep_target target;
	struct str host = { NULL, 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (!e) {
		host = json_in_text(&in, "host", SWEEP_HOST_MAX);
		e = json_in_end(&in);
	}
	if (!e && !host.len)
		e = err_field(q->arena, ERR_INVALID, "host", "\"host\" is empty");
	if (!e)
		e = sweep_api_target(q, &target);
	if (!e)
		e = sweep_agent_make(q, &target, host);
	if (e)
		return e;
	reply_header(q, "Location",
		     arena_printf(q->arena, "%.*s/%.*s", STR_ARG(q->path),
				  STR_ARG(sweep_agent_name(q->arena, target.agent))));
	return sweep_json_agent_reply(q, 201, &target);
}

err_t sweep_agent_api_patch(struct request *q)
{
	struct sweep_target target;
	struct json_in in;
	bool is_set_aside = false;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (!e) {
		is_set_aside = json_in_bool(&in, "set_aside");
		e = json_in_end(&in);
	}
	if (!e)
		e = find_agent(q, &target);
	if (!e)
		e = sweep_agent_set_aside(q, &target, is_set_aside);
	return e ? e : sweep_json_agent_reply(q, 200, &target);
}

err_t sweep_agent_api_delete(struct request *q)
{
	struct sweep_target target;
	err_t e = find_agent(q, &target);

	if (!e)
		e = sweep_agent_leave(q, &target);
	if (!e)
		reply_status(q, 204);
	return e;
}

err_t sweep_agent_api_beat(struct request *q)
{
	struct sweep_beat_asked asked = { .capacity = 1 };
	struct sweep_commands commands;
	struct sweep_target target;
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (!e) {
		asked.run_names = json_in_texts(&in, "runs", SWEEP_BEAT_RUNS_MAX, RUN_NAME_BYTES,
						&asked.count);
		asked.capacity = json_in_int_or(&in, "capacity", 1, SWEEP_CAPACITY_MAX, 1);
		e = json_in_end(&in);
	}
	if (!e)
		e = find_agent(q, &target);
	if (!e)
		e = sweep_agent_beat(q, &target, &asked, &commands);
	return e ? e : sweep_json_reply_commands(q, &commands);
}
