#include "http_metrics.h"

#include <inttypes.h>

#include "exchange.h"
#include "tls_certificate.h"

/* Statuses that are counted separately; others are counted by their hundred. */
static const unsigned statuses[] = {
	200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405,
	409, 410, 412, 413, 415, 422, 429, 500, 503, 504,
};
static const unsigned limits_us[] = {
	500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 1000000, 5000000, 30000000,
};

enum {
	STATUSES = sizeof(statuses) / sizeof(statuses[0]),
	OTHERS = 5, /* 1xx .. 5xx */
	LIMITS = sizeof(limits_us) / sizeof(limits_us[0]),
};

struct route_counts {
	const char *path;
	const char *method;
	_Atomic uint64_t by_status[STATUSES + OTHERS];
	_Atomic uint64_t by_limit[LIMITS + 1];
	_Atomic uint64_t us;
};

struct http_metrics {
	const struct route *routes;
	size_t count;
	struct route_counts *counts; /* count + 1: the last one is for what found no route */
	_Atomic uint64_t bytes_in;
	_Atomic uint64_t bytes_out;
	_Atomic uint64_t refused[REFUSALS];
};

struct http_metrics *http_metrics_new(struct arena *a, const struct route *routes, size_t count)
{
	static const char *const methods[METHODS] = {
		[GET] = "GET",     [POST] = "POST",     [PUT] = "PUT",
		[PATCH] = "PATCH", [DELETE] = "DELETE",
	};
	struct http_metrics *m = arena_new_of(a, struct http_metrics);

	m->routes = routes;
	m->count = count;
	m->counts = arena_new_array(a, struct route_counts, count + 1);
	for (size_t i = 0; i < count; i++) {
		m->counts[i].path = routes[i].path;
		m->counts[i].method = methods[routes[i].method];
	}
	m->counts[count].path = m->counts[count].method = "none";
	return m;
}

void http_metrics_refused(struct http_metrics *m, enum http_refusal reason)
{
	atomic_fetch_add_explicit(&m->refused[reason], 1, memory_order_relaxed);
}

static void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static size_t status_index(unsigned status)
{
	unsigned hundred = status / 100;

	for (size_t i = 0; i < STATUSES; i++) {
		if (statuses[i] == status)
			return i;
	}
	return STATUSES + (hundred >= 1 && hundred <= OTHERS ? hundred - 1 : OTHERS - 1);
}

static size_t limit_index(int64_t us)
{
	size_t i = 0;

	while (i < LIMITS && us > limits_us[i])
		i++;
	return i;
}

void http_metrics_add(struct http_metrics *m, const struct http_exchange *ex, int64_t us)
{
	const struct route *route = ex->q.route;
	struct route_counts *c = &m->counts[route ? (size_t)(route - m->routes) : m->count];

	add(&c->by_status[status_index(ex->reply.status)], 1);
	add(&c->by_limit[limit_index(us)], 1);
	add(&c->us, (uint64_t)us);
	add(&m->bytes_in, ex->body.raw_bytes);
	add(&m->bytes_out, ex->reply.sent_bytes);
}

