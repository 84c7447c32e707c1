#ifndef SECTIONS_H
#define SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

/*
 * The body of all our formats before compression: ten byte streams that are written side by side
 * and laid one after the other at the end. Numbers are split by the weight of their bytes, so that
 * similar bytes are together for the compressor: the meta section holds counts and headers, eight
 * planes hold the bytes of integers from the lowest to the highest, the text section holds texts.
 *
 *	varint length of meta and planes 0 to 7 | meta | plane 7 … plane 0 | text
 */
enum { SECTION_META, SECTION_PLANE, SECTION_TEXT = SECTION_PLANE + 8, SECTIONS };

struct sections {
	struct buf section[SECTIONS];
};

void sections_clear(struct sections *l) __attribute__((nonnull));
void sections_free(struct sections *l) __attribute__((nonnull));

void sections_add_byte(struct sections *l, unsigned char byte) __attribute__((nonnull));
void sections_add_varint(struct sections *l, uint64_t value) __attribute__((nonnull));
void sections_add_signed(struct sections *l, int64_t value)
	__attribute__((nonnull)); /* zigzag varint */
void sections_add_u64(struct sections *l, uint64_t value) __attribute__((nonnull));

/* Appends all sections to `raw`. */
void sections_join(const struct sections *l, struct buf *raw) __attribute__((nonnull));

/*
 * Reading. A missing field reads as zero and sets `failed`, so that a reader of many fields may
 * check once at the end; but a field that sizes an allocation or a loop is checked first.
 */
struct sections_reader {
	const unsigned char *at[SECTIONS];
	const unsigned char *end[SECTIONS];
	bool failed;
};

bool sections_open(struct str raw, struct sections_reader *ret_reader) __attribute__((nonnull));
unsigned char sections_byte(struct sections_reader *r) __attribute__((nonnull));
uint64_t sections_varint(struct sections_reader *r) __attribute__((nonnull));
int64_t sections_signed(struct sections_reader *r) __attribute__((nonnull));
uint64_t sections_u64(struct sections_reader *r) __attribute__((nonnull));

/* A varint that must not be more than `max`; 0 and failed if it is. */
uint32_t sections_count(struct sections_reader *r, uint32_t max) __attribute__((nonnull));

/* The next `len` bytes of a section; NULL and failed when there are fewer. */
const unsigned char *sections_bytes(struct sections_reader *r, unsigned section, size_t len)
	__attribute__((nonnull));

/* Every section was read to its end, without a failure. */
bool sections_done(const struct sections_reader *r) __attribute__((nonnull));

#endif
