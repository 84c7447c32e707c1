#include "load_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t load_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void *load_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (p)
		return p;
	fprintf(stderr, "load: no memory\n");
	exit(1);
}

static void grow(struct load_report *r, size_t more)
{
	size_t size = r->size ? r->size : 4096;
	uint32_t *grown;

	while (size < r->count + more)
		size *= 2;
	if (size == r->size)
		return;
	grown = realloc(r->times_ns, size * sizeof(*grown));
	if (!grown) {
		fprintf(stderr, "load: no memory\n");
		exit(1);
	}
	r->times_ns = grown;
	r->size = size;
}

void load_report_add(struct load_report *r, int64_t time_ns)
{
	grow(r, 1);
	r->times_ns[r->count++] = time_ns < 0            ? 0
				  : time_ns > UINT32_MAX ? UINT32_MAX
							 : (uint32_t)time_ns;
}

void load_report_merge(struct load_report *r, struct load_report *other)
{
	if (other->count) {
		grow(r, other->count);
		memcpy(r->times_ns + r->count, other->times_ns,
		       other->count * sizeof(*r->times_ns));
	}
	r->count += other->count;
	r->points += other->points;
	free(other->times_ns);
	*other = (struct load_report){ 0 };
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank, in milliseconds. */
static double quantile_ms(const struct load_report *r, double share)
{
	size_t at = (size_t)(share * (double)r->count);

	if (!r->count)
		return 0;
	return (double)r->times_ns[at < r->count ? at : r->count - 1] / 1e6;
}

void load_report_print(struct load_report *r, const char *more)
{
	if (r->count)
		qsort(r->times_ns, r->count, sizeof(*r->times_ns), compare);
	printf("{%s\"requests\":%zu,\"points\":%llu,\"seconds\":%.3f,\"p50_ms\":%.6f,"
	       "\"p99_ms\":%.6f,\"max_ms\":%.6f}\n",
	       more, r->count, (unsigned long long)r->points, r->seconds, quantile_ms(r, 0.5),
	       quantile_ms(r, 0.99), quantile_ms(r, 1));
	free(r->times_ns);
	*r = (struct load_report){ 0 };
}

int64_t load_number(const char *option, const char *text, int64_t min, int64_t max)
{
	char *end;
	long long number;

	errno = 0;
	number = strtoll(text, &end, 10);
	if (!errno && end != text && !*end && number >= min && number <= max)
		return number;
	fprintf(stderr, "load: --%s: a number from %lld to %lld is expected\n", option,
		(long long)min, (long long)max);
	exit(2);
}
