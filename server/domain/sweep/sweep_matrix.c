#include "sweep_matrix.h"

#include <math.h>

#include "sweep_math.h"

/* target -= factor * source */
static void subtract(double *restrict target, const double *restrict source, double factor,
		     size_t count)
{
	for (size_t i = 0; i < count; i++)
		target[i] -= factor * source[i];
}

bool sweep_matrix_factor(double *a, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		double *row = a + k * n;
		double pivot = row[k];

		if (!(pivot > 0))
			return false;
		pivot = sqrt(pivot);
		row[k] = pivot;
		for (size_t j = k + 1; j < n; j++)
			row[j] /= pivot;
		for (size_t i = k + 1; i < n; i++)
			subtract(a + i * n + i, row + i, row[i], n - i);
	}
	return true;
}

double sweep_matrix_log_root(const double *u, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += sweep_log(u[i * n + i]);
	return sum;
}

void sweep_matrix_solve_lower(const double *u, size_t n, double *b, size_t columns)
{
	for (size_t k = 0; k < n; k++) {
		double *row = b + k * columns;

		for (size_t j = 0; j < columns; j++)
			row[j] /= u[k * n + k];
		for (size_t i = k + 1; i < n; i++)
			subtract(b + i * columns, row, u[k * n + i], columns);
	}
}

void sweep_matrix_solve_upper(const double *u, size_t n, double *b)
{
	for (size_t k = n; k-- > 0;) {
		for (size_t j = k + 1; j < n; j++)
			b[k] -= u[k * n + j] * b[j];
		b[k] /= u[k * n + k];
	}
}
