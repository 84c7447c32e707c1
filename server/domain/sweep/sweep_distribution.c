/* Distributions of parameters: the inverse of the distribution function, and the function itself. */
#include <math.h>
#include <stdlib.h>

#include "sweep_math.h"
#include "sweep_space.h"

#define UNIT_MIN 0x1p-53
#define UNIT_MAX (1 - 0x1p-53)
/* Quantised integers stay well within 64 bits; a normal distribution has no bounds. */
#define WHOLE_MAX 0x1p62

static double clamp(double x, double low, double high)
{
	if (!(x > low))
		return low;
	return x < high ? x : high;
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* From the values' probabilities: the first whose sum exceeds u; rounding may leave the sum of all below u. */
static size_t draw_weighted(const double *probabilities, size_t count, double u)
{
	size_t last = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += probabilities[i];
		if (sum > u)
			return i;
		if (probabilities[i] > 0)
			last = i;
	}
	return last;
}

/* The number in 0 .. count - 1 whose distribution function (k + 1) / count is the first that is not below u. */
static uint64_t draw_index(uint64_t count, double u)
{
	double n = (double)count;
	double k = clamp(ceil(u * n) - 1, 0, n - 1);

	if (k > 0 && k / n >= u) /* u * n was rounded up */
		k--;
	return (uint64_t)k;
}

