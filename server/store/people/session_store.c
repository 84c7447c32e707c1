#include "session_store.h"

#include "store_sql.h"

enum { PURGE_ROWS = 1000 };

static const struct db_column session_columns[] = {
	DB_COLUMN(struct session, user_id),    DB_COLUMN(struct session, user),
	DB_COLUMN(struct session, is_admin),   DB_COLUMN(struct session, default_entity_id),
	DB_COLUMN(struct session, created_at), DB_COLUMN(struct session, seen_at),
	DB_COLUMN(struct session, ends_at),
};
static const struct db_row_table session_table = DB_ROW_TABLE(struct session, session_columns);

static const struct db_column row_columns[] = {
	DB_COLUMN(struct session_row, id),         DB_COLUMN(struct session_row, is_current),
	DB_COLUMN(struct session_row, created_at), DB_COLUMN(struct session_row, seen_at),
	DB_COLUMN(struct session_row, ends_at),
};
static const struct db_row_table row_table = DB_ROW_TABLE(struct session_row, row_columns);

static struct str hash_bytes(const unsigned char *hash)
{
	return (struct str){ (const char *)hash, KEY_HASH_SIZE };
}

err_t session_store_find(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			 timestamp_us now, struct session **ret_session)
{
	return db_first(db, &STMT_session_find, DB_ARGS(P_BYTEA(hash_bytes(hash)), P_TIME(now)),
			&session_table, (void **)ret_session);
}

static err_t tidy(struct db *db, const struct session *session)
{
	err_t e = db_exec(db, &STMT_session_end_surplus,
			  DB_ARGS(P_INT8(session->user_id), P_INT8(SESSION_USER_MAX)), NULL);

	if (e)
		return e;
	return db_exec(db, &STMT_session_purge,
		       DB_ARGS(P_TIME(session->created_at), P_INT8(PURGE_ROWS)), NULL);
}

err_t session_store_insert(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			   const struct session *session, struct str password_hash, bool *ret_made)
{
	int64_t made;
	err_t e = db_exec(db, &STMT_session_insert,
			  DB_ARGS(P_BYTEA(hash_bytes(hash)), P_INT8(session->user_id),
				  P_TIME(session->created_at), P_TIME(session->seen_at),
				  P_TIME(session->ends_at), P_STR(password_hash)),
			  &made);

	if (e)
		return e;
	*ret_made = made > 0;
	return made ? tidy(db, session) : NULL;
}

err_t session_store_save(struct db *db, const unsigned char hash[static KEY_HASH_SIZE],
			 const struct session *session)
{
	return db_exec(db, &STMT_session_save,
		       DB_ARGS(P_BYTEA(hash_bytes(hash)), P_TIME(session->seen_at),
			       P_TIME(session->ends_at)),
		       NULL);
}

err_t session_store_end(struct db *db, const unsigned char hash[static KEY_HASH_SIZE])
{
	return db_exec(db, &STMT_session_end, DB_ARGS(P_BYTEA(hash_bytes(hash))), NULL);
}

err_t session_store_end_all(struct db *db, int64_t user_id, int64_t *ret_count)
{
	return db_exec(db, &STMT_session_end_all, DB_ARGS(P_INT8(user_id)), ret_count);
}

err_t session_store_end_others(struct db *db, int64_t user_id,
			       const unsigned char hash[static KEY_HASH_SIZE], int64_t *ret_count)
{
	return db_exec(db, &STMT_session_end_others,
		       DB_ARGS(P_INT8(user_id), P_BYTEA(hash_bytes(hash))), ret_count);
}

err_t session_store_list(struct db *db, int64_t user_id, timestamp_us now,
			 const unsigned char current[static KEY_HASH_SIZE],
			 struct session_row **ret_rows, size_t *ret_count)
{
	return db_all(db, &STMT_session_list,
		      DB_ARGS(P_INT8(user_id), P_TIME(now), P_BYTEA(hash_bytes(current)),
			      P_INT8(SESSION_USER_MAX)),
		      &row_table, (void **)ret_rows, ret_count);
}

err_t session_store_end_one(struct db *db, int64_t user_id, struct str id, bool *ret_found)
{
	int64_t ended;
	err_t e = db_exec(db, &STMT_session_end_one, DB_ARGS(P_INT8(user_id), P_STR(id)), &ended);

	*ret_found = !e && ended;
	return e;
}

const struct db_stmt_check session_store_checks[] = {
	{ &STMT_session_insert, NULL },      { &STMT_session_find, &session_table },
	{ &STMT_session_save, NULL },        { &STMT_session_end, NULL },
	{ &STMT_session_end_all, NULL },     { &STMT_session_end_others, NULL },
	{ &STMT_session_list, &row_table },  { &STMT_session_end_one, NULL },
	{ &STMT_session_end_surplus, NULL }, { &STMT_session_purge, NULL },
};
const size_t session_store_check_count = sizeof(session_store_checks) /
					 sizeof(session_store_checks[0]);
