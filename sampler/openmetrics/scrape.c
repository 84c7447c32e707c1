/* scrape.c - see scrape.h. */
#include "scrape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monotonic.h"

#define BODY_FIRST (64 * 1024)
#define STOP_POLL_MS 50 /* how late the end of the sampler may be noticed */
#define ACCEPT "Accept: text/plain;version=0.0.4, application/openmetrics-text;q=0.5, */*;q=0.1"

/* One byte more than the body, for its NUL. */
static bool make_room(struct scrape *scrape, size_t more)
{
	size_t size = scrape->size ? scrape->size : BODY_FIRST;

	if (scrape->length + more > SCRAPE_BODY_MAX) {
		scrape->is_too_long = true;
		return false;
	}
	while (size < scrape->length + more + 1)
		size *= 2;
	if (size == scrape->size)
		return true;
	char *body = realloc(scrape->body, size);
	if (!body)
		return false;
	scrape->body = body;
	scrape->size = size;
	return true;
}

/* Fewer bytes than came end the transfer. */
static size_t take_bytes(char *bytes, size_t one, size_t count, void *context)
{
	struct scrape *scrape = context;

	if (!make_room(scrape, one * count))
		return 0;
	memcpy(scrape->body + scrape->length, bytes, one * count);
	scrape->length += one * count;
	return one * count;
}

static bool add_header(void *context, const char *header)
{
	struct scraper *scraper = context;
	struct curl_slist *list = scraper->curl.list_append(scraper->headers, header);

	if (list)
		scraper->headers = list;
	return list != NULL;
}

static CURLcode set_limits(const struct curl_library *curl, CURL *easy)
{
	CURLcode code = curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);

	if (!code)
		code = curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	if (!code)
		code = curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	if (!code)
		code = curl->easy_setopt(easy, CURLOPT_PROXY, "");
	if (!code)
		code = curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)SCRAPE_TIMEOUT_MS);
	return code;
}

/* Trusts the CA file only: libcurl would add those in a folder of the system. */
static CURLcode set_trust(const struct curl_library *curl, CURL *easy, const char *ca_file)
{
	if (!ca_file[0])
		return CURLE_OK;
	CURLcode code = curl->easy_setopt(easy, CURLOPT_CAINFO, ca_file);
	return code ? code : curl->easy_setopt(easy, CURLOPT_CAPATH, (char *)NULL);
}

static bool prepare(struct scraper *scraper, struct scrape *scrape, const char *url,
		    const char *ca_file)
{
	const struct curl_library *curl = &scraper->curl;

	scrape->easy = curl->easy_init();
	if (!scrape->easy)
		return false;
	CURLcode code = set_limits(curl, scrape->easy);
	if (!code)
		code = set_trust(curl, scrape->easy, ca_file);
	if (!code)
		code = curl->easy_setopt(scrape->easy, CURLOPT_URL, url);
	if (!code)
		code = curl->easy_setopt(scrape->easy, CURLOPT_HTTPHEADER, scraper->headers);
	if (!code)
		code = curl->easy_setopt(scrape->easy, CURLOPT_WRITEFUNCTION, take_bytes);
	if (!code)
		code = curl->easy_setopt(scrape->easy, CURLOPT_WRITEDATA, scrape);
	return !code;
}

static bool prepare_all(struct scraper *scraper, const struct endpoint *endpoints, size_t count,
			const char *headers, const char *ca_file)
{
	scraper->multi = scraper->curl.multi_init();
	if (!scraper->multi || !add_header(scraper, ACCEPT) ||
	    !add_header(scraper, "User-Agent: cairn-sampler") ||
	    !endpoint_headers_parse(headers, add_header, scraper))
		return false;
	for (size_t i = 0; i < count; i++) {
		scraper->count++;
		if (!prepare(scraper, &scraper->scrapes[i], endpoints[i].url, ca_file))
			return false;
	}
	return true;
}

