/* The checks of "cairnd doctor" on the server's host. */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "clock.h"
#include "copies.h"
#include "db_dump.h"
#include "db_embedded.h"
#include "doctor.h"
#include "health.h"
#include "host_kind.h"
#include "open_files.h"
#include "progress.h"
#include "secret.h"
#include "tls_certificate.h"

enum { DAY_S = 24 * 3600 };
enum { BACKUP_OLD_S = 2 * DAY_S, CERTIFICATE_SOON_S = 21 * DAY_S, LITTLE_ROOM = 10 };

/* ---- the server --------------------------------------------------------------------------------- */

struct doctor_finding doctor_server(struct doctor *d)
{
	struct health health = { 0 };
	err_t e = health_ask(d->arena, d->config, &health);

	d->certificate_until_s = health.certificate_until_s;
	if (!e)
		return doctor_good(d, "ready at %s", health.url);
	return doctor_warning(
		d, "start the server, or run this command with the settings of the server", "%s",
		err_chain(d->arena, e));
}

/* ---- the data directory ------------------------------------------------------------------------- */

static const char *name_of_user(struct arena *a, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	return user ? arena_strdup(a, user->pw_name) : arena_printf(a, "user id %d", (int)uid);
}

static const char *first_line(struct arena *a, const char *path)
{
	char line[64] = "";
	FILE *f = fopen(path, "re");

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return str_copy(a, str_trim(str_of(line)));
}

/* The process that the lock of an embedded database names, if it is a cairnd of this machine; else 0. */
static pid_t holder(struct doctor *d)
{
	const char *lock = arena_printf(d->arena, "%s/cairn.lock", d->config->data_dir);
	int64_t pid;

	if (!str_to_int64(str_of(first_line(d->arena, lock)), 1, INT32_MAX, &pid))
		return 0;
	lock = arena_printf(d->arena, "/proc/%d/comm", (int)pid);
	return strcmp(first_line(d->arena, lock), "cairnd") == 0 ? (pid_t)pid : 0;
}

static bool embedded_runs(struct doctor *d)
{
	const char *url;

	return !db_embedded_attach(d->arena, d->config->data_dir, &url) && url;
}

/* Two servers on one embedded database cannot both be of this machine: the second one is refused. */
struct doctor_finding doctor_data_dir(struct doctor *d)
{
	const char *path = d->config->data_dir;
	const char *owner;
	struct stat st;

	if (stat(path, &st))
		return doctor_problem(d,
				      "set --data-dir or CAIRN_DATA_DIR to the server's directory",
				      "\"%s\": %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return doctor_problem(d, "set --data-dir or CAIRN_DATA_DIR to a directory",
				      "\"%s\" is not a directory", path);
	owner = name_of_user(d->arena, st.st_uid);
	if (*d->config->database_url)
		return doctor_good(d, "\"%s\" belongs to \"%s\"", path, owner);
	if (holder(d))
		return doctor_good(d, "\"%s\" belongs to \"%s\" and is used by process %d", path,
				   owner, (int)holder(d));
	if (embedded_runs(d))
		return doctor_warning(
			d, "use a separate data directory for each server",
			"\"%s\" is in use by a server in another container or namespace", path);
	return doctor_good(d, "\"%s\" belongs to \"%s\" and is not used by a server", path, owner);
}

/* ---- secrets ------------------------------------------------------------------------------------ */

struct doctor_finding doctor_secret(struct doctor *d)
{
	const char *path = d->config->secret_file;
	struct str text;
	err_t e = secret_load(d->arena, path, &text);

	if (e)
		return doctor_failed(d, e,
				     "run this command as the server's user, or restore the "
				     "file");
	if (!text.len)
		return doctor_problem(
			d,
			"copy the file from another server of this database or from a backup: "
			"keys do not work without it",
			"the secret file \"%s\" does not exist", path);
	e = d->db ? secret_check(d->db, path, text) : NULL;
	if (e)
		return doctor_failed(d, e, "set secret_file to the right file");
	return doctor_good(d, d->db ? "\"%s\" belongs to this database" : "\"%s\" is readable",
			   path);
}

/* A container is meant to read its secrets under /run/secrets. */
static bool others_can_read(const char *path)
{
	struct stat st;

	return path && *path && !str_starts(str_of(path), "/run/secrets/") &&
	       stat(path, &st) == 0 && (st.st_mode & S_IROTH);
}

/* A file that holds the value of a secret setting. */
static const char *file_of_secret(struct doctor *d, const struct config_setting *s)
{
	const char *value = *(const char *const *)((const char *)d->config + s->offset);
	const char *own = getenv(config_variable(d->arena, s, "_FILE"));

	if (own)
		return own;
	if (value == d->config->database_url && s->offset != offsetof(struct config, database_url))
		return NULL; /* listen_database_url, which was not given */
	return *value && !getenv(config_variable(d->arena, s, "")) ? d->config->file : NULL;
}

