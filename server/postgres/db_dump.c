/*
 * PostgreSQL's programs find the database by their environment, which has all parameters of the
 * connection: other users can read a command line, but not the environment. Only the database's
 * name is an argument.
 *
 * pg_dump is of the server's own version: see db_upgrade.c for why not the newest.
 */
#include "db_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db_conn.h"
#include "db_programs.h"
#include "postgres_sql.h"

enum { OPTIONS_MAX = 16, DUMP_LOCK_WAIT_MS = 60 * 1000 };

/* ---- tables ----------------------------------------------------------------------------------- */

struct name_row {
	struct str name;
};
static const struct db_column name_columns[] = { DB_COLUMN(struct name_row, name) };
static const struct db_row_table name_table = DB_ROW_TABLE(struct name_row, name_columns);

struct yes_row {
	bool yes;
};
static const struct db_column yes_columns[] = { DB_COLUMN(struct yes_row, yes) };
static const struct db_row_table yes_table = DB_ROW_TABLE(struct yes_row, yes_columns);

struct rows_row {
	int64_t rows;
};
static const struct db_column rows_columns[] = { DB_COLUMN(struct rows_row, rows) };
static const struct db_row_table rows_table = DB_ROW_TABLE(struct rows_row, rows_columns);

static const struct db_column moment_columns[] = {
	DB_COLUMN(struct db_moment, snapshot),
	DB_COLUMN(struct db_moment, bytes),
};
static const struct db_row_table moment_table = DB_ROW_TABLE(struct db_moment, moment_columns);

static const struct db_column size_columns[] = {
	DB_COLUMN(struct db_size, bytes),
	DB_COLUMN(struct db_size, all_bytes),
};
static const struct db_row_table size_table = DB_ROW_TABLE(struct db_size, size_columns);

static const struct db_column others_columns[] = {
	DB_COLUMN(struct db_others, count),
	DB_COLUMN(struct db_others, pid),
	DB_COLUMN(struct db_others, name),
	DB_COLUMN(struct db_others, host),
};
static const struct db_row_table others_table = DB_ROW_TABLE(struct db_others, others_columns);

/* The only SQL made of a string: a table's name, quoted by its own server. */
static err_t count_rows(struct db *db, struct db_table *t)
{
	const struct db_stmt stmt = {
		"count rows",
		arena_printf(db_arena(db), "select count(*) as rows from only %.*s",
			     STR_ARG(t->name)),
	};
	void *row;
	err_t e = db_first(db, &stmt, DB_NO_ARGS, &rows_table, &row);

	if (!e)
		t->rows = ((struct rows_row *)row)->rows;
	return e;
}

static err_t list_tables(struct db *db, const struct db_ours *ours, struct name_row **ret_names,
			 size_t *ret_count)
{
	if (!ours)
		return db_all(db, &STMT_db_tables, DB_NO_ARGS, &name_table, (void **)ret_names,
			      ret_count);
	return db_all(db, &STMT_db_own_tables,
		      DB_ARGS(P_STR(ours->schema),
			      P_ARRAY(DB_TEXT_ARRAY, ours->others, ours->other_count)),
		      &name_table, (void **)ret_names, ret_count);
}

err_t db_tables(struct db *db, const struct db_ours *ours,
		const struct db_tables_progress *progress, struct db_table **ret_tables,
		size_t *ret_count)
{
	struct db_table *tables;
	struct name_row *names;
	size_t count;
	err_t e = list_tables(db, ours, &names, &count);

	if (e)
		return e;
	tables = arena_new_array(db_arena(db), struct db_table, count + 1);
	for (size_t i = 0; i < count && !e; i++) {
		tables[i].name = names[i].name;
		if (progress)
			progress->tell(progress->p, names[i].name, i, count);
		e = count_rows(db, &tables[i]);
	}
	*ret_tables = tables;
	*ret_count = count;
	return e;
}

err_t db_tables_compare(struct arena *a, const struct db_table *told, size_t told_count,
			const struct db_table *found, size_t found_count)
{
	if (told_count != found_count)
		return err_new(a, ERR_INTERNAL, "the new database has %zu tables instead of %zu",
			       found_count, told_count);
	for (size_t i = 0; i < told_count; i++) {
		if (!str_equal(told[i].name, found[i].name) || told[i].rows != found[i].rows)
			return err_new(a, ERR_INTERNAL,
				       "table %.*s has %lld rows, but the new %.*s has %lld",
				       STR_ARG(told[i].name), (long long)told[i].rows,
				       STR_ARG(found[i].name), (long long)found[i].rows);
	}
	return NULL;
}

