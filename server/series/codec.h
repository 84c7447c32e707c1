#ifndef CODEC_H
#define CODEC_H

#include <stddef.h>

/*
 * The reusable state for turning columns into bytes and back: compression contexts and scratch
 * memory. One per thread; every function of this library that takes one may be called from any
 * thread as long as two never share it.
 */
struct codec;
struct memory_share;

struct codec *codec_new(void);
void codec_free(struct codec *c);
/* Bytes of scratch that it keeps now. */
size_t codec_size(const struct codec *c);
/* Its scratch counts in the share from now on, until another is set; NULL: nowhere. (memory.h) */
void codec_count_in(struct codec *c, struct memory_share *share);

#endif
