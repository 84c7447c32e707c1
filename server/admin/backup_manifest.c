#include "backup_manifest.h"

#include <stdio.h>

#include "arena.h"
#include "json_in.h"
#include "json_out.h"

enum { TEXT_MAX = 200 };

/* The first `former` migrations count with their former checksums, where they have one. */
static struct str checksum_of(struct arena *a, const struct db_schema *schema, size_t count,
			      size_t former)
{
	uint64_t hash = STR_HASH_START;

	for (size_t i = 0; i < count && i < schema->migrations; i++) {
		const struct db_migration *m = &schema->migration[i];
		bool is_former = i < former && m->former && *m->former;

		hash = str_hash(hash, str_of(m->name));
		hash = str_hash(hash, str_of(is_former ? m->former : m->checksum));
	}
	return str_of(arena_printf(a, "%016llx", (unsigned long long)hash));
}

struct str backup_schema_checksum(struct arena *a, const struct db_schema *schema, size_t count)
{
	return checksum_of(a, schema, count, 0);
}

/* A database may have been made before comments of migrations changed, and have got the rest of them later. */
static bool is_of_schema(struct arena *a, const struct backup_manifest *m,
			 const struct db_schema *schema)
{
	size_t count = (size_t)m->schema;

	for (size_t former = 0; former <= count; former++) {
		if (str_equal(checksum_of(a, schema, count, former), m->checksum))
			return true;
	}
	return false;
}

void backup_manifest_write(const struct backup_manifest *m, struct buf *out)
{
	struct json_out o = json_out_begin(out);

	json_out_object(&o);
	json_out_put_int(&o, "format", BACKUP_FORMAT);
	json_out_put_text(&o, "cairn", m->version);
	json_out_put_int(&o, "schema", m->schema);
	json_out_put_text(&o, "schema_checksum", m->checksum);
	json_out_put_int(&o, "postgresql", m->postgresql);
	json_out_put_time(&o, "time", m->time);
	json_out_key(&o, "tables");
	json_out_array(&o);
	for (size_t i = 0; i < m->table_count; i++) {
		json_out_object(&o);
		json_out_put_text(&o, "name", m->tables[i].name);
		json_out_put_int(&o, "rows", m->tables[i].rows);
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
	buf_add_byte(out, '\n');
}

static void read_tables(struct json_in *in, struct arena *a, struct backup_manifest *m)
{
	m->table_count = json_in_array(in, "tables", BACKUP_TABLES_MAX);
	m->tables = arena_new_array(a, struct db_table, m->table_count + 1);
	for (size_t i = 0; i < m->table_count; i++) {
		struct json_in *table = json_in_item(in, "tables", i);

		m->tables[i].name = json_in_text(table, "name", TEXT_MAX);
		m->tables[i].rows = json_in_int(table, "rows", 0, INT64_MAX);
	}
}

err_t backup_manifest_read(struct arena *a, struct str text, struct backup_manifest *ret_manifest)
{
	struct backup_manifest m = { .schema = 0 };
	struct json_in in;
	int64_t format;
	err_t e = json_in_parse(a, text, &in);

	if (e)
		return err_wrap(a, e, "cannot read the manifest");
	format = json_in_int(&in, "format", 1, INT32_MAX);
	if (!json_in_error(&in) && format > BACKUP_FORMAT)
		return err_new(a, ERR_PRECONDITION,
			       "the backup has format %lld, but this version supports only %d",
			       (long long)format, BACKUP_FORMAT);
	m.version = json_in_text(&in, "cairn", TEXT_MAX);
	m.schema = json_in_int(&in, "schema", 1, INT32_MAX);
	m.checksum = json_in_text(&in, "schema_checksum", TEXT_MAX);
	m.postgresql = json_in_int(&in, "postgresql", 1, INT32_MAX);
	m.time = json_in_time_or(&in, "time", (timestamp_us){ 0 });
	read_tables(&in, a, &m);
	e = json_in_end(&in);
	if (e)
		return err_wrap(a, e, "cannot read the manifest");
	*ret_manifest = m;
	return NULL;
}

static struct str unquote(struct arena *a, struct str quoted)
{
	char *name;
	size_t len = 0;

	if (!str_starts(quoted, "\""))
		return quoted;
	name = arena_alloc(a, quoted.len);
	for (size_t i = 1; i + 1 < quoted.len; i++) {
		name[len++] = quoted.at[i];
		i += quoted.at[i] == '"'; /* written twice */
	}
	return (struct str){ name, len };
}

struct backup_schema backup_manifest_schema(struct arena *a, const struct backup_manifest *m)
{
	static const char table[] = ".schema_migration";
	struct str quoted = STR("public");

	for (size_t i = 0; i < m->table_count; i++) {
		if (str_ends(m->tables[i].name, table))
			quoted = (struct str){ m->tables[i].name.at,
					       m->tables[i].name.len - (sizeof(table) - 1) };
	}
	return (struct backup_schema){ unquote(a, quoted), quoted };
}

err_t backup_manifest_judge(struct arena *a, const struct backup_manifest *m,
			    const struct db_schema *schema, int postgresql)
{
	if (m->schema > (int64_t)schema->migrations)
		return err_new(a, ERR_PRECONDITION,
			       "the backup is of cairnd %.*s with schema %lld, but this version "
			       "supports schemas up to %zu",
			       STR_ARG(m->version), (long long)m->schema, schema->migrations);
	if (!is_of_schema(a, m, schema))
		return err_new(
			a, ERR_PRECONDITION,
			"the backup was made by another build of cairnd (%.*s) with a different "
			"schema",
			STR_ARG(m->version));
	if (m->postgresql > postgresql)
		return err_new(a, ERR_PRECONDITION,
			       "the backup was made with PostgreSQL %lld, but this server runs "
			       "PostgreSQL %d",
			       (long long)m->postgresql, postgresql);
	return NULL;
}
