/*
 * readings.h - named values that a slow source reads in its thread.
 *
 * Names are made once and kept, since a row refers to them as long as the sampler lives; a steady
 * machine allocates nothing. Both numbers are bounded: what does not fit is counted.
 */
#ifndef CAIRN_SAMPLER_READINGS_H
#define CAIRN_SAMPLER_READINGS_H

#include <stddef.h>
#include <stdint.h>

#include "device_choice.h"
#include "sampler.h"

#define READINGS_MAX 1024      /* values of one source in a row */
#define READING_NAMES_MAX 4096 /* different names of one source */
#define READING_NAME_MAX 128   /* bytes with the NUL */
#define READING_BLOCK_NAMES 64

struct reading_block {
	struct reading_block *next;
	size_t count;
	char names[READING_BLOCK_NAMES][READING_NAME_MAX];
};

struct readings {
	const struct device_choice
		*choice; /* values of other devices are left out; NULL: none are */
	size_t count;
	size_t dropped; /* values for which there was no room, or whose name is not UTF-8 */
	struct sampler_value values[READINGS_MAX];
	size_t name_count;
	struct reading_block *blocks; /* the newest first */
	const char *slots[2 * READING_NAMES_MAX];
	uint32_t pass;
	uint32_t passes[2 * READING_NAMES_MAX]; /* in which the name was added last */
};

/* All zero is empty. Values of before are gone, names stay. */
void readings_begin(struct readings *readings);

/* Adds a value; NaN and infinity are left out, and so is a name that these readings have already. Control characters in the name become '_'. */
__attribute__((format(printf, 3, 4))) void readings_add(struct readings *readings, double value,
							const char *format, ...);

/* The same in two steps, for many names that do not change: the place of a name, which is kept; and a
 * value there. 0 is no place: the value is counted as dropped. */
__attribute__((format(printf, 2, 3))) size_t readings_place(struct readings *readings,
							    const char *format, ...);
void readings_add_at(struct readings *readings, double value, size_t place);

void readings_deinit(struct readings *readings);

#endif
