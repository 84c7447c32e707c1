/*
 * Members of a team. Only an admin of the team changes them, and must not leave it without an admin, which could be
 * repaired only on the server's host. Changes of one team are serialised, so that two admins cannot remove each other
 * at the same time.
 */
#include "member_api.h"

#include "audit_note.h"
#include "auth.h"
#include "entity_api.h"
#include "entity_store.h"
#include "json_in.h"
#include "name.h"
#include "page.h"

static const char *const roles[] = { "viewer", "member", "admin", NULL };

static void write_member(struct json_out *o, const struct team_member *member)
{
	json_out_object(o);
	json_out_put_text(o, "name", member->name);
	json_out_put_text(o, "role", str_of(entity_role_name((enum entity_role)member->role)));
	json_out_put_time(o, "created_at", member->created_at);
	json_out_object_end(o);
}

static err_t read_role(struct request *q, enum entity_role *ret_role)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_role = (enum entity_role)(ENTITY_ROLE_VIEWER + json_in_choice(&in, "role", roles));
	return json_in_end(&in);
}

static void reply_members(struct request *q, struct page *page, const struct team_member *members,
			  size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		write_member(&page->out, &members[i]);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(members[page->shown - 1].name));
	page_end(q, page);
}

/* A user's own entity has that one member. */
static err_t reply_owner(struct request *q, struct page *page)
{
	struct entity *owner;
	err_t e = entity_store_find(q->db, q->target->entity, &owner);

	if (!e && !owner)
		e = err_new(q->arena, ERR_NOT_FOUND, "the entity does not exist any more");
	if (!e)
		reply_members(q, page,
			      &(struct team_member){
				      .name = owner->name,
				      .role = ENTITY_ROLE_ADMIN,
				      .created_at = owner->created_at,
			      },
			      1);
	return e;
}

err_t member_api_list(struct request *q)
{
	struct team_member *members;
	struct page page;
	size_t count;
	err_t e = entity_api_check_seen(q);

	if (!e)
		e = page_read(q, &page);
	if (e)
		return e;
	if (q->target->entity_kind == ENTITY_USER)
		return reply_owner(q, &page);
	e = entity_store_list_members(q->db, q->target->entity_id, page.after, page.limit + 1,
				      &members, &count);
	if (!e)
		reply_members(q, &page, members, count);
	return e;
}

/* ---- changing ------------------------------------------------------------------------------------- */

static err_t require_team(struct request *q)
{
	if (q->target->entity_kind == ENTITY_TEAM)
		return NULL;
	return err_new(q->arena, ERR_UNPROCESSABLE,
		       "\"%.*s\" is a user: only a team can have members",
		       STR_ARG(q->target->entity));
}

/* The user of the path; the team is locked. */
static err_t begin(struct request *q, struct account **ret_account)
{
	struct str name = request_param(q, "user");
	err_t e = name_check(q->arena, NAME_ENTITY, "user", name);

	if (!e)
		e = require_team(q);
	if (!e)
		e = entity_store_lock(q->db, q->target->entity_id);
	if (!e)
		e = account_store_find(q->db, name, ret_account);
	if (e || *ret_account)
		return e;
	return err_field(q->arena, ERR_NOT_FOUND, "user", "the user \"%.*s\" does not exist",
			 STR_ARG(name));
}

/* `event`: NULL where nothing changed. An admin of the server may: they can give it one again. */
static err_t end(struct request *q, const struct audit_event *event)
{
	bool there = q->identity->is_admin;
	err_t e = event ? audit_note(q, event) : NULL;

	if (!e && !there)
		e = entity_store_has_admin(q->db, q->target->entity_id, &there);
	if (e)
		return e;
	if (!there)
		return err_new(q->arena, ERR_CONFLICT, "the team \"%.*s\" would have no admin",
			       STR_ARG(q->target->entity));
	auth_forget(q);
	return NULL;
}

err_t member_api_put(struct request *q)
{
	struct account *account;
	enum entity_role role;
	bool changed;
	err_t e = read_role(q, &role);

	if (!e)
		e = begin(q, &account);
	if (!e)
		e = entity_store_save_member(q->db, q->target->entity_id, account->user_id, role,
					     q->now, &changed);
	if (e)
		return e;
	return end(q, changed ? &(struct audit_event){
					.action = AUDIT_MEMBER_SAVE,
					.subject = account->name,
					.detail = str_of(entity_role_name(role)),
				}
			      : NULL);
}

err_t member_api_delete(struct request *q)
{
	struct account *account;
	bool was;
	err_t e = begin(q, &account);

	if (!e)
		e = entity_store_remove_member(q->db, q->target->entity_id, account->user_id, &was);
	if (e)
		return e;
	if (!was)
		return err_field(q->arena, ERR_NOT_FOUND, "user",
				 "\"%.*s\" is not a member of \"%.*s\"", STR_ARG(account->name),
				 STR_ARG(q->target->entity));
	return end(q, &(struct audit_event){ .action = AUDIT_MEMBER_REMOVE,
					     .subject = account->name });
}
