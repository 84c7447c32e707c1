#ifndef SERIES_VERSION_H
#define SERIES_VERSION_H

#include "series_ask.h"

/*
 * The ETag of a panel's answer: a hash of the question and of the state of each run (rows, with system metrics also
 * samples, branch, writers). The same question over the same rows has the same answer, so no values are read for it.
 * Rows that arrive after the end of a run change it.
 */
enum { SERIES_ETAG_SIZE = 2 * 16 + 1 };

/*
 * Returns false if there is none: the panel is split by writers, and a run has rows of another run, whose labels are not
 * known here.
 */
bool series_version(const struct series_question *question, const struct series_panel *panel,
		    char ret_etag[static SERIES_ETAG_SIZE]);

#endif
