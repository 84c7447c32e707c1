#ifndef SWEEP_IMPORTANCE_H
#define SWEEP_IMPORTANCE_H

#include <stddef.h>

struct arena;
struct sweep_samples;

/*
 * How much each dimension matters for reaching the best tenth of the results: PED-ANOVA (Watanabe, Bansal, Hutter, IJCAI 2023) with
 * its extension to conditional parameters, computed as Optuna 5 does by default. The numbers are not negative and sum to 1; all are equal
 * where nothing can be said, as with fewer than 2 results. Pending points are not used; the caller leaves out imputed values.
 */
void sweep_importance(struct arena *a, const struct sweep_samples *s, double *ret_importance)
	__attribute__((nonnull));

/*
 * Spearman's rank correlation of pairs, from -1 to 1; equal values get the mean of their ranks. Pairs with NaN are left out. NaN: fewer
 * than 2 pairs, or all values of one side are equal.
 */
double sweep_rank_correlation(struct arena *a, const double *x, const double *y, size_t count)
	__attribute__((nonnull));

#endif
