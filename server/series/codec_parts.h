#ifndef CODEC_PARTS_H
#define CODEC_PARTS_H

#include <stdint.h>
#include <zstd.h>

#include "codec.h"
#include "err.h"
#include "sections.h"

struct arena;

/* Inside of a codec, for the formats of this library only. */
struct codec {
	ZSTD_CCtx *compress;
	ZSTD_DCtx *decompress;
	struct sections sections; /* of what is being written */
	struct buf raw;           /* sections joined, or a frame inflated */
	struct buf ints;          /* scratch of int_column.c */
	struct buf mapped;        /* scratch of numbers.c */
	struct buf fields;        /* scratch of the formats */
};

/* Room for `count` integers in a scratch buffer; its former bytes are lost. */
int64_t *codec_ints(struct buf *scratch, uint32_t count) __attribute__((nonnull));

/*
 * A frame is the stored form of all formats:
 *
 *	kind  version  varint size of the body | the body: one zstd frame, or as it is | checksum
 *
 * The kind has FRAME_PLAIN set if compressing was not worth it. The checksum is the lower half of
 * XXH64 over all before it.
 */
enum frame_kind {
	FRAME_BLOCK = 1,
	FRAME_CHUNK,
	FRAME_ROLLUP,
	FRAME_KEY_STATS,
	FRAME_LINES,
	FRAME_PACK,
};

enum {
	FRAME_VERSION = 1,
	FRAME_PLAIN = 0x80,
	FRAME_EXTRA = 16,         /* the most that an uncompressed frame takes besides its body */
	FRAME_MAX_BODY = 1 << 30, /* the limit of a value in the database, too */
};

/* Appends the codec's sections as a frame to `out`, and clears them. */
void frame_write(struct codec *c, enum frame_kind kind, struct buf *out) __attribute__((nonnull));

/* Appends any body as a frame; tests use it to hand damaged bodies to the readers. */
void frame_write_body(struct codec *c, enum frame_kind kind, struct str body, struct buf *out)
	__attribute__((nonnull));

/* The same uncompressed, if the body takes so few bytes that it will be compressed with others. */
void frame_write_small(struct codec *c, enum frame_kind kind, size_t most, struct buf *out)
	__attribute__((nonnull));
/* Whether the bytes are a frame of the kind that is not compressed. */
bool frame_is_plain(enum frame_kind kind, struct str bytes);
/* The body of one that is. */
struct str frame_plain_body(struct str bytes);

/* The data read stays in the codec until its next use. */
err_t frame_read(struct codec *c, struct arena *a, enum frame_kind kind, struct str bytes,
		 struct sections_reader *ret_reader) __attribute__((nonnull, warn_unused_result));

/* The error for a format whose body is not valid. */
err_t frame_damaged(struct arena *a, enum frame_kind kind) __attribute__((nonnull));

#endif
