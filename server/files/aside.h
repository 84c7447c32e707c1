#ifndef ASIDE_H
#define ASIDE_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Work that a thread gives away while it does something else, such as the second sum of the same bytes. It is done by whoever
 * comes first: a thread that has nothing to do, or the giver itself when it needs the result. So nobody waits for work that
 * has not begun. When others have given enough work for all processors, the giver keeps its own.
 */
struct aside_job {
	void (*work)(void *what);
	void *what;
	struct aside_job *next;
	bool is_kept;
	enum { ASIDE_WAITS, ASIDE_TAKEN, ASIDE_DONE } state; /* unless it is kept */
};

struct aside;
/* Its threads begin with the first job. */
struct aside *aside_new(void);
/* All jobs are done. NULL is allowed. */
void aside_free(struct aside *aside);
/* The job is the caller's, until aside_wait() returns. */
void aside_give(struct aside *aside, struct aside_job *job);
void aside_wait(struct aside *aside, struct aside_job *job);

#endif
