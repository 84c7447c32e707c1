/* cairnd: the table of commands, and what becomes of an error. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "background.h"
#include "command.h"
#include "commands.h"
#include "key_file.h"
#include "manual.h"
#include "name.h"
#include "routes.h"
#include "serve.h"
#include "wandb_schema.h"

enum { EXIT_USAGE = 64, EXIT_CONFIG = 78 };

/* The directory of the server may be another one than that of the command. */
static err_t absolute_path(struct arena *a, const char *path, const char **ret_path)
{
	char here[PATH_MAX];

	if (*path == '/')
		*ret_path = path;
	else if (getcwd(here, sizeof(here)))
		*ret_path = arena_printf(a, "%s/%s", here, path);
	else
		return err_new(a, ERR_INVALID, "\"%s\" must begin with /", path);
	return NULL;
}

/*
 * A file that exists is the key of an earlier start, unless there is no
 * database yet: then this start must end before it makes one.
 */
static err_t check_key_file(struct command_call *call, const char *path)
{
	const struct config *config = call->config;
	const char *database = arena_printf(call->arena, "%s/pg", config->data_dir);

	if (*config->listen_database_url || access(database, F_OK) == 0 || errno != ENOENT)
		return NULL;
	return key_file_check(call->arena, path);
}

static err_t first_user_options(struct command_call *call, struct serve_options *ret_options)
{
	const char *name = command_option(call, "first-user");
	const char *file = command_option(call, "key-file");
	err_t e;

	if (!name)
		return file ? err_new(call->arena, ERR_INVALID, "--key-file needs --first-user")
			    : NULL;
	e = name_check(call->arena, NAME_ENTITY, "first-user", str_of(name));
	if (e)
		return e;
	ret_options->first_user = name;
	if (!file)
		file = arena_printf(call->arena, "%s/%s.key", call->config->data_dir, name);
	e = absolute_path(call->arena, file, &ret_options->key_file);
	return e ? e : check_key_file(call, ret_options->key_file);
}

static err_t run_server(struct command_call *call)
{
	bool in_background = command_option(call, "background") != NULL;
	struct serve_options options = { .print_lines = in_background || isatty(STDOUT_FILENO) };
	struct background background;
	bool is_server = true;
	err_t e = first_user_options(call, &options);

	options.print_lines |= options.first_user != NULL;
	if (!e && in_background) {
		options.background = &background;
		e = background_begin(call->arena, call->config, &background, &is_server,
				     &call->status);
	}
	if (e || !is_server)
		return e;
	return serve(call->arena, call->config, &options);
}

#define KEY_FILE "key-file", "FILE", "Write the key to this new file (mode 0600) instead of stdout."
#define LINK_HOURS "hours", "N", "Hours for which the link is valid, at most 720"
#define KEY_USER "user", "NAME", "The user that owns the key."
#define KEY_NAME "name", "TEXT", "Name of the key in lists."
#define KEY_SCOPE "scope", "SCOPE", "Highest access of the key: read, write or admin [admin]."

