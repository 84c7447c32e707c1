#ifndef SERVER_LOAD_H
#define SERVER_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How much of what a server has for its clients is in use, while nothing is refused yet: the time to ask
 * those who can be asked to send more seldom.
 */
enum {
	SERVER_LOAD_MEMORY_PERCENT = 75, /* at 87 large bodies are refused (memory.h) */
	SERVER_LOAD_QUEUE_PERCENT = 50,
	SERVER_LOAD_LASTS_S =
		60, /* what was high stays so that long: bodies come and go by the second */
};

struct server_load {
	size_t memory, memory_limit;
	size_t waiting, waiting_limit; /* batches */
};

bool server_load_is_high(const struct server_load *load);
/* Whether it was within the time; `high_us` is when it was last, 0: never. Of one clock that never goes back. */
bool server_load_was_high(int64_t high_us, int64_t now_us);

#endif
