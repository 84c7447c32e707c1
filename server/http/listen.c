#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "str.h"

enum { BACKLOG = 4096 };

/* "[::1]:80" or "host:80" or ":80" into its halves. */
static bool split_where(struct arena *a, const char *where, const char **ret_host,
			const char **ret_port)
{
	const char *colon = strrchr(where, ':');
	struct str host = { where, colon ? (size_t)(colon - where) : 0 };
	int64_t port;

	if (!colon || !str_to_int64(str_of(colon + 1), 0, 65535, &port))
		return false;
	if (host.len >= 2 && host.at[0] == '[' && host.at[host.len - 1] == ']')
		host = (struct str){ host.at + 1, host.len - 2 };
	else if (host.len && memchr(host.at, ':', host.len))
		return false;
	*ret_host = host.len && !str_is(host, "*") ? str_copy(a, host) : NULL;
	*ret_port = colon + 1;
	return true;
}

static int open_socket(const struct addrinfo *ai, bool any)
{
	const int on = 1;
	const int only_v6 = !any;
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (ai->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6));
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

static unsigned bound_port(int fd)
{
	struct sockaddr_storage address = { 0 };
	socklen_t len = sizeof(address);
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	getsockname(fd, (struct sockaddr *)&address, &len);
	memcpy(&v4, &address, sizeof(v4));
	memcpy(&v6, &address, sizeof(v6));
	return ntohs(address.ss_family == AF_INET6 ? v6.sin6_port : v4.sin_port);
}

/* With no host, IPv6 for both kinds comes first; where there is no IPv6, IPv4 is next. */
static int open_first(const struct addrinfo *list, bool any)
{
	int fd = -1;

	for (int pass = 0; pass < 2 && fd < 0; pass++) {
		for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) {
			bool preferred = !any || ai->ai_family == AF_INET6;

			if (preferred == (pass == 0))
				fd = open_socket(ai, any);
		}
	}
	return fd;
}

err_t listen_split(struct arena *a, const char *where, const char **ret_host, const char **ret_port)
{
	if (split_where(a, where, ret_host, ret_port))
		return NULL;
	return err_field(a, ERR_INVALID, "listen",
			 "invalid address \"%s\": expected an address such as \"127.0.0.1:8080\"",
			 where);
}

static err_t cannot_listen(struct arena *a, const char *where, int reason)
{
	struct err *e = err_field(a, ERR_INTERNAL, "listen", "cannot listen on \"%s\": %s", where,
				  strerror(reason));

	if (reason == EADDRINUSE)
		e->hint = "another program uses this port, perhaps another cairnd; choose another "
			  "port with --listen";
	if (reason == EACCES)
		e->hint = "ports below 1024 are reserved for root; choose another port with "
			  "--listen";
	return e;
}

err_t listen_check(struct arena *a, const char *where)
{
	unsigned port;
	int fd;
	err_t e = listen_open(a, where, &fd, &port);

	if (!e)
		close(fd);
	return e;
}

err_t listen_open(struct arena *a, const char *where, int *ret_fd, unsigned *ret_port)
{
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE,
	};
	struct addrinfo *list;
	const char *host;
	const char *port;
	int fd;
	int r;
	err_t e = listen_split(a, where, &host, &port);

	if (e)
		return e;
	r = getaddrinfo(host, port, &hints, &list);
	if (r)
		return err_field(a, ERR_INVALID, "listen", "\"%s\": %s", where, gai_strerror(r));
	fd = open_first(list, !host);
	r = errno;
	freeaddrinfo(list);
	if (fd < 0)
		return cannot_listen(a, where, r);
	*ret_fd = fd;
	*ret_port = bound_port(fd);
	return NULL;
}

static bool write_line(const char *path, unsigned port)
{
	FILE *f = fopen(path, "we");
	bool fine;

	if (!f)
		return false;
	fine = fprintf(f, "%u\n", port) > 0;
	return fclose(f) == 0 && fine;
}

err_t listen_write_port(struct arena *a, const char *path, unsigned port)
{
	const char *beside = arena_printf(a, "%s.%ld", path, (long)getpid());

	if (write_line(beside, port) && rename(beside, path) == 0)
		return NULL;
	return err_field(a, ERR_INTERNAL, "port_file", "cannot write \"%s\": %s", path,
			 strerror(errno));
}
