#include "copies.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "backup_parts.h"
#include "database.h"
#include "db_dump.h"
#include "log.h"
#include "server_store.h"

#define PREFIX "before-"
#define BACKUP "cairn-"
#define ROLLBACK "rollback"
#define ENDING ".tar"
#define PART ENDING ".part"
enum {
	TIME_LEN = sizeof("20261128T065324Z") - 1,
	DATABASE_LEN = sizeof("5e0f8a31") - 1,
	LISTED_MOST = 4096
};

void copies_say(const char *message, const char *key, const char *value)
{
	if (log_enabled(LOG_INFO))
		log_info(message, LOG_TEXT(key, value));
	else
		fprintf(stderr, "%s: %s\n", message, value);
}

static err_t failed(struct arena *a, const char *what, const char *path)
{
	return err_new(a, ERR_PRECONDITION, "cannot %s \"%s\": %s", what, path, strerror(errno));
}

/* ---- names -------------------------------------------------------------------------------------- */

static bool is_time(struct str text)
{
	static const char form[] = "99999999T999999Z";

	if (text.len != TIME_LEN)
		return false;
	for (size_t i = 0; i < TIME_LEN; i++) {
		bool digit = text.at[i] >= '0' && text.at[i] <= '9';

		if (form[i] == '9' ? !digit : text.at[i] != form[i])
			return false;
	}
	return true;
}

static bool read_database(struct str text, struct copy *c)
{
	if (text.len != DATABASE_LEN)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (!strchr("0123456789abcdef", text.at[i]))
			return false;
	}
	memcpy(c->database, text.at, DATABASE_LEN);
	c->database[DATABASE_LEN] = '\0';
	return true;
}

static bool read_time(struct str text, struct copy *c)
{
	if (!is_time(text))
		return false;
	memcpy(c->time, text.at, TIME_LEN);
	c->time[TIME_LEN] = '\0';
	return true;
}

static bool take_ends(struct str *name, const char *prefix, const char *ending)
{
	if (!str_starts(*name, prefix) || !str_ends(*name, ending))
		return false;
	name->at += strlen(prefix);
	name->len -= strlen(prefix) + strlen(ending);
	return true;
}

static bool read_name(const char *name, const char *ending, struct copy *c)
{
	struct str rest = str_of(name);
	struct str what;
	struct str time;
	bool has_database;

	c->first = 0;
	c->database[0] = '\0';
	if (take_ends(&rest, BACKUP, ending)) {
		has_database = rest.len > TIME_LEN;
		c->kind = COPIES_BACKUP;
		return read_time(str_cut(&rest, '-'), c) &&
		       (!has_database || read_database(rest, c));
	}
	if (!take_ends(&rest, PREFIX, ending))
		return false;
	what = str_cut(&rest, '-');
	time = str_cut(&rest, '-');
	c->kind = str_is(what, ROLLBACK) ? COPIES_ROLLBACK : COPIES_UPGRADE;
	return read_time(time, c) && read_database(rest, c) &&
	       (str_is(what, ROLLBACK) || str_to_int64(what, 1, 9999, &c->first));
}

err_t copies_database(struct db *db, char ret_database[static sizeof("5e0f8a31")])
{
	struct server_database d;
	uint64_t hash;
	err_t e = server_store_database(db, &d);

	if (e)
		return e;
	hash = str_hash(STR_HASH_START,
			str_of(arena_printf(db_arena(db), "%lld/%.*s", (long long)d.cluster,
					    STR_ARG(d.name))));
	snprintf(ret_database, DATABASE_LEN + 1, "%08x", (unsigned)(hash ^ hash >> 32));
	return NULL;
}

