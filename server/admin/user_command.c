/* cairnd user … */
#include <stdio.h>

#include "commands.h"
#include "directory.h"
#include "entity_store.h"
#include "key_file.h"
#include "key_store.h"
#include "link_store.h"
#include "listing.h"
#include "name.h"
#include "password.h"
#include "prompt.h"
#include "session_store.h"
#include "user_add.h"

enum { USER_LIST_MAX = 100000 };

static err_t note_new(struct directory *d, const struct account_new *account)
{
	const struct audit_entry event = {
		.subject = account->name,
		.detail = account->is_admin     ? STR("admin of the server")
			  : account->is_service ? STR("service account")
						: STR(""),
	};

	return directory_note(d, AUDIT_USER_MAKE, &event);
}

static err_t note_user(struct directory *d, enum audit_action action, struct str name)
{
	return directory_note(d, action, &(struct audit_entry){ .subject = name });
}

static err_t store_user(struct arena *a, struct directory *d, const struct account_new *account,
			const char *text)
{
	struct key_new key = { .text = str_of(text), .name = STR("first"), .now = d->now };
	int64_t key_id;
	err_t e;

	e = entity_store_add_user(d->db, account, d->now, &key.user_id);
	if (e)
		return e;
	key.scope = KEY_SCOPE_ADMIN;
	e = key_store_insert(d->db, &d->secret, &key, &key_id);
	if (!e)
		e = note_new(d, account);
	if (!e)
		e = directory_note_key(d, AUDIT_KEY_MAKE, key_id,
				       arena_printf(a, "%s, of %.*s", key_scope_name(key.scope),
						    STR_ARG(account->name)));
	return e ? e : directory_commit(d);
}

err_t user_add(struct arena *a, struct directory *d, const struct account_new *account,
	       const char *key_path)
{
	struct key_file file;
	err_t e = key_file_begin(a, key_path, &file);

	if (e)
		return e;
	e = store_user(a, d, account, file.key);
	if (!e && file.path)
		fprintf(stderr, "user \"%.*s\" added; the key is in \"%s\"\n",
			STR_ARG(account->name), file.path);
	else if (!e)
		fprintf(stderr,
			"user \"%.*s\" added; this is the key, which will not be shown "
			"again:\n",
			STR_ARG(account->name));
	return key_file_end(a, &file, e);
}

err_t user_command_add(struct command_call *call)
{
	struct account_new account = {
		.name = str_of(call->argument[0]),
		.is_admin = command_option(call, "admin") != NULL,
		.is_service = command_option(call, "service") != NULL,
	};
	const char *key_path = command_option(call, "key-file");
	struct directory d;
	err_t e;

	e = name_check(call->arena, NAME_ENTITY, "name", account.name);
	if (!e && account.is_admin && account.is_service)
		e = err_new(call->arena, ERR_UNPROCESSABLE,
			    "a service account cannot be an admin of the server");
	if (!e)
		e = key_file_check(call->arena, key_path);
	if (!e)
		e = directory_begin(call, &d);
	return e ? e : user_add(call->arena, &d, &account, key_path);
}

err_t user_command_list(struct command_call *call)
{
	static const char *const head[] = { "NAME",    "ADMIN",    "SERVICE", "DEFAULT",
					    "CREATED", "DISABLED", NULL };
	struct listing *listing;
	struct directory d;
	struct account *accounts;
	size_t count;
	err_t e = directory_begin(call, &d);

	if (!e)
		e = account_store_list(d.db, STR(""), USER_LIST_MAX, &accounts, &count);
	if (e)
		return e;
	listing = listing_new(call->arena, head);
	for (size_t i = 0; i < count; i++) {
		listing_add(listing, accounts[i].name);
		listing_add(listing, accounts[i].is_admin ? STR("yes") : STR("no"));
		listing_add(listing, accounts[i].is_service ? STR("yes") : STR("no"));
		listing_add(listing, accounts[i].default_entity);
		listing_add_time(listing, accounts[i].created_at);
		listing_add_time(listing, accounts[i].disabled_at);
	}
	listing_print(listing, stdout);
	return directory_commit(&d);
}

static err_t find(struct command_call *call, struct directory *d, struct account **ret_account)
{
	err_t e = directory_begin(call, d);

	return e ? e : directory_find_user(d, call->argument[0], ret_account);
}

err_t user_command_disable(struct command_call *call)
{
	struct directory d;
	struct account *account;
	bool changed;
	err_t e = find(call, &d, &account);

	if (!e)
		e = account_store_disable(d.db, account->user_id, d.now, &changed);
	if (!e)
		e = session_store_end_all(d.db, account->user_id, NULL);
	if (!e)
		e = link_store_remove_all(d.db, account->user_id);
	if (!e && changed)
		e = note_user(&d, AUDIT_USER_DISABLE, account->name);
	return e ? e : directory_commit(&d);
}

err_t user_command_enable(struct command_call *call)
{
	struct directory d;
	struct account *account;
	bool changed;
	err_t e = find(call, &d, &account);

	if (!e)
		e = account_store_enable(d.db, account->user_id, &changed);
	if (!e && changed)
		e = note_user(&d, AUDIT_USER_ENABLE, account->name);
	return e ? e : directory_commit(&d);
}

err_t user_command_password(struct command_call *call)
{
	struct directory d;
	struct account *account;
	struct str password;
	const char *hash;
	err_t e = prompt_password(call->arena, call->argument[0],
				  command_option(call, "password-file"), &password);

	if (!e)
		e = password_hash(call->arena, password, &hash);
	if (!e)
		e = find(call, &d, &account);
	if (!e && account->is_service)
		e = err_new(call->arena, ERR_UNPROCESSABLE,
			    "\"%.*s\" is a service account, which has no password: create a key "
			    "for it",
			    STR_ARG(account->name));
	if (!e)
		e = account_store_save_password(d.db, account->user_id, hash);
	if (!e)
		e = session_store_end_all(d.db, account->user_id, NULL);
	if (!e)
		e = link_store_remove_user(d.db, account->user_id);
	if (!e)
		e = note_user(&d, AUDIT_PASSWORD, account->name);
	return e ? e : directory_commit(&d);
}

err_t user_command_default(struct command_call *call)
{
	struct directory d;
	struct account *account;
	struct entity *entity = NULL;
	err_t e = find(call, &d, &account);

	if (!e)
		e = entity_store_find(d.db, str_of(call->argument[1]), &entity);
	if (!e && !entity)
		e = err_new(call->arena, ERR_NOT_FOUND, "the entity \"%s\" does not exist",
			    call->argument[1]);
	if (!e)
		e = account_store_save_default(d.db, account->user_id, entity->entity_id);
	if (!e)
		e = directory_note(&d, AUDIT_USER_DEFAULT,
				   &(struct audit_entry){ .subject = account->name,
							  .detail = entity->name });
	return e ? e : directory_commit(&d);
}
