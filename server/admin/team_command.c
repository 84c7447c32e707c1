/* cairnd team … */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "directory.h"
#include "entity_store.h"
#include "listing.h"
#include "name.h"

enum { TEAM_LIST_MAX = 100000 };

err_t team_command_add(struct command_call *call)
{
	struct str name = str_of(call->argument[0]);
	struct directory d;
	int64_t team_id;
	err_t e = name_check(call->arena, NAME_ENTITY, "name", name);

	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = entity_store_add_team(d.db, name, d.now, &team_id);
	if (!e)
		e = directory_note(&d, AUDIT_TEAM_MAKE, &(struct audit_entry){ .entity = name });
	return e ? e : directory_commit(&d);
}

err_t team_command_list(struct command_call *call)
{
	static const char *const head[] = { "NAME", "MEMBERS", "CREATED", NULL };
	struct listing *listing = listing_new(call->arena, head);
	struct directory d;
	struct team *teams;
	size_t count;
	err_t e = directory_begin(call, &d);

	if (!e)
		e = entity_store_list_teams(d.db, TEAM_LIST_MAX, &teams, &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		listing_add(listing, teams[i].name);
		listing_add(listing,
			    str_of(arena_printf(call->arena, "%" PRId64, teams[i].members)));
		listing_add_time(listing, teams[i].created_at);
	}
	listing_print(listing, stdout);
	return directory_commit(&d);
}

/* Opens; *ret_team_id is the team of the first argument. */
static err_t begin(struct command_call *call, struct directory *d, int64_t *ret_team_id)
{
	struct entity *team = NULL;
	err_t e = directory_begin(call, d);

	if (!e)
		e = entity_store_find(d->db, str_of(call->argument[0]), &team);
	if (e)
		return e;
	if (!team || team->kind != ENTITY_TEAM)
		return err_new(call->arena, ERR_NOT_FOUND, "the team \"%s\" does not exist",
			       call->argument[0]);
	*ret_team_id = team->entity_id;
	return NULL;
}

/* The same, with the user of the second argument. */
static err_t begin_with_user(struct command_call *call, struct directory *d, int64_t *ret_team_id,
			     struct account **ret_account)
{
	err_t e = begin(call, d, ret_team_id);

	return e ? e : directory_find_user(d, call->argument[1], ret_account);
}

static err_t note_member(struct command_call *call, struct directory *d, enum audit_action action,
			 const char *detail)
{
	const struct audit_entry event = {
		.entity = str_of(call->argument[0]),
		.subject = str_of(call->argument[1]),
		.detail = str_of(detail),
	};

	return directory_note(d, action, &event);
}

err_t team_command_member_add(struct command_call *call)
{
	const char *word = command_option(call, "role");
	enum entity_role role = ENTITY_ROLE_MEMBER;
	struct account *account;
	struct directory d;
	int64_t team_id;
	bool changed;
	err_t e;

	if (word && !entity_role_parse(word, &role))
		return err_new(call->arena, ERR_INVALID,
			       "the role must be viewer, member or admin, not \"%s\"", word);
	e = begin_with_user(call, &d, &team_id, &account);
	if (!e)
		e = entity_store_save_member(d.db, team_id, account->user_id, role, d.now,
					     &changed);
	if (!e && changed)
		e = note_member(call, &d, AUDIT_MEMBER_SAVE, entity_role_name(role));
	return e ? e : directory_commit(&d);
}

err_t team_command_member_list(struct command_call *call)
{
	static const char *const head[] = { "USER", "ROLE", "SINCE", NULL };
	struct listing *listing = listing_new(call->arena, head);
	struct team_member *members;
	struct directory d;
	int64_t team_id;
	size_t count;
	err_t e = begin(call, &d, &team_id);

	if (!e)
		e = entity_store_list_members(d.db, team_id, STR(""), TEAM_LIST_MAX, &members,
					      &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		listing_add(listing, members[i].name);
		listing_add(listing, str_of(entity_role_name((enum entity_role)members[i].role)));
		listing_add_time(listing, members[i].created_at);
	}
	listing_print(listing, stdout);
	return directory_commit(&d);
}

err_t team_command_member_remove(struct command_call *call)
{
	struct account *account;
	struct directory d;
	int64_t team_id;
	bool was;
	err_t e = begin_with_user(call, &d, &team_id, &account);

	if (!e)
		e = entity_store_remove_member(d.db, team_id, account->user_id, &was);
	if (e)
		return e;
	if (!was)
		return err_new(call->arena, ERR_NOT_FOUND, "\"%s\" is not a member of \"%s\"",
			       call->argument[1], call->argument[0]);
	e = note_member(call, &d, AUDIT_MEMBER_REMOVE, "");
	return e ? e : directory_commit(&d);
}
