#include "sweep_target.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "artifact_store.h"
#include "auth.h"

enum { PLAIN_MAX = 96, ID_TEXT_MAX = 2 * PLAIN_MAX };
static const char sweep_prefix[] = "Sweep:";
static const char agent_prefix[] = "SweepAgent:";

static err_t not_found(struct request *q)
{
	return err_new(q->arena, ERR_NOT_FOUND,
		       "the sweep does not exist, or you do not have access");
}

static err_t no_agent(struct request *q)
{
	return err_new(q->arena, ERR_NOT_FOUND, "the sweep has no such agent");
}

/* ---- ids ------------------------------------------------------------------------------------------ */

/* Base64, as ids of artifacts: clients put them into URLs. */
static struct str encode(struct arena *a, const char *plain)
{
	size_t size = sodium_base64_ENCODED_LEN(strlen(plain), sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, size);

	sodium_bin2base64(text, size, (const unsigned char *)plain, strlen(plain),
			  sodium_base64_VARIANT_ORIGINAL);
	return str_of(text);
}

struct str sweep_id_of(struct arena *a, const struct sweep *s)
{
	return encode(a, arena_printf(a, "%s%" PRId64 ":%" PRId64, sweep_prefix, s->project_id,
				      s->sweep_id));
}

struct str sweep_agent_id_of(struct arena *a, const struct sweep_agent *agent)
{
	return encode(a, arena_printf(a, "%s%" PRId64 ":%" PRId64 ":%" PRId64, agent_prefix,
				      agent->project_id, agent->sweep_id, agent->agent_id));
}

struct str sweep_agent_name(struct arena *a, const struct sweep_agent *agent)
{
	return str_of(arena_printf(a, "%" PRId64, agent->agent_id));
}

/* Reads so many numbers after the prefix. */
static bool decode(struct str text, const char *prefix, int64_t *numbers, size_t count)
{
	unsigned char plain[PLAIN_MAX];
	struct str rest;
	size_t len;

	while (text.len && text.at[text.len - 1] == '=')
		text.len--;
	if (text.len > ID_TEXT_MAX ||
	    sodium_base642bin(plain, sizeof(plain), text.at, text.len, NULL, &len, NULL,
			      sodium_base64_VARIANT_ORIGINAL_NO_PADDING))
		return false;
	rest = (struct str){ (const char *)plain, len };
	if (!str_starts(rest, prefix))
		return false;
	rest = (struct str){ rest.at + strlen(prefix), rest.len - strlen(prefix) };
	for (size_t i = 0; i < count; i++) {
		struct str number = i + 1 < count ? str_cut(&rest, ':') : rest;

		if (!str_to_int64(number, 1, INT64_MAX, &numbers[i]))
			return false;
	}
	return true;
}

/* ---- by names ------------------------------------------------------------------------------------- */

static err_t find_agent(struct request *q, struct str name, struct sweep_target *t)
{
	int64_t number;
	err_t e;

	if (!str_to_int64(name, 1, INT64_MAX, &number))
		return no_agent(q);
	e = sweep_store_find_agent(q->db, t->sweep->project_id, t->sweep->sweep_id, number,
				   &t->agent);
	return e || t->agent ? e : no_agent(q);
}

static err_t find_sweep(struct request *q, struct str name, struct sweep **ret_sweep)
{
	int64_t numbers[2];
	err_t e = sweep_store_find(q->db, q->target->project_id, name, ret_sweep);

	if (!e && !*ret_sweep && decode(name, sweep_prefix, numbers, 2) &&
	    numbers[0] == q->target->project_id)
		e = sweep_store_get(q->db, numbers[0], numbers[1], ret_sweep);
	return e;
}

err_t sweep_target_here(struct request *q, struct str sweep, struct str agent,
			struct sweep_target *ret_target)
{
	struct sweep_target t = { .agent = NULL };
	err_t e;

	if (!q->target->project_id)
		return not_found(q);
	e = find_sweep(q, sweep, &t.sweep);
	if (!e && !t.sweep)
		return not_found(q);
	if (!e && agent.len)
		e = find_agent(q, agent, &t);
	if (!e)
		*ret_target = t;
	return e;
}

err_t sweep_target_name(struct request *q, const struct sweep_name *name, enum access access,
			struct sweep_target *ret_target)
{
	const struct auth_ask ask = {
		.access = access,
		.entity = name->entity,
		.project = name->project,
	};
	err_t e = auth_ask(q, &ask);

	return e ? e : sweep_target_here(q, name->sweep, STR(""), ret_target);
}

/* ---- by ids --------------------------------------------------------------------------------------- */

/* A number must not tell the names of its project to callers who may not see it. */
static err_t ask_project(struct request *q, int64_t project_id, enum access access)
{
	struct auth_ask ask = { .access = access };
	struct artifact_place *place;
	err_t e = artifact_store_place(q->db, project_id, &place);

	if (e)
		return e;
	if (!place || place->is_deleted)
		return not_found(q);
	ask.entity = place->entity;
	ask.project = place->project;
	e = auth_ask(q, &ask);
	return e && e->kind == ERR_NOT_FOUND ? not_found(q) : e;
}

static err_t find_numbered(struct request *q, const int64_t *numbers, enum access access,
			   struct sweep_target *t)
{
	err_t e = ask_project(q, numbers[0], access);

	if (!e)
		e = sweep_store_get(q->db, numbers[0], numbers[1], &t->sweep);
	return e || t->sweep ? e : not_found(q);
}

err_t sweep_target_id(struct request *q, struct str id, enum access access,
		      struct sweep_target *ret_target)
{
	struct sweep_target t = { .agent = NULL };
	int64_t numbers[2];
	err_t e;

	if (!decode(id, sweep_prefix, numbers, 2))
		return not_found(q);
	e = find_numbered(q, numbers, access, &t);
	if (!e)
		*ret_target = t;
	return e;
}

err_t sweep_target_agent_id(struct request *q, struct str id, enum access access,
			    struct sweep_target *ret_target)
{
	struct sweep_target t = { .agent = NULL };
	int64_t numbers[3];
	err_t e;

	if (!decode(id, agent_prefix, numbers, 3))
		return not_found(q);
	e = find_numbered(q, numbers, access, &t);
	if (!e)
		e = sweep_store_find_agent(q->db, numbers[0], numbers[1], numbers[2], &t.agent);
	if (!e && !t.agent)
		return no_agent(q);
	if (!e)
		*ret_target = t;
	return e;
}
