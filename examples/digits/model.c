#include "model.h"

#include <math.h>
#include <string.h>

#include "random.h"

/* Where the parts stand in the flat array. */
enum {
	HIDDEN_WEIGHTS = 0, /* [MODEL_HIDDEN][DATASET_POINTS] */
	HIDDEN_BIAS = HIDDEN_WEIGHTS + MODEL_HIDDEN * DATASET_POINTS,
	OUTPUT_WEIGHTS = HIDDEN_BIAS + MODEL_HIDDEN, /* [DATASET_CLASSES][MODEL_HIDDEN] */
	OUTPUT_BIAS = OUTPUT_WEIGHTS + DATASET_CLASSES * MODEL_HIDDEN,
};

/* What the network makes of one image. */
struct activation {
	float hidden[MODEL_HIDDEN];
	float chance[DATASET_CLASSES];
};

void model_init(struct model *m, uint64_t seed)
{
	struct random_source r = { seed };
	double hidden_scale = sqrt(2.0 / DATASET_POINTS);
	double output_scale = sqrt(1.0 / MODEL_HIDDEN);

	memset(m, 0, sizeof(*m));
	for (int i = HIDDEN_WEIGHTS; i < HIDDEN_BIAS; i++)
		m->weights[i] = (float)(hidden_scale * random_normal(&r));
	for (int i = OUTPUT_WEIGHTS; i < OUTPUT_BIAS; i++)
		m->weights[i] = (float)(output_scale * random_normal(&r));
}

static float dot(const float *a, const float *b, int count)
{
	float sum = 0;

	for (int i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

static void softmax(float *values, int count)
{
	float greatest = values[0];
	float sum = 0;

	for (int i = 1; i < count; i++)
		greatest = fmaxf(greatest, values[i]);
	for (int i = 0; i < count; i++) {
		values[i] = expf(values[i] - greatest);
		sum += values[i];
	}
	for (int i = 0; i < count; i++)
		values[i] /= sum;
}

static void forward(const struct model *m, const float *points, struct activation *act)
{
	const float *w = m->weights;

	for (int h = 0; h < MODEL_HIDDEN; h++) {
		float sum = w[HIDDEN_BIAS + h] +
			    dot(w + HIDDEN_WEIGHTS + h * DATASET_POINTS, points, DATASET_POINTS);

		act->hidden[h] = fmaxf(sum, 0);
	}
	for (int c = 0; c < DATASET_CLASSES; c++)
		act->chance[c] = w[OUTPUT_BIAS + c] + dot(w + OUTPUT_WEIGHTS + c * MODEL_HIDDEN,
							  act->hidden, MODEL_HIDDEN);
	softmax(act->chance, DATASET_CLASSES);
}

static void count_image(const struct activation *act, int digit, struct model_sums *sums)
{
	int best = 0;

	for (int c = 1; c < DATASET_CLASSES; c++) {
		if (act->chance[c] > act->chance[best])
			best = c;
	}
	sums->loss -= log(fmax(act->chance[digit], 1e-12));
	sums->correct += best == digit;
	sums->images += 1;
}

static void backward(const struct model *m, const float *points, int digit,
		     const struct activation *act, float *g)
{
	const float *w = m->weights;
	float hidden[MODEL_HIDDEN] = { 0 };

	for (int c = 0; c < DATASET_CLASSES; c++) {
		float error = act->chance[c] - (float)(c == digit);

		g[OUTPUT_BIAS + c] += error;
		for (int h = 0; h < MODEL_HIDDEN; h++) {
			g[OUTPUT_WEIGHTS + c * MODEL_HIDDEN + h] += error * act->hidden[h];
			hidden[h] += error * w[OUTPUT_WEIGHTS + c * MODEL_HIDDEN + h];
		}
	}
	for (int h = 0; h < MODEL_HIDDEN; h++) {
		if (act->hidden[h] <= 0)
			continue;
		g[HIDDEN_BIAS + h] += hidden[h];
		for (int i = 0; i < DATASET_POINTS; i++)
			g[HIDDEN_WEIGHTS + h * DATASET_POINTS + i] += hidden[h] * points[i];
	}
}

struct model_sums model_test(const struct model *m, const struct dataset *d, size_t first,
			     size_t count)
{
	struct model_sums sums = { 0 };
	struct activation act;

	for (size_t i = first; i < first + count; i++) {
		forward(m, d->points[i], &act);
		count_image(&act, d->digit[i], &sums);
	}
	return sums;
}

struct model_sums model_gradient(const struct model *m, const struct dataset *d,
				 const uint32_t *indices, size_t count,
				 float gradient[MODEL_WEIGHTS])
{
	struct model_sums sums = { 0 };
	struct activation act;

	for (size_t k = 0; k < count; k++) {
		uint32_t i = indices[k];

		forward(m, d->points[i], &act);
		count_image(&act, d->digit[i], &sums);
		backward(m, d->points[i], d->digit[i], &act, gradient);
	}
	return sums;
}

void model_step(struct model *m, float velocity[MODEL_WEIGHTS], const float gradient[MODEL_WEIGHTS],
		double rate, double momentum)
{
	for (int i = 0; i < MODEL_WEIGHTS; i++) {
		velocity[i] = (float)(momentum * velocity[i] - rate * gradient[i]);
		m->weights[i] += velocity[i];
	}
}

double model_norm(const float vector[MODEL_WEIGHTS])
{
	double sum = 0;

	for (int i = 0; i < MODEL_WEIGHTS; i++)
		sum += (double)vector[i] * vector[i];
	return sqrt(sum);
}
