#include "link_store.h"

#include "entity_store.h"
#include "id.h"
#include "store_sql.h"

enum { PURGE_ROWS = 1000 };

static const struct db_column link_columns[] = {
	DB_COLUMN(struct account_link, link_id),  DB_COLUMN(struct account_link, kind),
	DB_COLUMN(struct account_link, user_id),  DB_COLUMN(struct account_link, user),
	DB_COLUMN(struct account_link, is_admin), DB_COLUMN(struct account_link, team_id),
	DB_COLUMN(struct account_link, team),     DB_COLUMN(struct account_link, role),
	DB_COLUMN(struct account_link, note),     DB_COLUMN(struct account_link, made_by),
	DB_COLUMN(struct account_link, maker),    DB_COLUMN(struct account_link, created_at),
	DB_COLUMN(struct account_link, ends_at),
};
static const struct db_row_table link_table = DB_ROW_TABLE(struct account_link, link_columns);

static struct str hash_bytes(const unsigned char *hash)
{
	return (struct str){ (const char *)hash, KEY_HASH_SIZE };
}

static struct db_param id_or_null(int64_t id)
{
	return (struct db_param){ .type = DB_INT8, .number = id, .null = !id };
}

static struct db_param role_or_null(int16_t role)
{
	return (struct db_param){ .type = DB_INT2, .number = role, .null = !role };
}

err_t link_store_list(struct db *db, timestamp_us now, int64_t after, int64_t limit,
		      struct account_link **ret_links, size_t *ret_count)
{
	return db_all(db, &STMT_link_list, DB_ARGS(P_TIME(now), P_INT8(after), P_INT8(limit)),
		      &link_table, (void **)ret_links, ret_count);
}

err_t link_store_find(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
		      timestamp_us now, struct account_link **ret_link)
{
	return db_first(db, &STMT_link_find, DB_ARGS(P_TIME(now), P_BYTEA(hash_bytes(hash))),
			&link_table, (void **)ret_link);
}

err_t link_store_find_id(struct db *db, int64_t link_id, timestamp_us now,
			 struct account_link **ret_link)
{
	return db_first(db, &STMT_link_find_id, DB_ARGS(P_TIME(now), P_INT8(link_id)), &link_table,
			(void **)ret_link);
}

static err_t check_maker(struct db *db, int64_t user_id)
{
	struct account *maker = NULL;
	err_t e = account_store_find_id(db, user_id, &maker);

	if (e || (maker && maker->is_admin && !maker->disabled_at.us))
		return e;
	return err_new(db_arena(db), ERR_FORBIDDEN, "you are not an admin of the server any more");
}

static err_t check_user(struct db *db, const struct account_link *link)
{
	struct account *user = NULL;
	err_t e = account_store_find_id(db, link->user_id, &user);

	if (e || (user && !user->disabled_at.us))
		return e;
	return err_field(db_arena(db), ERR_CONFLICT, "user",
			 "the user \"%.*s\" is disabled: enable the user first",
			 STR_ARG(link->user));
}

/* Accounts are locked before links, by all who change both: a link is not made beside a change that ends it. */
static err_t lock_accounts(struct db *db, const struct account_link *link)
{
	err_t e = NULL;

	if (link->made_by)
		e = account_store_lock_admins(db);
	if (!e && link->made_by)
		e = check_maker(db, link->made_by);
	if (!e && link->user_id)
		e = account_store_lock(db, link->user_id);
	return e || !link->user_id ? e : check_user(db, link);
}

/* Expired rows go, and links that the new one replaces; then there must be room. */
static err_t make_room(struct db *db, const struct account_link *link)
{
	int64_t count;
	err_t e = db_exec(db, &STMT_link_purge,
			  DB_ARGS(P_TIME(link->created_at), P_INT8(PURGE_ROWS)), NULL);

	if (!e && link->user_id)
		e = link_store_remove_user(db, link->user_id);
	if (!e)
		e = db_number(db, &STMT_link_count, DB_ARGS(P_TIME(link->created_at)), &count);
	if (e || count < ACCOUNT_LINKS_MAX)
		return e;
	return err_new(db_arena(db), ERR_UNPROCESSABLE,
		       "there are %d valid links, the limit: revoke some", ACCOUNT_LINKS_MAX);
}

err_t link_store_insert(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			struct account_link *link)
{
	err_t e = lock_accounts(db, link);

	if (!e)
		e = make_room(db, link);
	if (e)
		return e;
	link->link_id = id_snowflake();
	return db_exec(db, &STMT_link_insert,
		       DB_ARGS(P_INT8(link->link_id), P_INT2(link->kind), P_BYTEA(hash_bytes(hash)),
			       id_or_null(link->user_id), P_BOOL(link->is_admin),
			       id_or_null(link->team_id), role_or_null(link->role),
			       P_STR(link->note), id_or_null(link->made_by),
			       P_TIME(link->created_at), P_TIME(link->ends_at)),
		       NULL);
}

err_t link_store_remove(struct db *db, int64_t link_id, bool *ret_removed)
{
	int64_t removed = 0;
	err_t e = db_exec(db, &STMT_link_remove, DB_ARGS(P_INT8(link_id)), &removed);

	*ret_removed = removed > 0;
	return e;
}

err_t link_store_remove_user(struct db *db, int64_t user_id)
{
	return db_exec(db, &STMT_link_remove_user, DB_ARGS(P_INT8(user_id)), NULL);
}

err_t link_store_remove_maker(struct db *db, int64_t user_id)
{
	return db_exec(db, &STMT_link_remove_maker, DB_ARGS(P_INT8(user_id)), NULL);
}

err_t link_store_remove_all(struct db *db, int64_t user_id)
{
	err_t e = link_store_remove_user(db, user_id);

	return e ? e : link_store_remove_maker(db, user_id);
}

err_t link_store_remove_every(struct db *db, int64_t *ret_count)
{
	*ret_count = 0;
	return db_exec(db, &STMT_link_remove_every, DB_NO_ARGS, ret_count);
}

const struct db_stmt_check link_store_checks[] = {
	{ &STMT_link_list, &link_table },    { &STMT_link_find, &link_table },
	{ &STMT_link_find_id, &link_table }, { &STMT_link_count, &db_number_table },
	{ &STMT_link_insert, NULL },         { &STMT_link_remove, NULL },
	{ &STMT_link_remove_user, NULL },    { &STMT_link_remove_maker, NULL },
	{ &STMT_link_remove_every, NULL },   { &STMT_link_purge, NULL },
};
const size_t link_store_check_count = sizeof(link_store_checks) / sizeof(link_store_checks[0]);
