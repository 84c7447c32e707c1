#include "turns.h"

#include <time.h>

#include "clock.h"

void turns_init(struct turns *t)
{
	*t = (struct turns){ .waiting = 0 };
	pthread_mutex_init(&t->lock, NULL);
	clock_cond_init(&t->ended);
}

void turns_deinit(struct turns *t)
{
	pthread_cond_destroy(&t->ended);
	pthread_mutex_destroy(&t->lock);
}

/* A free place, where it is not the project's turn already. */
static bool take(struct turns *t, int64_t project_id)
{
	int64_t *found = NULL;

	for (size_t i = 0; i < TURNS_MOST; i++) {
		if (t->projects[i] == project_id)
			return false;
		if (!t->projects[i])
			found = &t->projects[i];
	}
	if (found)
		*found = project_id;
	return found;
}

bool turns_try(struct turns *t, int64_t project_id)
{
	bool taken;

	pthread_mutex_lock(&t->lock);
	taken = take(t, project_id);
	pthread_mutex_unlock(&t->lock);
	return taken;
}

static bool wait_and_take(struct turns *t, int64_t project_id, int64_t until_us)
{
	const struct timespec until = clock_timespec(until_us);
	bool is_late = false;
	bool taken = take(t, project_id);

	while (!taken && !is_late) {
		is_late = pthread_cond_timedwait(&t->ended, &t->lock, &until);
		taken = take(t, project_id);
	}
	return taken;
}

bool turns_wait(struct turns *t, int64_t project_id, int64_t until_us)
{
	bool taken = false;

	pthread_mutex_lock(&t->lock);
	if (t->waiting < TURNS_WAITING_MOST) {
		t->waiting++;
		taken = wait_and_take(t, project_id, until_us);
		t->waiting--;
	}
	pthread_mutex_unlock(&t->lock);
	return taken;
}

void turns_end(struct turns *t, int64_t project_id)
{
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < TURNS_MOST; i++) {
		if (t->projects[i] == project_id)
			t->projects[i] = 0;
	}
	pthread_cond_broadcast(&t->ended); /* who waits for this project, and who for any place */
	pthread_mutex_unlock(&t->lock);
}

size_t turns_waiting(struct turns *t)
{
	size_t waiting;

	pthread_mutex_lock(&t->lock);
	waiting = t->waiting;
	pthread_mutex_unlock(&t->lock);
	return waiting;
}
