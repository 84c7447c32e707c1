#include "watch.h"

#include <errno.h>
#include <linux/tcp.h> /* its tcp_info has more than that of the C library */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "dlist.h"
#include "exchange.h"
#include "http_metrics.h"
#include "live.h"
#include "log.h"
#include "network.h"
#include "proxy.h"
#include "thread.h"

enum {
	PERIOD_US = 500 * 1000,
	CONNECTION_BYTES = 36 << 10, /* with what the library keeps */
	TLS_BYTES = 48 << 10,
	WARNED_US = 60 * 1000000, /* between two warnings of refused connections */
};

static size_t connection_bytes(const struct http_server *server)
{
	return CONNECTION_BYTES + (server->options.tls_cert_file ? TLS_BYTES : 0);
}

/* So many more connections are accepted, only to be sent the reason of their refusal. */
enum { TOLD_CONNECTIONS = 32 };

/*
 * The address may be a proxy, behind which trainers are refused: an
 * operator has to see it in the log.
 */
static void warn_of_share(struct http_server *server, const struct sockaddr *address, size_t limit)
{
	int64_t now_us = clock_mono_us();
	int64_t next_us = atomic_load(&server->share_warning_us);
	struct arena *a;

	if (now_us < next_us || !atomic_compare_exchange_strong(&server->share_warning_us, &next_us,
								now_us + WARNED_US))
		return;
	a = arena_new(256);
	log_warning("too many connections from one address are rejected",
		    LOG_STR("address", proxy_address_text(a, address)),
		    LOG_INT("limit", (int64_t)limit),
		    LOG_TEXT("hint", "if it is a proxy, add it to trusted_proxies; else raise "
				     "connection_limit or client_share"));
	arena_free(a);
}

/* The limit of a trusted proxy is the server's: it has many clients. */
static void take_share(struct http_server *server, struct http_connection *c,
		       const struct sockaddr *address)
{
	const struct http_options *o = &server->options;
	size_t limit = shares_of(o->connection_limit, o->client_share);
	struct network_address own;
	struct str name = { (const char *)own.bytes, sizeof(own.bytes) };

	if (!address || !network_address_of(address, &own) ||
	    proxy_list_has_address(server->trusted, &own))
		return;
	c->address = shares_take(server->connection_shares, name, 1, limit);
	if (c->address)
		return;
	c->is_over = true;
	http_metrics_refused(server->metrics, REFUSED_CONNECTIONS);
	warn_of_share(server, address, limit);
	c->address = shares_take(server->connection_shares, name, 1, limit + TOLD_CONNECTIONS);
	if (!c->address)
		shutdown(c->fd, SHUT_RDWR);
}

struct http_connection *watch_add(struct http_server *server, int fd,
				  const struct sockaddr *address)
{
	struct http_connection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->fd = fd;
	take_share(server, c, address);
	watch_receiving(c);
	memory_take(server->options.memory, MEMORY_CONNECTIONS, connection_bytes(server));
	pthread_mutex_lock(&server->connection_lock);
	DLIST_ADD(server->connections, c);
	server->connection_count++;
	pthread_mutex_unlock(&server->connection_lock);
	return c;
}

void watch_remove(struct http_server *server, struct http_connection *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&server->connection_lock);
	DLIST_REMOVE(server->connections, c);
	server->connection_count--;
	pthread_mutex_unlock(&server->connection_lock);
	memory_give(server->options.memory, MEMORY_CONNECTIONS, connection_bytes(server));
	shares_give(server->connection_shares, c->address, 1);
	free(c);
}

static void begin(struct http_connection *c, enum client_duty duty)
{
	int64_t now_us = clock_mono_us();

	if (!c)
		return;
	atomic_store_explicit(&c->duty, CLIENT_WAITS, memory_order_relaxed);
	atomic_store_explicit(&c->moved, 0, memory_order_relaxed);
	atomic_store_explicit(&c->is_by_kernel, false, memory_order_relaxed);
	atomic_store_explicit(&c->period_us, now_us, memory_order_relaxed);
	atomic_store_explicit(&c->since_us, now_us, memory_order_relaxed);
	atomic_store_explicit(&c->duty, (int)duty, memory_order_release);
}

static enum client_duty duty_of(const struct http_connection *c)
{
	return (enum client_duty)atomic_load_explicit(&c->duty, memory_order_acquire);
}

void watch_receiving(struct http_connection *c)
{
	begin(c, CLIENT_SENDS);
}

void watch_sending(struct http_connection *c)
{
	begin(c, CLIENT_RECEIVES);
}

/* All bytes of the connection that the client acknowledged. */
static int64_t acknowledged(const struct http_connection *c)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return 0;
	return (int64_t)info.tcpi_bytes_acked;
}