size_t db_tables_of(struct db_table *tables, size_t count, struct str quoted)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct str name = tables[i].name;

		if (name.len > quoted.len && name.at[quoted.len] == '.' &&
		    memcmp(name.at, quoted.at, quoted.len) == 0)
			tables[kept++] = tables[i];
	}
	return kept;
}

err_t db_size(struct db *db, struct db_size *ret_size)
{
	void *row;
	err_t e = db_first(db, &STMT_db_data_bytes, DB_NO_ARGS, &size_table, &row);

	if (!e)
		*ret_size = *(struct db_size *)row;
	return e;
}

err_t db_others(struct db *db, struct db_others *ret_others)
{
	void *row;
	err_t e = db_first(db, &STMT_db_others, DB_NO_ARGS, &others_table, &row);

	if (!e)
		*ret_others = *(struct db_others *)row;
	return e;
}

static err_t analyze(struct db *db, const struct db_table *tables, size_t count)
{
	struct buf *sql = buf_new(db->arena);

	buf_add_text(sql, "analyze");
	for (size_t i = 0; i < count; i++)
		buf_printf(sql, "%s %.*s", i ? "," : "", STR_ARG(tables[i].name));
	return db_simple(db, "analyze", str_copy(db->arena, buf_str(sql)));
}

/* In a transaction, which no limit of the role ends. */
err_t db_analyze(struct db *db, const struct db_table *tables, size_t count)
{
	err_t e = db_begin(db, 0, 0);

	if (!e)
		e = analyze(db, tables, count);
	if (!e)
		e = db_commit(db);
	db_rollback(db);
	return e;
}

/* ---- where to ----------------------------------------------------------------------------------- */

static const char **make_environment(struct arena *a, const PQconninfoOption *options)
{
	const char **env;
	size_t count = 0;

	while (options[count].keyword)
		count++;
	env = arena_new_array(a, const char *, count + 1);
	count = 0;
	for (; options->keyword; options++) {
		if (options->envvar && options->val && *options->val)
			env[count++] = arena_printf(a, "%s=%s", options->envvar, options->val);
	}
	return env;
}

/* "dbname='…'": a bare name could be taken for more than that. */
static const char *database_name(struct arena *a, const char *name)
{
	struct buf *text = buf_new(a);

	buf_add_text(text, "dbname='");
	for (; *name; name++) {
		if (*name == '\'' || *name == '\\')
			buf_add_byte(text, '\\');
		buf_add_byte(text, *name);
	}
	buf_add_text(text, "'");
	return str_copy(a, buf_str(text));
}

static err_t spawn(struct db *db, const char *const *argv, int in, int out, pid_t *ret_pid)
{
	static const struct db_user ourselves = { .drop = false };
	struct db_spawn s = {
		.argv = argv,
		.user = &ourselves,
		.workdir = "/",
		.death_signal = SIGKILL,
		.in = in,
		.out = out,
		.err = STDERR_FILENO,
	};
	PQconninfoOption *options = PQconninfo(db->pg);

	if (!options)
		return err_new(db->arena, ERR_INTERNAL, "out of memory");
	s.env = make_environment(db->arena, options);
	PQconninfoFree(options);
	return db_spawn(db->arena, &s, ret_pid);
}

static err_t find_program(struct db *db, const char *bindir, const char *name,
			  const char **ret_program)
{
	struct db_programs programs;
	err_t e = db_ready(db);

	if (!e)
		e = db_client_programs_find(db->arena, bindir, db_server_version(db) / 10000,
					    &programs);
	if (!e)
		*ret_program = db_program(db->arena, &programs, name);
	return e;
}

err_t db_dump_check(struct db *db, const char *bindir)
{
	const char *program;

	return find_program(db, bindir, "pg_dump", &program);
}

/* ---- streams -------------------------------------------------------------------------------------- */

err_t db_dump_hold(struct db *db, struct db_moment *ret_moment)
{
	void *row;
	err_t e = db_first(db, &STMT_db_hold_snapshot, DB_NO_ARGS, &moment_table, &row);

	if (!e)
		*ret_moment = *(struct db_moment *)row;
	return e;
}

/* pg_dump, pg_restore or psql, with the end of a pipe as its output or input. */
struct program {
	const char *name;
	bool reads;
	int out;                    /* of one that reads; 0: our standard error */
	bool makes_script;          /* and does not connect to a database */
	const char *const *options; /* up to a NULL, but for the database */
};

