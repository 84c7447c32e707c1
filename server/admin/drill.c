#include "drill.h"

#include <signal.h>
#include <stdio.h>

#include "backup.h"
#include "clock.h"
#include "db_scratch.h"
#include "directory.h"
#include "file_store.h"
#include "restore.h"
#include "secret.h"

static double seconds_since(int64_t began_us)
{
	return (double)(clock_mono_us() - began_us) / 1e6;
}

static void tell_backup(const struct restore *r)
{
	char size[PROGRESS_BYTES_SIZE];
	char time[CLOCK_TEXT_SIZE];

	progress_bytes(size, (double)r->file.size);
	clock_format(r->manifest.time, time);
	printf("\"%s\" is complete: %s, of version %s with schema %lld, as of %s\n", r->path, size,
	       str_copy(r->arena, r->manifest.version), (long long)r->manifest.schema, time);
	fflush(stdout);
}

/* Without them, a restore would bring back names without content. */
static err_t find_files(struct restore *r, struct db *db, struct content_store **ret_content)
{
	struct file_content *first;
	struct err *missing;
	size_t count;
	err_t e = file_store_list_content(db, STR(""), 1, &first, &count);

	*ret_content = NULL;
	if (e || !count)
		return e;
	e = content_folder_open(r->arena, r->files, CONTENT_FIND, 0, ret_content);
	if (!e)
		return NULL;
	missing = err_new(r->arena, ERR_INTERNAL, "the run files of the backup are missing: %s",
			  err_chain(r->arena, e));
	missing->hint = "set --files to the directory that \"cairnd backup\" copied them to";
	return missing;
}

static err_t restore_into(struct restore *r)
{
	int64_t began_us = clock_mono_us();
	err_t e = restore_open(r, r->url);

	if (e)
		return e;
	e = restore_fill(r);
	if (!e)
		e = restore_compare(r);
	if (!e)
		e = secret_check(r->db, r->path, r->secret);
	db_close(r->db);
	if (!e)
		printf("restored in %.1f s\n", seconds_since(began_us));
	fflush(stdout);
	return e;
}

static err_t prove(struct restore *r)
{
	int64_t began_us = clock_mono_us();
	err_t e = restore_prove(r, find_files);

	if (e)
		return err_wrap(r->arena, e, "the backup was restored, but cannot be verified");
	printf("verified in %.1f s\n", seconds_since(began_us));
	return NULL;
}

static err_t try(struct restore *r, struct db *server)
{
	struct db_scratch scratch;
	err_t dropped;
	err_t e = restore_judge(r, server);

	if (!e)
		e = db_scratch_make(server, &scratch);
	if (e)
		return e;
	r->url = scratch.url;
	e = restore_into(r);
	if (!e)
		e = prove(r);
	dropped = db_scratch_drop(server, &scratch);
	return e ? e : dropped;
}

static err_t run(struct command_call *call, struct restore *r)
{
	const char *url;
	struct db *server;
	err_t e = restore_read(r);

	if (e)
		return e;
	tell_backup(r);
	e = directory_url(call, &url);
	if (!e)
		e = backup_open(r->arena, r->config, url, NULL, &server);
	if (e)
		return e;
	e = try(r, server);
	db_close(server);
	return e;
}

err_t drill(struct command_call *call)
{
	struct restore r = {
		.arena = call->arena,
		.config = call->config,
		.path = call->argument[0],
		.file.fd = -1,
	};
	err_t e;

	r.files = files_of_backup(call->arena, r.path, command_option(call, "files"));
	signal(SIGPIPE, SIG_IGN); /* of pg_restore if it ended: it reports why */
	e = run(call, &r);
	archive_close(&r.file);
	return e;
}
