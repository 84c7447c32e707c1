#include "entity_store.h"

#include "id.h"
#include "store_sql.h"

static const struct db_column entity_columns[] = {
	DB_COLUMN(struct entity, entity_id),     DB_COLUMN(struct entity, name),
	DB_COLUMN(struct entity, kind),          DB_COLUMN(struct entity, role),
	DB_COLUMN(struct entity, created_at),    DB_COLUMN(struct entity, members),
	DB_COLUMN(struct entity, quota_bytes),   DB_COLUMN(struct entity, size_bytes),
	DB_COLUMN(struct entity, deleted_bytes),
};
static const struct db_row_table entity_table = DB_ROW_TABLE(struct entity, entity_columns);

static const struct db_column team_columns[] = {
	DB_COLUMN(struct team, entity_id),
	DB_COLUMN(struct team, name),
	DB_COLUMN(struct team, members),
	DB_COLUMN(struct team, created_at),
};
static const struct db_row_table team_table = DB_ROW_TABLE(struct team, team_columns);

static const struct db_column member_columns[] = {
	DB_COLUMN(struct team_member, name),
	DB_COLUMN(struct team_member, role),
	DB_COLUMN(struct team_member, created_at),
};
static const struct db_row_table member_table = DB_ROW_TABLE(struct team_member, member_columns);

static const struct db_column account_columns[] = {
	DB_COLUMN(struct account, user_id),        DB_COLUMN(struct account, name),
	DB_COLUMN(struct account, is_admin),       DB_COLUMN(struct account, is_service),
	DB_COLUMN(struct account, has_password),   DB_COLUMN(struct account, default_entity_id),
	DB_COLUMN(struct account, default_entity), DB_COLUMN(struct account, created_at),
	DB_NULLABLE(struct account, disabled_at),
};
static const struct db_row_table account_table = DB_ROW_TABLE(struct account, account_columns);

static const struct db_column seen_columns[] = {
	DB_COLUMN(struct account_seen, user_id),       DB_COLUMN(struct account_seen, name),
	DB_COLUMN(struct account_seen, is_admin),      DB_COLUMN(struct account_seen, is_service),
	DB_COLUMN(struct account_seen, has_password),  DB_COLUMN(struct account_seen, created_at),
	DB_NULLABLE(struct account_seen, disabled_at), DB_NULLABLE(struct account_seen, seen_at),
	DB_COLUMN(struct account_seen, keys),          DB_COLUMN(struct account_seen, teams),
};
static const struct db_row_table seen_table = DB_ROW_TABLE(struct account_seen, seen_columns);

static const struct db_column password_columns[] = {
	DB_COLUMN(struct account_password, user_id),
	DB_COLUMN(struct account_password, password_hash),
};
static const struct db_row_table password_table =
	DB_ROW_TABLE(struct account_password, password_columns);

struct user_id_row {
	int64_t user_id;
};
static const struct db_column user_id_columns[] = { DB_COLUMN(struct user_id_row, user_id) };
static const struct db_row_table user_id_table = DB_ROW_TABLE(struct user_id_row, user_id_columns);

struct there_row {
	bool there;
};
static const struct db_column there_columns[] = { DB_COLUMN(struct there_row, there) };
static const struct db_row_table there_table = DB_ROW_TABLE(struct there_row, there_columns);

static err_t insert_entity(struct db *db, struct str name, enum entity_kind kind, timestamp_us now,
			   int64_t *ret_entity_id)
{
	int64_t entity_id = id_snowflake();
	int64_t made;
	err_t e = db_exec(db, &STMT_entity_insert,
			  DB_ARGS(P_INT8(entity_id), P_STR(name), P_INT2(kind), P_TIME(now)),
			  &made);

	if (e)
		return e;
	if (!made)
		return err_new(db_arena(db), ERR_CONFLICT, "the name \"%.*s\" is taken",
			       STR_ARG(name));
	*ret_entity_id = entity_id;
	return NULL;
}

err_t entity_store_add_user(struct db *db, const struct account_new *account, timestamp_us now,
			    int64_t *ret_user_id)
{
	int64_t user_id;
	err_t e = insert_entity(db, account->name, ENTITY_USER, now, &user_id);

	if (e)
		return e;
	e = db_exec(db, &STMT_account_insert,
		    DB_ARGS(P_INT8(user_id), P_BOOL(account->is_admin), P_BOOL(account->is_service),
			    P_TIME(now)),
		    NULL);
	if (e)
		return e;
	*ret_user_id = user_id;
	return NULL;
}

err_t entity_store_add_team(struct db *db, struct str name, timestamp_us now, int64_t *ret_team_id)
{
	return insert_entity(db, name, ENTITY_TEAM, now, ret_team_id);
}

