#include "key_store.h"

#include "id.h"
#include "store_sql.h"

static const struct db_column key_columns[] = {
	DB_COLUMN(struct key, key_id),         DB_COLUMN(struct key, user_id),
	DB_COLUMN(struct key, user),           DB_COLUMN(struct key, name),
	DB_COLUMN(struct key, head),           DB_COLUMN(struct key, hint),
	DB_COLUMN(struct key, scope),          DB_COLUMN(struct key, created_at),
	DB_NULLABLE(struct key, last_used_at), DB_COLUMN(struct key, last_address),
	DB_NULLABLE(struct key, revoked_at),
};
static const struct db_row_table key_table = DB_ROW_TABLE(struct key, key_columns);

static const struct db_column owner_columns[] = {
	DB_COLUMN(struct key_owner, key_id),
	DB_COLUMN(struct key_owner, scope),
	DB_COLUMN(struct key_owner, user_id),
	DB_COLUMN(struct key_owner, user),
	DB_COLUMN(struct key_owner, is_admin),
	DB_COLUMN(struct key_owner, is_service),
	DB_COLUMN(struct key_owner, default_entity_id),
	DB_COLUMN(struct key_owner, stale),
};
static const struct db_row_table owner_table = DB_ROW_TABLE(struct key_owner, owner_columns);

static struct str hash_bytes(const unsigned char *hash)
{
	return (struct str){ (const char *)hash, KEY_HASH_SIZE };
}

err_t key_store_insert(struct db *db, const struct key_secret *secret, const struct key_new *key,
		       int64_t *ret_key_id)
{
	unsigned char hash[KEY_HASH_SIZE];
	int64_t key_id = id_snowflake();
	int64_t made;
	err_t e;

	key_hash(secret, key->text, hash);
	e = db_exec(db, &STMT_key_insert,
		    DB_ARGS(P_INT8(key_id), P_INT8(key->user_id), P_BYTEA(hash_bytes(hash)),
			    P_STR(key_head(key->text)), P_STR(key_hint(key->text)),
			    P_STR(key->name), P_INT2(key->scope), P_TIME(key->now)),
		    &made);
	if (e)
		return e;
	if (!made)
		return err_new(db_arena(db), ERR_CONFLICT, "this key already exists");
	*ret_key_id = key_id;
	return NULL;
}

err_t key_store_list(struct db *db, int64_t user_id, int64_t limit, struct key **ret_keys,
		     size_t *ret_count)
{
	return db_all(db, &STMT_key_list, DB_ARGS(P_INT8(user_id), P_INT8(limit)), &key_table,
		      (void **)ret_keys, ret_count);
}

err_t key_store_list_own(struct db *db, int64_t user_id, int64_t after, int64_t limit,
			 struct key **ret_keys, size_t *ret_count)
{
	return db_all(db, &STMT_key_list_own,
		      DB_ARGS(P_INT8(user_id), P_INT8(after), P_INT8(limit)), &key_table,
		      (void **)ret_keys, ret_count);
}

err_t key_store_count(struct db *db, int64_t user_id, int64_t *ret_count)
{
	return db_number(db, &STMT_key_count, DB_ARGS(P_INT8(user_id)), ret_count);
}

err_t key_store_revoke_own(struct db *db, int64_t user_id, int64_t key_id, timestamp_us now,
			   bool *ret_found)
{
	int64_t changed;
	err_t e = db_exec(db, &STMT_key_revoke_own,
			  DB_ARGS(P_INT8(user_id), P_INT8(key_id), P_TIME(now)), &changed);

	if (e)
		return e;
	*ret_found = changed > 0;
	return NULL;
}

err_t key_store_revoke(struct db *db, int64_t key_id, timestamp_us now, bool *ret_found)
{
	int64_t changed;
	err_t e = db_exec(db, &STMT_key_revoke, DB_ARGS(P_INT8(key_id), P_TIME(now)), &changed);

	if (e)
		return e;
	*ret_found = changed > 0;
	return NULL;
}

err_t key_store_find_owner(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			   struct key_owner **ret_owner)
{
	return db_first(db, &STMT_key_find_owner, DB_ARGS(P_BYTEA(hash_bytes(hash))), &owner_table,
			(void **)ret_owner);
}

err_t key_store_touch(struct db *db, int64_t key_id, struct str address)
{
	return db_exec(db, &STMT_key_touch, DB_ARGS(P_INT8(key_id), P_STR(address)), NULL);
}

const struct db_stmt_check key_store_checks[] = {
	{ &STMT_key_insert, NULL },
	{ &STMT_key_list, &key_table },
	{ &STMT_key_list_own, &key_table },
	{ &STMT_key_count, &db_number_table },
	{ &STMT_key_revoke_own, NULL },
	{ &STMT_key_revoke, NULL },
	{ &STMT_key_find_owner, &owner_table },
	{ &STMT_key_touch, NULL },
};
const size_t key_store_check_count = sizeof(key_store_checks) / sizeof(key_store_checks[0]);
