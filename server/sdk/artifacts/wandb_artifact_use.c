/* The runs of an artifact. Those that the caller may not see, such as private runs of public projects, are left out. */
#include "wandb_artifact_use.h"

#include <stdlib.h>

#include "arena.h"
#include "artifact_make.h"
#include "artifact_target.h"
#include "json_doc.h"
#include "lineage_store.h"
#include "series_ask.h"
#include "wandb.h"
#include "wandb_artifact_parts.h"
#include "wandb_change.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_list.h"
#include "wandb_run.h"
#include "wandb_runs.h"
#include "wandb_viewer.h"

enum { READERS_MAX = 1000 }; /* the oldest; the SDK asks for no pages */

/* ---- useArtifact -------------------------------------------------------------------------------------- */

struct use {
	const struct artifact *artifact;
	struct str used_as;
};

static err_t note_use(struct request *q, const void *what)
{
	const struct use *use = what;

	return artifact_note_edge(q, ARTIFACT_INPUT, use->artifact, use->used_as);
}

static err_t find_used(struct gql_call *call, const struct json_doc *input,
		       const struct wandb_artifact **ret_used)
{
	struct str id = wandb_input_text(input, "artifactID");
	struct request *q = wandb_of(call)->q;
	struct artifact_target target;
	err_t e = artifact_target_id(q, id, ACCESS_READ, &target);

	if (e)
		return e;
	if (target.artifact->state == ARTIFACT_PENDING)
		return err_field(call->arena, ERR_CONFLICT, "artifactID",
				 "cannot use artifact %.*s as it has not committed", STR_ARG(id));
	e = artifact_target_committed(q, &target);
	if (!e)
		*ret_used = wandb_artifact_of(call->arena, q->target, target.artifact);
	return e;
}

err_t wandb_use_artifact(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	struct str used_as = wandb_input_text(input, "usedAs");
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	const struct wandb_artifact *used;
	struct use use;
	err_t e = find_used(call, input, &used);

	if (!e)
		e = wandb_target_run(w, &ask);
	if (e)
		return e;
	use.artifact = used->row;
	use.used_as = used_as.len ? str_head(used_as, ARTIFACT_USED_AS_MAX) : used_as;
	e = wandb_change(w->q, note_use, &use);
	if (!e)
		gql_give(call, used);
	return e;
}

/* ---- the runs of an artifact --------------------------------------------------------------------------- */

static int by_project(const void *a, const void *b)
{
	const struct lineage_run *x = a, *y = b;

	if (x->project_id != y->project_id)
		return x->project_id < y->project_id ? -1 : 1;
	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

static const struct run *find_hot(const struct run *runs, size_t count, int64_t run_id)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].run_id == run_id)
			return &runs[i];
	}
	return NULL;
}

static struct target *target_of(struct arena *a, const struct target *project,
				const struct run_info *info)
{
	struct target *t = arena_copy(a, project, sizeof(*t));

	t->run_id = info->run_id;
	t->run = info->name;
	t->run_visibility = (enum visibility)info->visibility;
	return t;
}

/* The runs of one project, which are next to each other; `list` has room for them. */
static err_t take_runs(struct gql_call *call, const struct lineage_run *rows, size_t row_count,
		       struct wandb_list *list)
{
	const struct auth_ask ask = { .access = ACCESS_READ,
				      .entity = rows->entity,
				      .project = rows->project };
	struct wandb_run *items = (struct wandb_run *)(uintptr_t)list->items;
	int64_t *ids = arena_new_array(call->arena, int64_t, row_count);
	struct wandb *w = wandb_of(call);
	size_t info_count = 0, run_count = 0;
	struct run_info *infos;
	struct run *runs;
	bool there;
	err_t e = wandb_look(w, &ask, &there);

	for (size_t i = 0; i < row_count; i++)
		ids[i] = rows[i].run_id;
	if (!e && there)
		e = run_store_list_info(w->q->db, rows->project_id, ids, row_count, &infos,
					&info_count);
	if (!e && info_count)
		e = run_store_list(w->q->db, ids, row_count, &runs, &run_count);
	for (size_t i = 0; i < info_count && !e; i++) {
		const struct run *hot = find_hot(runs, run_count, infos[i].run_id);

		if (!hot || hot->deleted_at.us || !series_ask_may_see(w->q->target, &infos[i]))
			continue;
		items[list->count++] = (struct wandb_run){
			.cursor = wandb_id_of_number(call->arena, "RunCursor", infos[i].run_id),
			.target = target_of(call->arena, w->q->target, &infos[i]),
			.info = &infos[i],
			.run = hot,
		};
	}
	return e;
}

/* Reads those of the runs that the caller may see. */
static err_t read_runs(struct gql_call *call, const int64_t *run_ids, size_t id_count,
		       struct wandb_list *list)
{
	struct lineage_run *rows = NULL;
	size_t count = 0;
	err_t e = NULL;

	*list = (struct wandb_list){ .size = sizeof(struct wandb_run), .total = -1 };
	list->items = arena_new_array(call->arena, struct wandb_run, id_count + 1);
	if (id_count)
		e = lineage_store_list_runs(wandb_of(call)->q->db, run_ids, id_count, &rows,
					    &count);
	if (!e && count)
		qsort(rows, count, sizeof(*rows), by_project);
	for (size_t i = 0, next; i < count && !e; i = next) {
		for (next = i + 1; next < count && rows[next].project_id == rows[i].project_id;)
			next++;
		e = take_runs(call, &rows[i], next - i, list);
	}
	list->total = (int64_t)list->count;
	return e;
}

err_t wandb_artifact_used_by(struct gql_call *call)
{
	const struct artifact *artifact = ((const struct wandb_artifact *)call->parent)->row;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct lineage_edge *edges;
	size_t count;
	int64_t *ids;
	err_t e = lineage_store_of_artifact(wandb_of(call)->q->db, artifact->project_id,
					    artifact->artifact_id, ARTIFACT_INPUT, READERS_MAX,
					    &edges, &count);

	if (e)
		return e;
	ids = arena_new_array(call->arena, int64_t, count + 1);
	for (size_t i = 0; i < count; i++)
		ids[i] = edges[i].run_id;
	e = read_runs(call, ids, count, list);
	if (!e)
		gql_give(call, list);
	return e;
}

/* A user, if no run is known or visible: up to 0.19 clients read what is in it without a look. */
err_t wandb_artifact_created_by(struct gql_call *call)
{
	const struct wandb_artifact *artifact = call->parent;
	struct str user = artifact->row->user;
	struct wandb_list list;
	err_t e = read_runs(call, &artifact->row->run_id, artifact->row->run_id != 0, &list);

	if (e)
		return e;
	if (list.count)
		gql_give_as(call, &wandb_run_type, list.items);
	else
		gql_give_as(call, &wandb_user_type,
			    wandb_user_of(call->arena, user.len ? user : artifact->target->entity));
	return NULL;
}
