/*
 * All files of a run as one tar, made while it is sent. A worker reads some names at a time, and the threads that may wait
 * for a disk read content in pieces, so memory does not depend on number or size of the files. All files are in one
 * folder. A file that is added or removed during the download may be in it or not. A file that is replaced is the one of
 * when its name was read: content is not deleted so soon (FILE_GRACE_US). If content is missing, the answer breaks off,
 * which every client notices.
 */
#include "file_tar.h"

#include <string.h>

#include "app.h"
#include "auth.h"
#include "content.h"
#include "file_name.h"
#include "file_send.h"
#include "reply.h"
#include "tar.h"

enum { NAMES_AT_ONCE = 64 };

/* Head, content, and zeroes up to a block. */
struct member {
	const struct run_file *file;
	struct str head;
	int64_t size; /* of all three */
};

struct file_tar {
	struct reply_file file; /* first; the members of a portion as one */
	struct request *q;
	struct str folder;
	struct arena *names; /* of `members`: a portion of them */
	struct member *members;
	size_t count;
	bool is_last; /* of the portions */
	char after[FILE_NAME_MAX + 1];

	struct arena *content;         /* of `reader` */
	struct content_reader *reader; /* of members[next]; NULL: it is not open */
	size_t next;
	int64_t offset; /* in members[next] */
};

/* ---- names, by a worker ------------------------------------------------------------------------- */

static err_t keep_name(struct file_tar *t, struct str name)
{
	if (name.len >= sizeof(t->after))
		return err_new(t->q->arena, ERR_INTERNAL, "the name of a file has %zu bytes",
			       name.len);
	memcpy(t->after, name.at, name.len);
	t->after[name.len] = '\0';
	return NULL;
}

static struct str name_in(const struct file_folder *folders, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (folders[i].beside.len && str_equal(folders[i].name, name))
			return folders[i].beside;
	}
	return name;
}

static struct str head_of(struct file_tar *t, const struct run_file *file, struct str name)
{
	struct buf *head = buf_new(t->names);
	const struct tar_member member = {
		.name = str_of(
			arena_printf(t->names, "%.*s/%.*s", STR_ARG(t->folder), STR_ARG(name))),
		.size = file->size_bytes,
		.time_s = file->updated_at.us / 1000000,
		.mode = 0644,
		.type = '0',
	};

	tar_add_head(head, &member);
	return buf_str(head);
}

/* A disk cannot have a file and a folder of one name, so such a file gets another name. */
static err_t find_folders(struct request *q, struct file_tar *t, const struct run_file *files,
			  struct file_folder **ret_folders, size_t *ret_count)
{
	struct str *names = arena_new_array(db_arena(q->db), struct str, t->count + 1);

	for (size_t i = 0; i < t->count; i++)
		names[i] = files[i].name;
	return file_store_list_folders(q->db, q->target->run_id, names, t->count, ret_folders,
				       ret_count);
}

static int64_t add_members(struct file_tar *t, const struct run_file *files,
			   const struct file_folder *folders, size_t folder_count)
{
	int64_t length = 0;

	t->members = arena_new_array(t->names, struct member, t->count + 1);
	for (size_t i = 0; i < t->count; i++) {
		const struct run_file *file = &files[i];
		struct member *m = &t->members[i];

		m->file = file;
		m->head = head_of(t, file, name_in(folders, folder_count, file->name));
		m->size = (int64_t)m->head.len + file->size_bytes + tar_padding(file->size_bytes);
		length += m->size;
	}
	return length;
}

static err_t read_files(struct request *q, struct file_tar *t, struct run_file **ret_files)
{
	const struct file_ask ask = {
		.run_id = q->target->run_id,
		.after = str_of(t->after),
		.limit = NAMES_AT_ONCE,
	};
	struct arena *former = db_arena(q->db);
	err_t e;

	arena_reset(t->names);
	db_set_arena(q->db, t->names);
	e = file_store_list(q->db, &ask, ret_files, &t->count);
	db_set_arena(q->db, former);
	return e;
}

