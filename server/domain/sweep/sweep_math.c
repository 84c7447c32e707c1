/*
 * The exponential function, the logarithm and distribution functions from IEEE 754's basic operations only; see sweep_math.h. Plain
 * series of Taylor are used where their terms fall fast: they need no table of fitted coefficients, and their error is plain.
 */
#include "sweep_math.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* ln 2 in two parts: the first has 32 bits, so its product with an exponent is exact. */
static const double ln2_high = 0x1.62e42fee00000p-1;
static const double ln2_low = 0x1.a39ef35793c76p-33;
static const double ln2 = 0x1.62e42fefa39efp-1;
static const double root_2 = 1.4142135623730951;
static const double half_ln_2pi = 0x1.d67f1c864beb5p-1;
static const double sqrt_half = 0x1.6a09e667f3bcdp-1;

/* e^r - 1 for |r| <= ln 2 / 2. */
static double expm1_small(double r)
{
	static const double terms[] = { 1.0 / 6,         1.0 / 24,        1.0 / 120,
					1.0 / 720,       1.0 / 5040,      1.0 / 40320,
					1.0 / 362880,    1.0 / 3628800,   1.0 / 39916800,
					1.0 / 479001600, 1.0 / 6227020800 };
	double sum = 0;

	for (size_t i = sizeof(terms) / sizeof(*terms); i-- > 0;)
		sum = sum * r + terms[i];
	return r + (r * r * 0.5 + r * r * r * sum);
}

double sweep_exp(double x)
{
	double n;

	if (isnan(x))
		return x;
	if (x > 709.8)
		return INFINITY;
	if (x < -745.2)
		return 0;
	n = rint(x / ln2);
	/* r = x - n ln 2, whose part that is lost in the first subtraction is none */
	return ldexp(1 + expm1_small((x - n * ln2_high) - n * ln2_low), (int)n);
}

double sweep_expm1(double x)
{
	return fabs(x) <= ln2 / 2 ? expm1_small(x) : sweep_exp(x) - 1;
}

/* log(1 + f) for -0.3 < f < 0.42: with s = f / (2 + f) it is 2 (s + s^3/3 + s^5/5 + ...), and 2 s = f - s f. */
static double log1p_small(double f)
{
	double s = f / (2 + f);
	double z = s * s;
	double half = f * f * 0.5;
	double sum = 0;

	for (int i = 27; i >= 3; i -= 2)
		sum = (sum + 2.0 / i) * z;
	return f - (half - s * (half + sum));
}

double sweep_log(double x)
{
	double m, n;
	int exponent;

	if (isnan(x) || x < 0)
		return NAN;
	if (x == 0)
		return -INFINITY;
	if (isinf(x))
		return x;
	m = frexp(x, &exponent);
	if (m < sqrt_half) {
		m *= 2;
		exponent--;
	}
	n = exponent;
	return n * ln2_high + (log1p_small(m - 1) + n * ln2_low);
}

double sweep_log1p(double x)
{
	double y = 1 + x;

	if (x > -0.25 && x < 0.4)
		return log1p_small(x);
	/* what 1 + x lost, relative to it */
	return isfinite(y) && y > 0 ? sweep_log(y) + (x - (y - 1)) / y : sweep_log(y);
}

double sweep_pow(double x, double y)
{
	if (y == 0 || x == 1)
		return 1;
	return sweep_exp(y * sweep_log(x));
}

double sweep_normal_density(double x)
{
	return sweep_exp(-0.5 * x * x - half_ln_2pi);
}

/*
 * log(erfc(z) exp(z^2) / t) for z >= 0 as a Chebyshev series in 2 t - 1, t = 2 / (2 + z), the form of Press, Teukolsky, Vetterling
 * and Flannery (Numerical Recipes, 3rd edition, 6.2.2). Coefficients from 60 digits; the next one is below 1e-19.
 */
static const double tail_series[] = {
	-1.3026537197817094,     0.6419697923564902,      0.019476473204185836,
	-0.009561514786808632,   -0.0009465953444820369,  0.00036683949785276145,
	4.252332480690777e-05,   -2.0278578112534242e-05, -1.6242900046470256e-06,
	1.3036558355805232e-06,  1.5626441722066142e-08,  -8.523809591492654e-08,
	6.5290544390988515e-09,  5.059343495551469e-09,   -9.91364156493033e-10,
	-2.2736512229318357e-10, 9.646791102015526e-11,   2.394038083039121e-12,
	-6.886027526497558e-12,  8.944879273090748e-13,   3.130921399342958e-13,
	-1.1270822361367468e-13, 3.8109052552323413e-16,  7.106097613602803e-15,
	-1.5230282014485886e-15, -9.457494572345811e-17,  1.2102371893493871e-16,
	-2.816663089187048e-17,
};

/* The probability above x >= 0. */
static double normal_tail(double x)
{
	double t = 2 / (2 + x / root_2);
	double y = 4 * t - 2;
	double d = 0;
	double before = 0;

	for (size_t i = sizeof(tail_series) / sizeof(*tail_series) - 1; i > 0; i--) {
		double next = y * d - before + tail_series[i];

		before = d;
		d = next;
	}
	return 0.5 * t * sweep_exp(-0.5 * x * x + 0.5 * (tail_series[0] + y * d) - before);
}

