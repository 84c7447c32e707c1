#ifndef DATASET_H
#define DATASET_H

#include <stdint.h>

enum {
	DATASET_POINTS = 64, /* of an image of 8 x 8 */
	DATASET_CLASSES = 10,
	DATASET_IMAGES = 1797,
	DATASET_TEST = 360, /* the last of them are kept from the training */
	DATASET_TRAIN = DATASET_IMAGES - DATASET_TEST,
};

/* The images in an order that is always the same, training part first. */
struct dataset {
	float points[DATASET_IMAGES][DATASET_POINTS]; /* 0 to 1 */
	uint8_t digit[DATASET_IMAGES];
};

/* From data/digits.csv (see data/SOURCE.md); NULL with a line on stderr. Freed with free(). */
struct dataset *dataset_read(const char *path);

#endif
