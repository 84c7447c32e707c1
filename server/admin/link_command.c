/* cairnd user invite, cairnd user link: one-time links for people. */
#include <inttypes.h>
#include <stdio.h>

#include "account_link.h"
#include "commands.h"
#include "directory.h"
#include "entity_store.h"
#include "link_store.h"
#include "name.h"

#define HOUR_US (INT64_C(3600) * 1000000)

static err_t read_hours(struct command_call *call, int64_t absent, int64_t *ret_hours)
{
	const char *text = command_option(call, "hours");

	*ret_hours = absent;
	if (!text || str_to_int64(str_of(text), 1, ACCOUNT_LINK_HOURS_MAX, ret_hours))
		return NULL;
	return err_new(call->arena, ERR_INVALID, "the hours must be 1 to %d, not \"%s\"",
		       ACCOUNT_LINK_HOURS_MAX, text);
}

/* ---- what the link is for ------------------------------------------------------------------------- */

static err_t read_role(struct command_call *call, int16_t *ret_role)
{
	const char *word = command_option(call, "role");
	enum entity_role role = ENTITY_ROLE_MEMBER;

	if (word && !command_option(call, "team"))
		return err_new(call->arena, ERR_INVALID, "--role needs --team");
	if (word && !entity_role_parse(word, &role))
		return err_new(call->arena, ERR_INVALID,
			       "the role must be viewer, member or admin, not \"%s\"", word);
	*ret_role = (int16_t)role;
	return NULL;
}

static err_t read_invitation(struct command_call *call, struct account_link *link)
{
	const char *note = command_option(call, "note");

	link->kind = ACCOUNT_LINK_INVITATION;
	link->is_admin = command_option(call, "admin") != NULL;
	link->note = note ? str_of(note) : STR("");
	return name_check(call->arena, NAME_NOTE, "note", link->note);
}

static err_t find_team(struct command_call *call, struct directory *d, struct account_link *link)
{
	const char *name = command_option(call, "team");
	struct entity *team;
	err_t e = read_role(call, &link->role);

	if (!name)
		link->role = 0;
	if (e || !name)
		return e;
	e = entity_store_find(d->db, str_of(name), &team);
	if (e)
		return e;
	if (!team || team->kind != ENTITY_TEAM)
		return err_new(call->arena, ERR_NOT_FOUND, "the team \"%s\" does not exist", name);
	link->team_id = team->entity_id;
	link->team = team->name;
	return NULL;
}

static err_t find_user(struct command_call *call, struct directory *d, struct account_link *link)
{
	struct account *account;
	err_t e = directory_find_user(d, call->argument[0], &account);

	if (e)
		return e;
	if (account->is_service)
		return err_new(call->arena, ERR_UNPROCESSABLE,
			       "\"%.*s\" is a service account, which has no password: create a key "
			       "for it",
			       STR_ARG(account->name));
	if (account->disabled_at.us)
		return err_new(call->arena, ERR_UNPROCESSABLE,
			       "the user \"%.*s\" is disabled: enable the user first",
			       STR_ARG(account->name));
	link->kind = ACCOUNT_LINK_PASSWORD;
	link->user_id = account->user_id;
	link->user = account->name;
	return NULL;
}

/* ---- making it ------------------------------------------------------------------------------------ */

static struct str base_of(const struct command_call *call)
{
	struct str base = str_of(call->config->public_url);

	while (base.len && base.at[base.len - 1] == '/')
		base.len--;
	return base;
}

static void print(struct command_call *call, const char *token)
{
	struct str base = base_of(call);
	bool is_path = !base.len;

	if (is_path)
		base = str_of(call->config->path_prefix);
	if (is_path)
		fprintf(stderr, "add the address of your server in front of this path, or set "
				"public_url:\n");
	printf("%s\n", account_link_url(call->arena, base, token));
}

static err_t store(struct command_call *call, struct directory *d, struct account_link *link,
		   int64_t hours)
{
	char token[ACCOUNT_LINK_TEXT_SIZE + 1];
	unsigned char hash[KEY_HASH_SIZE];
	struct audit_entry event;
	err_t e;

	link->created_at = d->now;
	link->ends_at.us = d->now.us + hours * HOUR_US;
	account_link_make(token);
	account_link_hash(&d->secret, str_of(token), hash);
	e = link_store_insert(d->db, hash, link);
	if (e)
		return e;
	event = (struct audit_entry){
		.entity = link->team,
		.subject = str_of(arena_printf(call->arena, "%" PRId64, link->link_id)),
		.detail = account_link_words(call->arena, link),
	};
	e = directory_note(d, AUDIT_LINK_MAKE, &event);
	if (!e)
		e = directory_commit(d);
	if (!e)
		print(call, token);
	return e;
}

err_t link_command_invite(struct command_call *call)
{
	struct account_link link = { .user_id = 0 };
	struct directory d;
	int64_t hours;
	err_t e = read_hours(call, ACCOUNT_LINK_HOURS_INVITATION, &hours);

	if (!e)
		e = read_invitation(call, &link);
	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = find_team(call, &d, &link);
	if (!e)
		e = store(call, &d, &link, hours);
	return e;
}

err_t link_command_password(struct command_call *call)
{
	struct account_link link = { .note = STR("") };
	struct directory d;
	int64_t hours;
	err_t e = read_hours(call, ACCOUNT_LINK_HOURS_PASSWORD, &hours);

	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = find_user(call, &d, &link);
	if (!e)
		e = store(call, &d, &link, hours);
	return e;
}
