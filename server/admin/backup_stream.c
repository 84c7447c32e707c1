#include "backup_stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "arena.h"

enum { LEVEL = 1, PIECE = 256 << 10, TELL_MS = 200 };

static err_t failed(struct arena *a, const char *what)
{
	return err_new(a, ERR_INTERNAL, "cannot %s the dump: %s", what, strerror(errno));
}

/* ---- in --------------------------------------------------------------------------------------- */

struct compressor {
	struct archive_writer *to;
	ZSTD_CCtx *context;
	char *in;
	char *out;
	size_t out_size;
};

static err_t compress(struct compressor *c, size_t len, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { c->in, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { c->out, c->out_size, 0 };
		err_t e;

		left = ZSTD_compressStream2(c->context, &out, &in, how);
		if (ZSTD_isError(left))
			return err_new(c->to->file.arena, ERR_INTERNAL,
				       "cannot compress the dump: %s", ZSTD_getErrorName(left));
		e = archive_write(c->to, (struct str){ c->out, out.pos });
		if (e)
			return e;
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return NULL;
}

static err_t compress_all(struct compressor *c, int fd, backup_stream_fn *tell, void *p)
{
	int64_t bytes = 0;
	err_t e;

	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&ready, 1, TELL_MS) == 0) { /* pg_dump waits for a lock, for instance */
			e = tell(p, bytes);
			if (e)
				return e;
			continue;
		}
		got = read(fd, c->in, PIECE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return failed(c->to->file.arena, "read");
		if (got == 0)
			return compress(c, 0, ZSTD_e_end);
		e = compress(c, (size_t)got, ZSTD_e_continue);
		if (e)
			return e;
		bytes += got;
		e = tell(p, bytes);
		if (e)
			return e;
	}
}

err_t backup_stream_in(struct archive_writer *w, const char *name, int fd, backup_stream_fn *tell,
		       void *p)
{
	struct compressor c = { .to = w, .context = ZSTD_createCCtx() };
	err_t e;

	if (!c.context)
		return err_new(w->file.arena, ERR_INTERNAL, "out of memory");
	c.out_size = ZSTD_CStreamOutSize();
	c.in = arena_alloc(w->file.arena, PIECE);
	c.out = arena_alloc(w->file.arena, c.out_size);
	ZSTD_CCtx_setParameter(c.context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(c.context, ZSTD_c_checksumFlag, 1);
	e = archive_begin(w, name);
	if (!e)
		e = compress_all(&c, fd, tell, p);
	ZSTD_freeCCtx(c.context);
	return e ? e : archive_end(w);
}

/* ---- out -------------------------------------------------------------------------------------- */

struct inflater {
	struct archive *from;
	ZSTD_DCtx *context;
	int fd;
	bool left; /* the reader has left: pg_restore reports why */
	char *in;
	char *out;
	size_t out_size;
};

static err_t hand_over(struct inflater *i, const char *bytes, size_t len)
{
	while (len && !i->left) {
		ssize_t done = write(i->fd, bytes, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EPIPE)
			i->left = true;
		else if (done < 0)
			return failed(i->from->arena, "hand over");
		else {
			bytes += done;
			len -= (size_t)done;
		}
	}
	return NULL;
}

static err_t inflate_piece(struct inflater *i, size_t len, size_t *ret_more)
{
	ZSTD_inBuffer in = { i->in, len, 0 };

	while (in.pos < in.size) {
		ZSTD_outBuffer out = { i->out, i->out_size, 0 };
		err_t e;

		*ret_more = ZSTD_decompressStream(i->context, &out, &in);
		if (ZSTD_isError(*ret_more))
			return err_new(i->from->arena, ERR_UNPROCESSABLE,
				       "cannot decompress the dump: %s",
				       ZSTD_getErrorName(*ret_more));
		e = hand_over(i, i->out, out.pos);
		if (e)
			return e;
	}
	return NULL;
}

static err_t inflate_all(struct inflater *i, const struct archive_member *m, backup_stream_fn *tell,
			 void *p)
{
	size_t more = 1;
	size_t len = 0;

	for (int64_t at = 0; at < m->size && !i->left; at += (int64_t)len) {
		err_t e = archive_read(i->from, m, at, i->in, PIECE, &len);

		if (!e)
			e = inflate_piece(i, len, &more);
		if (!e)
			e = tell(p, at + (int64_t)len);
		if (e)
			return e;
	}
	if (more && !i->left)
		return err_new(i->from->arena, ERR_UNPROCESSABLE, "the dump is truncated");
	return NULL;
}

err_t backup_stream_out(struct archive *r, const struct archive_member *m, int fd,
			backup_stream_fn *tell, void *p)
{
	struct inflater i = { .from = r, .fd = fd, .context = ZSTD_createDCtx() };
	err_t e;

	if (!i.context)
		return err_new(r->arena, ERR_INTERNAL, "out of memory");
	i.out_size = ZSTD_DStreamOutSize();
	i.in = arena_alloc(r->arena, PIECE);
	i.out = arena_alloc(r->arena, i.out_size);
	e = inflate_all(&i, m, tell, p);
	ZSTD_freeDCtx(i.context);
	return e;
}
