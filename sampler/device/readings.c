/* readings.c - see readings.h. Names are found by open addressing, half of the slots stay free. */
#include "readings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info_text.h"

#define SLOT_COUNT (2 * READING_NAMES_MAX)
#define FNV_OFFSET UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

void readings_begin(struct readings *readings)
{
	readings->count = 0;
	readings->dropped = 0;
	readings->pass++;
}

static uint64_t hash(const char *name)
{
	uint64_t h = FNV_OFFSET;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * FNV_PRIME;
	return h;
}

/* The slot that holds the name, or the free one where it belongs. */
static const char **find_slot(struct readings *readings, const char *name)
{
	size_t at = hash(name) % SLOT_COUNT;

	while (readings->slots[at] && strcmp(readings->slots[at], name) != 0)
		at = (at + 1) % SLOT_COUNT;
	return &readings->slots[at];
}

static const char *keep_name(struct readings *readings, const char *name)
{
	struct reading_block *block = readings->blocks;

	if (readings->name_count == READING_NAMES_MAX)
		return NULL;
	if (!block || block->count == READING_BLOCK_NAMES) {
		block = calloc(1, sizeof *block);
		if (!block)
			return NULL;
		block->next = readings->blocks;
		readings->blocks = block;
	}
	char *kept = block->names[block->count++];
	strcpy(kept, name); /* both are READING_NAME_MAX bytes */
	readings->name_count++;
	return kept;
}

/* False when there is no room. */
static bool add(struct readings *readings, size_t slot, double value)
{
	if (readings->passes[slot] == readings->pass + 1)
		return true;
	if (readings->count == READINGS_MAX)
		return false;
	readings->passes[slot] = readings->pass + 1;
	readings->values[readings->count++] =
		(struct sampler_value){ .name = readings->slots[slot], .value = value };
	return true;
}

static bool clean_name(char *name)
{
	for (char *at = name; *at; at++) {
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '_';
	}
	return info_text_is_utf8(name);
}

/* The name's slot and 1; 0 when it has none. */
static size_t place_of(struct readings *readings, char *name, int length)
{
	if (length <= 0 || length >= READING_NAME_MAX || !clean_name(name))
		return 0;
	const char **slot = find_slot(readings, name);
	if (!*slot)
		*slot = keep_name(readings, name);
	return *slot ? (size_t)(slot - readings->slots) + 1 : 0;
}

void readings_add(struct readings *readings, double value, const char *format, ...)
{
	char name[READING_NAME_MAX];
	va_list arguments;

	if (!isfinite(value))
		return;
	va_start(arguments, format);
	int length = vsnprintf(name, sizeof name, format, arguments);
	va_end(arguments);
	if (readings->choice && !device_choice_has_metric(readings->choice, name))
		return;
	readings_add_at(readings, value, place_of(readings, name, length));
}

size_t readings_place(struct readings *readings, const char *format, ...)
{
	char name[READING_NAME_MAX];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(name, sizeof name, format, arguments);
	va_end(arguments);
	return place_of(readings, name, length);
}

void readings_add_at(struct readings *readings, double value, size_t place)
{
	if (isfinite(value) && (place == 0 || !add(readings, place - 1, value)))
		readings->dropped++;
}

void readings_deinit(struct readings *readings)
{
	while (readings->blocks) {
		struct reading_block *block = readings->blocks;
		readings->blocks = block->next;
		free(block);
	}
}
