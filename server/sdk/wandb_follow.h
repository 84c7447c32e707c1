#ifndef WANDB_FOLLOW_H
#define WANDB_FOLLOW_H

#include "ingest.h"
#include "line_again.h"
#include "request.h"
#include "row_match.h"

/*
 * Numbers the console lines of a session without a client id: behind all others, or next to stored lines, if the session
 * is a sync that sends them again. The rule is in docs/design.md.
 *
 * The session's first lines are compared with each piece, later ones only with the piece that was chosen.
 */
struct wandb_follow_ask {
	const struct row_match *match; /* the connection, the codec, the lane of repeated rows */
	const struct writer *writer;   /* NULL: it does not exist yet */
	const struct writer *left; /* the writers with its client id in branches that were left */
	size_t left_count;
	struct str client;
	bool repeats;    /* the request has stored rows */
	bool brings_new; /* the request has new rows */
	bool may_sync;   /* the program that began the session may be `wandb sync` */
};

/* Reduces `lines` to those to store, with their numbers. *ret_lines is for the flush. */
err_t wandb_follow_lines(struct request *q, const struct wandb_follow_ask *ask, struct lines *lines,
			 struct ingest_lines *ret_lines)
	__attribute__((nonnull, warn_unused_result));

#endif
