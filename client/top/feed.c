#include "feed.h"

#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

bool feed_init(struct feed *feed)
{
	pthread_condattr_t attributes;

	*feed = (struct feed){ .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	pthread_mutex_init(&feed->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&feed->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	return feed->wake_fd >= 0;
}

void feed_deinit(struct feed *feed)
{
	model_deinit(&feed->model);
	wants_deinit(&feed->wants);
	pthread_cond_destroy(&feed->wake);
	pthread_mutex_destroy(&feed->lock);
	if (feed->wake_fd >= 0)
		close(feed->wake_fd);
}

struct model *feed_begin(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	return &feed->model;
}

void feed_end(struct feed *feed)
{
	const uint64_t one = 1;

	pthread_mutex_unlock(&feed->lock);
	if (write(feed->wake_fd, &one, sizeof one) < 0)
		return; /* it is readable already */
}

void feed_take_wake(struct feed *feed)
{
	uint64_t count;

	if (read(feed->wake_fd, &count, sizeof count) < 0)
		return;
}

void feed_wait(struct feed *feed, int64_t wait_us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	wait_us += until.tv_nsec / 1000;
	until.tv_sec += wait_us / 1000000;
	until.tv_nsec = wait_us % 1000000 * 1000;
	pthread_mutex_lock(&feed->lock);
	while (!feed->is_told && !feed->is_done) {
		if (pthread_cond_timedwait(&feed->wake, &feed->lock, &until))
			break;
	}
	feed->is_told = false;
	pthread_mutex_unlock(&feed->lock);
}

void feed_tell(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->is_told = true;
	pthread_cond_broadcast(&feed->wake);
	pthread_mutex_unlock(&feed->lock);
}

void feed_finish(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->is_done = true;
	pthread_cond_broadcast(&feed->wake);
	pthread_mutex_unlock(&feed->lock);
}

bool feed_is_done(struct feed *feed)
{
	bool is_done;

	pthread_mutex_lock(&feed->lock);
	is_done = feed->is_done;
	pthread_mutex_unlock(&feed->lock);
	return is_done;
}

void feed_want(struct feed *feed, const struct wants *wants)
{
	if (wants_same_charts(&feed->wants, wants) && wants_same_columns(&feed->wants, wants))
		return;
	if (!wants_copy(&feed->wants, wants))
		return;
	feed->is_told = true;
	pthread_cond_broadcast(&feed->wake);
}
