#include "sweep_process.h"

#include <math.h>
#include <string.h>

#include "arena.h"
#include "sweep_math.h"
#include "sweep_matrix.h"

#define ROOT_3 1.7320508075688772
#define HALF_LOG_2_PI 0.91893853320467274

enum {
	SCAN_MOST = 32,   /* points of the grid */
	REFINE_MOST = 40, /* steps of Brent's method */
	BLOCK = 64,       /* points predicted at once */
};

static const double scan_step = 0.8;
static const double theta_error = 1e-7;
/* Log likelihoods that differ by less are the same. */
static const double flat_below = 1e-6;
/* By how much the logarithm must be better for noise to be taken. */
static const double noise_gain = 1.0;
/* How much less likely a longer length scale may be where the likelihood is flat. */
static const double flat_slack = 0.5;

/* Points that are fitted, with what all length scales share. */
struct fit {
	size_t n;
	const double *distances; /* n rows of n, upper triangle: sqrt(3) r */
	const double *y;         /* normalised */
	double *matrix;          /* scratch */
	double *solved;          /* scratch, n */
};

static double distance(const double *x, const double *y, size_t dimensions)
{
	double sum = 0;

	for (size_t i = 0; i < dimensions; i++)
		sum += (x[i] - y[i]) * (x[i] - y[i]);
	return ROOT_3 * sqrt(sum);
}

static double kernel(double scaled)
{
	return (1 + scaled) * sweep_exp(-scaled);
}

static struct fit fit_begin(struct arena *a, const double *x, const double *y, size_t n,
			    size_t dimensions)
{
	double *distances = arena_new_array(a, double, n *n);

	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++)
			distances[i * n + j] =
				distance(x + i * dimensions, x + j * dimensions, dimensions);
	}
	return (struct fit){
		.n = n,
		.distances = distances,
		.y = y,
		.matrix = arena_new_array(a, double, n *n),
		.solved = arena_new_array(a, double, n),
	};
}

/* The covariance's factor into f->matrix; false: it is singular. */
static bool factor(const struct fit *f, double theta, double noise)
{
	double inverse = sweep_exp(-theta);

	for (size_t i = 0; i < f->n; i++) {
		const double *distances = f->distances + i * f->n;
		double *row = f->matrix + i * f->n;

		row[i] = 1 + SWEEP_PROCESS_JITTER;
		for (size_t j = i + 1; j < f->n; j++)
			row[j] = (1 - noise) * kernel(distances[j] * inverse);
	}
	return sweep_matrix_factor(f->matrix, f->n);
}

static double likelihood(const struct fit *f, double theta, double noise)
{
	double squares = 0;

	if (!factor(f, theta, noise))
		return -INFINITY;
	memcpy(f->solved, f->y, f->n * sizeof *f->y);
	sweep_matrix_solve_lower(f->matrix, f->n, f->solved, 1);
	for (size_t i = 0; i < f->n; i++)
		squares += f->solved[i] * f->solved[i];
	return -0.5 * squares - sweep_matrix_log_root(f->matrix, f->n) -
	       (double)f->n * HALF_LOG_2_PI;
}

/* The least distance between points that are not the same; 0: all are. */
static double least_distance(const struct fit *f)
{
	double least = INFINITY;

	for (size_t i = 0; i < f->n; i++) {
		for (size_t j = i + 1; j < f->n; j++) {
			double found = f->distances[i * f->n + j];

			if (found > 0 && found < least)
				least = found;
		}
	}
	return least < INFINITY ? least : 0;
}

struct place {
	double theta;
	double likelihood;
};

/* Likelihoods of length scales, and the best one of them. */
struct scan {
	double thetas[SCAN_MOST];
	double likelihoods[SCAN_MOST];
	size_t count;
	size_t best;
};

/*
 * From the shortest length scale that differs from independence. Below it no kernel between two different points is above 1e-13.
 */
static struct scan scan(const struct fit *f, double noise)
{
	double least = least_distance(f);
	double from = least > 0 ? sweep_log(least / 33) : 0;
	struct scan s = { .count = 0 };

