#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "dataset.h"

/*
 * The network: 64 points, 32 hidden units (rectified), 10 classes; softmax and cross entropy. All
 * weights are one flat array, so that gradients can be summed and files written without knowing
 * what they mean.
 */
enum {
	MODEL_HIDDEN = 32,
	MODEL_WEIGHTS = (DATASET_POINTS + 1) * MODEL_HIDDEN + (MODEL_HIDDEN + 1) * DATASET_CLASSES,
};

struct model {
	float weights[MODEL_WEIGHTS];
};

/* Sums over images, which add up over processes. */
struct model_sums {
	double loss;
	double correct;
	double images;
};

void model_init(struct model *m, uint64_t seed);

/* Loss and hits over the images, and no gradient. */
struct model_sums model_test(const struct model *m, const struct dataset *d, size_t first,
			     size_t count);

/* Adds the gradient of the summed loss over the images at `indices`. */
struct model_sums model_gradient(const struct model *m, const struct dataset *d,
				 const uint32_t *indices, size_t count,
				 float gradient[MODEL_WEIGHTS]);

/* One step of descent with momentum; `velocity` is the memory of former steps. */
void model_step(struct model *m, float velocity[MODEL_WEIGHTS], const float gradient[MODEL_WEIGHTS],
		double rate, double momentum);

double model_norm(const float vector[MODEL_WEIGHTS]);

#endif
