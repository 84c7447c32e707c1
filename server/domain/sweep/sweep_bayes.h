#ifndef SWEEP_BAYES_H
#define SWEEP_BAYES_H

#include <stddef.h>

struct arena;
struct sweep_draw;
struct sweep_samples;

/*
 * Bayesian search as wandb's controller does it: a Gaussian process (sweep_process.h) through the samples, pending points added with
 * the values it predicts ("fantasies") and fitted again, and of many candidates the one with the greatest expected improvement.
 * The first points are random.
 *
 * At most BAYES_SAMPLES_MAX samples are used, the best quarter of them and a random choice of the others, and the latest
 * BAYES_PENDING_MAX pending points.
 *
 * The differences from wandb's controller, all of them better in the judgement of sweep-quality:
 * - candidates of finite parameters are the values themselves, and what was tried or is pending is not suggested again as long as
 *   there are other candidates;
 * - besides uniform candidates there are some around the best samples, then around the best candidate;
 * - not only the first two points are random: with fewer results than parameters the search gets stuck in a corner;
 * - choices that are not numbers in order are equally far from each other;
 * - values far above the others, as of trainings that diverged, are lowered first;
 * - samples may have noise; where wandb falls back to random points, since no length scale is likely, a long one is used;
 * - the best samples are never left out.
 */
enum {
	BAYES_SAMPLES_MAX = 100,
	BAYES_PENDING_MAX = 95,
};

/* So many results come from random points: one for each dimension and two more, at most 10. */
size_t sweep_bayes_startup(size_t dimensions);

/*
 * ret_u: a coordinate for each dimension, inside of the interval of its value; of parameters that are not part of the point too.
 * *ret_note: "random: too few results yet" for the page; NULL: nothing to say.
 */
void sweep_bayes_next(struct arena *a, const struct sweep_samples *s, struct sweep_draw *draw,
		      double *ret_u, const char **ret_note) __attribute__((nonnull));

#endif
