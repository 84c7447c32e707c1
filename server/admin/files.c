#include "files.h"

#include "arena.h"
#include "database.h"
#include "file_store.h"
#include "id.h"
#include "log.h"
#include "progress.h"
#include "server_store.h"

static const char setting[] = "files_mark";

static err_t refuse(struct db *db, const struct config *config, struct str mark)
{
	struct err *e;

	if (mark.len)
		e = err_new(db_arena(db), ERR_PRECONDITION,
			    "the files directory \"%s\" belongs to another database",
			    config->files_dir);
	else
		e = err_new(db_arena(db), ERR_PRECONDITION,
			    "the files directory \"%s\" does not contain this database's files",
			    config->files_dir);
	e->hint = "set files_dir to the right directory; all servers of a database share one";
	return e;
}

/*
 * Refuses a folder that holds something: another database names it, and this one would delete it.
 */
static err_t see_first(void *state, struct str hash, int64_t size_bytes)
{
	(void)hash;
	(void)size_bytes;
	return err_new(state, ERR_CONFLICT, "the files directory is not empty");
}

/*
 * A database that has no files yet. The folder is marked first: servers that start together with
 * one folder all find the same mark, and if they have different ones the database takes the first.
 * A server that died in between has left an empty folder with a mark.
 */
static err_t settle_new(struct db *db, const struct config *config, struct content_store *content,
			struct str mark)
{
	struct arena *a = db_arena(db);
	char text[CONTENT_MARK_SIZE + 1];
	struct str settled;
	err_t e;

	if (mark.len && content_walk(content, a, see_first, a))
		return refuse(db, config, mark);
	id_text(text, CONTENT_MARK_SIZE);
	e = mark.len ? NULL : content_mark(content, a, (struct str){ text, CONTENT_MARK_SIZE });
	if (!e)
		e = content_read_mark(content, a, &mark);
	if (!e)
		e = server_store_settle(db, setting, mark, &settled);
	if (e)
		return e;
	return str_equal(mark, settled) ? NULL : refuse(db, config, STR(""));
}

/* The database first: another server marks the folder before it records that in the database. */
err_t files_settle(struct db *db, const struct config *config, struct content_store *content)
{
	struct str mark;
	struct str settled;
	err_t e = server_store_setting(db, setting, &settled);

	if (!e)
		e = content_read_mark(content, db_arena(db), &mark);
	if (e)
		return e;
	if (!settled.len)
		return settle_new(db, config, content, mark);
	return str_equal(mark, settled) ? NULL : refuse(db, config, mark);
}

err_t files_find(struct db *db, const struct config *config, struct content_store **ret_content)
{
	struct content_store *content;
	struct str settled;
	err_t e = server_store_setting(db, setting, &settled);

	*ret_content = NULL;
	if (e || !settled.len)
		return e;
	e = content_folder_open(db_arena(db), config->files_dir, CONTENT_FIND, 0, &content);
	if (e)
		return e;
	e = files_settle(db, config, content);
	if (e)
		content_close(content);
	else
		*ret_content = content;
	return e;
}

err_t files_restore(struct db *db, const struct config *config, struct content_store *content)
{
	struct str mark;
	struct str settled;
	err_t e = content_read_mark(content, db_arena(db), &mark);

	if (!e)
		e = server_store_setting(db, setting, &settled);
	if (e || !settled.len)
		return e;
	if (!mark.len)
		return content_mark(content, db_arena(db), settled);
	return str_equal(mark, settled) ? NULL : refuse(db, config, mark);
}

err_t files_open(struct arena *a, const struct config *config, const char *database_url,
		 struct content_store **ret_content)
{
	struct db_options options = database_options(config, database_url);
	struct content_store *content;
	size_t swept = 0;
	struct db *db;
	err_t e = content_folder_open(a, config->files_dir, CONTENT_MAKE, config->files_reserve,
				      &content);

	if (e)
		return e;
	e = db_open(a, &options, &db);
	if (!e) {
		e = files_settle(db, config, content);
		db_close(db);
	}
	if (!e)
		e = content_sweep(content, a, &swept);
	if (e) {
		content_close(content);
		return e;
	}
	if (swept)
		log_info("incomplete uploads removed", LOG_INT("files", swept));
	*ret_content = content;
	return NULL;
}
