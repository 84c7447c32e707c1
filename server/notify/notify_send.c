#include "notify_send.h"

#include <sys/socket.h>

#include "arena.h"
#include "webhook.h"

enum { ANSWER_MAX_BYTES = 64 << 10 };

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct notify_send *send = context;

	(void)purpose;
	if (!send->is_named && !webhook_hosts_has_address(send->hosts, &address->addr)) {
		send->was_kept_out = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The body of the answer is dropped; if it is too long, the transfer is ended. */
static size_t drop(char *bytes, size_t size, size_t count, void *context)
{
	struct notify_send *send = context;

	(void)bytes;
	send->answer_bytes += size * count;
	return send->answer_bytes > ANSWER_MAX_BYTES ? 0 : size * count;
}

static bool add_header(struct notify_send *send, const char *line)
{
	struct curl_slist *headers = curl_slist_append(send->headers, line);

	if (headers)
		send->headers = headers;
	return headers != NULL;
}

static bool add_line(struct notify_send *send, const char *name, struct str value)
{
	struct arena *a = arena_new(512);
	bool added = add_header(send, arena_printf(a, "%s%.*s", name, STR_ARG(value)));

	arena_free(a);
	return added;
}

static bool set_headers(struct notify_send *send, const struct notify_letter *letter)
{
	bool done = add_header(send, "Expect:") &&
		    add_header(send, "Content-Type: application/json") &&
		    add_header(send, "Cairn-Event: alert") &&
		    add_line(send, "Cairn-Delivery: ", letter->name);

	if (letter->signature.len)
		done = done && add_line(send, "Cairn-Signature: sha256=", letter->signature);
	return done && !curl_easy_setopt(send->easy, CURLOPT_HTTPHEADER, send->headers);
}

static bool set_limits(struct notify_send *send, long timeout_ms)
{
	CURL *easy = send->easy;
	CURLcode code = curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);

	code = code ? code : curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	code = code ? code : curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_PROXY, "");
	code = code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, send);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, send);
	return code == CURLE_OK;
}

/* Only these authorities: libcurl would add those in a system folder. */
static bool set_trust(CURL *easy, const char *ca_file)
{
	return !*ca_file || (!curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file) &&
			     !curl_easy_setopt(easy, CURLOPT_CAPATH, NULL));
}

static bool set_request(struct notify_send *send, const struct notify_letter *letter)
{
	CURL *easy = send->easy;
	struct arena *a = arena_new(4096);
	CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, str_copy(a, letter->url));

	arena_free(a);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_USERAGENT, "cairnd/" CAIRN_VERSION);
	code = code ? code
		    : curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				       (curl_off_t)letter->body.len);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_POSTFIELDS, letter->body.at);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, send->reason);
	return code == CURLE_OK;
}

bool notify_send_begin(struct notify_send *send, CURLM *multi, const struct notify_letter *letter,
		       const struct notify_send_rules *rules)
{
	*send = (struct notify_send){
		.easy = curl_easy_init(),
		.hosts = rules->hosts,
		.is_named = webhook_hosts_has_name(rules->hosts, webhook_host(letter->url)),
	};
	if (send->easy && set_headers(send, letter) && set_limits(send, rules->timeout_ms) &&
	    set_trust(send->easy, rules->ca_file) && set_request(send, letter) &&
	    curl_multi_add_handle(multi, send->easy) == CURLM_OK)
		return true;
	notify_send_end(send, multi);
	return false;
}

static struct str fault_of(const struct notify_send *send, CURLcode code)
{
	if (send->was_kept_out)
		return STR("address-not-allowed");
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return STR("timeout");
	case CURLE_COULDNT_RESOLVE_HOST:
		return STR("no-such-host");
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		return STR("tls");
	default:
		return STR("no-connection");
	}
}

bool notify_send_result(const struct notify_send *send, CURLcode code, int32_t *ret_status,
			struct str *ret_fault)
{
	bool was_cut = code == CURLE_WRITE_ERROR && send->answer_bytes > ANSWER_MAX_BYTES;
	long status = 0;

	if (code == CURLE_OK || was_cut)
		curl_easy_getinfo(send->easy, CURLINFO_RESPONSE_CODE, &status);
	*ret_status = (int32_t)status;
	*ret_fault = STR("");
	if (status >= 200 && status < 300)
		return true;
	if (!status)
		*ret_fault = fault_of(send, code);
	else
		*ret_fault = status >= 300 && status < 400 ? STR("redirect") : STR("refused");
	return false;
}

void notify_send_end(struct notify_send *send, CURLM *multi)
{
	if (send->easy) {
		curl_multi_remove_handle(multi, send->easy);
		curl_easy_cleanup(send->easy);
	}
	curl_slist_free_all(send->headers);
	*send = (struct notify_send){ 0 };
}
