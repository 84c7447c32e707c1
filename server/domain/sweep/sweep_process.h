#ifndef SWEEP_PROCESS_H
#define SWEEP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * A Gaussian process through points of [0, 1]^d: unit variance, zero mean, and the kernel of Matern with nu = 1.5 and one length
 * scale for all dimensions, k(r) = (1 + sqrt(3) r / l) exp(-sqrt(3) r / l). The length scale maximises the log marginal likelihood of
 * the values over theta = ln l, from ln 1e-5 to ln 1e5: on a grid, then by Brent's method around its best point.
 *
 * The values are normalised first: (y - mean) / (standard deviation + 1e-6).
 *
 * Noise: a share of the variance that belongs to each value alone, 0 in wandb's search. A share is taken only if it makes the values
 * e times more likely: repeated points with different values, and functions that are noisy, have no likely length scale otherwise.
 */
struct sweep_process {
	size_t dimensions;
	size_t count;
	const double *x; /* count rows */
	double mean;     /* of y */
	double deviation;
	double theta;
	double noise;
	double likelihood; /* its logarithm */
	double *factor;    /* of the covariance, see sweep_matrix.h */
	double *weights;   /* inverse covariance times normalised values */
};

enum sweep_process_fit {
	SWEEP_FIT_FOUND,
	SWEEP_FIT_FLAT, /* the values look independent at any distance: the shortest length scale is as good as any */
	SWEEP_FIT_BOUND, /* no longest length scale: the values are constant */
};

#define SWEEP_THETA_MIN (-11.512925464970229) /* ln 1e-5 */
#define SWEEP_THETA_MAX 11.512925464970229
#define SWEEP_PROCESS_JITTER 1e-7 /* added to the diagonal */

/*
 * Fits to `count` points with values, at least one; `noises` is the list of shares that are tried, in ascending order, the first one 0.
 * x must live as long as the process.
 */
enum sweep_process_fit sweep_process_fit(struct arena *a, const double *x, const double *y,
					 size_t count, size_t dimensions, const double *noises,
					 size_t noise_count, struct sweep_process *ret_process)
	__attribute__((nonnull));
/* The log marginal likelihood of values that are normalised already. */
double sweep_process_likelihood(struct arena *a, const double *x, const double *y, size_t count,
				size_t dimensions, double theta, double noise)
	__attribute__((nonnull));
/* Mean and standard deviation of the function, without noise, at `count` points, in normalised units. */
void sweep_process_predict(struct arena *a, const struct sweep_process *p, const double *points,
			   size_t count, double *ret_mean, double *ret_deviation)
	__attribute__((nonnull));
/* How much below `best` the function is expected to be where it has this mean and deviation. */
double sweep_process_improvement(double mean, double deviation, double best);

#endif
