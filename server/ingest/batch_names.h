#ifndef BATCH_NAMES_H
#define BATCH_NAMES_H

#include "ingest.h"
#include "json_rows.h"

/*
 * Numbers for the names of a batch's columns. Numbers are for ever, so new ones are given only when the
 * batch would be taken: it is judged as a flush would judge it, and refused here if that refuses it.
 * Outside a transaction.
 */
struct batch_names {
	uint32_t *history;
	uint32_t *events;
};
err_t batch_names_number(struct ingest *ingest, struct db *db, struct ingest_batch *batch,
			 const struct json_rows *history, const struct json_rows *events,
			 struct batch_names *ret_names) __attribute__((warn_unused_result));

/*
 * Takes the columns out whose names have no number, for a project that gets no new ones; ret_lost[row] says
 * where one of them had a value.
 */
err_t batch_names_drop_new(struct ingest *ingest, struct db *db, int64_t project_id,
			   struct json_rows *rows, bool *ret_lost)
	__attribute__((warn_unused_result));

#endif
