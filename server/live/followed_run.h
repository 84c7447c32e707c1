#ifndef FOLLOWED_RUN_H
#define FOLLOWED_RUN_H

#include "followed_writers.h"

/*
 * Runs of a watched project that somebody follows. What all who follow a run have in common is kept here,
 * once; who follows keeps the cursors up to which it was told. In a pass, once a second, runs are looked at,
 * all in one go, and what is new behind a cursor is made once, for all who are there.
 *
 * So much is done in a pass, whoever follows how many: where more runs are followed they are looked at in
 * turn, those first that wait longest, and what was not made is made in the next pass. Nothing is lost by
 * that, for cursors stay where they are. A project has a share, by how many of all runs are its.
 *
 * Rejected: to read for each listener, which a thousand of them turn into a hundred thousand statements.
 */
enum followed_stream {
	FOLLOWED_STATE,
	FOLLOWED_ALERT,
	FOLLOWED_CONSOLE,
	FOLLOWED_WRITER,
	FOLLOWED_STREAMS,
};

enum {
	FOLLOWED_AT_ONCE = 500,        /* runs that are looked at in a pass, of all projects */
	FOLLOWED_BYTES = 16 << 20,     /* about so many are made in a pass, of all projects */
	FOLLOWED_READ_BYTES = 8 << 10, /* as so many counts what is less, for it has to be read */
};

struct followed_run;

struct followed_runs {
	struct followed_run **at; /* by name */
	size_t count;
	size_t size;
	size_t next;      /* that is looked at first in the next pass */
	int64_t limit_us; /* of the project */
};

/* One more follows the run, or one less; who was the last leaves it to followed_runs_tidy(). */
struct followed_run *followed_runs_join(struct followed_runs *runs, const char *name);
void followed_run_leave(struct followed_run *run);
void followed_runs_tidy(struct followed_runs *runs);
void followed_runs_deinit(struct followed_runs *runs);

/* Of the runs of one project. */
struct follow_pass {
	struct followed_runs *runs;
	struct listener_view base; /* of each; in its arena lives what is shared in the pass */
	struct arena *scratch;     /* what is read of one run, for so long */
	size_t looks;              /* that are left */
	size_t bytes;
	size_t made;  /* what is new of a stream, behind a cursor */
	size_t late;  /* looks, and what is new, that have to wait for another pass */
	bool is_full; /* there are no more bytes, and somebody waits for some */
};

/* `total` is how many runs are followed, of all projects. */
struct follow_pass follow_pass_begin(struct followed_runs *runs, struct listener_view base,
				     struct arena *scratch, size_t total);
void follow_pass_end(struct follow_pass *pass);
/* It is looked at, when its turn has come. */
void followed_run_want(struct followed_run *run);
/* Between two turns those who have just come are told, which moves no turn. */
enum follow_turn { FOLLOW_TURN, FOLLOW_BETWEEN };
err_t follow_pass_look(struct follow_pass *pass, int64_t project_id, enum follow_turn turn)
	__attribute__((warn_unused_result));

/* What was seen of a run in this pass. */
struct followed_look {
	bool was_looked;
	int16_t visibility;
	const struct run *run; /* NULL: there is none of the name */
};
const struct followed_look *followed_run_look(const struct followed_run *run);
/* Where each stream ends. */
void followed_run_newest(const struct followed_run *run, int64_t cursors[FOLLOWED_STREAMS]);
/*
 * Appends what is new behind the cursors, of a run that was looked at and is there, and moves them on. What
 * cannot be read rests, and is tried again; an error: the connection is lost.
 */
err_t follow_pass_tell(struct follow_pass *pass, struct followed_run *run, unsigned streams,
		       int64_t cursors[FOLLOWED_STREAMS], struct buf *out)
	__attribute__((warn_unused_result));

#endif
