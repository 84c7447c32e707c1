#include "db_scratch.h"

#include <string.h>

#include "arena.h"
#include "db_conn.h"
#include "db_sql.h"

#define SCRATCH_LOCK INT64_C(0x63726c6c) /* "crll" */
#define COMMENT "made by cairnd backup --verify, to be dropped"
#define MAY_NOT "42501" /* insufficient_privilege */

struct scratch_row {
	struct str quoted;
	struct str name;
	bool is_there;
	bool is_ours;
};
static const struct db_column scratch_columns[] = {
	DB_COLUMN(struct scratch_row, quoted),
	DB_COLUMN(struct scratch_row, name),
	DB_COLUMN(struct scratch_row, is_there),
	DB_COLUMN(struct scratch_row, is_ours),
};
static const struct db_row_table scratch_table = DB_ROW_TABLE(struct scratch_row, scratch_columns);

struct yes_row {
	bool yes;
};
static const struct db_column yes_columns[] = { DB_COLUMN(struct yes_row, yes) };
static const struct db_row_table yes_table = DB_ROW_TABLE(struct yes_row, yes_columns);

/* ---- the way to it ------------------------------------------------------------------------------ */

/* keyword='value' of libpq */
static void add_member(struct buf *text, const char *keyword, const char *value)
{
	buf_printf(text, "%s='", keyword);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			buf_add_byte(text, '\\');
		buf_add_byte(text, *value);
	}
	buf_add_text(text, "' ");
}

/* The URL of another database on the same server. */
static const char *url_of(struct db *db, const char *name)
{
	PQconninfoOption *options = PQconninfo(db->pg);
	struct buf *text = buf_new(db->arena);

	for (const PQconninfoOption *o = options; o && o->keyword; o++) {
		if (o->val && *o->val && strcmp(o->keyword, "dbname") != 0)
			add_member(text, o->keyword, o->val);
	}
	PQconninfoFree(options);
	add_member(text, "dbname", name);
	return str_copy(db->arena, buf_str(text));
}

/* ---- make, drop --------------------------------------------------------------------------------- */

static err_t lock(struct db *db)
{
	void *row;
	err_t e = db_first(db, &STMT_db_try_lock, DB_ARGS(P_INT8(SCRATCH_LOCK)), &yes_table, &row);

	if (!e && !((struct yes_row *)row)->yes)
		return err_new(db->arena, ERR_BUSY, "another command is verifying a backup");
	db->held = !e;
	return e;
}

static void unlock(struct db *db)
{
	err_t e = db_exec(db, &STMT_db_unlock, DB_ARGS(P_INT8(SCRATCH_LOCK)), NULL);

	(void)e; /* it ends with the connection */
	db->held = false;
}

static err_t drop(struct db *db, const char *quoted)
{
	return db_simple(db, "drop a scratch database",
			 arena_printf(db->arena, "drop database %s with (force)", quoted));
}

static err_t refuse(struct db *db, err_t why)
{
	struct err *e = err_new(db->arena, ERR_PRECONDITION, "%s", err_chain(db->arena, why));

	e->hint = "allow the role to create databases (alter role … createdb), or restore the "
		  "backup into a spare data directory: cairnd restore FILE --data-dir DIRECTORY";
	return e;
}

static err_t create(struct db *db, const char *quoted)
{
	err_t e = db_simple(db, "create a scratch database",
			    arena_printf(db->arena,
					 "create database %s template template0 encoding 'UTF8'",
					 quoted));

	if (e)
		return db_err_is(e, MAY_NOT) ? refuse(db, e) : e;
	e = db_simple(db, "name a scratch database",
		      arena_printf(db->arena, "comment on database %s is '" COMMENT "'", quoted));
	if (e && !drop(db, quoted))
		return e;
	return e;
}

static err_t make(struct db *db, struct db_scratch *ret_scratch)
{
	struct scratch_row *row;
	const char *quoted;
	err_t e = db_first(db, &STMT_db_scratch, DB_ARGS(P_TEXT(COMMENT)), &scratch_table,
			   (void **)&row);

	if (e)
		return e;
	quoted = str_copy(db->arena, row->quoted);
	if (row->is_there && !row->is_ours)
		return err_new(db->arena, ERR_PRECONDITION,
			       "the database %s exists, but was not created by this command",
			       quoted);
	if (row->is_there)
		e = drop(db, quoted);
	if (!e)
		e = create(db, quoted);
	if (e)
		return e;
	*ret_scratch = (struct db_scratch){
		.url = url_of(db, str_copy(db->arena, row->name)),
		.quoted = quoted,
	};
	return NULL;
}

err_t db_scratch_make(struct db *db, struct db_scratch *ret_scratch)
{
	err_t e = lock(db);

	if (e)
		return e;
	e = make(db, ret_scratch);
	if (e)
		unlock(db);
	return e;
}

err_t db_scratch_drop(struct db *db, const struct db_scratch *scratch)
{
	err_t e = drop(db, scratch->quoted);

	unlock(db);
	return e;
}
