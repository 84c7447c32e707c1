#ifndef TOP_SOURCE_H
#define TOP_SOURCE_H

#include "feed.h"

/*
 * The data that is shown comes from a server, from this host, or from a folder of spools: each is a source, which fills the
 * feed's model from a thread of its own. The first member of its struct is this one.
 */
struct top_source {
	/* Before the screen is taken over: 0, or an exit code after saying why. What is away, but may come back, is no
	 * reason. After a failure only close() is called. */
	int (*open)(struct top_source *source, struct feed *feed);
	/* One round: waits by feed_wait() for what is to be done, about a second at most, and does it. */
	void (*next)(struct top_source *source, struct feed *feed);
	/* From another thread, once: next() returns soon, and is not called again. */
	void (*interrupt)(struct top_source *source);
	void (*close)(struct top_source *source);
};

#endif
