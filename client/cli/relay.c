#include "relay.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WRITE_BYTES 4096 /* what a pipe that is ready takes without waiting: PIPE_BUF */

static bool has_pending(const struct relay *relay)
{
	return relay->start < relay->end;
}

struct pollfd relay_wish(const struct relay *relay)
{
	if (has_pending(relay))
		return (struct pollfd){ .fd = relay->to, .events = POLLOUT };
	return (struct pollfd){ .fd = relay->from, .events = POLLIN };
}

static void close_from(struct relay *relay)
{
	close(relay->from);
	relay->from = -1;
	relay->owed = relay->end - relay->start < relay->owed ? relay->end - relay->start
							      : relay->owed;
}

/* They were written, or cannot be. */
static void leave_behind(struct relay *relay, size_t count)
{
	relay->start += count;
	relay->owed -= count < relay->owed ? count : relay->owed;
}

static void write_some(struct relay *relay)
{
	size_t count = relay->end - relay->start;
	ssize_t written;

	written = write(relay->to, relay->bytes + relay->start,
			count < WRITE_BYTES ? count : WRITE_BYTES);
	if (written > 0) {
		leave_behind(relay, (size_t)written);
	} else if (written < 0 && errno != EINTR && errno != EAGAIN) {
		relay->error = errno;
		leave_behind(relay, count);
		if (relay->error == EPIPE && relay->from >= 0)
			close_from(relay);
	}
}

/* A pseudo-terminal whose last user is gone answers EIO: that is its end. */
static size_t read_some(struct relay *relay)
{
	ssize_t count = read(relay->from, relay->bytes, sizeof relay->bytes);

	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (count <= 0) {
		close_from(relay);
		return 0;
	}
	relay->start = 0;
	relay->end = (size_t)count;
	return (size_t)count;
}

size_t relay_step(struct relay *relay, short found)
{
	if (!found)
		return 0;
	if (!has_pending(relay))
		return relay->from >= 0 ? read_some(relay) : 0;
	write_some(relay);
	return 0;
}

void relay_owe(struct relay *relay)
{
	int waiting = 0;

	if (relay->from >= 0 && ioctl(relay->from, FIONREAD, &waiting) != 0)
		waiting = 0;
	relay->owed = relay->end - relay->start + (size_t)waiting;
}

void relay_release(struct relay *relay)
{
	relay->start = relay->end;
	if (relay->from >= 0)
		close_from(relay);
}

bool relay_is_over(const struct relay *relay)
{
	return relay->from < 0 && !has_pending(relay);
}
