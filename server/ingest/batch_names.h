#ifndef BATCH_NAMES_H
#define BATCH_NAMES_H

#include "ingest.h"
#include "json_rows.h"

/*
 * Numbers for the names of a batch's columns. New ones are given only when the
 * batch would be taken: it is judged as a flush would judge it, and refused here if that refuses it. If the project has as
 * many names as it may, or the run has brought as many in an hour, the other columns are left out. Outside a transaction.
 */
struct batch_names {
	const uint32_t *history;
	const uint32_t *events;
};
err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 struct json_rows *history, struct json_rows *events,
			 struct batch_names *ret_names) __attribute__((warn_unused_result));

#endif
