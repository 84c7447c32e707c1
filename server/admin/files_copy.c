/*
 * Copies files to the folder next to a backup, and back. Existing files are not copied again, so
 * one folder serves many backups.
 */
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "file_store.h"
#include "files.h"
#include "progress.h"

enum { AT_ONCE = 1000 };

const char *files_beside(struct arena *a, const char *backup, const char *option)
{
	return option ? option : arena_printf(a, "%s.files", backup);
}

const char *files_of_backup(struct arena *a, const char *backup, const char *option)
{
	const char *beside = files_beside(a, backup, option);
	const char *shared = arena_printf(a, "%s/" FILES_SHARED, dirname(arena_strdup(a, backup)));

	return access(beside, F_OK) && access(shared, F_OK) == 0 ? shared : beside;
}

static void count(struct files_copied *c, const struct content_copy *copy)
{
	c->files += copy->what == CONTENT_COPIED;
	c->bytes += copy->bytes;
	c->was_there += copy->what == CONTENT_WAS_THERE;
	c->missing += copy->what == CONTENT_MISSING;
	c->broken += copy->what == CONTENT_BROKEN;
}

struct copying {
	struct content_store *from;
	struct content_store *to;
	struct progress *progress;
	struct files_copied copied;
	char last[FILE_HASH_SIZE]; /* that was checked */
};

static err_t copy_rows(struct copying *c, struct arena *a, const struct file_content *rows,
		       size_t row_count)
{
	for (size_t i = 0; i < row_count; i++) {
		const struct progress_state state = { -1, c->copied.bytes, "files copied" };
		struct content_copy copy;
		err_t e = content_copy(c->from, c->to, a, rows[i].content, &copy);

		if (e)
			return e;
		count(&c->copied, &copy);
		memcpy(c->last, rows[i].content.at, FILE_HASH_SIZE);
		progress_show(c->progress, &state);
	}
	return NULL;
}

err_t files_copy(struct db *db, struct content_store *from, struct content_store *to,
		 struct progress *progress, struct files_copied *ret_copied)
{
	struct copying c = { .from = from, .to = to, .progress = progress };
	struct arena *a = db_arena(db);
	struct arena *own = arena_new(256 << 10);
	struct str after = STR("");
	size_t row_count;
	err_t e;

	progress_begin(progress);
	do {
		struct file_content *rows;

		arena_reset(own);
		db_set_arena(db, own);
		e = file_store_list_content(db, after, AT_ONCE, &rows, &row_count);
		if (!e)
			e = copy_rows(&c, own, rows, row_count);
		after = (struct str){ c.last, FILE_HASH_SIZE };
	} while (!e && row_count == AT_ONCE);
	progress_clear(progress);
	db_set_arena(db, a);
	if (e)
		e = err_wrap(a, e, "the run files");
	arena_free(own);
	*ret_copied = c.copied;
	return e;
}
