#ifndef SPOOLED_H
#define SPOOLED_H

#include <stdint.h>

#include "series.h"
#include "spool_folder.h"
#include "spool_identity.h"
#include "spool_reader.h"

/* One writer's folder of a spool, as far as it was read: values, the last lines, and how it ended. */
enum { SPOOLED_LINES = 300 };

struct spooled_line {
	char *text;
	int64_t number;
	double time_s;
	int stream;
};

struct spooled {
	char *path;
	struct spool_identity identity;
	struct spool_reader *reader;
	struct series_set history, events;
	struct spooled_line lines[SPOOLED_LINES]; /* the oldest first */
	size_t line_count;
	double rows, dropped, last_step; /* last_step: NaN without rows */
	double last_time_s;              /* of its records; 0: none */
	enum spool_life life;
	int64_t looked_us; /* when that was found out */
	bool has_end;
	struct spool_end end;
	uint64_t damages;
	bool is_read; /* to its end, as far as it goes at present */
	bool is_seen; /* it is still in the list of folders */
};

/* NULL if it cannot be read; `error` says why. */
struct spooled *spooled_open(const char *path, char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));
void spooled_close(struct spooled *spooled);

/* Reads on, until this moment of the monotonic clock at most. */
void spooled_read(struct spooled *spooled, int64_t until_us) __attribute__((nonnull));

/* Unix time of its last sign of life; 0: unknown. */
double spooled_heard_s(const struct spooled *spooled) __attribute__((nonnull));

bool spooled_is_same_run(const struct spooled *a, const struct spooled *b) __attribute__((nonnull));

#endif
