#include "db_ours.h"

#include <ctype.h>
#include <string.h>

#include "db_row.h"
#include "postgres_sql.h"

enum { NAMES_MAX = 1000 };

struct name_row {
	struct str name;
};
static const struct db_column name_columns[] = { DB_COLUMN(struct name_row, name) };
static const struct db_row_table name_table = DB_ROW_TABLE(struct name_row, name_columns);

static const struct db_column schema_columns[] = {
	DB_COLUMN(struct db_ours, schema),
	DB_COLUMN(struct db_ours, quoted),
};
static const struct db_row_table schema_table = DB_ROW_TABLE(struct db_ours, schema_columns);

/* ---- names in migrations ------------------------------------------------------------------------ */

static struct str name_at(const char *text)
{
	static const char optional[] = "if not exists ";
	size_t len = 0;

	if (strncmp(text, optional, sizeof(optional) - 1) == 0)
		text += sizeof(optional) - 1;
	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return (struct str){ text, len };
}

void db_ours_names(struct arena *a, const struct db_schema *schema, struct str **ret_names,
		   size_t *ret_count)
{
	static const char create[] = "create table ";
	struct str *names = arena_new_array(a, struct str, NAMES_MAX);
	size_t count = 0;

	names[count++] = STR("schema_migration");
	names[count++] = STR("schema_view");
	for (size_t i = 0; i < schema->migrations; i++) {
		const char *at = schema->migration[i].sql;

		while (count < NAMES_MAX && (at = strstr(at, create))) {
			at += sizeof(create) - 1;
			names[count++] = name_at(at);
		}
	}
	*ret_names = names;
	*ret_count = count;
}

/* ---- a database --------------------------------------------------------------------------------- */

static err_t list_names(struct db *db, const struct db_stmt *stmt, struct db_args args,
			struct str **ret_names, size_t *ret_count)
{
	struct name_row *rows;
	struct str *names;
	size_t count;
	err_t e = db_all(db, stmt, args, &name_table, (void **)&rows, &count);

	if (e)
		return e;
	names = arena_new_array(db_arena(db), struct str, count + 1);
	for (size_t i = 0; i < count; i++)
		names[i] = rows[i].name;
	*ret_names = names;
	*ret_count = count;
	return NULL;
}

err_t db_ours_find(struct db *db, struct db_ours *ret_ours)
{
	struct db_ours *row;
	struct str *known;
	size_t count;
	err_t e = db_first(db, &STMT_db_schema_name, DB_NO_ARGS, &schema_table, (void **)&row);

	if (!e && !row)
		return err_new(db_arena(db), ERR_PRECONDITION,
			       "the database has no tables of Cairn");
	if (e)
		return e;
	db_ours_names(db_arena(db), &db_schema, &known, &count);
	e = list_names(db, &STMT_db_strangers, DB_ARGS(P_ARRAY(DB_TEXT_ARRAY, known, count)),
		       &row->others, &row->other_count);
	if (!e)
		*ret_ours = *row;
	return e;
}

err_t db_ours_dependents(struct db *db, const struct db_ours *ours, struct str **ret_names,
			 size_t *ret_count)
{
	return list_names(db, &STMT_db_dependents,
			  DB_ARGS(P_ARRAY(DB_TEXT_ARRAY, ours->others, ours->other_count)),
			  ret_names, ret_count);
}
