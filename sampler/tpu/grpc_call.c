/* grpc_call.c - see grpc_call.h. */
#include "grpc_call.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monotonic.h"

#define FRAME_HEAD 9
#define PREFIX 5 /* of a gRPC message: compressed or not, its length */
#define HEADERS_MAX 512
#define PATH_MAX_BYTES 120 /* lengths in HPACK are one byte below 127 */

enum frame_type {
	FRAME_DATA = 0,
	FRAME_HEADERS = 1,
	FRAME_RST_STREAM = 3,
	FRAME_SETTINGS = 4,
	FRAME_PING = 6,
	FRAME_GOAWAY = 7,
	FRAME_WINDOW_UPDATE = 8,
};

#define FLAG_ACK 1
#define FLAG_END_STREAM 1
#define FLAG_END_HEADERS 4
#define FLAG_PADDED 8

static uint32_t get_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static void put_u32(uint8_t *bytes, uint32_t number)
{
	bytes[0] = (uint8_t)(number >> 24);
	bytes[1] = (uint8_t)(number >> 16);
	bytes[2] = (uint8_t)(number >> 8);
	bytes[3] = (uint8_t)number;
}

static void put_head(uint8_t *bytes, size_t length, enum frame_type type, uint8_t flags,
		     uint32_t stream)
{
	put_u32(bytes, (uint32_t)length << 8 | (uint32_t)type);
	bytes[4] = flags;
	put_u32(bytes + 5, stream);
}