static const char *name_at(struct arena *a, const struct config *config,
			   const struct copies_ask *ask, const char *database, time_t now_s)
{
	char time[TIME_LEN + 1];
	struct tm tm;

	gmtime_r(&now_s, &tm);
	strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &tm);
	if (ask->kind == COPIES_BACKUP)
		return arena_printf(a, "%s/" BACKUP "%s-%s" ENDING, config->backup_dir, time,
				    database);
	if (ask->kind == COPIES_ROLLBACK)
		return arena_printf(a, "%s/" PREFIX ROLLBACK "-%s-%s" ENDING, config->backup_dir,
				    time, database);
	return arena_printf(a, "%s/" PREFIX "%04d-%s-%s" ENDING, config->backup_dir, ask->first,
			    time, database);
}

/* A second copy in the same second gets the next second's name. */
static const char *new_name(struct arena *a, const struct config *config,
			    const struct copies_ask *ask, const char *database)
{
	time_t now_s = (time_t)(clock_wall_us().us / 1000000);
	const char *name = name_at(a, config, ask, database, now_s);

	while (access(name, F_OK) == 0)
		name = name_at(a, config, ask, database, ++now_s);
	return name;
}

/* ---- what there is ------------------------------------------------------------------------------ */

static int by_time(const void *left, const void *right)
{
	const struct copy *a = left;
	const struct copy *b = right;
	int order = strcmp(b->time, a->time);

	return order ? order : strcmp(b->path, a->path);
}

static void look_inside(struct arena *a, struct copy *c)
{
	struct str text;
	struct stat st;

	c->manifest = (struct backup_manifest){ .version = STR("") };
	if (stat(c->path, &st) == 0)
		c->bytes = st.st_size;
	if (archive_peek(a, c->path, BACKUP_MANIFEST, BACKUP_MANIFEST_BYTES, &text) ||
	    backup_manifest_read(a, text, &c->manifest))
		c->manifest.version = STR("");
}

err_t copies_list(struct arena *a, const struct config *config, struct copy **ret_copies,
		  size_t *ret_count)
{
	struct copy *list = arena_new_array(a, struct copy, LISTED_MOST);
	DIR *d = opendir(config->backup_dir);
	const struct dirent *entry;
	size_t count = 0;

	*ret_copies = list;
	*ret_count = 0;
	if (!d)
		return errno == ENOENT ? NULL : failed(a, "open", config->backup_dir);
	while (count < LISTED_MOST && (entry = readdir(d))) {
		if (read_name(entry->d_name, ENDING, &list[count]))
			list[count++].path =
				arena_printf(a, "%s/%s", config->backup_dir, entry->d_name);
	}
	closedir(d);
	qsort(list, count, sizeof(*list), by_time);
	for (size_t i = 0; i < count; i++)
		look_inside(a, &list[i]);
	*ret_count = count;
	return NULL;
}

/* Removes the parts of copies of this database that were killed, on file systems where files have a name from the start. */
static void remove_parts(struct arena *a, const struct config *config, const char *database)
{
	DIR *d = opendir(config->backup_dir);
	const struct dirent *entry;
	struct copy c;

	while (d && (entry = readdir(d))) {
		const char *path = arena_printf(a, "%s/%s", config->backup_dir, entry->d_name);

		if (read_name(entry->d_name, PART, &c) && strcmp(c.database, database) == 0 &&
		    !new_file_remove_part(a, path) && access(path, F_OK))
			copies_say("removed an incomplete copy of the database", "file", path);
	}
	if (d)
		closedir(d);
}

static void remove_copy(const struct copy *c)
{
	if (unlink(c->path))
		log_warning("cannot remove an old copy of the database", LOG_TEXT("file", c->path),
			    LOG_TEXT("error", strerror(errno)));
	else
		copies_say("removed an old copy of the database", "file", c->path);
}

struct siblings {
	struct copy made;
	struct copy *others; /* of its kind and database, the newest first */
	size_t count;
	size_t nameless; /* of its kind, and perhaps of its database */
};

static err_t find_siblings(struct arena *a, const struct config *config, const char *made,
			   struct siblings *ret_siblings)
{
	const char *name = strrchr(made, '/') + 1;
	struct copy *list;
	size_t count;
	size_t others = 0;
	err_t e = copies_list(a, config, &list, &count);

