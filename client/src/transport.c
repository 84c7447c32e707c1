/*
 * HTTP through libcurl. The multi interface is used although there is one request at a time,
 * because it can be woken from another thread: cairn_finish() must not wait for a connection that
 * hangs. Signals are never used (CURLOPT_NOSIGNAL), and connections are closed on exec;
 * the pair of sockets by which libcurl wakes itself is not, and it offers no way to change that.
 */
#include "transport.h"

#include <curl/curl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "fork_gate.h"

#define CONNECT_TIMEOUT_MS 10000
#define ANSWER_KEEP_BYTES (64 * 1024)

struct transport {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	char *url;
	char *ca_file;
	char *authorization;
	_Atomic int64_t deadline_us;
	char curl_error[CURL_ERROR_SIZE];
};

static void global_init(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

int64_t transport_clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct transport *transport_new(const struct settings *settings)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct transport *transport = calloc(1, sizeof *transport);
	struct text header = { 0 };

	if (!transport)
		return NULL;
	if (settings->api_key)
		text_format(&header, "Authorization: Bearer %s", settings->api_key);
	transport->authorization = text_take(&header);
	transport->url = strdup(settings->url);
	transport->ca_file = settings->ca_file ? strdup(settings->ca_file) : NULL;
	fork_gate_enter(); /* libcurl and TLS have locks of their own */
	pthread_once(&once, global_init);
	transport->multi = curl_multi_init();
	transport->easy = curl_easy_init();
	fork_gate_leave();
	atomic_init(&transport->deadline_us, INT64_MAX);
	if (transport->authorization && transport->url && transport->multi && transport->easy &&
	    (transport->ca_file || !settings->ca_file))
		return transport;
	transport_free(transport);
	return NULL;
}

void transport_free(struct transport *transport)
{
	if (!transport)
		return;
	fork_gate_enter();
	curl_easy_cleanup(transport->easy);
	if (transport->multi)
		curl_multi_cleanup(transport->multi);
	fork_gate_leave();
	curl_slist_free_all(transport->headers);
	free(transport->url);
	free(transport->ca_file);
	free(transport->authorization);
	free(transport);
}

void transport_set_deadline(struct transport *transport, int64_t deadline_us)
{
	atomic_store(&transport->deadline_us, deadline_us);
	curl_multi_wakeup(transport->multi);
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)context;
	(void)purpose;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

struct sink {
	const struct request *request;
	struct response *response;
	CURL *easy;
	bool has_begun;
};

static size_t take_piece(struct sink *sink, const char *bytes, size_t length, long status)
{
	const struct request *request = sink->request;

	if (!sink->has_begun && request->on_begin)
		request->on_begin(request->context, status);
	sink->has_begun = true;
	return request->on_piece(request->context, bytes, length) ? length : 0;
}

/* An error is text, also where the answer would come in pieces. */
static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
	struct sink *sink = context;
	struct text *body = &sink->response->body;
	size_t length = size * count;
	long status = 0;

	curl_easy_getinfo(sink->easy, CURLINFO_RESPONSE_CODE, &status);
	if (sink->request->on_piece && status >= 200 && status < 300)
		return take_piece(sink, bytes, length, status);
	if (body->length + length > TRANSPORT_ANSWER_MAX_BYTES)
		return 0;
	text_add(body, bytes, length);
	return body->failed ? 0 : length;
}

static size_t give_body(char *bytes, size_t size, size_t count, void *context)
{
	const struct sink *sink = context;
	size_t given = sink->request->read_piece(sink->request->read_context, bytes, size * count);

	return given ? given : CURL_READFUNC_ABORT;
}

static bool add_header(struct transport *transport, const char *header)
{
	struct curl_slist *headers = curl_slist_append(transport->headers, header);

	if (headers)
		transport->headers = headers;
	return headers != NULL;
}

static bool add_named_header(struct transport *transport, const char *name, const char *value)
{
	struct text header = { 0 };
	const char *line;
	bool done;

	text_format(&header, "%s: %s", name, value);
	line = text_c_string(&header);
	done = line && add_header(transport, line);
	text_deinit(&header);
	return done;
}

