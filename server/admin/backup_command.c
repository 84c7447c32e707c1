/* cairnd backup. */
#include <stdio.h>

#include "backup.h"
#include "commands.h"
#include "directory.h"

static void report(const char *path, const struct backup_made *made)
{
	char size[PROGRESS_BYTES_SIZE];
	char time[CLOCK_TEXT_SIZE];

	progress_bytes(size, (double)made->bytes);
	clock_format(made->manifest.time, time);
	printf("\"%s\": %zu tables as of %s, %s\n", path, made->manifest.table_count, time, size);
	if (!made->copied.files && !made->copied.was_there)
		return;
	progress_bytes(size, (double)made->copied.bytes);
	printf("files beside it: %lld copied, %s; %lld were there\n", (long long)made->copied.files,
	       size, (long long)made->copied.was_there);
}

static err_t judge(struct arena *a, const struct files_copied *copied)
{
	if (!copied->missing && !copied->broken)
		return NULL;
	return err_new(a, ERR_INTERNAL,
		       "the backup is made, but of the files %lld are missing and %lld damaged: "
		       "\"cairnd verify\" names them",
		       (long long)copied->missing, (long long)copied->broken);
}

err_t backup_command(struct command_call *call)
{
	const char *path = call->argument[0];
	struct progress progress = { .shown = false };
	const struct backup_ask ask = {
		.config = call->config,
		.path = path,
		.files = files_beside(call->arena, path, command_option(call, "files")),
		.progress = &progress,
	};
	struct backup_made made;
	const char *url;
	struct db *db;
	err_t e = directory_url(call, &url);

	if (!e)
		e = backup_open(call->arena, call->config, url, &db);
	if (e)
		return e;
	e = backup_write(db, &ask, &made);
	db_close(db);
	if (e)
		return e;
	report(path, &made);
	return judge(call->arena, &made.copied);
}
