#ifndef SERIES_EXPORT_H
#define SERIES_EXPORT_H

#include "series_query.h"

/* Every row the query asks for, streamed in windows: memory and transactions do not grow with it. */
err_t series_export(struct request *q, const struct run_reader *reader,
		    const struct series_query *query) __attribute__((warn_unused_result));

/*
 * GET …/history of a project: run after run, in the order in which they were made. Who was cut off asks
 * for what comes after the last line that was read.
 */
err_t series_export_project(struct request *q);

#endif
