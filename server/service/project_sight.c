#include "project_sight.h"

#include "artifact_store.h"
#include "auth.h"

struct project_sight {
	struct request *request;
	struct seen_project *known;
};

struct project_sight *project_sight_new(struct request *q)
{
	struct project_sight *s = arena_new_of(q->arena, struct project_sight);

	s->request = q;
	return s;
}

static bool is_refusal(err_t e)
{
	return e->kind == ERR_NOT_FOUND || e->kind == ERR_FORBIDDEN || e->kind == ERR_GONE ||
	       e->kind == ERR_UNAUTHORIZED;
}

static err_t ask(struct request *q, const struct artifact_place *place, struct seen_project *seen)
{
	const struct auth_ask about = {
		.access = ACCESS_READ,
		.entity = place->entity,
		.project = place->project,
	};
	struct target *own = q->target;
	err_t e = auth_ask(q, &about);

	if (!e)
		*seen = (struct seen_project){
			.project_id = seen->project_id,
			.may_read = q->target->project_id == seen->project_id,
			.entity = q->target->entity,
			.project = q->target->project,
			.visibility = q->target->visibility,
			.sees_private = q->target->sees_private,
		};
	q->target = own;
	return e && !is_refusal(e) ? e : NULL;
}

err_t project_sight_find(struct project_sight *s, int64_t project_id,
			 const struct seen_project **ret_seen)
{
	struct request *q = s->request;
	struct artifact_place *place;
	struct seen_project *seen;
	err_t e;

	for (seen = s->known; seen; seen = seen->next) {
		if (seen->project_id != project_id)
			continue;
		*ret_seen = seen;
		return NULL;
	}
	seen = arena_new_of(q->arena, struct seen_project);
	seen->project_id = project_id;
	e = artifact_store_place(q->db, project_id, &place);
	if (!e && place && !place->is_deleted)
		e = ask(q, place, seen);
	if (e)
		return e;
	seen->next = s->known;
	s->known = seen;
	*ret_seen = seen;
	return NULL;
}

enum artifact_sees project_sight_of_artifacts(const struct seen_project *seen)
{
	return seen->sees_private ? ARTIFACT_SEES_PRIVATE : ARTIFACT_SEES_PUBLIC;
}

err_t project_sight_of_run(struct project_sight *s, const struct lineage_run *run, bool *ret_sees)
{
	const struct seen_project *seen;
	err_t e = project_sight_find(s, run->project_id, &seen);

	if (e)
		return e;
	*ret_sees = seen->may_read && access_sees(seen->sees_private, seen->visibility,
						  (enum visibility)run->run_visibility);
	return NULL;
}