	*ret_siblings = (struct siblings){ .others = list };
	if (e || !read_name(name, ENDING, &ret_siblings->made))
		return e;
	for (size_t i = 0; i < count; i++) {
		if (list[i].kind != ret_siblings->made.kind)
			continue;
		ret_siblings->nameless += !*list[i].database;
		if (strcmp(list[i].database, ret_siblings->made.database) == 0 &&
		    strcmp(list[i].path, made) != 0)
			list[others++] = list[i];
	}
	ret_siblings->count = others;
	return NULL;
}

/* The new one counts as the first, whatever the time in the others' names. */
err_t copies_remove_old(struct arena *a, const struct config *config, const char *made)
{
	struct siblings s;
	err_t e = find_siblings(a, config, made, &s);

	for (size_t i = 0; i < s.count && !e; i++) {
		if ((int64_t)i + 1 >= config->upgrade_copies)
			remove_copy(&s.others[i]);
	}
	if (!e && s.nameless)
		copies_say("backups whose names do not contain the name of a database are kept: "
			   "remove them yourself",
			   "files", arena_printf(a, "%s/" BACKUP "*Z" ENDING, config->backup_dir));
	return e;
}

/*
 * For an upgrade that fails at the same migration each time, oldest first,
 * as long as there are too many.
 */
static err_t remove_tries(struct arena *a, const struct config *config, const char *made)
{
	struct siblings s;
	err_t e = find_siblings(a, config, made, &s);
	size_t left = s.count + 1;

	for (size_t i = s.count; i > 0 && !e; i--) {
		if ((int64_t)left <= config->upgrade_copies ||
		    s.others[i - 1].first != s.made.first)
			continue;
		remove_copy(&s.others[i - 1]);
		left--;
	}
	return e;
}

/* ---- a new one ---------------------------------------------------------------------------------- */

static const char *doing(enum copies_kind kind)
{
	return kind == COPIES_UPGRADE ? "upgrade" : "rollback";
}

static err_t check_room(struct arena *a, const struct config *config, struct db *db,
			enum copies_kind kind)
{
	char needed[PROGRESS_BYTES_SIZE];
	char free[PROGRESS_BYTES_SIZE];
	struct statvfs disk;
	struct db_size size;
	int64_t free_bytes;
	struct err *full;
	err_t e = db_size(db, &size);

	if (e)
		return e;
	if (statvfs(config->backup_dir, &disk))
		return failed(a, "access", config->backup_dir);
	free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
	if (free_bytes - config->files_reserve >= size.bytes)
		return NULL;
	progress_bytes(needed, (double)size.bytes + (double)config->files_reserve);
	progress_bytes(free, (double)free_bytes);
	full = err_new(a, ERR_PRECONDITION,
		       "not enough disk space to copy the database before the %s: the copy and "
		       "files_reserve need up to %s, but \"%s\" has %s free",
		       doing(kind), needed, config->backup_dir, free);
	full->hint = arena_printf(
		a,
		"nothing was changed; make room, set backup_dir to a directory on another disk, "
		"or make a backup yourself and run \"cairnd %s --upgrade-copies 0\"",
		doing(kind));
	return full;
}

/* A copy made by root is given to the server's user, so that the server can remove it later. */
static void give_to_owner(const struct config *config, const char *path)
{
	struct stat owner;

	if (geteuid() == 0 && stat(config->data_dir, &owner) == 0 &&
	    lchown(path, owner.st_uid, owner.st_gid))
		log_warning("cannot change the owner of a copy of the database to the owner of "
			    "data_dir",
			    LOG_TEXT("file", path), LOG_TEXT("error", strerror(errno)));
}

static void say_made(const char *path, const struct backup_made *made, int64_t began_us)
{
	char size[PROGRESS_BYTES_SIZE];

	progress_bytes(size, (double)made->bytes);
	if (log_enabled(LOG_INFO))
		log_info("the database was copied", LOG_TEXT("file", path), LOG_TEXT("size", size),
			 LOG_INT("ms", (clock_mono_us() - began_us) / 1000));
	else
		fprintf(stderr, "database copied: %s, %s\n", path, size);
}

