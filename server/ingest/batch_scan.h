#ifndef BATCH_SCAN_H
#define BATCH_SCAN_H

#include "ingest.h"
#include "lines.h"
#include "row_match.h"

/* None of it is needed any longer when the batch has been read. */
struct batch_source {
	struct str body;
	struct db *db;
	struct arena *scratch; /* errors live there, too */
};

/*
 * Reads the body of a batch into `batch`: who (writer, session, batch) and what (history, events,
 * console, config, summary, dropped), as blocks ready for the tail. Names of keys get their
 * numbers, for which the connection is used, outside a transaction; a refused batch adds no names.
 * JSON_SCAN_PADDING readable zero bytes must follow the body.
 */
err_t batch_scan(struct ingest *ingest, const struct batch_source *from, struct ingest_batch *batch)
	__attribute__((warn_unused_result));

/*
 * The same for bare rows: an array of objects, one object, or NDJSON. With project_id 0 they are only
 * checked: a project is not made for rows that are refused.
 */
err_t batch_scan_rows(struct ingest *ingest, const struct batch_source *from,
		      struct ingest_batch *batch) __attribute__((warn_unused_result));

/*
 * The same for lines of rows that did not come as one body. Each text is one object; from->body is
 * all that was sent, for the digest, and its padding is not read. A line that is not a row becomes
 * one of the batch's unread ones.
 */
struct batch_rows {
	struct str *lines;
	size_t count;
};
struct batch_parts {
	struct batch_rows history;
	struct batch_rows events;
	struct lines console;
	struct row_match *match; /* leaves out rows that are stored already; NULL: none is */
	size_t repeated;         /* how many were */
};
/* Adds the beginning of the line, with "?" for bytes that cannot be stored. */
void batch_add_unread(struct ingest_batch *batch, int16_t stream, struct str line);
/* `copy` has room for all of it: U+0000 and bytes that are not UTF-8 become "?". */
void batch_make_storable(char *copy, struct str text) __attribute__((nonnull));
err_t batch_scan_parts(struct ingest *ingest, const struct batch_source *from,
		       struct batch_parts *parts, struct ingest_batch *batch)
	__attribute__((warn_unused_result));

#endif