static const char *find_readable(struct doctor *d)
{
	const char *const files[] = { d->config->secret_file, d->config->tls_key_file };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (others_can_read(files[i]))
			return files[i];
	}
	for (size_t i = 0; i < config_setting_count; i++) {
		const char *file =
			config_settings[i].secret ? file_of_secret(d, &config_settings[i]) : NULL;

		if (others_can_read(file))
			return file;
	}
	return NULL;
}

struct doctor_finding doctor_secret_files(struct doctor *d)
{
	const char *file = find_readable(d);

	if (!file)
		return doctor_good(d, "no secret file is readable by all users");
	return doctor_problem(d, arena_printf(d->arena, "chmod o= \"%s\"", file),
			      "every user of this machine can read \"%s\"", file);
}

/* ---- disks -------------------------------------------------------------------------------------- */

/* The disk of a folder that does not exist yet is that of the one it would be made in. */
static bool find_room(struct arena *a, const char *path, struct statvfs *ret_disk)
{
	char *folder = arena_strdup(a, path);

	for (;;) {
		char *slash = strrchr(folder, '/');

		if (statvfs(folder, ret_disk) == 0)
			return true;
		if (errno != ENOENT || !slash || slash == folder)
			return false;
		*slash = '\0';
	}
}

/* `needed`: what must be free there. */
static struct doctor_finding look_at_disk(struct doctor *d, const char *path, int64_t needed,
					  const char *what_for)
{
	char free[PROGRESS_BYTES_SIZE];
	char size[PROGRESS_BYTES_SIZE];
	char room[PROGRESS_BYTES_SIZE];
	struct statvfs disk;
	int64_t free_bytes;

	if (!find_room(d->arena, path, &disk))
		return doctor_problem(d, "run this command as the server's user, on its host",
				      "cannot check \"%s\": %s", path, strerror(errno));
	free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
	progress_bytes(free, (double)free_bytes);
	progress_bytes(size, (double)disk.f_blocks * (double)disk.f_frsize);
	progress_bytes(room, (double)needed);
	if (free_bytes < needed)
		return doctor_problem(d, "make room, or choose a directory on another disk",
				      "\"%s\": %s of %s free, but %s needs %s", path, free, size,
				      what_for, room);
	if (disk.f_bavail < disk.f_blocks / LITTLE_ROOM)
		return doctor_warning(d, "make room, or move it to a larger disk",
				      "\"%s\": %s of %s free, less than 10 %%", path, free, size);
	return doctor_good(d, "\"%s\": %s of %s free", path, free, size);
}

struct doctor_finding doctor_disk_of_data(struct doctor *d)
{
	return look_at_disk(d, d->config->data_dir, *d->config->database_url ? 0 : INT64_C(1) << 30,
			    "the embedded database");
}

struct doctor_finding doctor_disk_of_files(struct doctor *d)
{
	return look_at_disk(d, d->config->files_dir, d->config->files_reserve, "files_reserve");
}

struct doctor_finding doctor_disk_of_backups(struct doctor *d)
{
	struct db_size size = { 0 };

	if (d->config->upgrade_copies && d->db && db_size(d->db, &size))
		size.bytes = 0;
	return look_at_disk(d, d->config->backup_dir, d->config->files_reserve + size.bytes,
			    "a copy before an upgrade");
}

/* ---- descriptors -------------------------------------------------------------------------------- */

/*
 * The limit of the server if its process is known, else of a server that
 * is started like this command.
 */
static bool find_limit(struct doctor *d, struct rlimit *ret_limit)
{
	pid_t pid = *d->config->database_url ? 0 : holder(d);

	return (pid && prlimit(pid, RLIMIT_NOFILE, NULL, ret_limit) == 0) ||
	       getrlimit(RLIMIT_NOFILE, ret_limit) == 0;
}

static const char *const raise_limit[HOST_KINDS] = {
	[HOST_PLAIN] = "raise it (ulimit -n) or lower connection_limit",
	[HOST_SYSTEMD] = "raise it (LimitNOFILE of the unit) or lower connection_limit",
	[HOST_CONTAINER] = ("raise it (ulimits in compose.yaml, or docker run --ulimit nofile=N) "
			    "or lower connection_limit"),
	[HOST_KUBERNETES] = "raise it on the nodes or lower connection_limit",
};

struct doctor_finding doctor_open_files(struct doctor *d)
{
	int64_t needed = open_files_needed(d->config);
	struct rlimit limit;