/* cdf(x) - 1/2 = density(x) (x + x^3/3 + x^5/(3 5) + ...): all terms have one sign (DLMF 7.6.2). */
static double normal_middle(double x)
{
	double term = x;
	double sum = x;

	for (int i = 3; fabs(term) > fabs(sum) * 0x1p-60; i += 2) {
		term *= x * x / i;
		sum += term;
	}
	return sweep_normal_density(x) * sum;
}

double sweep_normal_cdf(double x)
{
	if (isnan(x))
		return x;
	if (fabs(x) < 0.25)
		return 0.5 + normal_middle(x);
	if (x > 0)
		return x > 40 ? 1 : 1 - normal_tail(x);
	return x < -40 ? 0 : normal_tail(-x);
}

static double ratio(const double above[static 8], const double below[static 8], double r)
{
	double n = 0;
	double d = 0;

	for (int i = 7; i >= 0; i--) {
		n = n * r + above[i];
		d = d * r + below[i];
	}
	return n / d;
}

/* PPND16 of M. J. Wichura: Algorithm AS 241, Applied Statistics 37 (1988), 477-484. */
double sweep_normal_inverse(double p)
{
	static const double a[8] = { 3.3871328727963666080e0,  1.3314166789178437745e+2,
				     1.9715909503065514427e+3, 1.3731693765509461125e+4,
				     4.5921953931549871457e+4, 6.7265770927008700853e+4,
				     3.3430575583588128105e+4, 2.5090809287301226727e+3 };
	static const double b[8] = { 1.0,
				     4.2313330701600911252e+1,
				     6.8718700749205790830e+2,
				     5.3941960214247511077e+3,
				     2.1213794301586595867e+4,
				     3.9307895800092710610e+4,
				     2.8729085735721942674e+4,
				     5.2264952788528545610e+3 };
	static const double c[8] = { 1.42343711074968357734e0,  4.63033784615654529590e0,
				     5.76949722146069140550e0,  3.64784832476320460504e0,
				     1.27045825245236838258e0,  2.41780725177450611770e-1,
				     2.27238449892691845833e-2, 7.74545014278341407640e-4 };
	static const double d[8] = { 1.0,
				     2.05319162663775882187e0,
				     1.67638483018380384940e0,
				     6.89767334985100004550e-1,
				     1.48103976427480074590e-1,
				     1.51986665636164571966e-2,
				     5.47593808499534494600e-4,
				     1.05075007164441684324e-9 };
	static const double e[8] = { 6.65790464350110377720e0,  5.46378491116411436990e0,
				     1.78482653991729133580e0,  2.96560571828504891230e-1,
				     2.65321895265761230930e-2, 1.24266094738807843860e-3,
				     2.71155556874348757815e-5, 2.01033439929228813265e-7 };
	static const double f[8] = { 1.0,
				     5.99832206555887937690e-1,
				     1.36929880922735805310e-1,
				     1.48753612908506148525e-2,
				     7.86869131145613259100e-4,
				     1.84631831751005468180e-5,
				     1.42151175831644588870e-7,
				     2.04426310338993978564e-15 };
	double q = p - 0.5;
	double r;

	if (isnan(p) || p < 0 || p > 1)
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -INFINITY : INFINITY;
	if (fabs(q) <= 0.425)
		return q * ratio(a, b, 0.180625 - q * q);
	r = sqrt(-sweep_log(q < 0 ? p : 1 - p));
	r = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
	return q < 0 ? -r : r;
}

double sweep_lgamma(double x)
{
	/* B(2k) / (2k (2k - 1)) */
	static const double terms[] = { 1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
					1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400 };
	double product = 1;
	double sum = 0;

	for (; x < 12; x++)
		product *= x;
	for (size_t i = sizeof(terms) / sizeof(*terms); i-- > 0;)
		sum = sum / (x * x) + terms[i];
	return (x - 0.5) * sweep_log(x) - x + half_ln_2pi + sum / x - sweep_log(product);
}

/* The continued fraction of the incomplete beta function by the method of Lentz, for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	static const double tiny = 1e-300;
	double c = 1;
	double d = 1 - (a + b) * x / (a + 1);
	double f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int i = 1; i < 5000; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
		double step;

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		f *= c * d;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < 0x1p-52)
			break;
	}
	return f;
}

/* x^a (1 - x)^b / B(a, b), with y = 1 - x */
static double beta_front(double x, double y, double a, double b)
{
	return sweep_exp(a * sweep_log(x) + b * sweep_log(y) -
			 (sweep_lgamma(a) + sweep_lgamma(b) - sweep_lgamma(a + b)));
}

double sweep_beta_cdf(double x, double a, double b)
{
	if (isnan(x))
		return x;
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	if (x < (a + 1) / (a + b + 2))
		return beta_front(x, 1 - x, a, b) * beta_fraction(x, a, b) / a;
	return 1 - beta_front(x, 1 - x, a, b) * beta_fraction(1 - x, b, a) / b;
}

double sweep_beta_inverse(double p, double a, double b)
{
	double low = 0;
	double high = 1;
	double x = a / (a + b);

	if (isnan(p) || p < 0 || p > 1)
		return NAN;
	if (p == 0 || p == 1)
		return p;
	for (int i = 0; i < 200 && low < high; i++) {
		double error = sweep_beta_cdf(x, a, b) - p;
		double next;

		if (error == 0)
			break;
		if (error < 0)
			low = x;
		else
			high = x;
		next = x - error * x * (1 - x) / beta_front(x, 1 - x, a, b);
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		if (next == x || next == low || next == high || fabs(next - x) <= 0x1p-53 * x)
			break;
		x = next;
	}
	return x;
}
