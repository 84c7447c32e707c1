/* cairnd key … */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "directory.h"
#include "entity_store.h"
#include "key_file.h"
#include "key_store.h"
#include "listing.h"
#include "name.h"

enum { KEY_LIST_MAX = 100000 };

/* The options that describe a key: its user, its name, its scope. */
static err_t read_key(struct command_call *call, const char **ret_user, struct key_new *ret_key)
{
	const char *name = command_option(call, "name"), *scope = command_option(call, "scope");
	struct key_new key = { .name = str_of(name), .scope = KEY_SCOPE_ADMIN };
	err_t e = command_require(call, "user", ret_user);

	if (!e)
		e = name_check(call->arena, NAME_API_KEY, "name", key.name);
	if (e)
		return e;
	if (scope && !key_scope_parse(scope, &key.scope))
		return err_new(call->arena, ERR_INVALID,
			       "the scope of a key must be read, write or admin, not \"%s\"",
			       scope);
	*ret_key = key;
	return NULL;
}

static err_t store_key(struct directory *d, const char *user, struct key_new *key,
		       int64_t *ret_key_id)
{
	struct account *account;
	err_t e = directory_find_user(d, user, &account);

	if (e)
		return e;
	key->user_id = account->user_id;
	key->now = d->now;
	e = key_store_insert(d->db, &d->secret, key, ret_key_id);
	if (!e)
		e = directory_note_key(d, AUDIT_KEY_MAKE, *ret_key_id,
				       arena_printf(db_arena(d->db), "%s, of %s",
						    key_scope_name(key->scope), user));
	return e ? e : directory_commit(d);
}

err_t key_command_create(struct command_call *call)
{
	struct directory d;
	struct key_file file;
	struct key_new key;
	const char *key_path = command_option(call, "key-file");
	const char *user;
	int64_t key_id;
	err_t e = read_key(call, &user, &key);

	if (!e)
		e = key_file_check(call->arena, key_path);
	if (!e)
		e = directory_begin(call, &d);
	if (!e)
		e = key_file_begin(call->arena, key_path, &file);
	if (e)
		return e;
	key.text = str_of(file.key);
	e = store_key(&d, user, &key, &key_id);
	if (!e)
		fprintf(stderr, "key %" PRId64 " of \"%s\" created; it is %s%s\n", key_id, user,
			file.path ? "in " : "it will not be shown again:",
			file.path ? file.path : "");
	return key_file_end(call->arena, &file, e);
}

err_t key_command_import(struct command_call *call)
{
	const char *path, *user;
	struct directory d;
	struct key_new key;
	struct str text;
	int64_t key_id;
	err_t e = command_require(call, "key-file", &path);

	if (!e)
		e = read_key(call, &user, &key);
	if (!e)
		e = key_file_read(call->arena, path, &text);
	if (!e)
		e = key_check(call->arena, text);
	if (!e)
		e = key_check_strength(call->arena, text);
	if (!e)
		e = directory_begin(call, &d);
	if (e)
		return e;
	key.text = text;
	e = store_key(&d, user, &key, &key_id);
	if (!e)
		fprintf(stderr, "key %" PRId64 " of \"%s\" imported\n", key_id, user);
	return e;
}

static void list_key(struct command_call *call, struct listing *listing, const struct key *key)
{
	listing_add(listing, str_of(arena_printf(call->arena, "%" PRId64, key->key_id)));
	listing_add(listing, key->user);
	listing_add(listing, key->name.len ? key->name : STR("-"));
	listing_add(listing, str_of(arena_printf(call->arena, "...%.*s", STR_ARG(key->hint))));
	listing_add(listing, str_of(key_scope_name((enum key_scope)key->scope)));
	listing_add_time(listing, key->created_at);
	listing_add_time(listing, key->last_used_at);
	listing_add(listing, key->last_address.len ? key->last_address : STR("-"));
	listing_add_time(listing, key->revoked_at);
}

err_t key_command_list(struct command_call *call)
{
	static const char *const head[] = { "KEY",     "USER",      "NAME", "ENDS",    "SCOPE",
					    "CREATED", "LAST-USED", "FROM", "REVOKED", NULL };
	const char *user = command_option(call, "user");
	struct listing *listing = listing_new(call->arena, head);
	struct account *account = NULL;
	struct directory d;
	struct key *keys;
	size_t count;
	err_t e = directory_begin(call, &d);

	if (!e && user)
		e = directory_find_user(&d, user, &account);
	if (!e)
		e = key_store_list(d.db, account ? account->user_id : 0, KEY_LIST_MAX, &keys,
				   &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		list_key(call, listing, &keys[i]);
	listing_print(listing, stdout);
	return directory_commit(&d);
}

err_t key_command_revoke(struct command_call *call)
{
	struct directory d;
	int64_t key_id;
	bool found;
	err_t e;

	if (!str_to_int64(str_of(call->argument[0]), 1, INT64_MAX, &key_id))
		return err_new(call->arena, ERR_INVALID,
			       "invalid key number: see \"cairnd key list\"");
	e = directory_begin(call, &d);
	if (!e)
		e = key_store_revoke(d.db, key_id, d.now, &found);
	if (e)
		return e;
	if (!found)
		return err_new(call->arena, ERR_NOT_FOUND, "the key %" PRId64 " does not exist",
			       key_id);
	e = directory_note_key(&d, AUDIT_KEY_REVOKE, key_id, "");
	return e ? e : directory_commit(&d);
}
