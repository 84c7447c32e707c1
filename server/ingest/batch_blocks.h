#ifndef BATCH_BLOCKS_H
#define BATCH_BLOCKS_H

#include "ingest.h"
#include "json_rows.h"
#include "lines.h"

/* Shared by the readers of bodies: makes the blocks of a batch from columns and lines. */

/* The clock that rows without a time are given. */
double batch_now_s(void);
/* Digest by which a repeated request is recognized. */
void batch_digest(struct str body, unsigned char ret_digest[static BATCH_DIGEST_LEN]);
void batch_take_digest(struct ingest_batch *batch, struct str body);
/*
 * Names are resolved to numbers, over the connection, outside a
 * transaction; streams without rows have no block.
 */
err_t batch_make_blocks(struct ingest *ingest, struct db *db, struct json_rows *history,
			struct json_rows *events, struct ingest_batch *batch)
	__attribute__((warn_unused_result));
/* At least one line. */
void batch_make_lines(struct ingest *ingest, struct arena *scratch, const struct lines *sent,
		      struct ingest_batch *batch);

#endif