static void head(struct buf *b, const char *name, const char *type, const char *help)
{
	buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void number(struct buf *b, const char *name, const char *type, const char *help,
		   uint64_t value)
{
	head(b, name, type, help);
	buf_printf(b, "%s %" PRIu64 "\n", name, value);
}

static void write_statuses(struct buf *b, const struct route_counts *c)
{
	for (size_t i = 0; i < STATUSES + OTHERS; i++) {
		uint64_t n = atomic_load_explicit(&c->by_status[i], memory_order_relaxed);

		if (!n)
			continue;
		buf_printf(b, "cairn_http_requests_total{route=\"%s\",method=\"%s\",status=\"",
			   c->path, c->method);
		if (i < STATUSES)
			buf_printf(b, "%u", statuses[i]);
		else
			buf_printf(b, "%zuxx", i - STATUSES + 1);
		buf_printf(b, "\"} %" PRIu64 "\n", n);
	}
}

static void write_histogram(struct buf *b, const struct route_counts *c)
{
	const char *name = "cairn_http_request_duration_seconds";
	uint64_t sum = 0;
	double seconds = (double)atomic_load_explicit(&c->us, memory_order_relaxed) / 1e6;

	if (!seconds)
		return;
	for (size_t i = 0; i < LIMITS; i++) {
		sum += atomic_load_explicit(&c->by_limit[i], memory_order_relaxed);
		buf_printf(b, "%s_bucket{route=\"%s\",method=\"%s\",le=\"%g\"} %" PRIu64 "\n", name,
			   c->path, c->method, limits_us[i] / 1e6, sum);
	}
	sum += atomic_load_explicit(&c->by_limit[LIMITS], memory_order_relaxed);
	buf_printf(b, "%s_bucket{route=\"%s\",method=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name,
		   c->path, c->method, sum);
	buf_printf(b, "%s_sum{route=\"%s\",method=\"%s\"} %.6f\n", name, c->path, c->method,
		   seconds);
	buf_printf(b, "%s_count{route=\"%s\",method=\"%s\"} %" PRIu64 "\n", name, c->path,
		   c->method, sum);
}

static void write_routes(struct buf *b, const struct http_metrics *m)
{
	head(b, "cairn_http_requests_total", "counter", "Requests answered.");
	for (size_t i = 0; i <= m->count; i++)
		write_statuses(b, &m->counts[i]);
	head(b, "cairn_http_request_duration_seconds", "histogram",
	     "Time from the request line to the last byte of the response.");
	for (size_t i = 0; i <= m->count; i++)
		write_histogram(b, &m->counts[i]);
}

static void write_gauges(struct buf *b, struct http_server *server)
{
	size_t active;
	size_t lives;
	size_t connections;

	pthread_mutex_lock(&server->lock);
	active = server->active;
	lives = server->live_count;
	pthread_mutex_unlock(&server->lock);
	pthread_mutex_lock(&server->connection_lock);
	connections = server->connection_count;
	pthread_mutex_unlock(&server->connection_lock);
	number(b, "cairn_http_connections", "gauge", "Open connections.", connections);
	number(b, "cairn_http_requests_in_flight", "gauge", "Requests being read or answered.",
	       active);
	number(b, "cairn_http_live_listeners", "gauge", "Listeners of event streams.", lives);
	number(b, "cairn_http_queue_length", "gauge", "Requests waiting for a worker.",
	       work_queue_length(server->queue, WORK_READS) +
		       work_queue_length(server->queue, WORK_WRITES));
	number(b, "cairn_http_queue_limit", "gauge",
	       "Largest number of requests that may wait for a worker.",
	       server->options.queue_limit);
	number(b, "cairn_http_workers", "gauge", "Worker threads.", server->options.workers);
	if (server->certificate)
		number(b, "cairn_tls_certificate_not_after_seconds", "gauge",
		       "Time at which the TLS certificate expires, in seconds since 1970.",
		       (uint64_t)tls_certificate_ends_s(server->certificate));
}

static void write_memory(struct buf *b, const struct memory *m)
{
	static const char *const parts[MEMORY_PARTS] = {
		[MEMORY_REQUESTS] = "requests",   [MEMORY_CONNECTIONS] = "connections",
		[MEMORY_LISTENERS] = "listeners", [MEMORY_SEARCH] = "search",
		[MEMORY_FACTS] = "facts",
	};

	number(b, "cairn_memory_limit_bytes", "gauge", "Memory limit for clients.", m->limit);
	number(b, "cairn_memory_peak_bytes", "gauge", "Highest memory use and reservation so far.",
	       atomic_load_explicit(&m->peak, memory_order_relaxed));
	head(b, "cairn_memory_bytes", "gauge", "Memory in use or reserved, by purpose.");
	for (int i = 0; i < MEMORY_PARTS; i++)
		buf_printf(b, "cairn_memory_bytes{of=\"%s\"} %zu\n", parts[i],
			   memory_used_by(m, (enum memory_part)i));
}

void http_metrics_write(struct http_server *server, struct buf *text)
{
	static const char *const reasons[REFUSALS] = {
		[REFUSED_QUEUE] = "queue",
		[REFUSED_MEMORY] = "memory",
		[REFUSED_CONNECTIONS] = "connections",
		[REFUSED_READS] = "reads",
	};
	const struct http_metrics *m = server->metrics;

	write_routes(text, m);
	write_gauges(text, server);
	write_memory(text, server->options.memory);
	number(text, "cairn_http_request_body_bytes_total", "counter",
	       "Bytes of request bodies received.",
	       atomic_load_explicit(&m->bytes_in, memory_order_relaxed));
	number(text, "cairn_http_response_body_bytes_total", "counter",
	       "Bytes of response bodies sent.",
	       atomic_load_explicit(&m->bytes_out, memory_order_relaxed));
	head(text, "cairn_http_refused_total", "counter",
	     "Requests rejected because the server was busy.");
	for (int i = 0; i < REFUSALS; i++)
		buf_printf(text, "cairn_http_refused_total{reason=\"%s\"} %" PRIu64 "\n",
			   reasons[i], atomic_load_explicit(&m->refused[i], memory_order_relaxed));
}
