#include "dataset.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* The file is ordered by who wrote the digits; mixed, both parts hold all hands. */
enum { SPLIT_SEED = 1998 };

/* One number and the comma or line end behind it. */
static bool read_number(char **text, long max, long *ret_number)
{
	char *end;

	*ret_number = strtol(*text, &end, 10);
	if (end == *text || *ret_number < 0 || *ret_number > max)
		return false;
	*text = end + (*end == ',');
	return true;
}

static bool read_image(char *line, float *points, uint8_t *ret_digit)
{
	long number;

	for (int i = 0; i < DATASET_POINTS; i++) {
		if (!read_number(&line, 16, &number))
			return false;
		points[i] = (float)number / 16;
	}
	if (!read_number(&line, DATASET_CLASSES - 1, &number))
		return false;
	*ret_digit = (uint8_t)number;
	return *line == '\n';
}

static bool read_images(FILE *file, struct dataset *d)
{
	struct random_source r = { SPLIT_SEED };
	uint32_t place[DATASET_IMAGES];
	char line[512];

	for (uint32_t i = 0; i < DATASET_IMAGES; i++)
		place[i] = i;
	random_shuffle(&r, place, DATASET_IMAGES);
	for (int i = 0; i < DATASET_IMAGES; i++) {
		uint32_t at = place[i];

		if (!fgets(line, sizeof(line), file) ||
		    !read_image(line, d->points[at], &d->digit[at])) {
			fprintf(stderr, "digits: line %d of the data is damaged\n", i + 1);
			return false;
		}
	}
	return true;
}

struct dataset *dataset_read(const char *path)
{
	struct dataset *d = calloc(1, sizeof(*d));
	FILE *file = fopen(path, "re");

	if (!file)
		fprintf(stderr, "digits: %s: %s\n", path, strerror(errno));
	if (!d || !file || !read_images(file, d)) {
		free(d);
		d = NULL;
	}
	if (file)
		fclose(file);
	return d;
}