static bool set_headers(struct transport *transport, const struct request *request)
{
	const char *type = request->content_type ? request->content_type : "application/json";
	const char *key = request->idempotency_key;
	bool done;

	curl_slist_free_all(transport->headers);
	transport->headers = NULL;
	done = add_header(transport, "Expect:") &&
	       add_header(transport, "Accept: application/json");
	if (transport->authorization[0])
		done = done && add_header(transport, transport->authorization);
	if (request->body || request->read_piece)
		done = done && add_named_header(transport, "Content-Type", type);
	if (request->header)
		done = done && add_header(transport, request->header);
	if (key)
		done = done && add_named_header(transport, "Idempotency-Key", key);
	return done;
}

static bool set_limits(CURL *easy, int timeout_ms, int stall_s)
{
	long connect_ms = timeout_ms < CONNECT_TIMEOUT_MS ? timeout_ms : CONNECT_TIMEOUT_MS;
	CURLcode code = curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);

	code = code ? code : curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, stall_s ? 1L : 0L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, (long)stall_s);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	return code == CURLE_OK;
}

static bool set_request(struct transport *transport, const struct request *request)
{
	CURL *easy = transport->easy;
	struct text url = { 0 };
	const char *address;
	CURLcode code = CURLE_OUT_OF_MEMORY;

	text_format(&url, "%s%s", transport->url, request->path);
	address = text_c_string(&url);
	if (address)
		code = curl_easy_setopt(easy, CURLOPT_URL, address);
	text_deinit(&url);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transport->headers);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_USERAGENT, "libcairn/" CAIRN_VERSION);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transport->curl_error);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	if (!code && transport->ca_file)
		code = curl_easy_setopt(easy, CURLOPT_CAINFO, transport->ca_file);
	if (!code && transport->ca_file) /* libcurl would add those in a folder of the system */
		code = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (!code && request->body) {
		code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
					(curl_off_t)request->body_length);
		code = code ? code : curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request->body);
	}
	return code == CURLE_OK;
}

static bool set_pieces(CURL *easy, const struct request *request, struct sink *sink)
{
	CURLcode code;

	if (!request->read_piece)
		return true;
	code = curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
	code = code ? code
		    : curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				       (curl_off_t)request->body_length);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_READDATA, sink);
	return code == CURLE_OK;
}

static bool prepare(struct transport *transport, const struct request *request, struct sink *sink)
{
	CURL *easy = transport->easy;

	curl_easy_reset(easy); /* keeps the connection */
	transport->curl_error[0] = '\0';
	return set_headers(transport, request) &&
	       set_limits(easy, request->timeout_ms, request->stall_s) &&
	       set_pieces(easy, request, sink) && set_request(transport, request) &&
	       curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_WRITEDATA, sink) == CURLE_OK;
}

static CURLMcode wait_for_network(struct transport *transport, const struct request *request,
				  int wait_ms)
{
	struct curl_waitfd fd = { .fd = request->wake_fd, .events = CURL_WAIT_POLLIN };
	unsigned depth = fork_gate_pause();
	CURLMcode code = curl_multi_poll(transport->multi, request->on_wake ? &fd : NULL,
					 request->on_wake ? 1 : 0, wait_ms, NULL);

	fork_gate_resume(depth);
	if (request->on_wake)
		request->on_wake(request->wake_context);
	return code;
}

/* When a transfer is to be over, and the deadline that this follows from, which may be set during it. */
struct limit {
	int64_t deadline_us, end_us;
};

static int64_t left_us(struct transport *transport, const struct request *request,
		       struct limit *limit)
{
	int64_t deadline_us = atomic_load(&transport->deadline_us), now_us = transport_clock_us();
	bool has_one = deadline_us != INT64_MAX;

	if (limit->deadline_us != deadline_us)
		limit->end_us = request->leaves_half && has_one
					? now_us + (deadline_us - now_us) / 2
					: deadline_us;
	limit->deadline_us = deadline_us;
	return limit->end_us - now_us;
}

/* Runs the transfer to its end; CURLE_OPERATION_TIMEDOUT when the deadline came first. */
static CURLcode run_transfer(struct transport *transport, const struct request *request)
{
	struct limit limit = { INT64_MAX, INT64_MAX };

	for (;;) {
		int64_t wait_us = left_us(transport, request, &limit);
		int running = 0, queued, wait_ms = 1000;
		CURLMsg *message;

		if (wait_us <= 0)
			return CURLE_OPERATION_TIMEDOUT;
		if (curl_multi_perform(transport->multi, &running) != CURLM_OK)
			return CURLE_OUT_OF_MEMORY;
		message = curl_multi_info_read(transport->multi, &queued);
		if (message && message->msg == CURLMSG_DONE)
			return message->data.result;
		if (!running)
			return CURLE_FAILED_INIT;
		if (wait_us < 1000000)
			wait_ms = (int)(wait_us / 1000) + 1;
		if (wait_for_network(transport, request, wait_ms) != CURLM_OK)
			return CURLE_OUT_OF_MEMORY;
	}
}

