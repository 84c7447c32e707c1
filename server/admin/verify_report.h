#ifndef VERIFY_REPORT_H
#define VERIFY_REPORT_H

#include "buf.h"
#include "progress.h"
#include "verify.h"

/*
 * Verifies and reports: a line for each fault and one for the totals on
 * standard output, progress on a terminal.
 */
struct verify_report {
	bool json;
	struct progress progress;
	struct buf line;
};

/* In `ask` scope and jobs are set. ERR_INTERNAL when faults were found. */
err_t verify_report_run(struct verify_report *r, struct arena *a, const struct db_options *options,
			struct verify_ask *ask) __attribute__((warn_unused_result));

#endif
