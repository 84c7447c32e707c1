#ifndef DB_ROW_H
#define DB_ROW_H

#include "db.h"

/*
 * How a result's row becomes a struct: one line per column. Columns are matched by name; the C type
 * of the member chooses the reader (a type without one does not compile), and the SQL type is
 * checked against it once per result. A NULL where none may be is an error; where one may be, the
 * member stays zero and, for DB_NULLABLE_FLAG, its flag false.
 *
 *	static const struct db_column run_columns[] = {
 *		DB_COLUMN(struct run, name),
 *		DB_NULLABLE(struct run, ended_at),
 *	};
 *	static const struct db_row_table run_table = DB_ROW_TABLE(struct run, run_columns);
 *
 * struct str members take text, and with DB_BYTES bytea, with DB_JSON jsonb (its text). They point
 * into the result, which lives as long as the arena.
 */
struct db_column {
	const char *name;
	enum db_type type;
	size_t offset;
	bool nullable;
};

#define DB_TYPE_OF(member) \
	_Generic((member), bool \
		 : DB_BOOL, int16_t \
		 : DB_INT2, int32_t \
		 : DB_INT4, int64_t \
		 : DB_INT8, double \
		 : DB_FLOAT8, struct str \
		 : DB_TEXT, timestamp_us \
		 : DB_TIMESTAMP)

#define DB_COLUMN(T, member) \
	{ \
#member, DB_TYPE_OF(((T *)0)->member), offsetof(T, member), false \
	}
#define DB_NULLABLE(T, member) \
	{ \
#member, DB_TYPE_OF(((T *)0)->member), offsetof(T, member), true \
	}
/* bytea and jsonb into a struct str; NULL gives an empty one (.at == NULL). */
#define DB_BYTES(T, member) \
	{ \
#member, DB_BYTEA, offsetof(T, member), true \
	}
#define DB_JSON(T, member) \
	{ \
#member, DB_JSONB, offsetof(T, member), true \
	}

struct db_row_table {
	const char *name; /* of the struct, for messages and the test of statements */
	const struct db_column *column;
	size_t ncolumns;
	size_t row_size;
};
#define DB_ROW_TABLE(T, columns) \
	{ \
#T, (columns), sizeof(columns) / sizeof((columns)[0]), sizeof(T) \
	}

/* Text arrays come as one text column made by array_to_json() in SQL: there is no array reader. */

/*
 * A store's list of its statements with the table each is read by (NULL: no rows), for the test that
 * prepares them all on a migrated database and compares.
 */
struct db_stmt_check {
	const struct db_stmt *stmt;
	const struct db_row_table *table;
};

#endif