static bool wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd waited = { .fd = fd, .events = events };

	for (;;) {
		uint64_t now_ns = monotonic_ns();
		if (now_ns >= deadline_ns)
			return false;
		int n = poll(&waited, 1, (int)((deadline_ns - now_ns) / NS_PER_MS) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static bool send_all(int fd, const uint8_t *bytes, size_t size, uint64_t deadline_ns)
{
	while (size > 0) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (n < 0) {
			if (!wait_for(fd, POLLOUT, deadline_ns))
				return false;
			continue;
		}
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

static bool receive_all(int fd, uint8_t *bytes, size_t size, uint64_t deadline_ns)
{
	while (size > 0) {
		ssize_t n = recv(fd, bytes, size, 0);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (n < 0) {
			if (!wait_for(fd, POLLIN, deadline_ns))
				return false;
			continue;
		}
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

void grpc_close(struct grpc_connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
}

static bool finish_connect(int fd, uint64_t deadline_ns)
{
	int e = 0;
	socklen_t size = sizeof e;

	return wait_for(fd, POLLOUT, deadline_ns) &&
	       getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &size) == 0 && e == 0;
}

static bool connect_to(int fd, uint16_t port, uint64_t deadline_ns)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	int one = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
		return true;
	return errno == EINPROGRESS && finish_connect(fd, deadline_ns);
}

/* The preface, then settings: no header table, no push, streams of a whole answer; and the
 * connection's window, which settings do not change. */
static bool send_preface(int fd, uint64_t deadline_ns)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	static const uint8_t settings[] = {
		0, 1, 0, 0,    0, 0, /* SETTINGS_HEADER_TABLE_SIZE */
		0, 2, 0, 0,    0, 0, /* SETTINGS_ENABLE_PUSH */
		0, 4, 0, 0x20, 0, 0, /* SETTINGS_INITIAL_WINDOW_SIZE: 2 MiB */
	};
	uint8_t bytes[sizeof preface - 1 + FRAME_HEAD + sizeof settings + FRAME_HEAD + 4];
	size_t at = sizeof preface - 1;

	memcpy(bytes, preface, at);
	put_head(bytes + at, sizeof settings, FRAME_SETTINGS, 0, 0);
	memcpy(bytes + at + FRAME_HEAD, settings, sizeof settings);
	at += FRAME_HEAD + sizeof settings;
	put_head(bytes + at, 4, FRAME_WINDOW_UPDATE, 0, 0);
	put_u32(bytes + at + FRAME_HEAD, 2 * GRPC_MESSAGE_MAX);
	return send_all(fd, bytes, sizeof bytes, deadline_ns);
}

bool grpc_connect(struct grpc_connection *connection, uint16_t port, uint64_t deadline_ns)
{
	connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	connection->port = port;
	connection->stream = 1;
	if (connection->fd < 0)
		return false;
	if (connect_to(connection->fd, port, deadline_ns) &&
	    send_preface(connection->fd, deadline_ns))
		return true;
	grpc_close(connection);
	return false;
}

/* A literal that is not kept in a table (RFC 7541, 6.2.2), without Huffman's code. */
static size_t put_text(uint8_t *bytes, const char *text)
{
	size_t length = strlen(text);

	bytes[0] = (uint8_t)length;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	memcpy(bytes + 1, text, length);
	return 1 + length;
}

/* The numbers are of HPACK's static table: POST, http, :path, :authority. */
static size_t put_headers(const struct grpc_connection *connection, const char *path,
			  uint8_t *bytes)
{
	char authority[32];
	size_t n = 0;

	snprintf(authority, sizeof authority, "localhost:%u", connection->port);
	bytes[n++] = 0x83;
	bytes[n++] = 0x86;
	bytes[n++] = 0x04;
	n += put_text(bytes + n, path);
	bytes[n++] = 0x01;
	n += put_text(bytes + n, authority);
	bytes[n++] = 0;
	n += put_text(bytes + n, "te");
	n += put_text(bytes + n, "trailers");
	bytes[n++] = 0;
	n += put_text(bytes + n, "content-type");
	n += put_text(bytes + n, "application/grpc");
	return n;
}

static bool send_request(struct grpc_connection *connection, const char *path, const void *request,
			 size_t size, uint64_t deadline_ns)
{
	uint8_t bytes[HEADERS_MAX + 2 * FRAME_HEAD + PREFIX + GRPC_REQUEST_MAX];
	size_t length = put_headers(connection, path, bytes + FRAME_HEAD);
	size_t at = FRAME_HEAD + length;

	put_head(bytes, length, FRAME_HEADERS, FLAG_END_HEADERS, connection->stream);
	put_head(bytes + at, PREFIX + size, FRAME_DATA, FLAG_END_STREAM, connection->stream);
	at += FRAME_HEAD;
	bytes[at] = 0; /* not compressed */
	put_u32(bytes + at + 1, (uint32_t)size);
	memcpy(bytes + at + PREFIX, request, size);
	return send_all(connection->fd, bytes, at + PREFIX + size, deadline_ns);
}

struct frame {
	size_t length;
	uint8_t type, flags;
	uint32_t stream;
};

static bool receive_frame(struct grpc_connection *connection, struct frame *ret_frame,
			  uint64_t deadline_ns)
{
	uint8_t head[FRAME_HEAD];

	if (!receive_all(connection->fd, head, sizeof head, deadline_ns))
		return false;
	ret_frame->length = get_u32(head) >> 8;
	ret_frame->type = head[3];
	ret_frame->flags = head[4];
	ret_frame->stream = get_u32(head + 5) & 0x7fffffff;
	return ret_frame->length <= GRPC_FRAME_MAX &&
	       receive_all(connection->fd, connection->frame, ret_frame->length, deadline_ns);
}

/* Settings and pings are answered; anything else about the connection is not of interest. */
static bool answer(struct grpc_connection *connection, const struct frame *frame,
		   uint64_t deadline_ns)
{
	uint8_t bytes[FRAME_HEAD + 8];

	if (frame->flags & FLAG_ACK)
		return true;
	if (frame->type == FRAME_SETTINGS) {
		put_head(bytes, 0, FRAME_SETTINGS, FLAG_ACK, 0);
		return send_all(connection->fd, bytes, FRAME_HEAD, deadline_ns);
	}
	if (frame->type == FRAME_PING && frame->length == 8) {
		put_head(bytes, 8, FRAME_PING, FLAG_ACK, 0);
		memcpy(bytes + FRAME_HEAD, connection->frame, 8);
		return send_all(connection->fd, bytes, sizeof bytes, deadline_ns);
	}
	return true;
}

/* Gives the bytes back to the connection's window; each stream has room for a whole answer. */
static bool give_window(const struct grpc_connection *connection, size_t size, uint64_t deadline_ns)
{
	uint8_t bytes[FRAME_HEAD + 4];

	if (size == 0)
		return true;
	put_head(bytes, 4, FRAME_WINDOW_UPDATE, 0, 0);
	put_u32(bytes + FRAME_HEAD, (uint32_t)size);
	return send_all(connection->fd, bytes, sizeof bytes, deadline_ns);
}

static bool take_data(struct grpc_connection *connection, const struct frame *frame, size_t *got)
{
	size_t begin = 0, padding = 0;

	if (frame->flags & FLAG_PADDED) {
		if (frame->length == 0)
			return false;
		begin = 1;
		padding = connection->frame[0];
	}
	if (begin + padding > frame->length)
		return false;
	size_t length = frame->length - begin - padding;
	if (length > sizeof connection->message - *got)
		return false;
	memcpy(connection->message + *got, connection->frame + begin, length);
	*got += length;
	return true;
}

static enum grpc_result receive_answer(struct grpc_connection *connection, uint32_t stream,
				       uint64_t deadline_ns, size_t *got)
{
	struct frame frame;

	for (;;) {
		if (!receive_frame(connection, &frame, deadline_ns) || frame.type == FRAME_GOAWAY)
			return GRPC_BROKEN;
		if (!answer(connection, &frame, deadline_ns))
			return GRPC_BROKEN;
		if (frame.type == FRAME_DATA && !give_window(connection, frame.length, deadline_ns))
			return GRPC_BROKEN;
		if (frame.stream != stream)
			continue;
		if (frame.type == FRAME_RST_STREAM)
			return GRPC_NO_ANSWER;
		if (frame.type == FRAME_DATA && !take_data(connection, &frame, got))
			return GRPC_BROKEN;
		if ((frame.type == FRAME_DATA || frame.type == FRAME_HEADERS) &&
		    (frame.flags & FLAG_END_STREAM))
			return GRPC_OK;
	}
}

/* An answer that does not come leaves its stream open, so the connection is given up. */
enum grpc_result grpc_call(struct grpc_connection *connection, const char *path,
			   const void *request, size_t size, uint64_t deadline_ns,
			   const uint8_t **ret_message, size_t *ret_size)
{
	uint32_t stream = connection->stream;
	size_t got = 0;

	if (connection->fd < 0 || size > GRPC_REQUEST_MAX || strlen(path) > PATH_MAX_BYTES)
		return GRPC_BROKEN;
	enum grpc_result result = GRPC_BROKEN;
	if (stream < 2 * GRPC_CALLS_MAX &&
	    send_request(connection, path, request, size, deadline_ns))
		result = receive_answer(connection, stream, deadline_ns, &got);
	connection->stream += 2;
	if (result == GRPC_BROKEN)
		grpc_close(connection);
	if (result != GRPC_OK)
		return result;
	const uint8_t *message = connection->message;
	if (got < PREFIX || message[0] != 0 || get_u32(message + 1) > got - PREFIX)
		return GRPC_NO_ANSWER;
	*ret_message = message + PREFIX;
	*ret_size = get_u32(message + 1);
	return GRPC_OK;
}
