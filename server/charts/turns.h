#ifndef TURNS_H
#define TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Turns at what keeps a worker busy for long: few at once, and one of a project. Who waits for a turn keeps a worker
 * too, so few wait. Any thread.
 */
enum { TURNS_MOST = 4, TURNS_WAITING_MOST = 4 };

struct turns {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int64_t projects[TURNS_MOST]; /* whose turn it is; 0: nobody's */
	size_t waiting;
};

void turns_init(struct turns *t);
void turns_deinit(struct turns *t);

/* True: it is the project's turn, until turns_end(). */
bool turns_try(struct turns *t, int64_t project_id);
/* The same, waiting until then (monotonic) at most, or not at all where as many wait already as may. */
bool turns_wait(struct turns *t, int64_t project_id, int64_t until_us);
void turns_end(struct turns *t, int64_t project_id);

size_t turns_waiting(struct turns *t);

#endif
