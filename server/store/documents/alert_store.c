#include "alert_store.h"

#include "store_sql.h"

static const struct db_column last_columns[] = {
	DB_COLUMN(struct alert, number),
	DB_COLUMN(struct alert, created_at),
};
static const struct db_row_table last_table = DB_ROW_TABLE(struct alert, last_columns);

static const struct db_column alert_columns[] = {
	DB_COLUMN(struct alert, number),      DB_COLUMN(struct alert, title),
	DB_COLUMN(struct alert, text),        DB_COLUMN(struct alert, level),
	DB_COLUMN(struct alert, writer),      DB_NULLABLE(struct alert, label),
	DB_NULLABLE(struct alert, user_name), DB_COLUMN(struct alert, created_at),
	DB_COLUMN(struct alert, repeats),     DB_NULLABLE(struct alert, repeated_at),
	DB_COLUMN(struct alert, delivery),    DB_COLUMN(struct alert, tries),
	DB_NULLABLE(struct alert, tried_at),  DB_NULLABLE(struct alert, due_at),
	DB_COLUMN(struct alert, status),      DB_COLUMN(struct alert, fault),
};
static const struct db_row_table alert_table = DB_ROW_TABLE(struct alert, alert_columns);

static const struct db_column delivery_columns[] = {
	DB_COLUMN(struct alert_delivery_row, run_id),
	DB_COLUMN(struct alert_delivery_row, number),
	DB_COLUMN(struct alert_delivery_row, project_id),
	DB_COLUMN(struct alert_delivery_row, tries),
};
static const struct db_row_table delivery_table =
	DB_ROW_TABLE(struct alert_delivery_row, delivery_columns);

static const struct db_column webhook_columns[] = {
	DB_COLUMN(struct webhook, url),
	DB_BYTES(struct webhook, secret),
	DB_COLUMN(struct webhook, changed_at),
};
static const struct db_row_table webhook_table = DB_ROW_TABLE(struct webhook, webhook_columns);

err_t alert_store_find_last(struct db *db, int64_t run_id, struct str title,
			    struct alert **ret_alert)
{
	return db_first(db, &STMT_alert_find_last, DB_ARGS(P_INT8(run_id), P_STR(title)),
			&last_table, (void **)ret_alert);
}

err_t alert_store_insert(struct db *db, int64_t run_id, int64_t project_id, int64_t user_id,
			 const struct alert *alert)
{
	err_t e = db_exec(db, &STMT_alert_insert,
			  DB_ARGS(P_INT8(run_id), P_INT4(alert->number), P_STR(alert->title),
				  P_STR(alert->text), P_INT2(alert->level), P_INT4(alert->writer),
				  P_INT8(user_id), P_TIME(alert->created_at),
				  P_INT2(alert->delivery)),
			  NULL);

	if (!e)
		e = db_exec(db, &STMT_alert_count, DB_ARGS(P_INT8(run_id), P_INT4(alert->number)),
			    NULL);
	if (e || alert->delivery != ALERT_WAITING)
		return e;
	return db_exec(db, &STMT_alert_delivery_insert,
		       DB_ARGS(P_INT8(run_id), P_INT4(alert->number), P_INT8(project_id),
			       P_TIME(alert->created_at)),
		       NULL);
}

err_t alert_store_repeat(struct db *db, int64_t run_id, int32_t number, timestamp_us now)
{
	return db_exec(db, &STMT_alert_repeat, DB_ARGS(P_INT8(run_id), P_INT4(number), P_TIME(now)),
		       NULL);
}

err_t alert_store_list(struct db *db, int64_t run_id, int32_t after, int64_t limit,
		       struct alert **ret_alerts, size_t *ret_count)
{
	return db_all(db, &STMT_alert_list, DB_ARGS(P_INT8(run_id), P_INT4(after), P_INT8(limit)),
		      &alert_table, (void **)ret_alerts, ret_count);
}

/* ---- sending ------------------------------------------------------------------------------------ */

err_t alert_store_take(struct db *db, const struct alert_take *take,
		       struct alert_delivery_row **ret_row)
{
	return db_first(db, &STMT_alert_delivery_take,
			DB_ARGS(P_TIME(take->now), P_TIME(take->until),
				P_ARRAY(DB_INT8_ARRAY, take->projects_left_alone, take->count)),
			&delivery_table, (void **)ret_row);
}

static err_t leave_list(struct db *db, const struct alert_delivery_row *row,
			const struct alert *alert, int64_t *ret_was)
{
	if (alert->delivery != ALERT_WAITING)
		return db_exec(db, &STMT_alert_delivery_end,
			       DB_ARGS(P_INT8(row->run_id), P_INT4(row->number),
				       P_INT4(row->tries)),
			       ret_was);
	return db_exec(db, &STMT_alert_delivery_put_off,
		       DB_ARGS(P_INT8(row->run_id), P_INT4(row->number), P_INT4(row->tries),
			       P_TIME(alert->due_at)),
		       ret_was);
}

err_t alert_store_tried(struct db *db, const struct alert_delivery_row *row,
			const struct alert *alert)
{
	int64_t was;
	err_t e = leave_list(db, row, alert, &was);

	if (e || !was)
		return e;
	return db_exec(db, &STMT_alert_tried,
		       DB_ARGS(P_INT8(row->run_id), P_INT4(row->number), P_INT2(alert->delivery),
			       P_INT4(row->tries), P_TIME(alert->tried_at), P_INT4(alert->status),
			       P_STR(alert->fault)),
		       NULL);
}

err_t alert_store_hurry(struct db *db, int64_t project_id, timestamp_us now)
{
	return db_exec(db, &STMT_alert_delivery_hurry, DB_ARGS(P_INT8(project_id), P_TIME(now)),
		       NULL);
}

/* ---- where to ------------------------------------------------------------------------------------ */

err_t webhook_store_find(struct db *db, int64_t project_id, struct webhook **ret_webhook)
{
	return db_first(db, &STMT_webhook_find, DB_ARGS(P_INT8(project_id)), &webhook_table,
			(void **)ret_webhook);
}

err_t webhook_store_save(struct db *db, int64_t project_id, const struct webhook *webhook)
{
	struct db_param secret = P_BYTEA(webhook->secret);

	secret.null = !webhook->secret.len;
	return db_exec(db, &STMT_webhook_save,
		       DB_ARGS(P_INT8(project_id), P_STR(webhook->url), secret,
			       P_TIME(webhook->changed_at)),
		       NULL);
}

err_t webhook_store_remove(struct db *db, int64_t project_id, bool *ret_was)
{
	int64_t removed = 0;
	err_t e = db_exec(db, &STMT_webhook_remove, DB_ARGS(P_INT8(project_id)), &removed);

	*ret_was = removed > 0;
	return e;
}

const struct db_stmt_check alert_store_checks[] = {
	{ &STMT_alert_count, NULL },           { &STMT_alert_find_last, &last_table },
	{ &STMT_alert_insert, NULL },          { &STMT_alert_repeat, NULL },
	{ &STMT_alert_list, &alert_table },    { &STMT_alert_tried, NULL },
	{ &STMT_alert_delivery_insert, NULL }, { &STMT_alert_delivery_take, &delivery_table },
	{ &STMT_alert_delivery_end, NULL },    { &STMT_alert_delivery_put_off, NULL },
	{ &STMT_alert_delivery_hurry, NULL },  { &STMT_webhook_find, &webhook_table },
	{ &STMT_webhook_save, NULL },          { &STMT_webhook_remove, NULL },
};
const size_t alert_store_check_count = sizeof(alert_store_checks) / sizeof(alert_store_checks[0]);
