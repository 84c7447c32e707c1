#ifndef SYNC_REPORT_H
#define SYNC_REPORT_H

#include "sync.h"

/* Lines and progress of cairn sync. Results go to standard output, progress and errors to standard error. */

/* A pass is over: a line if there is news. The lock is held. */
void sync_report_writer(struct sync *sync, struct sync_writer *writer) __attribute__((nonnull));

/* On a terminal, rewrites the line of progress. */
void sync_report_progress(struct sync *sync) __attribute__((nonnull));
void sync_report_clear(struct sync *sync) __attribute__((nonnull));

/* The sum; returns the exit status. */
int sync_report_end(struct sync *sync) __attribute__((nonnull));

/* A table of what would be sent, by the hints in the folders; returns the exit status. */
int sync_report_dry(struct sync *sync) __attribute__((nonnull));

#endif