err_t entity_store_lock(struct db *db, int64_t entity_id)
{
	return db_exec(db, &STMT_entity_lock, DB_ARGS(P_INT8(entity_id)), NULL);
}

err_t entity_store_find(struct db *db, struct str name, struct entity **ret_entity)
{
	return db_first(db, &STMT_entity_find, DB_ARGS(P_STR(name)), &entity_table,
			(void **)ret_entity);
}

err_t entity_store_list(struct db *db, const struct entity_ask *ask, struct entity **ret_entities,
			size_t *ret_count)
{
	return db_all(db, &STMT_entity_list,
		      DB_ARGS(P_INT8(ask->user_id), P_BOOL(ask->which == ENTITY_LIST_ALL),
			      P_STR(ask->after), P_INT2(ask->kind), P_INT8(ask->limit)),
		      &entity_table, (void **)ret_entities, ret_count);
}

err_t entity_store_list_teams(struct db *db, int64_t limit, struct team **ret_teams,
			      size_t *ret_count)
{
	return db_all(db, &STMT_team_list, DB_ARGS(P_INT8(limit)), &team_table, (void **)ret_teams,
		      ret_count);
}

err_t entity_store_list_members(struct db *db, int64_t team_id, struct str after, int64_t limit,
				struct team_member **ret_members, size_t *ret_count)
{
	return db_all(db, &STMT_team_member_list,
		      DB_ARGS(P_INT8(team_id), P_STR(after), P_INT8(limit)), &member_table,
		      (void **)ret_members, ret_count);
}

static err_t is_there(struct db *db, const struct db_stmt *stmt, struct db_args args,
		      bool *ret_there)
{
	struct there_row *row;
	err_t e = db_first(db, stmt, args, &there_table, (void **)&row);

	if (e)
		return e;
	*ret_there = row->there;
	return NULL;
}

err_t entity_store_has_admin(struct db *db, int64_t team_id, bool *ret_there)
{
	return is_there(db, &STMT_team_admin_there, DB_ARGS(P_INT8(team_id)), ret_there);
}

err_t entity_store_find_member(struct db *db, int64_t team_id, struct str name, int64_t beside_id,
			       int64_t *ret_user_id)
{
	struct user_id_row *row;
	err_t e = db_first(db, &STMT_team_member_find,
			   DB_ARGS(P_INT8(team_id), P_STR(name), P_INT8(beside_id)), &user_id_table,
			   (void **)&row);

	if (e)
		return e;
	*ret_user_id = row ? row->user_id : 0;
	return NULL;
}

err_t entity_store_save_member(struct db *db, int64_t team_id, int64_t user_id,
			       enum entity_role role, timestamp_us now, bool *ret_changed)
{
	int64_t changed = 0;
	err_t e = db_exec(db, &STMT_team_member_save,
			  DB_ARGS(P_INT8(team_id), P_INT8(user_id), P_INT2(role), P_TIME(now)),
			  &changed);

	*ret_changed = changed > 0;
	return e;
}

err_t entity_store_remove_member(struct db *db, int64_t team_id, int64_t user_id, bool *ret_was)
{
	int64_t removed;
	err_t e = db_exec(db, &STMT_team_member_remove, DB_ARGS(P_INT8(team_id), P_INT8(user_id)),
			  &removed);

	if (e)
		return e;
	*ret_was = removed > 0;
	return NULL;
}

err_t account_store_find(struct db *db, struct str name, struct account **ret_account)
{
	return db_first(db, &STMT_account_find, DB_ARGS(P_STR(name)), &account_table,
			(void **)ret_account);
}

err_t account_store_find_seen(struct db *db, struct str name, int64_t by_user_id,
			      struct account **ret_account)
{
	return db_first(db, &STMT_account_find_seen, DB_ARGS(P_STR(name), P_INT8(by_user_id)),
			&account_table, (void **)ret_account);
}

err_t account_store_find_password(struct db *db, struct str name,
				  struct account_password **ret_password)
{
	return db_first(db, &STMT_account_password, DB_ARGS(P_STR(name)), &password_table,
			(void **)ret_password);
}

err_t account_store_exists(struct db *db, bool *ret_there)
{
	return is_there(db, &STMT_account_exists, DB_ARGS(), ret_there);
}

err_t account_store_list(struct db *db, struct str after, int64_t limit,
			 struct account **ret_accounts, size_t *ret_count)
{
	return db_all(db, &STMT_account_list, DB_ARGS(P_STR(after), P_INT8(limit)), &account_table,
		      (void **)ret_accounts, ret_count);
}

