/* A tar, whose headers are of base/tar.h. */
#include "archive.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "tar.h"

enum { READ_BYTES = 1 << 20, SUMS_MAX = 4096 };
#define SUMS "SHA256SUMS"

static const char zeroes[2 * TAR_BLOCK];

/* ---- headers ---------------------------------------------------------------------------------- */

static bool get_octal(const char *field, size_t size, int64_t *ret_value)
{
	int64_t value = 0;
	size_t i = 0;

	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		value = value * 8 + (field[i] - '0');
	*ret_value = value;
	return i > 0 && (i == size || field[i] == '\0' || field[i] == ' ');
}

static bool get_size(const char field[static 12], int64_t *ret_size)
{
	uint64_t size = 0;

	if (!((unsigned char)field[0] & 0x80))
		return get_octal(field, 12, ret_size);
	for (int i = 4; i < 12; i++)
		size = size << 8 | (unsigned char)field[i];
	*ret_size = (int64_t)size;
	return *ret_size >= 0;
}

static void make_header(struct tar_header *h, const char *name, int64_t size)
{
	const struct tar_member member = {
		.name = str_of(name),
		.size = size,
		.time_s = clock_wall_us().us / 1000000,
		.mode = 0600,
		.type = '0',
	};

	tar_header_make(h, &member);
}