static void read_facts(CURL *easy, struct response *response)
{
	curl_off_t retry_after = 0;
	char *peer = NULL, *type = NULL, *url = NULL;

	curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after);
	curl_easy_getinfo(easy, CURLINFO_NAMELOOKUP_TIME, &response->name_s);
	curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME, &response->connect_s);
	curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME, &response->tls_s);
	curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME, &response->total_s);
	curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &peer);
	curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &url);
	response->retry_after_s = retry_after;
	snprintf(response->content_type, sizeof response->content_type, "%s", type ? type : "");
	snprintf(response->url, sizeof response->url, "%s", url ? url : "");
	snprintf(response->peer, sizeof response->peer, "%s", peer ? peer : "");
}

/*
 * Faults of a certificate, found by the messages of OpenSSL and GnuTLS, which name neither the server nor the remedy. An
 * unknown authority comes first.
 */
static const struct certificate_fault {
	const char *theirs, *ours;
} certificate_faults[] = {
	{ "issuer certificate", NULL },
	{ "self-signed certificate", NULL },
	{ "self signed certificate", NULL },
	{ "verify the first certificate", NULL },
	{ "certificate verification failed", NULL },
	{ "has expired", "has expired: ask the server's administrator to renew it" },
	{ "not yet valid", "is not valid yet: check the clock of this machine" },
	{ "match", "is for another host: use the name that it was issued for" },
};

static const struct certificate_fault *find_fault(const char *theirs)
{
	for (size_t i = 0; i < sizeof certificate_faults / sizeof certificate_faults[0]; i++) {
		if (strstr(theirs, certificate_faults[i].theirs))
			return &certificate_faults[i];
	}
	return NULL;
}

static void describe_untrusted(const struct transport *transport, char *error)
{
	const struct certificate_fault *fault = find_fault(transport->curl_error);

	if (!fault)
		snprintf(error, TRANSPORT_ERROR_SIZE, "%s", transport->curl_error);
	else if (fault->ours)
		snprintf(error, TRANSPORT_ERROR_SIZE, "the certificate of %s %s", transport->url,
			 fault->ours);
	else if (transport->ca_file)
		snprintf(
			error, TRANSPORT_ERROR_SIZE,
			"the certificate of %s is signed by an unknown authority: its certificate is not in "
			"CAIRN_CA_FILE, \"%s\"",
			transport->url, transport->ca_file);
	else
		snprintf(
			error, TRANSPORT_ERROR_SIZE,
			"the certificate of %s is signed by an unknown authority: set CAIRN_CA_FILE to the "
			"authority's certificate",
			transport->url);
}

static void describe_failure(const struct transport *transport, CURLcode code, char *error)
{
	const char *theirs = transport->curl_error;

	if (code == CURLE_PEER_FAILED_VERIFICATION)
		describe_untrusted(transport, error);
	else if (code == CURLE_SSL_CACERT_BADFILE && transport->ca_file)
		snprintf(error, TRANSPORT_ERROR_SIZE,
			 "cannot read a PEM certificate from CAIRN_CA_FILE, \"%s\"",
			 transport->ca_file);
	else
		snprintf(error, TRANSPORT_ERROR_SIZE, "%s",
			 theirs[0] ? theirs : curl_easy_strerror(code));
}

void transport_perform(struct transport *transport, const struct request *request,
		       struct response *response)
{
	struct sink sink = { request, response, transport->easy, false };
	CURLcode code = CURLE_OUT_OF_MEMORY;

	text_clear(&response->body, ANSWER_KEEP_BYTES);
	response->status = 0;
	response->error[0] = '\0';
	response->content_type[0] = '\0';
	response->url[0] = '\0';
	if (prepare(transport, request, &sink) &&
	    curl_multi_add_handle(transport->multi, transport->easy) == CURLM_OK) {
		code = run_transfer(transport, request);
		read_facts(transport->easy, response);
		curl_multi_remove_handle(transport->multi, transport->easy);
	}
	if (code == CURLE_OK)
		curl_easy_getinfo(transport->easy, CURLINFO_RESPONSE_CODE, &response->status);
	else
		describe_failure(transport, code, response->error);
}