err_t account_store_list_seen(struct db *db, struct str after, int64_t limit,
			      struct account_seen **ret_accounts, size_t *ret_count)
{
	return db_all(db, &STMT_account_seen_list, DB_ARGS(P_STR(after), P_INT8(limit)),
		      &seen_table, (void **)ret_accounts, ret_count);
}

err_t account_store_find_seen_all(struct db *db, struct str name, struct account_seen **ret_account)
{
	return db_first(db, &STMT_account_seen_find, DB_ARGS(P_STR(name)), &seen_table,
			(void **)ret_account);
}

err_t account_store_lock_admins(struct db *db)
{
	return db_exec(db, &STMT_account_lock_admins, DB_NO_ARGS, NULL);
}

err_t account_store_lock(struct db *db, int64_t user_id)
{
	return db_exec(db, &STMT_account_lock, DB_ARGS(P_INT8(user_id)), NULL);
}

err_t account_store_find_id(struct db *db, int64_t user_id, struct account **ret_account)
{
	return db_first(db, &STMT_account_find_id, DB_ARGS(P_INT8(user_id)), &account_table,
			(void **)ret_account);
}

err_t account_store_has_other_admin(struct db *db, int64_t user_id, bool *ret_there)
{
	return is_there(db, &STMT_account_other_admin, DB_ARGS(P_INT8(user_id)), ret_there);
}

err_t account_store_save_admin(struct db *db, int64_t user_id, bool is_admin, bool *ret_changed)
{
	int64_t changed = 0;
	err_t e = db_exec(db, &STMT_account_save_admin, DB_ARGS(P_INT8(user_id), P_BOOL(is_admin)),
			  &changed);

	*ret_changed = changed > 0;
	return e;
}

err_t account_store_disable(struct db *db, int64_t user_id, timestamp_us now, bool *ret_changed)
{
	int64_t changed = 0;
	err_t e =
		db_exec(db, &STMT_account_disable, DB_ARGS(P_INT8(user_id), P_TIME(now)), &changed);

	*ret_changed = changed > 0;
	return e;
}

err_t account_store_enable(struct db *db, int64_t user_id, bool *ret_changed)
{
	int64_t changed = 0;
	err_t e = db_exec(db, &STMT_account_enable, DB_ARGS(P_INT8(user_id)), &changed);

	*ret_changed = changed > 0;
	return e;
}

err_t account_store_save_password(struct db *db, int64_t user_id, const char *hash)
{
	return db_exec(db, &STMT_account_save_password, DB_ARGS(P_INT8(user_id), P_TEXT(hash)),
		       NULL);
}

err_t account_store_change_password(struct db *db, const struct account_password *account,
				    const char *hash, bool *ret_changed)
{
	int64_t changed;
	err_t e = db_exec(db, &STMT_account_change_password,
			  DB_ARGS(P_INT8(account->user_id), P_STR(account->password_hash),
				  P_TEXT(hash)),
			  &changed);

	if (!e)
		*ret_changed = changed > 0;
	return e;
}

err_t account_store_save_default(struct db *db, int64_t user_id, int64_t entity_id)
{
	return db_exec(db, &STMT_account_save_default, DB_ARGS(P_INT8(user_id), P_INT8(entity_id)),
		       NULL);
}

const struct db_stmt_check entity_store_checks[] = {
	{ &STMT_entity_insert, NULL },
	{ &STMT_entity_lock, NULL },
	{ &STMT_entity_find, &entity_table },
	{ &STMT_entity_list, &entity_table },
	{ &STMT_team_list, &team_table },
	{ &STMT_team_member_list, &member_table },
	{ &STMT_team_admin_there, &there_table },
	{ &STMT_team_member_find, &user_id_table },
	{ &STMT_team_member_save, NULL },
	{ &STMT_team_member_remove, NULL },
	{ &STMT_account_insert, NULL },
	{ &STMT_account_password, &password_table },
	{ &STMT_account_exists, &there_table },
	{ &STMT_account_list, &account_table },
	{ &STMT_account_find, &account_table },
	{ &STMT_account_find_seen, &account_table },
	{ &STMT_account_seen_list, &seen_table },
	{ &STMT_account_seen_find, &seen_table },
	{ &STMT_account_lock_admins, NULL },
	{ &STMT_account_other_admin, &there_table },
	{ &STMT_account_lock, NULL },
	{ &STMT_account_find_id, &account_table },
	{ &STMT_account_save_admin, NULL },
	{ &STMT_account_disable, NULL },
	{ &STMT_account_enable, NULL },
	{ &STMT_account_save_password, NULL },
	{ &STMT_account_change_password, NULL },
	{ &STMT_account_save_default, NULL },
};
const size_t entity_store_check_count = sizeof(entity_store_checks) /
					sizeof(entity_store_checks[0]);