/* Reads names behind the last one so far. A call that failed may be repeated. */
static err_t next_slice(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct file_tar *t = state;
	struct file_folder *folders;
	struct run_file *files;
	size_t folder_count;
	err_t e;

	*ret_done = t->is_last;
	if (t->is_last) {
		tar_add_zeroes(slice, TAR_END);
		return NULL;
	}
	e = read_files(q, t, &files);
	if (!e)
		e = find_folders(q, t, files, &folders, &folder_count);
	if (e)
		return e;
	t->next = 0;
	t->is_last = t->count < NAMES_AT_ONCE;
	if (!t->count)
		return NULL;
	e = keep_name(t, files[t->count - 1].name);
	if (e)
		return e;
	reply_stream_file(q, &t->file, add_members(t, files, folders, folder_count));
	return NULL;
}

/* ---- content, by a thread that may wait for it -------------------------------------------------- */

static err_t open_content(struct file_tar *t, const struct run_file *file)
{
	if (t->reader)
		return NULL;
	arena_reset(t->content);
	return file_open(t->q, t->content, file, &t->reader);
}

static err_t read_content(struct file_tar *t, const struct member *m, int64_t offset, char *bytes,
			  size_t size)
{
	size_t count;
	err_t e = open_content(t, m->file);

	if (!e)
		e = content_read(t->reader, offset, bytes, size, &count);
	if (!e && count < size)
		e = err_new(t->q->arena, ERR_INTERNAL, "unexpected end of content");
	return e;
}

static size_t least(int64_t left, size_t room)
{
	return left < (int64_t)room ? (size_t)left : room;
}

/* Reads from the member's head, its content or its zeroes, as much as there is room for. */
static err_t read_part(struct file_tar *t, char *bytes, size_t room, size_t *ret_count)
{
	const struct member *m = &t->members[t->next];
	const int64_t head = (int64_t)m->head.len;
	const int64_t content = m->file->size_bytes;

	if (t->offset < head) {
		*ret_count = least(head - t->offset, room);
		memcpy(bytes, m->head.at + t->offset, *ret_count);
		return NULL;
	}
	if (t->offset < head + content) {
		*ret_count = least(head + content - t->offset, room);
		return read_content(t, m, t->offset - head, bytes, *ret_count);
	}
	*ret_count = least(m->size - t->offset, room);
	memset(bytes, 0, *ret_count);
	return NULL;
}

static void pass(struct file_tar *t, size_t count)
{
	t->offset += (int64_t)count;
	if (t->offset < t->members[t->next].size)
		return;
	t->offset = 0;
	t->reader = NULL;
	t->next++;
}

/* Portions are read from the first byte to the last one, without gaps. */
static err_t read_portion(struct reply_file *file, int64_t offset, char *bytes, size_t size,
			  size_t *ret_count)
{
	struct file_tar *t = (struct file_tar *)file;
	size_t done = 0;

	(void)offset;
	while (done < size && t->next < t->count) {
		size_t count;
		err_t e = read_part(t, bytes + done, size - done, &count);

		if (e)
			return e;
		pass(t, count);
		done += count;
	}
	*ret_count = done;
	return NULL;
}

/* ---- the answer --------------------------------------------------------------------------------- */

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

/* "run-7-files": one folder, never "." or "..", for any name of the run and any system. */
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

	t->file.read = read_portion;
	t->q = q;
	t->folder = str_of(folder);
	t->names = beside(q);
	t->content = beside(q);
	reply_header(q, "Content-Disposition",
		     file_disposition(q->arena, "attachment",
				      str_of(arena_printf(q->arena, "%s.tar", folder))));
	reply_header(q, "Cache-Control", "private, no-cache");
	reply_stream(q, "application/x-tar", next_slice, t);
	return NULL;
}
