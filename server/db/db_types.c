/* OIDs of built-in types never change; they are from PostgreSQL's pg_type.dat. */
#include "db_types.h"

#define OID_VARCHAR 1043

static const struct db_type_info types[] = {
	[DB_BOOL] = { "boolean", 16, 1 },
	[DB_INT2] = { "smallint", 21, 2 },
	[DB_INT4] = { "integer", 23, 4 },
	[DB_INT8] = { "bigint", 20, 8 },
	[DB_FLOAT8] = { "double precision", 701, 8 },
	[DB_TEXT] = { "text", 25, 0 },
	[DB_BYTEA] = { "bytea", 17, 0 },
	[DB_JSONB] = { "jsonb", OID_JSONB, 0 },
	[DB_TIMESTAMP] = { "timestamptz", 1184, 8 },
	[DB_INT2_ARRAY] = { "smallint[]", 1005, 0, true, DB_INT2 },
	[DB_INT4_ARRAY] = { "integer[]", 1007, 0, true, DB_INT4 },
	[DB_INT8_ARRAY] = { "bigint[]", 1016, 0, true, DB_INT8 },
	[DB_FLOAT8_ARRAY] = { "double precision[]", 1022, 0, true, DB_FLOAT8 },
	[DB_TEXT_ARRAY] = { "text[]", 1009, 0, true, DB_TEXT },
	[DB_BYTEA_ARRAY] = { "bytea[]", 1001, 0, true, DB_BYTEA },
	[DB_JSONB_ARRAY] = { "jsonb[]", 3807, 0, true, DB_JSONB },
	[DB_TIMESTAMP_ARRAY] = { "timestamptz[]", 1185, 0, true, DB_TIMESTAMP },
	[DB_BOOL_ARRAY] = { "boolean[]", 1000, 0, true, DB_BOOL },
};

const struct db_type_info *db_type_info(enum db_type type)
{
	return &types[type];
}

bool db_type_reads(enum db_type type, Oid oid)
{
	if (oid == db_type_info(type)->oid)
		return true;
	if (type == DB_TEXT)
		return oid == OID_VARCHAR || oid == OID_JSON;
	return type == DB_JSONB && oid == OID_JSON;
}
