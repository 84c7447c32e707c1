#include "load_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void give_up(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

void load_socket_open(struct load_socket *s, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;

	if (getaddrinfo(host, port, &hints, &found) != 0)
		give_up(host);
	s->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || connect(s->fd, found->ai_addr, found->ai_addrlen) != 0)
		give_up("connect");
	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	freeaddrinfo(found);
}

void load_socket_request(struct load_socket *s, const char *method, const char *path,
			 const char *host, const char *key, const char *body, size_t body_len)
{
	int len = snprintf(s->head, sizeof(s->head),
			   "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
			   "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
			   method, path, host, key, body_len);

	if (len < 0 || (size_t)len >= sizeof(s->head)) {
		fprintf(stderr, "load: the address is too long\n");
		exit(2);
	}
	s->head_len = (size_t)len;
	s->body = body;
	s->body_len = body_len;
	s->sent = 0;
	s->answer_len = 0;
}

static void take_rest(const char *bytes, size_t len, size_t skip, struct iovec *ret_part)
{
	if (skip > len)
		skip = len;
	ret_part->iov_base = (void *)(size_t)(bytes + skip);
	ret_part->iov_len = len - skip;
}

bool load_socket_send(struct load_socket *s)
{
	while (s->sent < s->head_len + s->body_len) {
		struct iovec parts[2];
		struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
		ssize_t n;

		take_rest(s->head, s->head_len, s->sent, &parts[0]);
		take_rest(s->body, s->body_len, s->sent > s->head_len ? s->sent - s->head_len : 0,
			  &parts[1]);
		n = sendmsg(s->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n < 0)
			give_up("send");
		s->sent += (size_t)n;
	}
	return true;
}

/* The whole length of the answer, once its head is there. */
static size_t answer_size(const struct load_socket *s)
{
	const char *end = memmem(s->answer, s->answer_len, "\r\n\r\n", 4);
	const char *length;

	if (!end)
		return SIZE_MAX;
	length = strcasestr(s->answer, "\r\nContent-Length:");
	if (!length || length > end) {
		fprintf(stderr, "load: an answer without length: %.200s\n", s->answer);
		exit(1);
	}
	return (size_t)(end - s->answer) + 4 +
	       strtoul(length + strlen("\r\nContent-Length:"), NULL, 10);
}

int load_socket_receive(struct load_socket *s)
{
	ssize_t n = recv(s->fd, s->answer + s->answer_len, sizeof(s->answer) - 1 - s->answer_len,
			 MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		give_up("receive");
	s->answer_len += (size_t)n;
	s->answer[s->answer_len] = '\0';
	if (s->answer_len < answer_size(s))
		return 0;
	return (int)strtol(s->answer + strlen("HTTP/1.1 "), NULL, 10);
}

int load_socket_ask(struct load_socket *s, const char *method, const char *path, const char *host,
		    const char *key, const char *body)
{
	struct pollfd wait = { .fd = s->fd };
	int status = 0;

	load_socket_request(s, method, path, host, key, body, strlen(body));
	while (!load_socket_send(s)) {
		wait.events = POLLOUT;
		poll(&wait, 1, -1);
	}
	while (!status) {
		wait.events = POLLIN;
		poll(&wait, 1, -1);
		status = load_socket_receive(s);
	}
	return status;
}

const char *load_socket_answer_body(struct load_socket *s)
{
	const char *end = strstr(s->answer, "\r\n\r\n");

	return end ? end + 4 : "";
}