static bool read_header(const struct tar_header *h, struct archive_member *ret_member)
{
	int64_t sum;

	if (!get_octal(h->sum, sizeof(h->sum), &sum) || (unsigned)sum != tar_header_sum(h) ||
	    memcmp(h->magic, "ustar", 5) != 0 || h->type != '0' ||
	    !get_size(h->size, &ret_member->size))
		return false;
	memcpy(ret_member->name, h->name, sizeof(h->name));
	ret_member->name[sizeof(h->name)] = '\0';
	return true;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static err_t failed(struct arena *a, const char *what, const char *path)
{
	bool is_full = errno == ENOSPC || errno == EDQUOT;
	struct err *e =
		err_new(a, ERR_INTERNAL, "cannot %s \"%s\": %s", what, path, strerror(errno));

	if (is_full)
		e->hint = "the incomplete file was removed; make room or choose a location on "
			  "another disk";
	return e;
}

static err_t put_at(struct archive_writer *w, const void *bytes, size_t len, int64_t at)
{
	const char *from = bytes;

	while (len) {
		ssize_t done = pwrite(w->file.fd, from, len, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return failed(w->file.arena, "write", w->file.path);
		from += done;
		at += done;
		len -= (size_t)done;
	}
	return NULL;
}

static err_t put(struct archive_writer *w, const void *bytes, size_t len)
{
	err_t e = put_at(w, bytes, len, w->at);

	if (!e)
		w->at += (int64_t)len;
	return e;
}

err_t archive_create(struct arena *a, const char *path, struct archive_writer *ret_writer)
{
	struct archive_writer w = { .at = 0 };
	err_t e = new_file_open(a, path, &w.file);

	if (e)
		return e;
	w.state = arena_new_of(a, crypto_hash_sha256_state);
	w.sums = buf_new(a);
	*ret_writer = w;
	return NULL;
}

err_t archive_begin(struct archive_writer *w, const char *name)
{
	w->name = name;
	w->header = w->at;
	crypto_hash_sha256_init(w->state);
	return put(w, zeroes, TAR_BLOCK);
}

err_t archive_write(struct archive_writer *w, struct str bytes)
{
	crypto_hash_sha256_update(w->state, (const unsigned char *)bytes.at, bytes.len);
	return put(w, bytes.at, bytes.len);
}

/* The size is known now. */
err_t archive_end(struct archive_writer *w)
{
	unsigned char sum[ARCHIVE_SUM_SIZE];
	char hex[2 * ARCHIVE_SUM_SIZE + 1];
	int64_t size = w->at - w->header - TAR_BLOCK;
	struct tar_header h;
	err_t e;

	make_header(&h, w->name, size);
	e = put_at(w, &h, TAR_BLOCK, w->header);
	if (!e)
		e = put(w, zeroes, (size_t)tar_padding(size));
	crypto_hash_sha256_final(w->state, sum);
	sodium_bin2hex(hex, sizeof(hex), sum, sizeof(sum));
	buf_printf(w->sums, "%s  %s\n", hex, w->name);
	return e;
}

err_t archive_add(struct archive_writer *w, const char *name, struct str bytes)
{
	err_t e = archive_begin(w, name);

	if (!e)
		e = archive_write(w, bytes);
	return e ? e : archive_end(w);
}

err_t archive_finish(struct archive_writer *w)
{
	struct str sums = { str_copy(w->file.arena, buf_str(w->sums)), w->sums->len };
	err_t e = archive_add(w, SUMS, sums);

	if (!e)
		e = put(w, zeroes, 2 * TAR_BLOCK);
	return e ? e : new_file_finish(&w->file);
}

void archive_abandon(struct archive_writer *w)
{
	new_file_abandon(&w->file);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static struct err *damaged(struct archive *r, const char *why)
{
	return err_new(r->arena, ERR_UNPROCESSABLE, "\"%s\" is not a complete backup: %s", r->path,
		       why);
}

static err_t get(struct archive *r, int64_t at, void *bytes, size_t size)
{
	char *to = bytes;

	while (size) {
		ssize_t got = pread(r->fd, to, size, at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(r->arena, "read", r->path);
		if (got == 0)
			return damaged(r, "unexpected end of file");
		to += got;
		at += got;
		size -= (size_t)got;
	}
	return NULL;
}

struct checker {
	struct archive *archive;
	archive_progress_fn *progress;
	void *p;
	char *bytes; /* READ_BYTES */
};

static err_t sum_up(struct checker *c, struct archive_member *m)
{
	crypto_hash_sha256_state state;

	crypto_hash_sha256_init(&state);
	for (int64_t done = 0; done < m->size;) {
		int64_t left = m->size - done;
		size_t some = left < READ_BYTES ? (size_t)left : READ_BYTES;
		err_t e = get(c->archive, m->at + done, c->bytes, some);

		if (e)
			return e;
		crypto_hash_sha256_update(&state, (const unsigned char *)c->bytes, some);
		done += (int64_t)some;
		c->progress(c->p, m->at + done, c->archive->size);
	}
	crypto_hash_sha256_final(&state, m->sum);
	return NULL;
}

static bool all_zero(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

static err_t check_zeroes(struct checker *c, int64_t at, size_t len)
{
	char bytes[2 * TAR_BLOCK];
	err_t e = get(c->archive, at, bytes, len);

	if (!e && !all_zero(bytes, len))
		e = damaged(c->archive, "unexpected data in the archive");
	return e;
}

/* Reads and sums up the member at `at`; *at moves after it. */
static err_t read_member(struct checker *c, int64_t *at, struct archive_member *m)
{
	struct tar_header h;
	err_t e = get(c->archive, *at, &h, TAR_BLOCK);

	if (e)
		return e;
	if (!read_header(&h, m))
		return damaged(c->archive, "invalid header");
	m->at = *at + TAR_BLOCK;
	if (m->size > c->archive->size - m->at)
		return damaged(c->archive, "unexpected end of file");
	e = sum_up(c, m);
	if (!e)
		e = check_zeroes(c, m->at + m->size, (size_t)tar_padding(m->size));
	*at = m->at + m->size + tar_padding(m->size);
	return e;
}

static err_t compare_sums(struct checker *c, const struct archive_member *sums)
{
	struct archive *r = c->archive;
	struct buf *made = buf_new(r->arena);
	char hex[2 * ARCHIVE_SUM_SIZE + 1];
	struct str told;
	err_t e = archive_read_all(r, sums, SUMS_MAX, &told);

	if (e)
		return e;
	for (size_t i = 0; i < r->count; i++) {
		sodium_bin2hex(hex, sizeof(hex), r->members[i].sum, ARCHIVE_SUM_SIZE);
		buf_printf(made, "%s  %s\n", hex, r->members[i].name);
	}
	if (!str_equal(told, buf_str(made)))
		return damaged(r, "checksum mismatch");
	return NULL;
}

static err_t check(struct checker *c)
{
	struct archive *r = c->archive;
	struct archive_member m;
	int64_t at = 0;
	err_t e;

	for (;;) {
		e = read_member(c, &at, &m);
		if (e)
			return e;
		if (strcmp(m.name, SUMS) == 0)
			break;
		if (r->count == ARCHIVE_MEMBERS)
			return damaged(r, "the archive contains more than expected");
		r->members[r->count++] = m;
	}
	e = compare_sums(c, &m);
	if (!e)
		e = check_zeroes(c, at, 2 * TAR_BLOCK);
	if (!e && r->size != at + 2 * TAR_BLOCK)
		e = damaged(r, "unexpected data after the end of the archive");
	return e;
}

err_t archive_open(struct arena *a, const char *path, archive_progress_fn *progress, void *p,
		   struct archive *ret_archive)
{
	struct archive r = { .arena = a, .path = path };
	struct checker c = { .archive = &r, .progress = progress, .p = p };
	struct stat st;
	err_t e;

	r.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r.fd < 0 || fstat(r.fd, &st)) {
		e = failed(a, "read", path);
		archive_close(&r);
		return e;
	}
	r.size = st.st_size;
	c.bytes = arena_alloc(a, READ_BYTES);
	e = check(&c);
	if (e)
		archive_close(&r);
	else
		*ret_archive = r;
	return e;
}

static err_t peek(struct archive *r, const char *name, size_t max, struct str *ret_bytes)
{
	struct archive_member m;
	struct tar_header h;
	err_t e = get(r, 0, &h, TAR_BLOCK);

	if (e)
		return e;
	if (!read_header(&h, &m) || strcmp(m.name, name) != 0)
		return damaged(r, "invalid header");
	m.at = TAR_BLOCK;
	return archive_read_all(r, &m, max, ret_bytes);
}

err_t archive_peek(struct arena *a, const char *path, const char *name, size_t max,
		   struct str *ret_bytes)
{
	struct archive r = { .arena = a, .path = path };
	err_t e;

	r.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (r.fd < 0)
		return failed(a, "read", path);
	e = peek(&r, name, max, ret_bytes);
	archive_close(&r);
	return e;
}

void archive_close(struct archive *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

const struct archive_member *archive_find(const struct archive *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++) {
		if (strcmp(r->members[i].name, name) == 0)
			return &r->members[i];
	}
	return NULL;
}

err_t archive_read(struct archive *r, const struct archive_member *m, int64_t from, char *bytes,
		   size_t size, size_t *ret_len)
{
	int64_t left = m->size - from;

	*ret_len = left < (int64_t)size ? (size_t)left : size;
	return get(r, m->at + from, bytes, *ret_len);
}

err_t archive_read_all(struct archive *r, const struct archive_member *m, size_t max,
		       struct str *ret_bytes)
{
	char *bytes;

	if (m->size > (int64_t)max)
		return damaged(r, "a member is too large");
	bytes = arena_alloc(r->arena, (size_t)m->size + 1);
	bytes[m->size] = '\0';
	*ret_bytes = (struct str){ bytes, (size_t)m->size };
	return get(r, m->at, bytes, (size_t)m->size);
}
