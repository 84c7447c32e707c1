/*
 * gzip by zlib, zstd by its own library. Both are fed piece by piece into the body's buf in steps
 * of STEP_BYTES, so memory follows the decoded size, not the one that a header claims. Frames or
 * members that follow each other are one body, as both formats define.
 *
 * Rejected: one shot by the size in gzip's trailer, which the sender may invent.
 */
#include "inflate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

enum {
	STEP_BYTES = 64 << 10,
	WINDOW_LOG_MAX = 23, /* 8 MiB: every level up to 19, not the windows of --long */
};

struct inflate {
	enum inflate_kind kind;
	bool whole; /* at the end of a member or frame, or nothing came yet */
	z_stream gzip;
	ZSTD_DStream *zstd;
};

enum inflate_kind inflate_kind_of(struct str content_encoding)
{
	static const struct {
		const char *name;
		enum inflate_kind kind;
	} names[] = {
		{ "", INFLATE_NONE },       { "identity", INFLATE_NONE }, { "gzip", INFLATE_GZIP },
		{ "x-gzip", INFLATE_GZIP }, { "zstd", INFLATE_ZSTD },
	};
	struct str name = str_trim(content_encoding);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str known = str_of(names[i].name);

		if (name.len == known.len &&
		    (name.len == 0 || strncasecmp(name.at, known.at, name.len) == 0))
			return names[i].kind;
	}
	return INFLATE_UNKNOWN;
}

static void out_of_memory(void)
{
	fputs("cairn: out of memory for a decoder\n", stderr);
	abort();
}

struct inflate *inflate_new(enum inflate_kind kind)
{
	struct inflate *z = calloc(1, sizeof(*z));

	if (!z)
		out_of_memory();
	z->kind = kind;
	z->whole = true;
	if (kind == INFLATE_GZIP) {
		if (inflateInit2(&z->gzip, 15 + 16) != Z_OK)
			out_of_memory();
	} else {
		z->zstd = ZSTD_createDStream();
		if (!z->zstd)
			out_of_memory();
		ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	return z;
}

void inflate_free(struct inflate *z)
{
	if (!z)
		return;
	if (z->kind == INFLATE_GZIP)
		inflateEnd(&z->gzip);
	ZSTD_freeDStream(z->zstd);
	free(z);
}

/* One step: takes from `piece`, writes at most `room` bytes. */
static bool step_gzip(struct inflate *z, struct str *piece, char *out, size_t *room)
{
	int r;

	if (z->whole && inflateReset(&z->gzip) != Z_OK)
		return false;
	z->gzip.next_in = (z_const Bytef *)(uintptr_t)piece->at;
	z->gzip.avail_in = (uInt)piece->len;
	z->gzip.next_out = (Bytef *)out;
	z->gzip.avail_out = (uInt)*room;
	r = inflate(&z->gzip, Z_NO_FLUSH);
	piece->at += piece->len - z->gzip.avail_in;
	piece->len = z->gzip.avail_in;
	*room = z->gzip.avail_out;
	z->whole = r == Z_STREAM_END;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR;
}

static bool step_zstd(struct inflate *z, struct str *piece, char *out, size_t *room)
{
	ZSTD_inBuffer in = { .src = piece->at, .size = piece->len };
	ZSTD_outBuffer to = { .dst = out, .size = *room };
	size_t r = ZSTD_decompressStream(z->zstd, &to, &in);

	if (ZSTD_isError(r))
		return false;
	piece->at += in.pos;
	piece->len -= in.pos;
	*room -= to.pos;
	z->whole = r == 0;
	return true;
}

/* Requests one byte more than allowed, to distinguish "just fits" from "too large". */
static size_t step_room(const struct buf *b, size_t max_bytes)
{
	size_t left = max_bytes - b->len + 1;

	return left < STEP_BYTES ? left : STEP_BYTES;
}

enum inflate_result inflate_add(struct inflate *z, struct str piece, size_t max_bytes,
				struct buf *b)
{
	bool more = piece.len > 0;

	while (more) {
		size_t room = step_room(b, max_bytes);
		size_t left = room;
		char *out = buf_reserve(b, room);
		bool fine = z->kind == INFLATE_GZIP ? step_gzip(z, &piece, out, &left)
						    : step_zstd(z, &piece, out, &left);

		if (!fine)
			return INFLATE_BROKEN;
		b->len += room - left;
		if (b->len > max_bytes) {
			b->len = max_bytes;
			return INFLATE_TOO_LARGE;
		}
		more = piece.len > 0 || (left == 0 && !z->whole);
	}
	return INFLATE_OK;
}

enum inflate_result inflate_end(const struct inflate *z)
{
	return z->whole ? INFLATE_OK : INFLATE_BROKEN;
}

size_t inflate_memory(const struct inflate *z)
{
	if (!z)
		return 0;
	return sizeof(*z) + (z->zstd ? ZSTD_sizeof_DStream(z->zstd) : 48 << 10);
}
