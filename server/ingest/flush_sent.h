#ifndef FLUSH_SENT_H
#define FLUSH_SENT_H

#include "flush.h"

/*
 * The last whole summaries of processes of the wandb SDK, and what they logged since: for all
 * writers of a flush these are read at once and, if changed, stored at once.
 */

/* Call it after the runs' writers are read. */
err_t flush_sent_read(struct flush *f) __attribute__((warn_unused_result));
/* For one writer; a row without a text if it sent nothing yet. It lives until the flush ends. */
const struct sent_row *flush_sent_find(const struct flush *f, const struct writer *w);
/* Replaces the row from now on. */
void flush_sent_put(struct flush *f, const struct writer *w, const struct sent_row *row);
/* The rows that changed, for the commit. */
struct sent_row *flush_sent_changed(struct flush *f, size_t *ret_count);

#endif
