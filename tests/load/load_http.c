/*
 * Writers that send batches as fast as the server answers, each over a connection of its own, all
 * from one thread: PUT the run, join it, then batch after batch. Counts what was acknowledged.
 *
 *	load_http --url http://127.0.0.1:8080 --key-file FILE --project ann/bench
 *	          [--writers 8] [--rows 106] [--metrics 10] [--seconds 10] [--one-run] [--run NAME]
 *	          [--first 0]           the number of the first writer, where others are somebody else's
 *	          [--runs N]            the writers spread over so many runs
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load_body.h"
#include "load_report.h"
#include "load_socket.h"
#include "load_values.h"

enum {
	WRITERS_MAX = 4096,
	ROWS = 106, /* 50 KB with so many metrics */
	METRICS = 10,
};

struct server_load {
	char host[256];
	const char *port;
	const char *project;
	const char *run;
	char key[256];
	int writers;
	int first;
	struct load_shape shape;
	int seconds;
	int runs; /* 0: each writer has its own */
	int epoll;
	int64_t end_ns;
	uint64_t busy;
	size_t body_bytes;
	struct load_report report;
};

struct writer {
	struct server_load *load;
	struct load_socket socket;
	struct load_body body;
	char path[512];
	char client[32];
	int64_t sent_ns;
};

static void split_url(struct server_load *l, const char *url)
{
	char *colon;

	if (strncmp(url, "http://", 7) != 0 || strlen(url + 7) >= sizeof(l->host)) {
		fprintf(stderr, "load: --url http://HOST:PORT is expected\n");
		exit(2);
	}
	strcpy(l->host, url + 7);
	l->host[strcspn(l->host, "/")] = '\0';
	colon = strrchr(l->host, ':');
	l->port = colon ? colon + 1 : "80";
	if (colon)
		*colon = '\0';
}

static void read_key(struct server_load *l, const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(l->key, sizeof(l->key), file)) {
		fprintf(stderr, "load: %s: no key\n", path);
		exit(1);
	}
	l->key[strcspn(l->key, "\r\n")] = '\0';
	fclose(file);
}

static void read_options(struct server_load *l, int argc, char **argv)
{
	static const struct option names[] = {
		{ "url", required_argument, NULL, 'u' },
		{ "key-file", required_argument, NULL, 'k' },
		{ "project", required_argument, NULL, 'p' },
		{ "run", required_argument, NULL, 'r' },
		{ "writers", required_argument, NULL, 'w' },
		{ "first", required_argument, NULL, 'f' },
		{ "rows", required_argument, NULL, 'n' },
		{ "metrics", required_argument, NULL, 'm' },
		{ "seconds", required_argument, NULL, 's' },
		{ "one-run", no_argument, NULL, '1' },
		{ "runs", required_argument, NULL, 'R' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'u':
			split_url(l, optarg);
			break;
		case 'k':
			read_key(l, optarg);
			break;
		case 'p':
			l->project = optarg;
			break;
		case 'r':
			l->run = optarg;
			break;
		case 'w':
			l->writers = (int)load_number("writers", optarg, 1, WRITERS_MAX);
			break;
		case 'f':
			l->first = (int)load_number("first", optarg, 0, 1 << 20);
			break;
		case 'n':
			l->shape.rows = (int)load_number("rows", optarg, 1, 10000);
			break;
		case 'm':
			l->shape.metrics = (int)load_number("metrics", optarg, 1, 10000);
			break;
		case 's':
			l->seconds = (int)load_number("seconds", optarg, 1, 86400);
			break;
		case '1':
			l->runs = 1;
			break;
		case 'R':
			l->runs = (int)load_number("runs", optarg, 1, WRITERS_MAX);
			break;
		default:
			exit(2);
		}
	}
	if (!l->port || !l->project || !*l->key) {
		fprintf(stderr, "load: --url, --key-file and --project are needed\n");
		exit(2);
	}
}

static void expect(struct writer *w, int status, const char *what)
{
	if (status == 200 || status == 201)
		return;
	fprintf(stderr, "load: %s: %s\n", what, w->socket.answer);
	exit(1);
}