static err_t run(struct db *db, const struct program *p, int theirs, struct db_dump *dump)
{
	const char **argv;
	size_t count = 0;

	while (p->options[count])
		count++;
	argv = arena_new_array(db->arena, const char *, count + 4);
	argv[0] = dump->program;
	memcpy(argv + 1, p->options, count * sizeof(*argv));
	count++;
	if (!p->makes_script) {
		argv[count++] = "--dbname";
		argv[count] = database_name(db->arena, PQdb(db->pg));
	}
	return spawn(db, argv, p->reads ? theirs : -1,
		     !p->reads ? theirs
		     : p->out  ? p->out
			       : STDERR_FILENO,
		     &dump->pid);
}

static err_t start(struct db *db, const char *bindir, const struct program *p,
		   struct db_dump *ret_dump)
{
	struct db_dump dump = { .pid = 0 };
	int fd[2];
	int ours = p->reads ? 1 : 0;
	err_t e = find_program(db, bindir, p->name, &dump.program);

	if (!e && pipe2(fd, O_CLOEXEC))
		e = err_new(db->arena, ERR_INTERNAL, "pipe: %s", strerror(errno));
	if (e)
		return e;
	e = run(db, p, fd[!ours], &dump);
	close(fd[!ours]);
	dump.fd = fd[ours];
	if (e)
		close(dump.fd);
	else
		*ret_dump = dump;
	return e;
}

/* Tables of others need not be readable, and are not waited for. */
static const char *const *dump_options(struct db *db, struct str snapshot,
				       const struct db_ours *ours)
{
	const char **option =
		arena_new_array(db->arena, const char *, OPTIONS_MAX + ours->other_count);
	const char **first = option;

	*option++ = "--format=custom";
	*option++ = "--compress=0";
	*option++ = "--no-owner";
	*option++ = "--no-privileges";
	*option++ = "--no-publications";
	*option++ = "--no-subscriptions";
	*option++ = "--no-password";
	*option++ = arena_printf(db->arena, "--lock-wait-timeout=%d", DUMP_LOCK_WAIT_MS);
	*option++ = arena_printf(db->arena, "--snapshot=%.*s", STR_ARG(snapshot));
	*option++ = arena_printf(db->arena, "--schema=%.*s", STR_ARG(ours->quoted));
	for (size_t i = 0; i < ours->other_count; i++)
		*option++ =
			arena_printf(db->arena, "--exclude-table=%.*s", STR_ARG(ours->others[i]));
	*option = NULL;
	return first;
}

err_t db_dump_start(struct db *db, const char *bindir, struct str snapshot,
		    const struct db_ours *ours, struct db_dump *ret_dump)
{
	const struct program pg_dump = {
		.name = "pg_dump",
		.options = dump_options(db, snapshot, ours),
	};

	return start(db, bindir, &pg_dump, ret_dump);
}

static err_t make_schema(struct db *db, struct str schema)
{
	struct yes_row *row;
	char *name;
	err_t e = db_first(db, &STMT_db_schema_exists, DB_ARGS(P_STR(schema)), &yes_table,
			   (void **)&row);

	if (e || (row && row->yes))
		return e;
	name = PQescapeIdentifier(db->pg, schema.at, schema.len);
	if (!name)
		return err_new(db->arena, ERR_INTERNAL, "out of memory");
	e = db_simple(db, "create schema", arena_printf(db->arena, "create schema %s", name));
	PQfreemem(name);
	return e;
}

err_t db_restore_start(struct db *db, const char *bindir, struct str schema,
		       struct db_dump *ret_dump)
{
	const char *const options[] = {
		"--format=custom",
		"--exit-on-error",
		"--single-transaction",
		"--no-owner",
		"--no-privileges",
		"--no-password",
		arena_printf(db->arena, "--schema=%.*s", STR_ARG(schema)),
		NULL,
	};
	const struct program pg_restore = {
		.name = "pg_restore",
		.reads = true,
		.options = options,
	};
	err_t e = make_schema(db, schema);

	return e ? e : start(db, bindir, &pg_restore, ret_dump);
}

static void close_stream(struct db_dump *dump)
{
	if (dump->fd >= 0)
		close(dump->fd);
	dump->fd = -1;
}

bool db_dump_wait(struct db_dump *dump, int ms)
{
	siginfo_t ended = { .si_pid = 0 };
	int64_t until_us = clock_mono_us() + (int64_t)ms * 1000;

	close_stream(dump);
	do {
		if (waitid(P_PID, (id_t)dump->pid, &ended, WEXITED | WNOHANG | WNOWAIT))
			return true;
		if (ended.si_pid)
			return true;
		clock_sleep_us(5000);
	} while (clock_mono_us() < until_us);
	return false;
}

