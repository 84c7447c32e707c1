#ifndef RUN_SET_H
#define RUN_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_SET_PUT_OFF = 64 };

/* Runs that wait for a job, each once, in the order they were first added. Serves all threads. */
struct run_set;

struct run_set_item {
	int64_t run_id;
	int64_t project_id;
	bool whatever; /* to be done even if the run has little to do */
};

/* At most `limit` runs are kept; more are left out, and found again by the job's own search. */
struct run_set *run_set_new(size_t limit);
void run_set_free(struct run_set *set);
void run_set_add(struct run_set *set, struct run_set_item item);
/*
 * Nothing can be done for the run now: until the monotonic time it is left out when it is added. The
 * latest RUN_SET_PUT_OFF runs are known; one more and the oldest may be added again.
 */
void run_set_put_off(struct run_set *set, int64_t run_id, int64_t until_mono_us);
/* Takes the oldest; waits until the monotonic time. False: none came, or the set is closed. */
bool run_set_take(struct run_set *set, int64_t until_mono_us, struct run_set_item *ret_item);
size_t run_set_count(struct run_set *set);
/* Wakes those who wait. */
void run_set_close(struct run_set *set);

#endif