void watch_sending_by_kernel(struct http_connection *c)
{
	int64_t all;

	if (!c)
		return;
	begin(c, CLIENT_WAITS);
	all = acknowledged(c);
	atomic_store_explicit(&c->acknowledged, all, memory_order_relaxed);
	atomic_store_explicit(&c->period_acknowledged, all, memory_order_relaxed);
	atomic_store_explicit(&c->is_by_kernel, true, memory_order_relaxed);
	atomic_store_explicit(&c->duty, CLIENT_RECEIVES, memory_order_release);
}

int64_t watch_acknowledged(const struct http_connection *c)
{
	if (!c || !atomic_load_explicit(&c->is_by_kernel, memory_order_relaxed))
		return 0;
	return acknowledged(c) - atomic_load_explicit(&c->acknowledged, memory_order_relaxed);
}

void watch_idle(struct http_connection *c)
{
	begin(c, CLIENT_WAITS);
}

void watch_received(struct http_connection *c, size_t bytes)
{
	if (c)
		atomic_fetch_add_explicit(&c->moved, (int64_t)bytes, memory_order_relaxed);
}

void watch_sent(struct http_connection *c, size_t bytes)
{
	if (c && duty_of(c) == CLIENT_WAITS)
		watch_sending(c);
	watch_received(c, bytes);
}

static bool takes_too_long(const struct http_server *server, const struct http_connection *c,
			   int64_t now_us)
{
	int64_t since_us = atomic_load_explicit(&c->since_us, memory_order_relaxed);

	return duty_of(c) == CLIENT_SENDS &&
	       now_us - since_us > (int64_t)server->options.body_timeout_s * 1000000;
}

/* Bytes of the period that ends now. */
static int64_t take_moved(struct http_connection *c)
{
	int64_t all;

	if (!atomic_load_explicit(&c->is_by_kernel, memory_order_relaxed))
		return atomic_exchange_explicit(&c->moved, 0, memory_order_relaxed);
	all = acknowledged(c);
	return all - atomic_exchange_explicit(&c->period_acknowledged, all, memory_order_relaxed);
}

/*
 * Each period counts by itself, so a client cannot save up for a time of silence. It is twice the
 * idle time, which the library checks.
 */
static bool is_too_slow(const struct http_server *server, struct http_connection *c, int64_t now_us)
{
	int64_t period_s = 2 * (int64_t)server->options.idle_timeout_s;
	int64_t begun_us = atomic_load_explicit(&c->period_us, memory_order_relaxed);

	if (duty_of(c) == CLIENT_WAITS || now_us - begun_us <= period_s * 1000000)
		return false;
	atomic_store_explicit(&c->period_us, now_us, memory_order_relaxed);
	return take_moved(c) < server->options.slowest_bytes_per_s * period_s;
}

void watch_wants_answers(const struct http_connection *c, int seconds)
{
	unsigned ms = (unsigned)seconds * 1000;

	if (c)
		setsockopt(c->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

bool watch_has_hung_up(const struct http_connection *c)
{
	char byte;
	ssize_t n = c ? recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) : 1;

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* The client owes something but will not send any more. */
static bool is_in_vain(const struct http_connection *c)
{
	return duty_of(c) == CLIENT_SENDS && watch_has_hung_up(c);
}

/* The lock keeps the descriptor from being closed and reused in between. */
static void cut_off(struct http_server *server, int64_t now_us)
{
	pthread_mutex_lock(&server->connection_lock);
	for (struct http_connection *c = server->connections; c; c = c->next) {
		if (is_too_slow(server, c, now_us) || takes_too_long(server, c, now_us) ||
		    is_in_vain(c))
			shutdown(c->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&server->connection_lock);
}

static bool wait_period(struct http_server *server)
{
	int64_t until_us = clock_mono_us() + PERIOD_US;
	struct timespec until = {
		.tv_sec = until_us / 1000000,
		.tv_nsec = until_us % 1000000 * 1000,
	};
	bool quit;

	pthread_mutex_lock(&server->lock);
	while (!server->quit_watch) {
		if (pthread_cond_timedwait(&server->watch_wakes, &server->lock, &until))
			break;
	}
	quit = server->quit_watch;
	pthread_mutex_unlock(&server->lock);
	return !quit;
}

static void *run(void *p)
{
	struct http_server *server = p;

	while (wait_period(server)) {
		int64_t now_us = clock_mono_us();

		cut_off(server, now_us);
		live_keep_alive(server, now_us);
	}
	return NULL;
}

err_t watch_start(struct arena *a, struct http_server *server)
{
	if (!thread_start(&server->watch, "watch", run, server))
		return err_new(a, ERR_INTERNAL, "cannot start a thread");
	server->is_watching = true;
	return NULL;
}

void watch_stop(struct http_server *server)
{
	if (!server->is_watching)
		return;
	pthread_mutex_lock(&server->lock);
	server->quit_watch = true;
	pthread_cond_signal(&server->watch_wakes);
	pthread_mutex_unlock(&server->lock);
	pthread_join(server->watch, NULL);
	server->is_watching = false;
}