	if (from < SWEEP_THETA_MIN)
		from = SWEEP_THETA_MIN;
	for (double theta = from; s.count < SCAN_MOST; theta += scan_step) {
		bool is_last = theta >= SWEEP_THETA_MAX;

		s.thetas[s.count] = is_last ? SWEEP_THETA_MAX : theta;
		s.likelihoods[s.count] = likelihood(f, s.thetas[s.count], noise);
		if (s.likelihoods[s.count] > s.likelihoods[s.best])
			s.best = s.count;
		s.count++;
		if (is_last)
			break;
	}
	return s;
}

/*
 * Brent's method (Algorithms for minimization without derivatives, 1973, chapter 5) for the most likely theta in [low, high].
 */
static struct place refine(const struct fit *f, double noise, double low, double high)
{
	const double golden = 0.38196601125010515;
	double x = low + golden * (high - low), w = x, v = x;
	double fx = -likelihood(f, x, noise), fw = fx, fv = fx;
	double step = 0, before = 0;

	for (int i = 0; i < REFINE_MOST; i++) {
		double middle = 0.5 * (low + high);
		double least = theta_error * fabs(x) + 1e-9;
		double p = 0, q = 0, r = before;

		if (fabs(x - middle) <= 2 * least - 0.5 * (high - low))
			break;
		if (fabs(before) > least) {
			double one = (x - w) * (fx - fv), other = (x - v) * (fx - fw);

			p = (x - v) * other - (x - w) * one;
			q = 2 * (other - one);
			if (q > 0)
				p = -p;
			q = fabs(q);
			before = step;
		}
		if (fabs(p) < fabs(0.5 * q * r) && p > q * (low - x) && p < q * (high - x)) {
			step = p / q;
			if (x + step - low < 2 * least || high - x - step < 2 * least)
				step = x < middle ? least : -least;
		} else {
			before = x < middle ? high - x : low - x;
			step = golden * before;
		}
		double u = fabs(step) >= least ? x + step : step > 0 ? x + least : x - least;
		double fu = -likelihood(f, u, noise);

		if (fu <= fx) {
			*(u < x ? &high : &low) = x;
			v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
			continue;
		}
		*(u < x ? &low : &high) = u;
		if (fu <= fw || w == x)
			v = w, fv = fw, w = u, fw = fu;
		else if (fu <= fv || v == x || v == w)
			v = u, fv = fu;
	}
	return (struct place){ x, -fx };
}

static struct place refine_around(const struct fit *f, double noise, const struct scan *s)
{
	size_t low = s->best > 0 ? s->best - 1 : 0;
	size_t high = s->best + 1 < s->count ? s->best + 1 : s->best;
	struct place found = refine(f, noise, s->thetas[low], s->thetas[high]);

	if (found.likelihood < s->likelihoods[s->best])
		return (struct place){ s->thetas[s->best], s->likelihoods[s->best] };
	return found;
}

/* The longest length scale that is nearly as likely as the best one: it says more about what is not known yet. */
static struct place longest(const struct scan *s)
{
	size_t found = s->best;

	for (size_t i = s->best; i < s->count; i++) {
		if (s->likelihoods[i] >= s->likelihoods[s->best] - flat_slack)
			found = i;
	}
	return (struct place){ s->thetas[found], s->likelihoods[found] };
}

/* The share of noise that makes the values most likely, if it is worth it. */
static double choose_noise(const struct fit *f, const double *noises, size_t count, struct scan *s)
{
	double best = s->likelihoods[s->best] + noise_gain;
	double chosen = noises[0];

	for (size_t i = 1; i < count; i++) {
		struct scan other = scan(f, noises[i]);

		if (other.likelihoods[other.best] <= best)
			continue;
		best = other.likelihoods[other.best];
		chosen = noises[i];
		*s = other;
	}
	return chosen;
}

