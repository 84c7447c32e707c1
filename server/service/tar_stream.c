#include "tar_stream.h"

#include <string.h>

#include "content.h"
#include "db.h"
#include "reply.h"
#include "tar.h"

/* Head, content, and zeroes up to a block. */
struct member {
	const struct tar_file *file;
	struct str head;
	int64_t size; /* of all three */
};

struct tar_stream {
	struct reply_file file; /* first; the members of a portion as one */
	struct request *q;
	struct str folder;
	tar_stream_next_fn *next_files;
	const void *what;
	struct arena *names; /* of `members`: a portion of them */
	struct member *members;
	size_t count;
	bool is_last; /* of the portions */
	size_t after_len;
	char after[TAR_STREAM_POSITION_MAX];

	struct arena *content;         /* of `reader` */
	struct content_reader *reader; /* of members[next]; NULL: it is not open */
	size_t next;
	int64_t offset; /* in members[next] */
};

/* ---- names, by a worker ------------------------------------------------------------------------- */

static err_t keep_position(struct tar_stream *t, struct str position)
{
	if (position.len > sizeof(t->after))
		return err_new(t->q->arena, ERR_INTERNAL, "the name of a file has %zu bytes",
			       position.len);
	memmove(t->after, position.at, position.len);
	t->after_len = position.len;
	return NULL;
}

static struct str head_of(struct tar_stream *t, const struct tar_file *file)
{
	struct buf *head = buf_new(t->names);
	const struct tar_member member = {
		.name = str_of(arena_printf(t->names, "%.*s/%.*s", STR_ARG(t->folder),
					    STR_ARG(file->name))),
		.size = file->content.size_bytes,
		.time_s = file->changed_at.us / 1000000,
		.mode = 0644,
		.type = '0',
	};

	tar_add_head(head, &member);
	return buf_str(head);
}

static int64_t add_members(struct tar_stream *t, const struct tar_file *files)
{
	int64_t length = 0;

	t->members = arena_new_array(t->names, struct member, t->count + 1);
	for (size_t i = 0; i < t->count; i++) {
		const int64_t size = files[i].content.size_bytes;
		struct member *m = &t->members[i];

		m->file = &files[i];
		m->head = head_of(t, &files[i]);
		m->size = (int64_t)m->head.len + size + tar_padding(size);
		length += m->size;
	}
	return length;
}

static err_t read_files(struct request *q, struct tar_stream *t, struct tar_files *files)
{
	struct arena *former = db_arena(q->db);
	err_t e;

	arena_reset(t->names);
	db_set_arena(q->db, t->names);
	e = t->next_files(q, t->what, (struct str){ t->after, t->after_len }, files);
	db_set_arena(q->db, former);
	return e;
}

/* Reads names behind the last one so far. A call that failed may be repeated. */
static err_t next_slice(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct tar_stream *t = state;
	struct tar_files files;
	err_t e;

	*ret_done = t->is_last;
	if (t->is_last) {
		tar_add_zeroes(slice, TAR_END);
		return NULL;
	}
	e = read_files(q, t, &files);
	if (!e)
		e = keep_position(t, files.position);
	if (e)
		return e;
	t->next = 0;
	t->count = files.count;
	t->is_last = files.is_last;
	if (t->count)
		reply_stream_file(q, &t->file, add_members(t, files.at));
	return NULL;
}

/* ---- content, by a thread that may wait for it -------------------------------------------------- */

static err_t open_content(struct tar_stream *t, const struct tar_file *file)
{
	if (t->reader)
		return NULL;
	arena_reset(t->content);
	return content_open_sent(t->q, t->content, &file->content, &t->reader);
}

static err_t read_content(struct tar_stream *t, const struct member *m, int64_t offset, char *bytes,
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
static err_t read_part(struct tar_stream *t, char *bytes, size_t room, size_t *ret_count)
{
	const struct member *m = &t->members[t->next];
	const int64_t head = (int64_t)m->head.len;
	const int64_t content = m->file->content.size_bytes;

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

static void pass(struct tar_stream *t, size_t count)
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
	struct tar_stream *t = (struct tar_stream *)file;
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

/* One folder, never "." or "..", for any name and any system. */
static const char *plain(struct request *q, const char *folder)
{
	char *made = arena_strdup(q->arena, folder);

	for (char *c = made; *c; c++) {
		if (*c == '\\')
			*c = '_';
	}
	return made;
}

void tar_stream(struct request *q, const char *name, tar_stream_next_fn *next, const void *what)
{
	struct tar_stream *t = arena_new_of(q->arena, struct tar_stream);
	const char *folder = plain(q, name);

	t->file.read = read_portion;
	t->q = q;
	t->folder = str_of(folder);
	t->next_files = next;
	t->what = what;
	t->names = beside(q);
	t->content = beside(q);
	reply_header(q, "Content-Disposition",
		     content_disposition(q->arena, "attachment",
					 str_of(arena_printf(q->arena, "%s.tar", folder))));
	reply_header(q, "Cache-Control", "private, no-cache");
	reply_stream(q, "application/x-tar", next_slice, t);
}
