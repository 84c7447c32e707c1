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
	bool whatever; /* to be done even if there is little to do */
	bool pressing; /* not to wait until a rest is over */
};

/* At most `limit` runs are kept; more are left out, and found again by the job's own search. */
struct run_set *run_set_new(size_t limit);
void run_set_free(struct run_set *set);
void run_set_add(struct run_set *set, struct run_set_item item);
/*
 * Until the monotonic time the run is kept aside when it is added, and is returned afterwards. A
 * rest lets more work gather, and ends early for pressing items; a barred run stays aside. The
 * latest RUN_SET_PUT_OFF runs are remembered; with one more the oldest is returned early.
 */
enum run_set_why { RUN_SET_REST, RUN_SET_BARRED };
void run_set_put_off(struct run_set *set, int64_t run_id, int64_t until_mono_us,
		     enum run_set_why why);
/* Takes the oldest; waits until the monotonic time. False: none came, or the set is closed. */
bool run_set_take(struct run_set *set, int64_t until_mono_us, struct run_set_item *ret_item);
size_t run_set_count(struct run_set *set);
/* Wakes waiting threads. */
void run_set_close(struct run_set *set);

#endif