static void normalise(const double *y, size_t count, struct sweep_process *p, double *ret_values)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		sum += y[i];
	p->mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (y[i] - p->mean) * (y[i] - p->mean);
	p->deviation = count > 1 ? sqrt(squares / (double)count) : 1;
	for (size_t i = 0; i < count; i++)
		ret_values[i] = (y[i] - p->mean) / (p->deviation + 1e-6);
}

/* Fills in what predictions need. */
static void finish(const struct fit *f, struct sweep_process *p)
{
	p->factor = f->matrix;
	p->weights = f->solved;
	factor(f, p->theta, p->noise);
	memcpy(p->weights, f->y, f->n * sizeof *f->y);
	sweep_matrix_solve_lower(p->factor, f->n, p->weights, 1);
	sweep_matrix_solve_upper(p->factor, f->n, p->weights);
}

enum sweep_process_fit sweep_process_fit(struct arena *a, const double *x, const double *y,
					 size_t count, size_t dimensions, const double *noises,
					 size_t noise_count, struct sweep_process *ret_process)
{
	struct sweep_process p = { .dimensions = dimensions, .count = count, .x = x };
	double *values = arena_new_array(a, double, count);
	enum sweep_process_fit result = SWEEP_FIT_FOUND;
	struct place place;
	struct scan s;
	struct fit f;

	normalise(y, count, &p, values);
	f = fit_begin(a, x, values, count, dimensions);
	s = scan(&f, noises[0]);
	p.noise = choose_noise(&f, noises, noise_count, &s);
	place = refine_around(&f, p.noise, &s);
	if (place.theta > SWEEP_THETA_MAX - 1e-3) {
		result = SWEEP_FIT_BOUND;
	} else if (place.likelihood - s.likelihoods[0] < flat_below) {
		result = SWEEP_FIT_FLAT;
		place = longest(&s);
	}
	p.theta = place.theta;
	p.likelihood = place.likelihood;
	finish(&f, &p);
	*ret_process = p;
	return result;
}

double sweep_process_likelihood(struct arena *a, const double *x, const double *y, size_t count,
				size_t dimensions, double theta, double noise)
{
	struct fit f = fit_begin(a, x, y, count, dimensions);

	return likelihood(&f, theta, noise);
}

/* At most BLOCK points; `rows` is scratch of count * BLOCK. */
static void predict_block(const struct sweep_process *p, const double *points, size_t count,
			  double *rows, double *ret_mean, double *ret_deviation)
{
	double inverse = sweep_exp(-p->theta);
	double left[BLOCK];

	for (size_t j = 0; j < count; j++) {
		ret_mean[j] = 0;
		left[j] = 1 - p->noise;
	}
	for (size_t i = 0; i < p->count; i++) {
		for (size_t j = 0; j < count; j++) {
			double k = (1 - p->noise) *
				   kernel(inverse * distance(p->x + i * p->dimensions,
							     points + j * p->dimensions,
							     p->dimensions));

			rows[i * count + j] = k;
			ret_mean[j] += k * p->weights[i];
		}
	}
	sweep_matrix_solve_lower(p->factor, p->count, rows, count);
	for (size_t i = 0; i < p->count; i++) {
		for (size_t j = 0; j < count; j++)
			left[j] -= rows[i * count + j] * rows[i * count + j];
	}
	for (size_t j = 0; j < count; j++)
		ret_deviation[j] = left[j] > 0 ? sqrt(left[j]) : 0;
}

void sweep_process_predict(struct arena *a, const struct sweep_process *p, const double *points,
			   size_t count, double *ret_mean, double *ret_deviation)
{
	double *rows = arena_new_array(a, double, p->count *BLOCK);

	for (size_t i = 0; i < count; i += BLOCK) {
		size_t some = count - i < BLOCK ? count - i : BLOCK;

		predict_block(p, points + i * p->dimensions, some, rows, ret_mean + i,
			      ret_deviation + i);
	}
}

double sweep_process_improvement(double mean, double deviation, double best)
{
	double z = -(mean - best) / (deviation + 1e-6);

	return -(mean - best) * sweep_normal_cdf(z) + deviation * sweep_normal_density(z);
}
