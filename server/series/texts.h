#ifndef TEXTS_H
#define TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;
struct codec;
struct sections_reader;

/* A column of texts: their lengths as integers, their bytes in the text section. */
void texts_write(struct codec *c, const struct str *texts, uint32_t count)
	__attribute__((nonnull(1)));

/*
 * The texts are copied into the arena. False, with the reader failed, if the bytes are not valid.
 */
bool texts_read(struct codec *c, struct sections_reader *r, struct arena *a, uint32_t count,
		struct str *ret_texts) __attribute__((nonnull(1, 2, 3), warn_unused_result));

bool texts_skip(struct codec *c, struct sections_reader *r, uint32_t count)
	__attribute__((nonnull, warn_unused_result));

#endif
