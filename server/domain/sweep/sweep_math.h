#ifndef SWEEP_MATH_H
#define SWEEP_MATH_H

/*
 * Functions that give the same bits on any machine. Those of libm do not: glibc chooses between versions with and without fused
 * multiply-add at run time, and a search amplifies a difference in the last bit into another trial. These use only +, -, *, /, sqrt
 * and rounding of IEEE 754, in a fixed order, and are compiled with -ffp-contract=off. The code of searches must call these,
 * never exp, log, pow, sin or erf of <math.h>; fabs, sqrt, floor, ceil, rint, ldexp and frexp are exact and may be called.
 *
 * Relative errors are given next to each; NaN gives NaN.
 */
double sweep_exp(double x); /* < 1 unit in the last place */
double sweep_log(double x); /* < 1 unit; 0: -infinity, below: NaN */
/* e^x - 1 and log(1 + x) without cancellation around 0; < 2 units. */
double sweep_expm1(double x);
double sweep_log1p(double x);
double sweep_pow(double x, double y); /* x >= 0; exp(y log x): the error grows with |y log x| */

/* Standard normal distribution. cdf: 1e-13, in both tails; inverse (Wichura, AS 241, 1988): 1e-15; 0 and 1: infinities. */
double sweep_normal_density(double x);
double sweep_normal_cdf(double x);
double sweep_normal_inverse(double p);

/*
 * Beta distribution, a and b > 0: the regularised incomplete beta function by its continued fraction (DLMF 8.17.22), and its inverse by
 * bisection and Newton's steps. cdf: 1e-12; inverse: 1e-12, absolute.
 */
double sweep_beta_cdf(double x, double a, double b);
double sweep_beta_inverse(double p, double a, double b);
double sweep_lgamma(double x); /* x > 0; Stirling's series (DLMF 5.11.1) */

#endif
