#include "audit_store.h"

#include "store_sql.h"

static const struct db_column entry_columns[] = {
	DB_COLUMN(struct audit_entry, audit_id), DB_COLUMN(struct audit_entry, at),
	DB_COLUMN(struct audit_entry, actor),    DB_COLUMN(struct audit_entry, way),
	DB_NULLABLE(struct audit_entry, key_id), DB_COLUMN(struct audit_entry, address),
	DB_COLUMN(struct audit_entry, action),   DB_COLUMN(struct audit_entry, entity),
	DB_COLUMN(struct audit_entry, project),  DB_COLUMN(struct audit_entry, run),
	DB_COLUMN(struct audit_entry, subject),  DB_COLUMN(struct audit_entry, detail),
};
static const struct db_row_table entry_table = DB_ROW_TABLE(struct audit_entry, entry_columns);

/* A missing text is empty, not NULL. */
static struct db_param text(struct str s)
{
	return (struct db_param)P_STR(s.at ? s : STR(""));
}

err_t audit_store_insert(struct db *db, const struct audit_entry *entry)
{
	struct db_param key = P_INT8(entry->key_id);

	key.null = !entry->key_id;
	return db_exec(db, &STMT_audit_insert,
		       DB_ARGS(P_TIME(entry->at), text(entry->actor), P_INT2(entry->way), key,
			       text(entry->address), P_STR(entry->action), text(entry->entity),
			       text(entry->project), text(entry->run), text(entry->subject),
			       text(str_head(entry->detail, AUDIT_DETAIL_MAX))),
		       NULL);
}

/* By the index with the fewest entries. */
static const struct db_stmt *list_by(const struct audit_ask *ask)
{
	if (ask->project.len)
		return &STMT_audit_list_project;
	if (ask->actor.len)
		return &STMT_audit_list_actor;
	return ask->entity.len ? &STMT_audit_list_entity : &STMT_audit_list;
}

err_t audit_store_list(struct db *db, const struct audit_ask *ask, struct audit_entry **ret_entries,
		       size_t *ret_count)
{
	return db_all(db, list_by(ask),
		      DB_ARGS(P_INT8(ask->before), P_TIME(ask->since), P_TIME(ask->until),
			      P_STR(ask->actor), P_STR(ask->action), P_STR(ask->entity),
			      P_STR(ask->project), P_INT8(ask->limit), P_TIME(ask->before_at)),
		      &entry_table, (void **)ret_entries, ret_count);
}

err_t audit_store_forget(struct db *db, timestamp_us before, int64_t limit, int64_t *ret_count)
{
	return db_exec(db, &STMT_audit_forget, DB_ARGS(P_TIME(before), P_INT8(limit)), ret_count);
}

err_t audit_store_forget_surplus(struct db *db, int64_t most, int64_t limit, int64_t *ret_count)
{
	return db_exec(db, &STMT_audit_forget_surplus, DB_ARGS(P_INT8(most), P_INT8(limit)),
		       ret_count);
}

const struct db_stmt_check audit_store_checks[] = {
	{ &STMT_audit_insert, NULL },
	{ &STMT_audit_list, &entry_table },
	{ &STMT_audit_list_actor, &entry_table },
	{ &STMT_audit_list_entity, &entry_table },
	{ &STMT_audit_list_project, &entry_table },
	{ &STMT_audit_forget, NULL },
	{ &STMT_audit_forget_surplus, NULL },
};
const size_t audit_store_check_count = sizeof(audit_store_checks) / sizeof(audit_store_checks[0]);
