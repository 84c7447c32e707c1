#ifndef SERIES_VERSION_H
#define SERIES_VERSION_H

#include "series_ask.h"

/*
 * The ETag of a panel's answer: a hash of what is asked and of how far each run was read that the answer is made of (rows,
 * and with system metrics samples; branch; writers). Since the same question of the same rows has the same answer, nothing
 * has to be read for it, and rows that come late to a run that has ended give another one.
 */
enum { SERIES_ETAG_SIZE = 2 * 16 + 1 };

/* False: it has none, for it is split by the writers of a run that has rows of another's, whose labels nobody here knows. */
bool series_version(const struct series_question *question, const struct series_panel *panel,
		    char ret_etag[static SERIES_ETAG_SIZE]);

#endif
