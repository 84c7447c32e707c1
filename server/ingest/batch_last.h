#ifndef BATCH_LAST_H
#define BATCH_LAST_H

#include "json_doc.h"
#include "json_rows.h"

/*
 * The last value of each key of these rows, {"train/loss": 0.1, "d.x": [1]}; those that no document can
 * hold are left out. Lives in the arena alone.
 */
const struct json_doc *batch_last_values(struct arena *a, const struct json_rows *rows)
	__attribute__((nonnull, returns_nonnull));

#endif
