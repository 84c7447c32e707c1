#ifndef TOP_H
#define TOP_H

#include "source.h"

enum top_mode {
	TOP_SCREEN, /* until the user quits */
	TOP_ONCE    /* one screen as text, once there is something to show */
};

struct top_options {
	enum top_mode mode;
	bool is_ascii; /* draw in ASCII, whatever the locale */
};

/* Shows what the source has; closes it. Returns an exit code. */
int top_run(struct top_source *source, const struct top_options *options) __attribute__((nonnull));

#endif