	if (!find_limit(d, &limit))
		return doctor_skipped(d, "cannot read the limit: %s", strerror(errno));
	if (limit.rlim_max < (rlim_t)needed)
		return doctor_warning(d, raise_limit[host_kind_find()],
				      "at most %llu, but the settings may need %lld",
				      (unsigned long long)limit.rlim_max, (long long)needed);
	return doctor_good(d, "the settings may need %lld; the limit is %s", (long long)needed,
			   limit.rlim_max == RLIM_INFINITY
				   ? "none"
				   : arena_printf(d->arena, "%llu",
						  (unsigned long long)limit.rlim_max));
}

/* ---- TLS ---------------------------------------------------------------------------------------- */

static const char *date_of(struct arena *a, int64_t s)
{
	char text[CLOCK_TEXT_SIZE];

	clock_format((timestamp_us){ s * 1000000 }, text);
	return str_copy(a, (struct str){ text, sizeof("2026-11-21") - 1 });
}

static struct doctor_finding judge_certificate(struct doctor *d, const struct tls_validity *valid)
{
	const char *path = d->config->tls_cert_file;
	int64_t now_s = clock_wall_us().us / 1000000;
	const char *remedy =
		arena_printf(d->arena, "renew \"%s\"; the server must then read it again", path);

	if (now_s < valid->from_s)
		return doctor_problem(d, "check the clock of this machine", "not valid before %s",
				      date_of(d->arena, valid->from_s));
	if (now_s >= valid->until_s)
		return doctor_problem(d, remedy, "expired on %s",
				      date_of(d->arena, valid->until_s));
	if (now_s >= valid->until_s - CERTIFICATE_SOON_S)
		return doctor_warning(d, remedy, "expires on %s, in %lld days",
				      date_of(d->arena, valid->until_s),
				      (long long)(valid->until_s - now_s) / DAY_S);
	if (d->certificate_until_s && d->certificate_until_s != valid->own_until_s)
		return doctor_warning(
			d, "send SIGHUP to the server to read the files again, and check its log",
			"valid until %s, but the server still uses one that expires on %s",
			date_of(d->arena, valid->until_s),
			date_of(d->arena, d->certificate_until_s));
	return doctor_good(d, "valid until %s", date_of(d->arena, valid->until_s));
}

struct doctor_finding doctor_certificate(struct doctor *d)
{
	struct tls_validity valid;
	err_t e;

	if (!*d->config->tls_cert_file)
		return doctor_skipped(d, "TLS is not configured");
	e = tls_certificate_check(d->arena, d->config->tls_cert_file, d->config->tls_key_file,
				  &valid);
	if (e)
		return doctor_failed(
			d, e, "set tls_cert_file and tls_key_file to the certificate and its key");
	return judge_certificate(d, &valid);
}

/* ---- backups ------------------------------------------------------------------------------------ */

/*
 * A backup of an older version, which may be of any database, counts; each
 * does if `database` is empty.
 */
static const struct copy *newest_backup(const struct copy *list, size_t count, const char *database)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].kind == COPIES_BACKUP && list[i].manifest.version.len &&
		    (!*database || !*list[i].database || strcmp(list[i].database, database) == 0))
			return &list[i];
	}
	return NULL;
}

#define OTHER_PLACES "; backups in other places are not checked"

static const char *const back_up[HOST_KINDS] = {
	[HOST_PLAIN] = "run \"cairnd backup --keep 7\" daily, for example from cron" OTHER_PLACES,
	[HOST_SYSTEMD] = "run \"systemctl enable --now cairn-backup.timer\", or \"cairnd backup "
			 "--keep 7\" daily" OTHER_PLACES,
	[HOST_CONTAINER] = "run \"docker compose exec -T cairnd cairnd backup --keep 7\" (without "
			   "compose: \"docker exec\") daily from cron of the host" OTHER_PLACES,
	[HOST_KUBERNETES] = "run \"kubectl exec deploy/cairn -- cairnd backup --keep 7\" daily, "
			    "for example from a CronJob" OTHER_PLACES,
};

struct doctor_finding doctor_backup(struct doctor *d)
{
	const char *remedy = back_up[host_kind_find()];
	struct copy ours = { .database = "" };
	const struct copy *newest;
	struct copy *list;
	size_t count;
	int64_t age_s;
	err_t e = copies_list(d->arena, d->config, &list, &count);

	if (!e && d->db)
		e = copies_database(d->db, ours.database);
	if (e)
		return doctor_failed(d, e, "run this command as the server's user");
	newest = newest_backup(list, count, ours.database);
	if (!newest)
		return doctor_warning(d, remedy, "no backup of this database in \"%s\"",
				      d->config->backup_dir);
	age_s = (clock_wall_us().us - newest->manifest.time.us) / 1000000;
	if (age_s > BACKUP_OLD_S)
		return doctor_warning(d, remedy, "the newest backup, \"%s\", is %lld days old",
				      newest->path, (long long)age_s / DAY_S);
	return doctor_good(d, "the newest backup, \"%s\", is %lld hours old", newest->path,
			   (long long)age_s / 3600);
}