/* PUTs the run and joins it: the session. */
static int join(struct writer *w, const char *run, const char *role)
{
	struct server_load *l = w->load;
	char body[256];
	const char *session;
	int status;

	snprintf(w->path, sizeof(w->path), "/api/v1/projects/%s/runs/%s", l->project, run);
	status = load_socket_ask(&w->socket, "PUT", w->path, l->host, l->key, "{}");
	expect(w, status, "making the run");
	snprintf(w->path, sizeof(w->path), "/api/v1/projects/%s/runs/%s/join", l->project, run);
	snprintf(body, sizeof(body), "{\"client\":\"%s\",\"label\":\"%s\",\"role\":\"%s\"}",
		 w->client, w->client, role);
	status = load_socket_ask(&w->socket, "POST", w->path, l->host, l->key, body);
	expect(w, status, "joining");
	session = strstr(load_socket_answer_body(&w->socket), "\"session\":");
	if (!session) {
		fprintf(stderr, "load: no session: %s\n", w->socket.answer);
		exit(1);
	}
	snprintf(w->path, sizeof(w->path), "/api/v1/projects/%s/runs/%s/batch", l->project, run);
	return (int)strtol(session + strlen("\"session\":"), NULL, 10);
}

static void start_writer(struct server_load *l, struct writer *w, int number)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = w };
	char run[128];
	int session;

	w->load = l;
	snprintf(w->client, sizeof(w->client), "load-%d", number);
	snprintf(run, sizeof(run), "%s-%d", l->run, l->runs ? number % l->runs : number);
	load_socket_open(&w->socket, l->host, l->port);
	session = join(w, run, l->runs && number >= l->runs ? "worker" : "primary");
	load_body_init(&w->body, &l->shape, w->client, session, (uint64_t)number + 1);
	epoll_ctl(l->epoll, EPOLL_CTL_ADD, w->socket.fd, &event);
}

static void send_body(struct writer *w)
{
	struct server_load *l = w->load;

	w->sent_ns = load_now_ns();
	l->body_bytes = w->body.len;
	load_socket_request(&w->socket, "POST", w->path, l->host, l->key, w->body.bytes,
			    w->body.len);
	load_socket_send(&w->socket);
}

/* True while the writer goes on. A server that is busy gets the same batch again. */
static bool take_answer(struct writer *w, int status)
{
	struct server_load *l = w->load;
	int64_t now_ns = load_now_ns();

	if (status == 503) {
		l->busy++;
		send_body(w);
		return true;
	}
	expect(w, status, "a batch");
	load_report_add(&l->report, now_ns - w->sent_ns);
	l->report.points += (uint64_t)l->shape.rows * (uint64_t)l->shape.metrics;
	if (now_ns >= l->end_ns)
		return false;
	load_body_next(&w->body);
	send_body(w);
	return true;
}

static void run_writers(struct server_load *l, struct writer *writers)
{
	struct epoll_event events[256];
	int64_t start_ns = load_now_ns();
	int alive = l->writers;

	l->end_ns = start_ns + (int64_t)l->seconds * 1000000000;
	for (int i = 0; i < l->writers; i++) {
		load_body_next(&writers[i].body);
		send_body(&writers[i]);
	}
	while (alive) {
		int count = epoll_wait(l->epoll, events, 256, 10000);

		if (count == 0) {
			fprintf(stderr, "load: no answer for 10 s\n");
			exit(1);
		}
		for (int i = 0; i < count; i++) {
			struct writer *w = events[i].data.ptr;
			int status;

			if ((events[i].events & EPOLLOUT) && !load_socket_send(&w->socket))
				continue;
			status = load_socket_receive(&w->socket);
			if (status && !take_answer(w, status))
				alive--;
		}
	}
	l->report.seconds = (double)(load_now_ns() - start_ns) / 1e9;
}

int main(int argc, char **argv)
{
	struct server_load l = {
		.writers = 8, .shape = { ROWS, METRICS }, .seconds = 10, .run = "load"
	};
	struct writer *writers;
	char more[128];

	read_options(&l, argc, argv);
	load_values_init();
	l.epoll = epoll_create1(EPOLL_CLOEXEC);
	writers = load_alloc((size_t)l.writers * sizeof(*writers));
	for (int i = 0; i < l.writers; i++)
		start_writer(&l, &writers[i], l.first + i);
	run_writers(&l, writers);
	snprintf(more, sizeof(more), "\"body_bytes\":%zu,\"busy\":%llu,", l.body_bytes,
		 (unsigned long long)l.busy);
	load_report_print(&l.report, more);
	for (int i = 0; i < l.writers; i++) {
		close(writers[i].socket.fd);
		load_body_free(&writers[i].body);
	}
	free(writers);
	close(l.epoll);
	return 0;
}
