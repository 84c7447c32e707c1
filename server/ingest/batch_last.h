#ifndef BATCH_LAST_H
#define BATCH_LAST_H

#include "json_doc.h"
#include "json_rows.h"

/*
 * The last value of each key of these rows and the time of its row, {"train/loss": [1795207775.25,
 * 0.1]}, as sdk_summary_judge() takes it; values that no document can hold are left out. Lives only
 * in the arena. The rows have their axes.
 */
const struct json_doc *batch_last_values(struct arena *a, const struct json_rows *rows)
	__attribute__((nonnull, returns_nonnull));

#endif
