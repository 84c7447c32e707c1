#ifndef BATCH_NAMES_H
#define BATCH_NAMES_H

#include "ingest.h"
#include "json_rows.h"

/*
 * Numbers for the names of a batch's columns. New names get numbers only if the batch would be
 * stored: it is judged as in a flush, and refused here if the flush would refuse it. If the project
 * has reached its limit of names, or the run its limit for an hour, the other columns are left out.
 * Outside a transaction.
 */
struct batch_names {
	const uint32_t *history;
	const uint32_t *events;
};
err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 struct json_rows *history, struct json_rows *events,
			 struct batch_names *ret_names) __attribute__((warn_unused_result));

#endif
