#ifndef LOAD_REPORT_H
#define LOAD_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* What a load measured: times of single requests or calls, and counts. */
struct load_report {
	uint32_t *times_ns;
	size_t count;
	size_t size;
	uint64_t points;
	double seconds;
};

int64_t load_now_ns(void);

/* Remembers one time; longer than four seconds counts as four seconds. */
void load_report_add(struct load_report *r, int64_t time_ns);
/* Puts the other's times to ours and frees them. */
void load_report_merge(struct load_report *r, struct load_report *other);

/* One JSON object in a line; `more` is put in as it is, "" or "\"busy\":3,". Frees the times. */
void load_report_print(struct load_report *r, const char *more);

/* A text that is one whole number within the bounds, or exit with a line that names the option. */
int64_t load_number(const char *option, const char *text, int64_t min, int64_t max);

/* Memory or exit. */
void *load_alloc(size_t size);

#endif