static void draw_value(const struct sweep_parameter *p, double u, struct sweep_value *v)
{
	*v = p->values[p->probabilities ? draw_weighted(p->probabilities, p->value_count, u)
					: draw_index(p->value_count, u)];
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* Their difference may be infinite. */
static double between(double min, double max, double u)
{
	return isinf(max - min) ? min * (1 - u) + max * u : u * (max - min) + min;
}

static double draw_log(double low, double high, double u, double min, double max)
{
	return clamp(sweep_exp(between(low, high, u)), min, max);
}

/* Without q. */
static double draw_real(const struct sweep_parameter *p, double u)
{
	switch (p->kind) {
	case SWEEP_UNIFORM:
	case SWEEP_Q_UNIFORM:
		return clamp(between(p->min, p->max, u), p->min, p->max);
	case SWEEP_LOG_UNIFORM:
	case SWEEP_Q_LOG_UNIFORM:
		return draw_log(p->min, p->max, u, sweep_exp(p->min), sweep_exp(p->max));
	case SWEEP_INV_LOG_UNIFORM:
		return draw_log(-p->max, -p->min, u, sweep_exp(-p->max), sweep_exp(-p->min));
	case SWEEP_LOG_UNIFORM_VALUES:
	case SWEEP_INV_LOG_UNIFORM_VALUES:
	case SWEEP_Q_LOG_UNIFORM_VALUES:
		return draw_log(sweep_log(p->min), sweep_log(p->max), u, p->min, p->max);
	case SWEEP_NORMAL:
	case SWEEP_Q_NORMAL:
		return p->mu + p->sigma * sweep_normal_inverse(u);
	case SWEEP_LOG_NORMAL:
	case SWEEP_Q_LOG_NORMAL:
		return sweep_exp(p->mu + p->sigma * sweep_normal_inverse(u));
	case SWEEP_BETA:
	case SWEEP_Q_BETA:
		return sweep_beta_inverse(u, p->a, p->b);
	case SWEEP_CATEGORICAL:
	case SWEEP_CONSTANT:
	case SWEEP_INT_UNIFORM:
		break;
	}
	abort();
}

bool sweep_parameter_is_quantised(const struct sweep_parameter *p)
{
	switch (p->kind) {
	case SWEEP_Q_UNIFORM:
	case SWEEP_Q_LOG_UNIFORM:
	case SWEEP_Q_LOG_UNIFORM_VALUES:
	case SWEEP_Q_NORMAL:
	case SWEEP_Q_LOG_NORMAL:
	case SWEEP_Q_BETA:
		return true;
	default:
		return false;
	}
}

void sweep_parameter_step(const struct sweep_parameter *p, double steps, struct sweep_value *v)
{
	double real = steps * p->q;

	*v = (struct sweep_value){ .kind = p->q_is_int ? SWEEP_INT : SWEEP_REAL };
	if (p->q_is_int)
		v->whole = (int64_t)clamp(real, -WHOLE_MAX, WHOLE_MAX);
	else
		v->real = real;
}

double sweep_parameter_steps(const struct sweep_parameter *p, double u)
{
	return rint(draw_real(p, clamp(u, UNIT_MIN, UNIT_MAX)) / p->q);
}

void sweep_parameter_draw(const struct sweep_parameter *p, double u, struct sweep_value *ret_value)
{
	u = clamp(u, UNIT_MIN, UNIT_MAX);
	if (p->kind == SWEEP_CONSTANT) {
		*ret_value = p->values[0];
	} else if (p->kind == SWEEP_CATEGORICAL) {
		draw_value(p, u, ret_value);
	} else if (p->kind == SWEEP_INT_UNIFORM) {
		uint64_t count = (uint64_t)p->whole_max - (uint64_t)p->whole_min + 1;

		*ret_value = (struct sweep_value){ .kind = SWEEP_INT,
						   .whole = (int64_t)((uint64_t)p->whole_min +
								      draw_index(count, u)) };
	} else if (sweep_parameter_is_quantised(p)) {
		sweep_parameter_step(p, sweep_parameter_steps(p, u), ret_value);
	} else {
		*ret_value = (struct sweep_value){ .kind = SWEEP_REAL, .real = draw_real(p, u) };
	}
}

/* ---- the distribution function --------------------------------------------------------------------------- */

static bool cdf_of_value(const struct sweep_parameter *p, const struct sweep_value *v,
			 double *ret_cdf)
{
	double sum = 0;

	for (size_t i = 0; i < p->value_count; i++) {
		sum += p->probabilities ? p->probabilities[i] : 0;
		if (!sweep_value_equal(&p->values[i], v))
			continue;
		*ret_cdf = p->probabilities ? clamp(sum, 0, 1)
					    : ((double)i + 1) / (double)p->value_count;
		return true;
	}
	return false;
}

static double cdf_uniform(double x, double min, double max)
{
	if (isinf(max - min)) /* halves do not overflow */
		return clamp((x / 2 - min / 2) / (max / 2 - min / 2), 0, 1);
	return clamp((x - min) / (max - min), 0, 1);
}

static double cdf_normal(double x, double mu, double sigma)
{
	if (sigma == 0)
		return x < mu ? 0 : 1;
	return sweep_normal_cdf((x - mu) / sigma);
}

static double cdf_whole(const struct sweep_parameter *p, double x)
{
	return clamp((floor(x) - p->min + 1) / (p->max - p->min + 1), 0, 1);
}

static double cdf_of_number(const struct sweep_parameter *p, double x)
{
	switch (p->kind) {
	case SWEEP_INT_UNIFORM:
		return cdf_whole(p, x);
	case SWEEP_UNIFORM:
	case SWEEP_Q_UNIFORM:
		return cdf_uniform(x, p->min, p->max);
	case SWEEP_LOG_UNIFORM:
	case SWEEP_Q_LOG_UNIFORM:
		return x > 0 ? cdf_uniform(sweep_log(x), p->min, p->max) : 0;
	case SWEEP_INV_LOG_UNIFORM:
		return x > 0 ? 1 - cdf_uniform(-sweep_log(x), p->min, p->max) : 0;
	case SWEEP_LOG_UNIFORM_VALUES:
	case SWEEP_INV_LOG_UNIFORM_VALUES:
	case SWEEP_Q_LOG_UNIFORM_VALUES:
		return x > 0 ? cdf_uniform(sweep_log(x), sweep_log(p->min), sweep_log(p->max)) : 0;
	case SWEEP_NORMAL:
	case SWEEP_Q_NORMAL:
		return cdf_normal(x, p->mu, p->sigma);
	case SWEEP_LOG_NORMAL:
	case SWEEP_Q_LOG_NORMAL:
		return x > 0 ? cdf_normal(sweep_log(x), p->mu, p->sigma) : 0;
	case SWEEP_BETA:
	case SWEEP_Q_BETA:
		return sweep_beta_cdf(x, p->a, p->b);
	case SWEEP_CATEGORICAL:
	case SWEEP_CONSTANT:
		break;
	}
	abort();
}

bool sweep_parameter_cdf(const struct sweep_parameter *p, const struct sweep_value *v,
			 double *ret_cdf)
{
	double x;

	if (p->kind == SWEEP_CATEGORICAL)
		return cdf_of_value(p, v, ret_cdf);
	if (p->kind == SWEEP_CONSTANT) {
		*ret_cdf = 0;
		return true;
	}
	if (!sweep_value_number(v, &x) || isnan(x))
		return false;
	*ret_cdf = cdf_of_number(p, x);
	return true;
}
