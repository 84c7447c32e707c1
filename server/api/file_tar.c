/*
 * All files of a run as one tar, made while it is sent: names some at a time, content in pieces, so memory does not
 * go by how many there are or how large. All lie below one folder. A file that comes or goes meanwhile is in it or not,
 * one that is replaced is there as its name was read; content is not given up so soon (FILE_GRACE_US), and where it is
 * not to be had all the same the answer breaks off, which every client sees.
 */
#include "file_tar.h"

#include <assert.h>
#include <string.h>

#include "app.h"
#include "auth.h"
#include "content.h"
#include "file_name.h"
#include "file_send.h"
#include "reply.h"
#include "tar.h"

enum { NAMES_AT_ONCE = 64, PIECE = 256 << 10, PAGE_BYTES = 1 << 20 };

struct file_tar {
	struct str folder;
	struct arena *names;   /* of `files` */
	struct arena *content; /* of `reader` */
	struct run_file *files;
	size_t count, next;
	bool is_last; /* of the names */
	char after[FILE_NAME_MAX + 1];
	struct content_reader *reader; /* of files[next], NULL: it is not begun */
	int64_t offset;
};

static void keep_place(struct file_tar *t, struct str name)
{
	assert(name.len < sizeof(t->after));
	memcpy(t->after, name.at, name.len);
	t->after[name.len] = '\0';
}

/* Behind the last name so far; what fails leaves all as it was. */
static err_t read_names(struct request *q, struct file_tar *t)
{
	const struct file_ask ask = {
		.run_id = q->target->run_id,
		.after = str_of(t->after),
		.limit = NAMES_AT_ONCE,
	};
	struct arena *page = db_arena(q->db);
	size_t count;
	err_t e;

	arena_reset(t->names);
	t->count = t->next = 0;
	db_set_arena(q->db, t->names);
	e = file_store_list(q->db, &ask, &t->files, &count);
	db_set_arena(q->db, page);
	if (e)
		return e;
	t->count = count;
	t->is_last = count < NAMES_AT_ONCE;
	if (count)
		keep_place(t, t->files[count - 1].name);
	return NULL;
}

static err_t begin_file(struct request *q, struct file_tar *t, struct buf *page)
{
	const struct run_file *file = &t->files[t->next];
	const struct tar_member member = {
		.name = str_of(arena_printf(db_arena(q->db), "%.*s/%.*s", STR_ARG(t->folder),
					    STR_ARG(file->name))),
		.size = file->size_bytes,
		.time_s = file->updated_at.us / 1000000,
		.mode = 0644,
		.type = '0',
	};
	err_t e;

	arena_reset(t->content);
	e = file_open(q, t->content, file, &t->reader);
	if (e)
		return e;
	t->offset = 0;
	tar_add_head(page, &member);
	return NULL;
}

/* A piece of it; after the last one the next file's turn has come. */
static err_t add_piece(struct file_tar *t, struct buf *page)
{
	int64_t size = t->files[t->next].size_bytes;
	int64_t left = size - t->offset;
	size_t wanted = (size_t)(left < PIECE ? left : PIECE);
	size_t count = 0;
	err_t e = wanted ? content_read(t->reader, t->offset, buf_reserve(page, wanted), wanted,
					&count)
			 : NULL;

	if (e)
		return e;
	page->len += count;
	t->offset += (int64_t)count;
	if (count < wanted)
		return err_new(t->content, ERR_INTERNAL, "content ends before its size");
	if (t->offset < size)
		return NULL;
	tar_add_zeroes(page, tar_padding(size));
	t->reader = NULL;
	t->next++;
	return NULL;
}

/* The database is asked for names only while nothing stands on the page: such a call may be made again. */
static err_t next_page(struct request *q, void *state, struct buf *page, bool *ret_done)
{
	struct file_tar *t = state;
	err_t e = NULL;

	if (!t->reader && t->next == t->count && !t->is_last)
		e = read_names(q, t);
	while (!e && t->next < t->count && page->len < PAGE_BYTES) {
		if (!t->reader)
			e = begin_file(q, t, page);
		if (!e)
			e = add_piece(t, page);
	}
	*ret_done = !e && t->next == t->count && t->is_last;
	if (*ret_done)
		tar_add_zeroes(page, TAR_END);
	return e;
}

static void free_arena(void *p)
{
	arena_free(p);
}

static struct arena *beside(struct request *q)
{
	struct arena *made = arena_new_beside(q->arena, 4096);

	arena_defer(q->arena, free_arena, made);
	return made;
}

/* "run-7-files": one folder, never "." or "..", whatever the run is called and the system it is unpacked on. */
static const char *folder_of(struct request *q)
{
	char *folder = arena_printf(q->arena, "%.*s-files", STR_ARG(q->target->run));

	for (char *c = folder; *c; c++) {
		if (*c == '\\')
			*c = '_';
	}
	return folder;
}

err_t file_tar_show(struct request *q)
{
	struct file_tar *t = arena_new_of(q->arena, struct file_tar);
	const char *folder = folder_of(q);

	t->folder = str_of(folder);
	t->names = beside(q);
	t->content = beside(q);
	reply_header(q, "Content-Disposition",
		     file_disposition(q->arena, "attachment",
				      str_of(arena_printf(q->arena, "%s.tar", folder))));
	reply_header(q, "Cache-Control", "private, no-cache");
	reply_stream(q, "application/x-tar", next_page, t);
	return NULL;
}
