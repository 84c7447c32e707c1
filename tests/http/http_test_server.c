/*
 * cairn_http with test routes and no database. Settings come as name=value arguments; SIGTERM stops it
 * gracefully, and it then says how many requests were handled.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "log.h"
#include "test_app.h"

static bool slow_removal;

/*
 * In place of the C library's. With slow_removal the main thread is late whenever it takes something out of
 * the set of an I/O thread, which then has done so by itself.
 */
int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
	const struct timespec late = { .tv_nsec = 200 * 1000 * 1000 };

	if (slow_removal && operation == EPOLL_CTL_DEL && gettid() == getpid())
		nanosleep(&late, NULL);
	return (int)syscall(SYS_epoll_ctl, set, operation, fd, event);
}

static const struct setting {
	const char *name;
	size_t offset;
	enum { TEXT, UNSIGNED, INT, SIZE } kind;
} settings[] = {
	{ "listen", offsetof(struct http_options, listen), TEXT },
	{ "port_file", offsetof(struct http_options, port_file), TEXT },
	{ "tls_cert_file", offsetof(struct http_options, tls_cert_file), TEXT },
	{ "tls_key_file", offsetof(struct http_options, tls_key_file), TEXT },
	{ "path_prefix", offsetof(struct http_options, path_prefix), TEXT },
	{ "trusted_proxies", offsetof(struct http_options, trusted_proxies), TEXT },
	{ "cors_origins", offsetof(struct http_options, cors_origins), TEXT },
	{ "io_threads", offsetof(struct http_options, io_threads), UNSIGNED },
	{ "workers", offsetof(struct http_options, workers), UNSIGNED },
	{ "write_workers", offsetof(struct http_options, write_workers), UNSIGNED },
	{ "queue_limit", offsetof(struct http_options, queue_limit), UNSIGNED },
	{ "connection_limit", offsetof(struct http_options, connection_limit), UNSIGNED },
	{ "client_share", offsetof(struct http_options, client_share), UNSIGNED },
	{ "max_body", offsetof(struct http_options, max_body), SIZE },
	{ "hsts_s", offsetof(struct http_options, hsts_s), INT },
	{ "deadline_ms", offsetof(struct http_options, deadline_ms), INT },
	{ "idle_timeout_s", offsetof(struct http_options, idle_timeout_s), INT },
	{ "body_timeout_s", offsetof(struct http_options, body_timeout_s), INT },
	{ "slowest_bytes_per_s", offsetof(struct http_options, slowest_bytes_per_s), SIZE },
	{ "drain_timeout_s", offsetof(struct http_options, drain_timeout_s), INT },
};

static void store(struct http_options *o, const struct setting *s, const char *value)
{
	char *at = (char *)o + s->offset;
	unsigned long long number = strtoull(value, NULL, 10);
	unsigned as_unsigned = (unsigned)number;
	size_t as_size = number;

	if (s->kind == TEXT)
		memcpy(at, &value, sizeof(value));
	else if (s->kind == SIZE)
		memcpy(at, &as_size, sizeof(as_size));
	else
		memcpy(at, &as_unsigned, sizeof(as_unsigned));
}

static void set(struct http_options *o, struct str argument)
{
	struct str name = str_cut(&argument, '=');

	if (str_is(name, "memory")) {
		memory_init(o->memory, strtoull(argument.at, NULL, 10));
		return;
	}
	if (str_is(name, "slow_removal")) {
		slow_removal = true;
		return;
	}
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (str_is(name, settings[i].name)) {
			store(o, &settings[i], argument.at);
			return;
		}
	}
	fprintf(stderr, "no setting \"%.*s\"\n", STR_ARG(name));
	exit(2);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigwait(&set, &got);
}

static void block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new(1 << 16);
	struct memory memory;
	struct app app = { 0 };
	struct http_options options = {
		.listen = "127.0.0.1:0",
		.io_threads = 2,
		.workers = 4,
		.queue_limit = 1000,
		.connection_limit = 4000,
		.client_share = 100,
		.max_body = 256 << 20,
		.memory = &memory,
		.deadline_ms = 30000,
		.idle_timeout_s = 60,
		.body_timeout_s = 600,
		.slowest_bytes_per_s = 4096,
		.drain_timeout_s = 30,
		.hooks = { .knows = app_knows, .verify = app_verify },
		.path_prefix = "",
		.routes = test_routes,
		.route_count = test_route_count,
		.app = &app,
	};
	err_t e;

	memory_init(&memory, 2U << 30);
	for (int i = 1; i < argc; i++)
		set(&options, str_of(argv[i]));
	block_signals();
	raise_descriptor_limit();
	app_init(&app);
	flusher_start(&app);
	e = http_server_start(a, &options, &app.server);
	if (e) {
		fprintf(stderr, "error: %s\n", err_chain(a, e));
		flusher_stop(&app);
		arena_free(a);
		return 1;
	}
	wait_for_signal();
	http_server_stop(app.server);
	app_set_gate(&app, true);
	flusher_stop(&app);
	app_end_listeners(&app);
	printf("handled %u\n", atomic_load(&app.handled));
	arena_free(a);
	return 0;
}
