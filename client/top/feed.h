#ifndef FEED_H
#define FEED_H

#include <pthread.h>

#include "model.h"
#include "wants.h"

/*
 * Between the thread of the source, which fills the model, and that of the screen, which draws it and says what it wants.
 *
 *	source: feed_begin, change the model, feed_end        screen: feed_lock, draw, feed_want, feed_unlock
 *	        feed_wait for what is wanted now                      poll wake_fd for changes of the model
 */
struct feed {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct model model;
	struct wants wants; /* of the screen */
	bool is_told;       /* the source has something to do */
	bool is_done;
	int wake_fd; /* readable after a change of the model */
};

/* False without descriptors. */
bool feed_init(struct feed *feed) __attribute__((nonnull));
void feed_deinit(struct feed *feed) __attribute__((nonnull));

struct model *feed_begin(struct feed *feed) __attribute__((nonnull));
void feed_end(struct feed *feed) __attribute__((nonnull));

/* Waits for feed_tell(), at most so long. */
void feed_wait(struct feed *feed, int64_t wait_us) __attribute__((nonnull));
void feed_tell(struct feed *feed) __attribute__((nonnull));
void feed_finish(struct feed *feed) __attribute__((nonnull));
bool feed_is_done(struct feed *feed) __attribute__((nonnull));

/* By the screen, which holds the lock. */
void feed_want(struct feed *feed, const struct wants *wants) __attribute__((nonnull));

/* Changes of the model since the last call. */
void feed_take_wake(struct feed *feed) __attribute__((nonnull));

#endif
