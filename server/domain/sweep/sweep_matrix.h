#ifndef SWEEP_MATRIX_H
#define SWEEP_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Cholesky's factorisation of small symmetric matrices (n <= 200).
 *
 * LAPACK is not used: OpenBLAS chooses its kernels by the processor, and each sums in another order. A search amplifies a difference
 * in the last bit into another trial, while one seed must give the same trials on any server. Here each element is computed by the
 * same operations in the same order everywhere. The inner loops run over rows, without a sum across lanes, so that compilers can use
 * vectors without changing results. 195 rows take less than 2 ms.
 *
 * A matrix is n rows of n doubles. The factor U is upper triangular: A = U^T U; what is below its diagonal is not used.
 */

/* Replaces the upper triangle of A by U; false: A is not positive definite, and is then undefined. */
bool sweep_matrix_factor(double *a, size_t n) __attribute__((nonnull));
/* Half of the logarithm of A's determinant. */
double sweep_matrix_log_root(const double *u, size_t n) __attribute__((nonnull));
/* Solves U^T x = b for `columns` right-hand sides at once: b has n rows of `columns`, and is replaced by x. */
void sweep_matrix_solve_lower(const double *u, size_t n, double *b, size_t columns)
	__attribute__((nonnull));
/* Solves U x = b for one right-hand side, in its place. */
void sweep_matrix_solve_upper(const double *u, size_t n, double *b) __attribute__((nonnull));

#endif
