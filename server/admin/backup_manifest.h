#ifndef BACKUP_MANIFEST_H
#define BACKUP_MANIFEST_H

#include "buf.h"
#include "clock.h"
#include "db_dump.h"
#include "db_migrate.h"

/* A backup's description of itself: read and checked before anything is changed. */
struct backup_manifest {
	struct str version;  /* of cairnd */
	int64_t schema;      /* migrations applied */
	int64_t postgresql;  /* major version */
	timestamp_us time;   /* of the moment that it holds */
	struct str checksum; /* of those migrations together */
	struct db_table *tables;
	size_t table_count;
};
enum { BACKUP_FORMAT = 1, BACKUP_TABLES_MAX = 10000, BACKUP_MANIFEST_BYTES = 4 << 20 };

/* Over the first so many migrations of the schema. */
struct str backup_schema_checksum(struct arena *a, const struct db_schema *schema, size_t count);

void backup_manifest_write(const struct backup_manifest *m, struct buf *out);
err_t backup_manifest_read(struct arena *a, struct str text, struct backup_manifest *ret_manifest)
	__attribute__((warn_unused_result));

/* The schema that Cairn's tables were in, by its name and as SQL writes it. */
struct backup_schema {
	struct str name;
	struct str quoted;
};
struct backup_schema backup_manifest_schema(struct arena *a, const struct backup_manifest *m);

/* Whether this version and a PostgreSQL of this major version can restore it. */
err_t backup_manifest_judge(struct arena *a, const struct backup_manifest *m,
			    const struct db_schema *schema, int postgresql)
	__attribute__((warn_unused_result));

#endif
