#ifndef RELAY_H
#define RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One stream of the command: what is read goes to our own stream unchanged and at once. While our
 * reader is slow nothing more is read, so the command waits as it would without us, and signals are
 * still passed on. When our reader is gone, our end is closed: the command gets its SIGPIPE. What
 * cannot be written for another reason, a full disk perhaps, is left out: the command goes on.
 */
#define RELAY_BYTES 16384

struct relay {
	int from, to; /* from: -1 at the end */
	char bytes[RELAY_BYTES];
	size_t start, end; /* what waits to be written */
	size_t owed; /* bytes of the command's own that are not written yet, after relay_owe() */
	int error;   /* errno of what could not be written; 0: none */
};

/* Returns what to poll for; an fd of -1 if there is nothing. */
struct pollfd relay_wish(const struct relay *relay) __attribute__((nonnull));

/* Acts on what poll() found. Returns how many new bytes stand at relay->bytes, 0 none. */
size_t relay_step(struct relay *relay, short found) __attribute__((nonnull));

/* The command has ended: what was read and what can be read now is all that it wrote. */
void relay_owe(struct relay *relay) __attribute__((nonnull));

/* Another process goes on with the stream from here. */
void relay_release(struct relay *relay) __attribute__((nonnull));

bool relay_is_over(const struct relay *relay) __attribute__((nonnull));

#endif