static const struct command commands[] = {
	{ "serve",
	  "",
	  "Run the server.",
	  run_server,
	  { { "background", NULL,
	      "Continue in the background once the server is ready, even after logout; the log "
	      "is cairnd.log in data_dir." },
	    { "first-user", "NAME", "Add this user as an admin if there are no users." },
	    { "key-file", "FILE",
	      "File for the key of the first user [NAME.key in data_dir]." } } },
	{ "stop", "",
	  "Stop the server that \"serve --background\" started with this data_dir, and wait "
	  "until it has ended.",
	  stop_command },
	{ "upgrade",
	  "",
	  "Upgrade the database to the schema of this version and exit. \"serve\" does this by "
	  "itself.",
	  upgrade_command,
	  { { "dry-run", NULL,
	      "Only print what would be done. Exit status: 0 if there is nothing to do, 2 "
	      "if there is something to do, 78 if the database does not fit this version, 1 "
	      "if this could not be determined." } } },
	{ "rollback",
	  "",
	  "Restore the copy of the database that was made before an upgrade; all servers must be "
	  "stopped. Without --yes, only print which copy would be used and what would be lost, "
	  "with exit status 2. The current database is copied first.",
	  rollback_command,
	  { { "to", "FILE",
	      "Restore this copy or backup [the newest copy made before an "
	      "upgrade]." },
	    { "list", NULL, "Only list the available copies." },
	    { "yes", NULL, "Perform the rollback." },
	    { "cascade", NULL,
	      "With --yes: also drop objects of other owners that depend on Cairn's tables, "
	      "such as views; the copy does not contain them." } } },
	{ "healthcheck", "",
	  "Check whether the server of this configuration is ready, at the address it listens "
	  "on. Exit status: 0 if it is ready, 1 if it is not ready or does not answer.",
	  health_command },
	{ "doctor",
	  "",
	  "Check this host and its database for problems and print how to fix them; nothing is "
	  "changed. Exit status: 0 if all is well, 2 if there are only warnings, 1 if there is a "
	  "problem.",
	  doctor_command,
	  { { "json", NULL, "Print each check as a JSON object." } } },
	{ "user add",
	  "NAME",
	  "Add a user with a first key.",
	  user_command_add,
	  { { "admin", NULL, "Make the user an admin of the server." },
	    { "service", NULL,
	      "Make the user a service account: in its teams it may create runs on behalf of a "
	      "member (header X-WANDB-USERNAME)." },
	    { KEY_FILE } },
	  .may_be_first = true },
	{ "user list", "", "List the users.", user_command_list },
	{ "user disable", "NAME", "Disable all keys of a user and sign the user out.",
	  user_command_disable },
	{ "user enable", "NAME", "Enable a disabled user.", user_command_enable },
	{ "user passwd",
	  "NAME",
	  "Set a user's password, read from standard input. The user is signed out everywhere.",
	  user_command_password,
	  { { "password-file", "FILE", "Read the password from the first line of this file." } } },
	{ "user invite",
	  "",
	  "Print a one-time link with which a person makes their own user.",
	  link_command_invite,
	  { { "admin", NULL, "The user becomes an admin of the server." },
	    { "team", "TEAM", "Add the user to this team." },
	    { "role", "ROLE", "In the team: viewer, member or admin [member]." },
	    { "note", "TEXT", "Note for lists, such as the name of the person." },
	    { LINK_HOURS " [168]." } } },
	{ "user link",
	  "NAME",
	  "Print a one-time link with which a user sets a new password. The user's other links of "
	  "this kind end.",
	  link_command_password,
	  { { LINK_HOURS " [24]." } } },
	{ "user default", "NAME ENTITY", "Set the default entity for a user's runs.",
	  user_command_default },
	{ "key create",
	  "",
	  "Create a key; it is shown only once.",
	  key_command_create,
	  { { KEY_USER }, { KEY_NAME }, { KEY_SCOPE }, { KEY_FILE } } },
	{ "key list",
	  "",
	  "List keys by their last characters, with the time of their last use.",
	  key_command_list,
	  { { "user", "NAME", "List only the keys of this user." } } },
	{ "key revoke", "KEY", "Revoke a key; KEY is its number in the list.", key_command_revoke },
	{ "key import",
	  "",
	  "Import an existing key (40 to 128 characters of A-Z a-z 0-9 _ -).",
	  key_command_import,
	  { { KEY_USER },
	    { KEY_NAME },
	    { KEY_SCOPE },
	    { "key-file", "FILE", "File with the key on its first line." } } },
	{ "team add", "NAME", "Add a team.", team_command_add },
	{ "team list", "", "List the teams.", team_command_list },
	{ "team member add",
	  "TEAM USER",
	  "Give a user a role in a team.",
	  team_command_member_add,
	  { { "role", "ROLE", "viewer, member or admin [member]." } } },
	{ "team member list", "TEAM", "List the members of a team.", team_command_member_list },
	{ "team member remove", "TEAM USER", "Remove a user from a team.",
	  team_command_member_remove },
	{ "backup",
	  "[FILE]",
	  "Back up the database and the secret to a new tar file (mode 0600) while servers keep "
	  "running. Run files are copied incrementally to a directory next to it. If FILE is a "
	  "directory, the backup is FILE/cairn-TIME-DATABASE.tar; without FILE, backup_dir is "
	  "used.",
	  backup_command,
	  { { "files", "DIR",
	      "Directory for run files; several backups can share one [FILE.files; in a "
	      "directory, cairn-files]." },
	    { "keep", "N",
	      "In a directory: keep the newest N backups of this database and remove older ones." },
	    { "verify", NULL,
	      "Do not back up, but test FILE: restore it into a temporary database, verify "
	      "that database, and drop it." } } },
	{ "restore",
	  "FILE",
	  "Restore a backup into an empty database or a new data directory and verify it. The "
	  "exit status is also 1 if the restore finished but verify found errors.",
	  restore_command,
	  { { "files", "DIR", "Directory with the run files [FILE.files]." } } },
	{ "verify",
	  "",
	  "Check all stored data for corruption and inconsistency while servers keep running. "
	  "The exit status is 1 if faults are found.",
	  verify_command,
	  { { "project", "ENTITY/PROJECT", "Check only runs of this project." },
	    { "run", "ID", "Check only this run; requires --project." },
	    { "jobs", "N", "Number of runs to check in parallel [2]." },
	    { "json", NULL, "Print each fault and the totals as JSON objects." } } },
	{ "quota set", "NAME SIZE",
	  "Set the storage quota of a user or team: a size such as 500G, none, or default. No "
	  "new runs are accepted beyond it.",
	  quota_command_set },
	{ "quota list", "", "List the storage use and quotas of users and teams.",
	  quota_command_list },
	{ "retention set",
	  "ENTITY/PROJECT",
	  "Set how long ended runs of a project are kept before they are deleted. Values that "
	  "are not given stay unchanged.",
	  retention_command_set,
	  { { "finished", "DAYS", "For finished runs: a number of days, or forever." },
	    { "failed", "DAYS", "For failed runs." },
	    { "crashed", "DAYS", "For crashed runs." },
	    { "killed", "DAYS", "For killed runs." } } },
	{ "retention list", "", "List the projects that delete old runs, and after how many days.",
	  retention_command_list },
	{ "embedded upgrade", "",
	  "Move the embedded database to a newer major version of PostgreSQL; the old database "
	  "is kept.",
	  database_command_upgrade },
	{ NULL },
};

