/*
 * Debian keeps every version under /usr/lib/postgresql/<version>/bin and none of the server's
 * programs in PATH; elsewhere `pg_config --bindir` knows, or PATH has them. The version is the
 * output of `postgres --version`, not the name of a folder.
 *
 * Programs that came with cairnd, in PREFIX/lib/postgresql/<version>/bin of its own prefix, are preferred:
 * they are there on every machine that the folder is on. For /usr/sbin/cairnd they are Debian's.
 */
#include "db_programs.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "str.h"

enum { MOST_FOUND = 32 };

/* The programs that must exist; the first is asked for its version. */
static const char *const server_programs[] = { "postgres", "initdb", NULL };
static const char *const client_programs[] = { "pg_dump", "pg_restore", "psql", NULL };

struct found {
	const char *const *needed;
	struct db_programs program[MOST_FOUND];
	int count;
};

const char *db_program(struct arena *a, const struct db_programs *p, const char *name)
{
	return arena_printf(a, "%s/%s", p->bindir, name);
}

static err_t first_line(struct arena *a, const char *program, const char *argument,
			const char **ret_line)
{
	static const struct db_user nobody_else = { .drop = false };
	const char *argv[] = { program, argument, NULL };
	struct db_spawn s = {
		.argv = argv,
		.user = &nobody_else,
		.workdir = "/",
		.in = -1,
		.err = -1,
	};

	return db_spawn_line(a, &s, ret_line);
}

/* "postgres (PostgreSQL) 15.20 (Debian …)" */
static int version_of(struct arena *a, const char *bindir, const char *name)
{
	const char *line;
	const char *number;

	if (first_line(a, arena_printf(a, "%s/%s", bindir, name), "--version", &line))
		return 0;
	number = strstr(line, ") ");
	return number ? (int)strtol(number + 2, NULL, 10) : 0;
}

static void add(struct arena *a, struct found *f, const char *bindir)
{
	if (f->count == MOST_FOUND)
		return;
	for (const char *const *name = f->needed; *name; name++) {
		if (access(arena_printf(a, "%s/%s", bindir, *name), X_OK))
			return;
	}
	f->program[f->count++] = (struct db_programs){
		.bindir = arena_strdup(a, bindir),
		.major = version_of(a, bindir, f->needed[0]),
	};
}

static void search_folder(struct arena *a, struct found *f, const char *folder)
{
	DIR *d = opendir(folder);
	const struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		if (*entry->d_name >= '0' && *entry->d_name <= '9')
			add(a, f, arena_printf(a, "%s/%s/bin", folder, entry->d_name));
	}
	closedir(d);
}

static void search_path(struct arena *a, struct found *f)
{
	const char *path = getenv("PATH");
	struct str rest = str_of(path ? path : "/usr/local/bin:/usr/bin");
	const char *bindir;

	while (rest.len) {
		const char *folder = str_copy(a, str_cut(&rest, ':'));
		const char *config = arena_printf(a, "%s/pg_config", folder);

		if (*folder != '/')
			continue;
		if (!access(config, X_OK) && !first_line(a, config, "--bindir", &bindir))
			add(a, f, bindir);
		add(a, f, folder);
	}
}

/* lib/postgresql of the prefix in whose bin or sbin this program is. */
static void search_own_prefix(struct arena *a, struct found *f)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len <= 0)
		return;
	path[len] = '\0';
	search_folder(a, f, arena_printf(a, "%s/lib/postgresql", dirname(dirname(path))));
}

static void search(struct arena *a, const struct db_embedded_options *o, struct found *f)
{
	if (o->bindir) {
		add(a, f, o->bindir);
		return;
	}
	search_folder(a, f, o->search_dir ? o->search_dir : "/usr/lib/postgresql");
	if (!o->search_dir && !f->count)
		search_path(a, f);
}

/* NULL when there is none. */
static const struct db_programs *choose(const struct found *f, int major, int *ret_newest)
{
	const struct db_programs *best = NULL;

	*ret_newest = 0;
	for (int i = 0; i < f->count; i++) {
		const struct db_programs *p = &f->program[i];

		*ret_newest = p->major > *ret_newest ? p->major : *ret_newest;
		if (major ? p->major == major : p->major >= DB_LEAST_MAJOR)
			best = best && best->major >= p->major ? best : p;
	}
	return best;
}

err_t db_programs_find(struct arena *a, const struct db_embedded_options *options, int major,
		       struct db_programs *ret_programs, int *ret_newest)
{
	struct found f = { .needed = server_programs };
	const struct db_programs *best;
	struct err *missing;
	int newest;

	if (!options->bindir && !options->search_dir)
		search_own_prefix(a, &f);
	best = choose(&f, major, &newest);
	if (!best) {
		search(a, options, &f);
		best = choose(&f, major, &newest);
	}
	if (ret_newest)
		*ret_newest = newest;
	if (best) {
		*ret_programs = *best;
		return NULL;
	}
	if (major) {
		missing = err_new(a, ERR_PRECONDITION,
				  "the programs of PostgreSQL %d were not found", major);
		missing->hint = arena_printf(a, "install the package postgresql-%d", major);
		return missing;
	}
	missing = err_new(a, ERR_PRECONDITION,
			  "no programs of PostgreSQL %d or newer were found%s%s", DB_LEAST_MAJOR,
			  options->bindir ? " in " : "", options->bindir ? options->bindir : "");
	missing->hint =
		"install the package postgresql, or set database_url to an external database";
	return missing;
}

static const struct db_programs *first_of(const struct found *f, int major)
{
	for (int i = 0; i < f->count; i++) {
		if (f->program[i].major == major)
			return &f->program[i];
	}
	return NULL;
}

/* PATH is searched last: on Debian it has a Perl script in place of each program. */
err_t db_client_programs_find(struct arena *a, const char *bindir, int major,
			      struct db_programs *ret_programs)
{
	struct found f = { .needed = client_programs };
	struct err *e;

	if (bindir) {
		add(a, &f, bindir);
	} else {
		search_own_prefix(a, &f);
		if (!first_of(&f, major))
			search_folder(a, &f, "/usr/lib/postgresql");
		if (!first_of(&f, major))
			search_path(a, &f);
	}
	if (first_of(&f, major)) {
		*ret_programs = *first_of(&f, major);
		return NULL;
	}
	e = err_new(a, ERR_PRECONDITION,
		    "pg_dump, pg_restore and psql of PostgreSQL %d were not found", major);
	e->hint = arena_printf(a,
			       "install the package postgresql-client-%d, or set --pg-bindir to "
			       "their directory",
			       major);
	return e;
}
