/* cairnd: the table of commands, and what becomes of an error. */
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
	return absolute_path(call->arena, file, &ret_options->key_file);
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

#define KEY_FILE "key-file", "FILE", "Write the key to this new file (mode 0600), not to stdout."
#define KEY_USER "user", "NAME", "The user whose key it is."
#define KEY_NAME "name", "TEXT", "What the key is called in lists."
#define KEY_SCOPE "scope", "SCOPE", "What it may do at most: read, write or admin [admin]."

static const struct command commands[] = {
	{ "serve",
	  "",
	  "Run the server.",
	  run_server,
	  { { "background", NULL,
	      "Go on in the background once the server is ready, also after a logout; its log is cairnd.log in data_dir." },
	    { "first-user", "NAME", "Add this user, an admin, if there are no users." },
	    { "key-file", "FILE",
	      "The file for the key of the first user [NAME.key in data_dir]." } } },
	{ "stop", "",
	  "Stop the server that \"serve --background\" has started with this data_dir, and wait for its end.",
	  stop_command },
	{ "upgrade",
	  "",
	  "Bring the database to this version's schema, and end. \"serve\" does so by itself.",
	  upgrade_command,
	  { { "dry-run", NULL,
	      "Only say what would be done; exit status 0 when that is nothing, 2 when it is "
	      "something, 78 when the database does not fit, 1 when it cannot be found out." } } },
	{ "rollback",
	  "",
	  "Return the database to the copy that was made before an upgrade; all servers must be stopped. Without --yes only "
	  "say to which copy, and what would be lost; exit status 2. The database as it is now is copied first.",
	  rollback_command,
	  { { "to", "FILE", "To this copy or backup [the newest from before an upgrade]." },
	    { "list", NULL, "Only list the copies that there are." },
	    { "yes", NULL, "Do it." },
	    { "cascade", NULL,
	      "With --yes: also drop what others made of Cairn's tables, such as views; the copy does not have it." } } },
	{ "healthcheck", "",
	  "Ask the server of this configuration whether it is ready, at the address it listens on; "
	  "exit status 0 when it is, 1 when it is not or does not answer.",
	  health_command },
	{ "doctor",
	  "",
	  "Look at this host and its database as a server needs them, and say what to do; nothing is changed. Exit status 0 "
	  "when all is well, 2 when there are warnings only, 1 when there is a problem.",
	  doctor_command,
	  { { "json", NULL, "A JSON object for each check." } } },
	{ "migrate", "", "Another name of \"upgrade\", without --dry-run.",
	  database_command_migrate },
	{ "user add",
	  "NAME",
	  "Add a user, with a first key.",
	  user_command_add,
	  { { "admin", NULL, "The user is an admin of the server." },
	    { "service", NULL,
	      "The user is a program: in the teams it is in, it may say for which member it makes a run "
	      "(header X-WANDB-USERNAME)." },
	    { KEY_FILE } },
	  .may_be_first = true },
	{ "user list", "", "List the users.", user_command_list },
	{ "user disable", "NAME", "Stop all keys of a user from working, and sign them out.",
	  user_command_disable },
	{ "user enable", "NAME", "Let a disabled user in again.", user_command_enable },
	{ "user passwd",
	  "NAME",
	  "Set a user's password, which is read from standard input; where they are signed in, they are "
	  "no longer.",
	  user_command_password,
	  { { "password-file", "FILE", "Read it from the first line of this file." } } },
	{ "user default", "NAME ENTITY", "Where a user's runs go that name no entity.",
	  user_command_default },
	{ "key create",
	  "",
	  "Make a key; it is shown once.",
	  key_command_create,
	  { { KEY_USER }, { KEY_NAME }, { KEY_SCOPE }, { KEY_FILE } } },
	{ "key list",
	  "",
	  "List keys by their last characters, with their last use.",
	  key_command_list,
	  { { "user", "NAME", "Only this user's." } } },
	{ "key revoke", "KEY", "Stop a key from working; KEY is its number in the list.",
	  key_command_revoke },
	{ "key import",
	  "",
	  "Take a key that a user has already: 40 to 128 of A-Z a-z 0-9 _ -.",
	  key_command_import,
	  { { KEY_USER },
	    { KEY_NAME },
	    { KEY_SCOPE },
	    { "key-file", "FILE", "The file whose first line is the key." } } },
	{ "team add", "NAME", "Add a team.", team_command_add },
	{ "team list", "", "List the teams.", team_command_list },
	{ "team member add",
	  "TEAM USER",
	  "Give a user a role in a team.",
	  team_command_member_add,
	  { { "role", "ROLE", "viewer, member or admin [member]." } } },
	{ "team member list", "TEAM", "List the members of a team.", team_command_member_list },
	{ "team member remove", "TEAM USER", "Take a user out of a team.",
	  team_command_member_remove },
	{ "backup",
	  "[FILE]",
	  "Write database and secret as of now into a new file (mode 0600), a tar, beside servers "
	  "that go on; and copy the files of runs into a folder beside it, those that are not there. Where FILE is a folder, "
	  "the file is cairn-TIME-DATABASE.tar in it; without FILE, in backup_dir.",
	  backup_command,
	  { { "files", "DIR",
	      "Folder for the files of runs; one may serve many backups [FILE.files; in a folder, cairn-files]." },
	    { "keep", "N",
	      "In a folder: keep the newest N backups of this database, and remove older ones." },
	    { "verify", NULL,
	      "Write no backup, but try FILE: restore it into a database that is made for this, verify that, and drop it." } } },
	{ "restore",
	  "FILE",
	  "Fill an empty database, or a new data directory, from a backup, and verify it; exit "
	  "status 1 when it is restored and has faults, too.",
	  restore_command,
	  { { "files", "DIR", "Folder with the files of runs [FILE.files]." } } },
	{ "verify",
	  "",
	  "Look whether all that is stored is whole and agrees with itself, beside servers that go on; "
	  "exit status 1 when it is not.",
	  verify_command,
	  { { "project", "ENTITY/PROJECT", "Only runs of this project." },
	    { "run", "ID", "Only this run; with --project." },
	    { "jobs", "N", "Look at so many runs at a time [2]." },
	    { "json", NULL, "A JSON object for each fault, and one for the sum." } } },
	{ "quota set", "NAME SIZE",
	  "What the runs of a user or team may take before there are no new ones: 500G, none, or "
	  "default.",
	  quota_command_set },
	{ "quota list", "", "What the runs of users and teams take, and may take.",
	  quota_command_list },
	{ "retention set",
	  "ENTITY/PROJECT",
	  "How long runs that ended are kept before they are deleted; what is not given stays.",
	  retention_command_set,
	  { { "finished", "DAYS", "Of those that finished: a number of days, or forever." },
	    { "failed", "DAYS", "The same of those that failed." },
	    { "crashed", "DAYS", "The same of those that crashed." },
	    { "killed", "DAYS", "The same of those that were killed." } } },
	{ "retention list", "", "The projects that do not keep all their runs, and for how long.",
	  retention_command_list },
	{ "embedded upgrade", "",
	  "Move the embedded database to a newer major version of PostgreSQL; the old one is kept.",
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
