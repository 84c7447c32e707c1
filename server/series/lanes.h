#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

/*
 * The body of all our formats before compression: ten byte streams that are written side by side
 * and laid one after the other at the end. Numbers are split by the weight of their bytes, so that
 * similar bytes are together for the compressor: the meta lane holds counts and headers, eight
 * planes hold the bytes of integers from the lowest to the highest, the text lane holds texts.
 *
 *	varint length of meta and planes 0 to 7 | meta | plane 7 … plane 0 | text
 */
enum { LANE_META, LANE_PLANE, LANE_TEXT = LANE_PLANE + 8, LANES };

struct lanes {
	struct buf lane[LANES];
};

void lanes_clear(struct lanes *l) __attribute__((nonnull));
void lanes_free(struct lanes *l) __attribute__((nonnull));

void lanes_add_byte(struct lanes *l, unsigned char byte) __attribute__((nonnull));
void lanes_add_varint(struct lanes *l, uint64_t value) __attribute__((nonnull));
void lanes_add_signed(struct lanes *l, int64_t value) __attribute__((nonnull)); /* zigzag varint */
void lanes_add_u64(struct lanes *l, uint64_t value) __attribute__((nonnull));

/* Appends all lanes to `raw`. */
void lanes_join(const struct lanes *l, struct buf *raw) __attribute__((nonnull));

/*
 * Reading. A missing field reads as zero and sets `failed`, so that a reader of many fields may
 * check once at the end; but a field that sizes an allocation or a loop is checked first.
 */
struct lanes_reader {
	const unsigned char *at[LANES];
	const unsigned char *end[LANES];
	bool failed;
};

bool lanes_open(struct str raw, struct lanes_reader *ret_reader) __attribute__((nonnull));
unsigned char lanes_byte(struct lanes_reader *r) __attribute__((nonnull));
uint64_t lanes_varint(struct lanes_reader *r) __attribute__((nonnull));
int64_t lanes_signed(struct lanes_reader *r) __attribute__((nonnull));
uint64_t lanes_u64(struct lanes_reader *r) __attribute__((nonnull));

/* A varint that must not be more than `max`; 0 and failed if it is. */
uint32_t lanes_count(struct lanes_reader *r, uint32_t max) __attribute__((nonnull));

/* The next `len` bytes of a lane; NULL and failed when there are fewer. */
const unsigned char *lanes_bytes(struct lanes_reader *r, unsigned lane, size_t len)
	__attribute__((nonnull));

/* Every lane was read to its end, without a failure. */
bool lanes_done(const struct lanes_reader *r) __attribute__((nonnull));

#endif
