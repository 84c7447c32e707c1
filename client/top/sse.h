#ifndef SSE_H
#define SSE_H

#include "text.h"

/* Reads server-sent events from pieces of any length. All zero but for on_event is a good start. */
enum {
	SSE_NAME_SIZE = 32,
	SSE_DATA_MAX = 8 << 20
}; /* an event with more data is given without them */

struct sse {
	void (*on_event)(void *context, const char *name, const char *data, size_t length);
	void *context;
	struct text line, data;
	char name[SSE_NAME_SIZE];
	bool has_event, is_too_long;
};

void sse_take(struct sse *sse, const char *bytes, size_t count) __attribute__((nonnull(1)));
/* Forgets an event that is not complete: another stream begins. */
void sse_reset(struct sse *sse) __attribute__((nonnull));
void sse_deinit(struct sse *sse) __attribute__((nonnull));

#endif
