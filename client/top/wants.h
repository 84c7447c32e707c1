#ifndef WANTS_H
#define WANTS_H

#include <stdbool.h>
#include <stddef.h>

/* The data that a source is to read: the shown run, and the metrics whose charts are seen. */
enum { WANTS_RUN_SIZE = 1100, WANTS_KEYS_MAX = 64, WANTS_COLUMNS_MAX = 3 };

struct wants {
	char run[WANTS_RUN_SIZE]; /* "": the first */
	bool is_system, is_relative;
	int points; /* of each chart */
	char *keys[WANTS_KEYS_MAX];
	size_t key_count;
	char *columns[WANTS_COLUMNS_MAX]; /* metrics of which the list of runs has the last value */
	size_t column_count;
};

void wants_deinit(struct wants *wants) __attribute__((nonnull));
/* Forgets the keys and columns, and keeps the rest. */
void wants_clear(struct wants *wants) __attribute__((nonnull));
void wants_add_key(struct wants *wants, const char *key) __attribute__((nonnull));
void wants_add_column(struct wants *wants, const char *key) __attribute__((nonnull));
/* False without memory; the copy is then empty. */
bool wants_copy(struct wants *to, const struct wants *from) __attribute__((nonnull));

bool wants_same_charts(const struct wants *a, const struct wants *b) __attribute__((nonnull));
bool wants_same_columns(const struct wants *a, const struct wants *b) __attribute__((nonnull));

#endif