static int fail(struct arena *a, err_t e, int status)
{
	fprintf(stderr, "cairnd: %s\n", err_chain(a, e));
	for (; e; e = e->cause) {
		if (e->hint)
			fprintf(stderr, "        %s\n", e->hint);
	}
	return status;
}

static int run(struct arena *a, struct command_line *line)
{
	struct config config;
	err_t e = config_load(a, line->config_file, line->overrides, line->override_count, &config);

	if (e)
		return fail(a, e, EXIT_CONFIG);
	if (line->action == COMMAND_PRINT_CONFIG) {
		config_print(&config, stdout);
		return EXIT_SUCCESS;
	}
	line->call.config = &config;
	e = line->call.command->run(&line->call);
	if (!e)
		return line->call.status;
	return fail(a, e,
		    e->kind == ERR_PRECONDITION ? EXIT_CONFIG
		    : e->kind == ERR_INVALID    ? EXIT_USAGE
						: EXIT_FAILURE);
}

/* Runs a command that needs no configuration. */
static bool print(const struct command_line *line)
{
	switch (line->action) {
	case COMMAND_HELP:
		manual_help(commands, line, stdout);
		return true;
	case COMMAND_VERSION:
		printf("cairnd %s\n", CAIRN_VERSION);
		return true;
	case COMMAND_PRINT_ROUTES:
		routes_print(stdout);
		return true;
	case COMMAND_PRINT_FIELDS:
		gql_print(&wandb_schema, stdout);
		return true;
	case COMMAND_MANUAL:
		manual_page(commands, stdout);
		return true;
	case COMMAND_MANUAL_CONFIG:
		manual_config_page(stdout);
		return true;
	case COMMAND_RUN:
	case COMMAND_PRINT_CONFIG:
		break;
	}
	return false;
}

/* A parent may have closed them; the first file we open would then receive what is written to stderr. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/*
 * Memory of one answer is used again by the next: returning it each time costs a chart of ten million
 * steps a quarter of its time. By default, glibc's limits follow the largest block that was ever
 * freed, up to twice these. The memory that stays is bounded, because there are few arenas.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 8 << 20);
	mallopt(M_TRIM_THRESHOLD, 16 << 20);
	mallopt(M_ARENA_MAX, 4);
#endif
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new(16 << 10);
	struct command_line line;
	int status = EXIT_SUCCESS;
	err_t e;

	keep_memory();
	open_standard_files();
	if (sodium_init() < 0)
		abort();
	e = command_parse(a, commands, argc, argv, &line);
	if (e)
		status = fail(a, e, EXIT_USAGE);
	else if (!print(&line))
		status = run(a, &line);
	else if (argc == 1)
		status = EXIT_USAGE;
	if (fflush(stdout) && status == EXIT_SUCCESS)
		status = EXIT_FAILURE;
	arena_free(a);
	return status;
}
