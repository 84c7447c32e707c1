#ifndef SERIES_EXPORT_H
#define SERIES_EXPORT_H

#include "series_query.h"

/* Streams every row that the query asks for, in windows. Memory and transactions do not grow with their number. */
err_t series_export(struct request *q, const struct run_reader *reader,
		    const struct series_query *query) __attribute__((warn_unused_result));

/*
 * GET …/history of a project: run after run, in the order of their creation. A client that was cut off asks for what
 * follows the last line that it read.
 */
err_t series_export_project(struct request *q);

#endif
