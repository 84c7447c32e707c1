#ifndef FLUSH_SENT_H
#define FLUSH_SENT_H

#include "flush.h"

/*
 * What processes of the wandb SDK sent last as their whole summaries, and what they logged since: of all
 * writers of a flush it is read at once and, where it changed, stored at once.
 */

/* The runs' writers are read. */
err_t flush_sent_read(struct flush *f) __attribute__((warn_unused_result));
/* Of one writer; a row without a text where it sent nothing yet. It lives until the flush ends. */
const struct sent_row *flush_sent_find(const struct flush *f, const struct writer *w);
/* From now on it is that. */
void flush_sent_put(struct flush *f, const struct writer *w, const struct sent_row *row);
/* Those that changed, for the commit. */
struct sent_row *flush_sent_changed(struct flush *f, size_t *ret_count);

#endif