static err_t not_made(struct arena *a, const struct copies_ask *ask, err_t why)
{
	struct err *e = err_wrap(a, why,
				 "cannot copy the database before the %s; nothing was changed",
				 doing(ask->kind));

	e->hint = arena_printf(
		a,
		"set backup_dir to the directory for the copy; after a backup of your own, "
		"\"cairnd %s --upgrade-copies 0\" skips the copy",
		doing(ask->kind));
	return e;
}

static err_t make(struct arena *a, const struct config *config, struct db *db,
		  const struct copies_ask *ask, const char *path)
{
	struct progress progress = { .log = "copying the database", .starting = ask->starting };
	const struct backup_ask backup = {
		.config = config,
		.path = path,
		.any_schema = true,
		.stopped = ask->stopped,
		.progress = &progress,
	};
	int64_t began_us = clock_mono_us();
	struct backup_made made;
	err_t e = db_dump_check(db, *config->pg_bindir ? config->pg_bindir : NULL);

	if (e)
		return not_made(a, ask, e);
	e = check_room(a, config, db, ask->kind);
	if (e)
		return e;
	copies_say(ask->kind == COPIES_UPGRADE ? "copying the database before the upgrade"
					       : "copying the database before the rollback",
		   "file", path);
	e = backup_write(db, &backup, &made);
	if (e)
		return not_made(a, ask, e);
	say_made(path, &made, began_us);
	give_to_owner(config, config->backup_dir);
	give_to_owner(config, path);
	return remove_tries(a, config, path);
}

err_t copies_begin(struct arena *a, const struct config *config, struct db *db,
		   const struct copies_ask *ask, const char **ret_path)
{
	char database[DATABASE_LEN + 1];
	err_t e = copies_database(db, database);

	if (e)
		return e;
	remove_parts(a, config, database);
	*ret_path = new_name(a, config, ask, database);
	return NULL;
}

static err_t make_named(struct arena *a, const struct config *config, struct db *db,
			const struct copies_ask *ask, const char **ret_path)
{
	const char *path;
	err_t e = copies_begin(a, config, db, ask, &path);

	if (e)
		return not_made(a, ask, e);
	e = make(a, config, db, ask, path);
	if (!e)
		*ret_path = path;
	return e;
}

err_t copies_make(struct arena *a, const struct config *config, const char *url,
		  const struct copies_ask *ask, const char **ret_path)
{
	struct db *db;
	err_t e;

	*ret_path = NULL;
	if (!config->upgrade_copies)
		return NULL;
	e = database_make_backup_directory(a, config);
	if (!e)
		e = backup_open(a, config, url, ask->stopped, &db);
	if (e)
		return not_made(a, ask, e);
	e = make_named(a, config, db, ask, ret_path);
	db_close(db);
	return e;
}

/* Keys are made with a secret, whose fingerprint is in the database from the first one on. */
static err_t has_keys(struct arena *a, const struct config *config, const char *url, bool *ret_has)
{
	struct str fingerprint;
	struct db *db;
	err_t e = backup_open(a, config, url, NULL, &db);

	if (e)
		return e;
	e = server_store_setting(db, SECRET_SETTING, &fingerprint);
	*ret_has = !e && fingerprint.len > 0;
	db_close(db);
	return e;
}

err_t copies_before_upgrade(struct arena *a, const struct config *config, const char *url,
			    int first, const struct upgrade_watch *watch, const char **ret_path)
{
	const struct copies_ask ask = {
		.kind = COPIES_UPGRADE,
		.first = first,
		.stopped = watch->stopped,
		.starting = watch->starting,
	};
	bool has = false;
	err_t e = has_keys(a, config, url, &has);

	*ret_path = NULL;
	if (e || !has)
		return e;
	if (!config->upgrade_copies)
		log_info("the database is not copied before the upgrade",
			 LOG_TEXT("reason", "upgrade_copies is 0"));
	return copies_make(a, config, url, &ask, ret_path);
}
