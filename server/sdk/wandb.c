#include "wandb.h"

#include <string.h>

#include "app.h"
#include "arena.h"
#include "entity_store.h"
#include "name.h"
#include "run_view.h"
#include "server_store.h"

struct wandb *wandb_of(const struct gql_call *call)
{
	return call->context;
}

/* GraphQL and file_stream have different names for it. */
struct str wandb_client(const struct request *q)
{
	struct str client = request_header(q, "X-WANDB-ASYNC-CLIENT-ID");

	if (!client.len)
		client = request_header(q, "X-WANDB-CLIENT-ID");
	if (!client.len || !name_is_valid(NAME_CLIENT, client))
		return STR("");
	return client;
}

bool wandb_derives_summary(const struct request *q)
{
	return str_is(request_header(q, "X-WANDB-SERVER-SIDE-DERIVED-SUMMARY"), "true");
}

err_t wandb_default_entity(struct wandb *w, struct str *ret_entity)
{
	struct account *account;
	err_t e;

	if (!w->default_entity.len) {
		e = account_store_find(w->q->db, w->q->identity->name, &account);
		if (!e && !account)
			e = err_new(w->q->arena, ERR_UNAUTHORIZED,
				    "the user of this key does not exist any more");
		if (e)
			return e;
		w->default_entity = account->default_entity.len ? account->default_entity
								: account->name;
	}
	*ret_entity = w->default_entity;
	return NULL;
}

/* Names are in addresses, too, which have no forms. */
static err_t check_nul(struct wandb *w, const struct auth_ask *ask)
{
	static const char sign[] = "\u2400";
	const struct str names[] = { ask->entity, ask->project, ask->run };

	for (size_t i = 0; w->has_nul && i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].len && memmem(names[i].at, names[i].len, sign, strlen(sign)))
			return err_field(w->q->arena, ERR_INVALID, "name",
					 "a run id or project must not contain U+0000");
	}
	return NULL;
}

err_t wandb_target(struct wandb *w, const struct auth_ask *ask)
{
	struct auth_ask whole = *ask;
	err_t e = check_nul(w, ask);

	if (!e && !whole.entity.len)
		e = wandb_default_entity(w, &whole.entity);
	return e ? e : auth_ask(w->q, &whole);
}

err_t wandb_target_run(struct wandb *w, const struct auth_ask *ask)
{
	const char *missing = !ask->project.len ? "projectName" : !ask->run.len ? "runName" : NULL;

	if (missing)
		return err_field(w->q->arena, ERR_INVALID, missing, "\"%s\" is missing", missing);
	return wandb_target(w, ask);
}

err_t wandb_look(struct wandb *w, const struct auth_ask *ask, bool *ret_there)
{
	err_t e = wandb_target(w, ask);

	*ret_there = !e;
	if (e && (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_INVALID))
		return NULL;
	return e;
}

const struct run_reader *wandb_reader(struct wandb *w)
{
	if (!w->reader.codec)
		w->reader = run_view_reader(w->q);
	return &w->reader;
}

enum { LARGE_ARENA = 256 << 10 };

err_t wandb_resolve_large(struct gql_call *call, gql_resolve *resolve)
{
	struct arena *own = arena_new_beside(call->arena, LARGE_ARENA);
	struct wandb *w = wandb_of(call);
	struct gql_call large = *call;
	err_t e;

	(void)wandb_reader(w); /* which stays */
	large.arena = own;
	db_set_arena(w->q->db, own);
	e = resolve(&large);
	db_set_arena(w->q->db, call->arena);
	if (e)
		e = err_copy(call->arena, e);
	arena_free(own);
	return e;
}

err_t wandb_now(struct wandb *w)
{
	return w->q->now.us ? NULL : server_store_now(w->q->db, &w->q->now);
}