err_t db_dump_end(struct arena *a, struct db_dump *dump)
{
	err_t e;

	if (!dump->pid)
		return NULL;
	close_stream(dump);
	e = db_spawn_wait(a, dump->program, dump->pid);
	dump->pid = 0;
	return e;
}

void db_dump_kill(struct db_dump *dump)
{
	int status;

	if (!dump->pid)
		return;
	close_stream(dump);
	kill(dump->pid, SIGKILL);
	while (waitpid(dump->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	dump->pid = 0;
}

/* ---- another content for the same database ------------------------------------------------------ */

static err_t say(struct arena *a, const struct db_dump *psql, const char *sql)
{
	size_t len = strlen(sql);

	while (len) {
		ssize_t done = write(psql->fd, sql, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_new(a, ERR_INTERNAL, "cannot write to \"%s\": %s", psql->program,
				       strerror(errno));
		sql += done;
		len -= (size_t)done;
	}
	return NULL;
}

/* The names of objects of others, for db_empty_schema. */
static err_t say_others(struct db *db, const struct db_dump *psql, const struct db_ours *ours)
{
	struct buf *names = buf_new(db->arena);
	char *quoted;
	err_t e;

	for (size_t i = 0; i < ours->other_count; i++)
		buf_printf(names, "%s%.*s", i ? "\n" : "", STR_ARG(ours->others[i]));
	quoted = PQescapeLiteral(db->pg, buf_str(names).at, names->len);
	if (!quoted)
		return err_new(db->arena, ERR_INTERNAL, "out of memory");
	e = say(db->arena, psql,
		arena_printf(db->arena, "select set_config('cairn.others', %s, true);\n", quoted));
	PQfreemem(quoted);
	return e;
}

/* A table that cannot be locked is in use: the wait is short, and nothing is changed. */
static err_t empty(struct db *db, const struct db_dump *psql, const struct db_ours *ours)
{
	static const char begin[] =
		"begin;\nset local client_min_messages = warning;\n"
		"set local statement_timeout = 0;\nset local lock_timeout = '10s';\n"
		"set local idle_in_transaction_session_timeout = 0;\n";
	err_t e = say(db->arena, psql, begin);

	if (!e)
		e = say_others(db, psql, ours);
	if (!e)
		e = say(db->arena, psql, STMT_db_empty_schema.sql);
	return e ? e : say(db->arena, psql, ";\n");
}

err_t db_replace_start(struct db *db, const char *bindir, const struct db_ours *ours,
		       struct db_replace *ret_replace)
{
	static const char *const psql_options[] = {
		"--no-psqlrc",           "--quiet", "--no-password", "--output=/dev/null",
		"--set=ON_ERROR_STOP=1", NULL,
	};
	const char *const restore_options[] = {
		"--format=custom",
		"--exit-on-error",
		"--no-owner",
		"--no-privileges",
		"--file=-",
		arena_printf(db->arena, "--schema=%.*s", STR_ARG(ours->schema)),
		NULL,
	};
	const struct program psql = { .name = "psql", .reads = true, .options = psql_options };
	struct program pg_restore = {
		.name = "pg_restore",
		.reads = true,
		.makes_script = true,
		.options = restore_options,
	};
	struct db_replace r = { .restore.fd = -1, .psql.fd = -1 };
	err_t e = start(db, bindir, &psql, &r.psql);

	if (!e)
		e = empty(db, &r.psql, ours);
	if (!e) {
		pg_restore.out = r.psql.fd;
		e = start(db, bindir, &pg_restore, &r.restore);
	}
	if (e)
		db_replace_kill(&r);
	else
		*ret_replace = r;
	return e;
}

/* If psql gave up, pg_restore has failed, too, and psql knows why. */
err_t db_replace_commit(struct arena *a, struct db_replace *r)
{
	err_t made = db_dump_end(a, &r->restore);
	err_t said = made ? NULL : say(a, &r->psql, "\ncommit;\n");
	err_t run = db_dump_end(a, &r->psql);

	return run ? run : made ? made : said;
}

/*
 * Without its input's "commit" it changes nothing, and it reports errors in the input it has
 * received.
 */
void db_replace_kill(struct db_replace *r)
{
	db_dump_kill(&r->restore);
	db_dump_kill(&r->psql);
}
