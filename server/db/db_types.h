#ifndef DB_TYPES_H
#define DB_TYPES_H

#include <libpq-fe.h>

#include "db.h"

/* The types we use, as PostgreSQL has them; inside this folder only. */
struct db_type_info {
	const char *name;
	Oid oid;
	size_t size; /* of a value on the wire; 0: any */
	bool is_array;
	enum db_type element; /* of an array */
};

const struct db_type_info *db_type_info(enum db_type type) __attribute__((returns_nonnull));
/* Whether a column of that SQL type can be read as `type`. */
bool db_type_reads(enum db_type type, Oid oid);

#define OID_JSONB 3802
#define OID_JSON 114
/* The first byte of a jsonb value on the wire. */
#define JSONB_VERSION 1
/* PostgreSQL counts from 2000-01-01. */
#define PG_EPOCH_US (INT64_C(946684800) * 1000000)

#endif
