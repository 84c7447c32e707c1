#ifndef FOLLOWED_RUN_H
#define FOLLOWED_RUN_H

#include "followed_writers.h"

/*
 * Runs of a watched project that listeners follow. What all followers of a run have in common is kept here once. A
 * follower keeps the cursors up to which everything was sent to it. A pass, once a second, looks at the runs together
 * and makes the update behind a cursor once for all followers at that cursor.
 *
 * A pass has limits, however many runs are followed. Beyond them runs are looked at in turn, the ones that wait longest
 * first, and an update that was not made is made in the next pass. Cursors stay where they are, so nothing is lost. A project
 * has a share of the limits, by its share of all followed runs.
 *
 * Rejected: reading for each listener. A thousand listeners would be a hundred thousand statements.
 */
enum followed_stream {
	FOLLOWED_STATE,
	FOLLOWED_ALERT,
	FOLLOWED_CONSOLE,
	FOLLOWED_WRITER,
	FOLLOWED_STREAMS,
};

enum {
	FOLLOWED_AT_ONCE = 500,    /* runs that are looked at in a pass, of all projects */
	FOLLOWED_BYTES = 16 << 20, /* about so many bytes are made in a pass, of all projects */
	FOLLOWED_READ_BYTES =
		8 << 10, /* an update of fewer bytes counts as so many, since it has to be read */
};

struct followed_run;

struct followed_runs {
	struct followed_run **at; /* by name */
	size_t count;
	size_t size;
	size_t next;      /* that is looked at first in the next pass */
	int64_t limit_us; /* of the project */
};

/* Adds a follower of the run, or removes one. followed_runs_tidy() frees runs without followers. */
struct followed_run *followed_runs_join(struct followed_runs *runs, const char *name);
void followed_run_leave(struct followed_run *run);
void followed_runs_tidy(struct followed_runs *runs);
void followed_runs_deinit(struct followed_runs *runs);

/* A pass over the runs of one project. */
struct follow_pass {
	struct followed_runs *runs;
	struct listener_view base; /* of each run; its arena holds what is shared in the pass */
	struct arena *scratch;     /* what is read of one run, for so long */
	size_t looks;              /* that are left */
	size_t bytes;
	size_t made;  /* what is new of a stream, behind a cursor */
	size_t late;  /* looks and updates that have to wait for another pass */
	bool is_full; /* the limit of bytes is reached, and a follower waits */
};

/* total: the number of followed runs of all projects. */
struct follow_pass follow_pass_begin(struct followed_runs *runs, struct listener_view base,
				     struct arena *scratch, size_t total);
void follow_pass_end(struct follow_pass *pass);
/* It is looked at, when its turn has come. */
void followed_run_want(struct followed_run *run);
/* New followers are served between two turns, which does not change whose turn is next. */
enum follow_turn { FOLLOW_TURN, FOLLOW_BETWEEN };
err_t follow_pass_look(struct follow_pass *pass, int64_t project_id, enum follow_turn turn)
	__attribute__((warn_unused_result));

/* Takes what was read of a run in this pass. */
struct followed_look {
	bool was_looked;
	int16_t visibility;
	const struct run *run; /* NULL: there is none of the name */
};
const struct followed_look *followed_run_look(const struct followed_run *run);
/* Returns the newest cursor of each stream. */
void followed_run_newest(const struct followed_run *run, int64_t cursors[FOLLOWED_STREAMS]);
/*
 * Appends the updates behind the cursors and moves them on. The run was looked at and exists. A stream that cannot be read
 * waits and is tried again. An error: the connection is lost.
 */
err_t follow_pass_tell(struct follow_pass *pass, struct followed_run *run, unsigned streams,
		       int64_t cursors[FOLLOWED_STREAMS], struct buf *out)
	__attribute__((warn_unused_result));

#endif