bool scraper_init(struct scraper *scraper, const struct endpoint *endpoints, size_t count,
		  const char *headers, const char *ca_file)
{
	scraper->multi = NULL;
	scraper->headers = NULL;
	scraper->count = 0;
	memset(scraper->scrapes, 0, sizeof scraper->scrapes);
	if (prepare_all(scraper, endpoints, count, headers, ca_file))
		return true;
	scraper_deinit(scraper);
	return false;
}

void scraper_deinit(struct scraper *scraper)
{
	for (size_t i = 0; i < scraper->count; i++) {
		if (scraper->scrapes[i].easy)
			scraper->curl.easy_cleanup(scraper->scrapes[i].easy);
		free(scraper->scrapes[i].body);
	}
	scraper->count = 0;
	if (scraper->multi)
		scraper->curl.multi_cleanup(scraper->multi);
	if (scraper->headers)
		scraper->curl.list_free(scraper->headers);
	scraper->multi = NULL;
	scraper->headers = NULL;
}

static void begin(struct scraper *scraper)
{
	for (size_t i = 0; i < scraper->count; i++) {
		struct scrape *scrape = &scraper->scrapes[i];
		if (!scrape->is_wanted)
			continue;
		scrape->length = 0;
		scrape->status = 0;
		scrape->is_too_long = false;
		scrape->code = CURLE_OPERATION_TIMEDOUT; /* unless it ends in time */
		scrape->is_running = scraper->curl.multi_add(scraper->multi, scrape->easy) == 0;
	}
}

static void end(struct scraper *scraper, struct scrape *scrape)
{
	scraper->curl.multi_remove(scraper->multi, scrape->easy);
	scrape->is_running = false;
	if (scrape->body)
		scrape->body[scrape->length] = '\0';
}

static void take_ended(struct scraper *scraper)
{
	CURLMsg *message;
	int left;

	while ((message = scraper->curl.multi_info(scraper->multi, &left)) != NULL) {
		CURL *easy = message->easy_handle;
		CURLcode code = message->data.result;
		for (size_t i = 0; i < scraper->count; i++) {
			struct scrape *scrape = &scraper->scrapes[i];
			if (scrape->easy != easy)
				continue;
			scrape->code = code;
			scraper->curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &scrape->status);
			end(scraper, scrape);
		}
	}
}

/* libcurl has a timeout of its own for each; ours is for a library that keeps it badly, as while it
 * resolves a name. */
void scraper_run(struct scraper *scraper, const atomic_bool *stop)
{
	uint64_t deadline_ns = monotonic_ns() + (SCRAPE_TIMEOUT_MS + STOP_POLL_MS) * NS_PER_MS;
	int running = 1;

	begin(scraper);
	while (running > 0 && !atomic_load(stop) && monotonic_ns() < deadline_ns) {
		if (scraper->curl.multi_perform(scraper->multi, &running) != CURLM_OK)
			break;
		take_ended(scraper);
		if (running > 0)
			scraper->curl.multi_poll(scraper->multi, NULL, 0, STOP_POLL_MS, NULL);
	}
	for (size_t i = 0; i < scraper->count; i++) {
		if (scraper->scrapes[i].is_running)
			end(scraper, &scraper->scrapes[i]);
	}
}

bool scrape_is_good(const struct scrape *scrape)
{
	return scrape->code == CURLE_OK && scrape->status == 200;
}

void scrape_explain(const struct scraper *scraper, const struct scrape *scrape, char *ret_text,
		    size_t size)
{
	if (scrape->is_too_long)
		snprintf(ret_text, size, "more than %d MiB", SCRAPE_BODY_MAX >> 20);
	else if (scrape->code != CURLE_OK)
		snprintf(ret_text, size, "%s", scraper->curl.easy_strerror(scrape->code));
	else
		snprintf(ret_text, size, "status %ld", scrape->status);
}
