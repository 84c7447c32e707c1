#include "artifact_link_to.h"

#include "artifact_make.h"
#include "artifact_store.h"
#include "artifact_texts.h"
#include "audit_note.h"
#include "auth.h"
#include "run_target.h"

struct linking {
	const struct artifact_link_asked *asked;
	int64_t user_id;
	struct artifact_collection *portfolio;
	struct artifact *artifact;
	struct artifact_member *member;
};

static bool is_before(const struct artifact *v, const struct artifact_collection *c)
{
	if (v->project_id != c->project_id)
		return v->project_id < c->project_id;
	return v->collection_id < c->collection_id;
}

static err_t lock_source(struct request *q, const struct artifact *v)
{
	struct artifact_collection *sequence;

	return artifact_store_lock_collection(q->db, v->project_id, v->collection_id, &sequence);
}

/* Both are locked, in order, so that neither is deleted now. */
static err_t lock_both(struct request *q, struct linking *l)
{
	const struct artifact *v = l->asked->artifact;
	bool source_first = is_before(v, l->portfolio);
	err_t e = source_first ? lock_source(q, v) : NULL;

	if (!e)
		e = artifact_store_lock_collection(q->db, l->portfolio->project_id,
						   l->portfolio->collection_id, &l->portfolio);
	if (!e && !source_first)
		e = lock_source(q, v);
	if (!e)
		e = artifact_store_find(q->db, v->project_id, v->artifact_id, &l->artifact);
	if (!e && (!l->portfolio || l->portfolio->deleted_at.us))
		return err_new(q->arena, ERR_BUSY, "the portfolio \"%.*s\" was deleted just now",
			       STR_ARG(l->asked->portfolio));
	if (!e && !l->artifact)
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	return e ? e
		 : artifact_target_committed(q,
					     &(struct artifact_target){ .artifact = l->artifact });
}

static err_t set_aliases(struct request *q, const struct linking *l, const struct str *aliases,
			 size_t count)
{
	const struct artifact_aliases set = {
		.project_id = l->portfolio->project_id,
		.collection_id = l->portfolio->collection_id,
		.version = l->member->version,
		.aliases = aliases,
		.count = count,
		.user_id = l->user_id,
		.now = q->now,
	};

	return artifact_set_aliases(q, &set);
}

/* "latest" moves to each new link. */
static err_t add_member(struct request *q, struct linking *l)
{
	static const struct str latest = { ARTIFACT_LATEST, sizeof(ARTIFACT_LATEST) - 1 };
	struct artifact_member *m = arena_new_of(q->arena, struct artifact_member);
	err_t e;

	*m = (struct artifact_member){
		.project_id = l->portfolio->project_id,
		.collection_id = l->portfolio->collection_id,
		.version = l->portfolio->next_version,
		.source_id = l->artifact->project_id,
		.artifact_id = l->artifact->artifact_id,
		.added_by = l->user_id,
		.added_at = q->now,
	};
	l->member = m;
	e = artifact_store_add_member(q->db, m);
	return e ? e : set_aliases(q, l, &latest, 1);
}

static err_t link_locked(struct request *q, struct linking *l)
{
	const struct artifact_collection *p = l->portfolio;
	err_t e = artifact_store_find_link(q->db, p->project_id, p->collection_id,
					   l->artifact->project_id, l->artifact->artifact_id,
					   &l->member);

	if (!e && !l->member)
		e = add_member(q, l);
	if (!e)
		e = set_aliases(q, l, l->asked->aliases, l->asked->alias_count);
	if (e)
		return e;
	return artifact_store_find_member(q->db, p->project_id, p->collection_id,
					  l->member->version, &l->member);
}

static err_t note(struct request *q, enum audit_action action, const struct artifact_target *target)
{
	const struct audit_event event = {
		.action = action,
		.subject = artifact_target_words(q, target),
		.detail = target->artifact->collection,
	};

	return audit_note(q, &event);
}

static err_t prepare(struct request *q, struct linking *l)
{
	const struct artifact_texts aliases = { l->asked->aliases, l->asked->alias_count };
	const struct artifact_collection_asked portfolio = {
		.kind = ARTIFACT_PORTFOLIO,
		.name = l->asked->portfolio,
		.type = l->asked->artifact->type,
	};
	bool made;
	err_t e = artifact_texts_check(q->arena, "aliases", &aliases, ARTIFACT_ALIASES_MAX,
				       artifact_alias_check);

	if (!e)
		e = auth_attributed_user(q, &l->user_id);
	if (!e)
		e = run_target_make_project(q, &made);
	return e ? e : artifact_make_collection(q, &portfolio, &l->portfolio);
}

err_t artifact_link_to(struct request *q, const struct artifact_link_asked *asked,
		       struct artifact_target *ret_target)
{
	struct linking linking = { .asked = asked };
	struct linking *l = &linking;
	err_t e = prepare(q, l);

	if (!e)
		e = lock_both(q, l);
	if (!e)
		e = link_locked(q, l);
	if (e)
		return e;
	*ret_target = (struct artifact_target){ l->portfolio, l->artifact, l->member };
	return note(q, AUDIT_ARTIFACT_LINK, ret_target);
}

err_t artifact_unlink(struct request *q, const struct artifact_target *target)
{
	const struct artifact_member *m = target->member;
	struct artifact_collection *portfolio;
	struct artifact_member *there;
	err_t e;

	if (!m || target->collection->kind != ARTIFACT_PORTFOLIO)
		return err_new(q->arena, ERR_CONFLICT,
			       "\"%.*s\" is not a link: delete the version instead",
			       STR_ARG(artifact_target_words(q, target)));
	e = artifact_store_lock_collection(q->db, m->project_id, m->collection_id, &portfolio);
	if (!e)
		e = artifact_store_find_member(q->db, m->project_id, m->collection_id, m->version,
					       &there);
	if (e || !there)
		return e;
	e = artifact_store_remove_member(q->db, m);
	return e ? e : note(q, AUDIT_ARTIFACT_UNLINK, target);
}
